// Form for one side: a person, or a player with level and options, and its strength.

import { get } from "./api.js";
import { fill, h } from "./dom.js";

/** @typedef {import("./types.js").Opponent} Opponent */
/** @typedef {import("./types.js").Seat} Seat */

const PERSON = "";
/** Default level as a fraction of the highest; a beginner should be able to win. */
const EASY_SHARE = 0.3;

/**
 * Fetch the players for a game.
 * @param {string} game
 * @param {string} rules
 * @returns {Promise<Opponent[]>}
 */
export const opponents = (game, rules) => get("/api/opponents", { game, rules });

/** @param {number} levels */
export const easyLevel = (levels) => Math.max(1, Math.round(EASY_SHARE * levels));

/** @param {string} text */
const upper = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Form that selects who plays one side. */
export class SeatForm {
  /**
   * @param {string} side
   * @param {() => void} changed
   */
  constructor(side, changed) {
    /** @type {Opponent[]} */
    this.all = [];
    this.who = h("select", {
      "aria-label": `Who plays ${side}`,
      onchange: () => {
        this.update();
        changed();
      },
    });
    this.level = h("input", {
      type: "range",
      min: 1,
      max: 10,
      "aria-label": `Level of ${side}`,
      oninput: () => this.tell(),
    });
    this.levelShown = h("output", {});
    this.levels = h(
      "label",
      { class: "level" },
      h("span", {}, "Level"),
      this.level,
      this.levelShown,
    );
    this.about = h("p", { class: "about" });
    this.options = h("div", { class: "options" });
    this.more = h("details", { hidden: true }, h("summary", {}, "Its options"), this.options);
    this.element = h(
      "fieldset",
      { class: "seat-form" },
      h("legend", {}, side),
      this.who,
      this.levels,
      this.about,
      this.more,
    );
  }

  /**
   * @param {Opponent[]} all
   * @param {Partial<Seat>} seat
   */
  offer(all, seat) {
    this.all = all;
    fill(
      this.who,
      h("option", { value: PERSON }, "a person"),
      ...all.map((each) => h("option", { value: each.name }, each.name)),
    );
    this.who.value = seat.player ?? PERSON;
    this.update();
    if (seat.level) this.level.value = String(seat.level);
    this.tell();
  }

  get chosen() {
    return this.all.find((each) => each.name === this.who.value);
  }

  update() {
    const chosen = this.chosen;
    this.levels.hidden = !chosen?.levels;
    if (chosen?.levels) {
      this.level.max = String(chosen.levels);
      this.level.value = String(easyLevel(chosen.levels));
    }
    const choices = Object.entries(chosen?.choices ?? {});
    fill(
      this.options,
      ...choices.map(([name, values]) =>
        h(
          "label",
          {},
          `${name} `,
          h(
            "select",
            { "data-option": name, onchange: () => this.tell() },
            h("option", { value: "" }, "as usual"),
            ...values.map((value) => h("option", { value }, value)),
          ),
        ),
      ),
    );
    this.more.hidden = !choices.length;
    this.tell();
  }

  /** Show the measured strength of the selected player. */
  tell() {
    const chosen = this.chosen;
    this.levelShown.textContent = this.level.value;
    if (!chosen) {
      this.about.textContent = "Moves by clicking, dragging or with the keyboard, on this screen.";
      return;
    }
    const measured = chosen.levels
      ? chosen.strengths[Number(this.level.value) - 1]
      : chosen.strength;
    const isUsual = Object.keys(this.seat.choices ?? {}).length === 0;
    const strength = isUsual ? measured : "not measured with these options";
    this.about.textContent = `${upper(chosen.title)}. Strength: ${strength}.`;
  }

  /** @returns {Partial<Seat>} */
  get seat() {
    const chosen = this.chosen;
    if (!chosen) return {};
    const selects = /** @type {HTMLSelectElement[]} */ ([
      ...this.options.querySelectorAll("select"),
    ]);
    const choices = selects
      .filter((each) => each.value)
      .map((each) => [each.dataset.option ?? "", each.value]);
    return {
      player: chosen.name,
      level: chosen.levels ? Number(this.level.value) : null,
      choices: Object.fromEntries(choices),
    };
  }
}
