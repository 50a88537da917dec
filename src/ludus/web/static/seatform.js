// Forms that select who plays: a person or a computer player with its level and its options.

import { fetchOpponents } from "./api.js";
import { h, openDialog, setChildren } from "./dom.js";
import { capitalize } from "./text.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").OpponentView} OpponentView */
/** @typedef {import("./types.js").SeatRequest} SeatRequest */

const PERSON = "";
/** Default level as a fraction of the highest; a beginner should be able to win. */
const EASY_FRACTION = 0.3;

/** @param {number} levels */
const easyLevel = (levels) => Math.max(1, Math.round(EASY_FRACTION * levels));

/** Form that selects who plays one side. */
export class SeatForm {
  /**
   * @param {string} side
   * @param {OpponentView[]} players
   * @param {Partial<SeatRequest>} seat who plays at first
   */
  constructor(side, players, seat) {
    this.players = players;
    this.player = h(
      "select",
      { "aria-label": `Who plays ${side}`, onchange: () => this.showPlayer() },
      h("option", { value: PERSON }, "a person"),
      ...players.map(({ name }) => h("option", { value: name }, name)),
    );
    this.level = h("input", {
      type: "range",
      min: 1,
      max: 10,
      "aria-label": `Level of ${side}`,
      oninput: () => this.showStrength(),
    });
    this.levelText = h("output", {});
    this.levelLabel = h(
      "label",
      { class: "level" },
      h("span", {}, "Level"),
      this.level,
      this.levelText,
    );
    this.info = h("p", { class: "player-info" });
    this.options = h("div", { class: "options" });
    this.optionDetails = h("details", { hidden: true }, h("summary", {}, "Options"), this.options);
    this.element = h(
      "fieldset",
      { class: "seat-form" },
      h("legend", {}, side),
      this.player,
      this.levelLabel,
      this.info,
      this.optionDetails,
    );
    this.player.value = seat.player ?? PERSON;
    this.showPlayer();
    if (seat.level) this.level.value = String(seat.level);
    for (const select of this.options.querySelectorAll("select")) {
      select.value = seat.choices?.[select.dataset.option ?? ""] ?? "";
    }
    this.showStrength();
  }

  /** The selected player; undefined for a person. */
  get selected() {
    return this.players.find((each) => each.name === this.player.value);
  }

  /** Show the level and the options of the selected player. */
  showPlayer() {
    const { selected } = this;
    this.levelLabel.hidden = !selected?.levels;
    if (selected?.levels) {
      this.level.max = String(selected.levels);
      this.level.value = String(easyLevel(selected.levels));
    }
    const choices = Object.entries(selected?.choices ?? {});
    setChildren(
      this.options,
      ...choices.map(([name, values]) =>
        h(
          "label",
          {},
          `${name} `,
          h(
            "select",
            { "data-option": name, onchange: () => this.showStrength() },
            h("option", { value: "" }, "default"),
            ...values.map((value) => h("option", { value }, value)),
          ),
        ),
      ),
    );
    this.optionDetails.hidden = !choices.length;
    this.showStrength();
  }

  /** Show the measured strength of the selected player. */
  showStrength() {
    const { selected } = this;
    this.levelText.textContent = this.level.value;
    if (!selected) {
      this.info.textContent = "Moves by clicking, dragging or with the keyboard, on this screen.";
      return;
    }
    const measured = selected.levels
      ? selected.strengths[Number(this.level.value) - 1]
      : selected.strength;
    const isDefault = Object.keys(this.seat.choices ?? {}).length === 0;
    const strength = isDefault ? measured : "not measured with these options";
    this.info.textContent = `${capitalize(selected.title)}. Strength: ${strength}.`;
  }

  /** @returns {Partial<SeatRequest>} */
  get seat() {
    const { selected } = this;
    if (!selected) return {};
    const choices = [...this.options.querySelectorAll("select")]
      .filter((each) => each.value)
      .map((each) => [each.dataset.option ?? "", each.value]);
    return {
      player: selected.name,
      level: selected.levels ? Number(this.level.value) : null,
      choices: Object.fromEntries(choices),
    };
  }
}

/**
 * Open the dialog that changes the players of a game in progress.
 * @param {GameView} view
 * @param {(seats: Partial<SeatRequest>[]) => unknown} onChange
 */
export async function openSeatsDialog(view, onChange) {
  const players = await fetchOpponents(view.game, view.rules);
  const forms = view.seats.map((seat) => new SeatForm(seat.side, players, seat));
  const content = h("div", { class: "seat-forms" }, ...forms.map((form) => form.element));
  openDialog("Change players", [content], {
    label: "Apply",
    run: (dialog) => {
      onChange(forms.map((form) => form.seat));
      dialog.close();
    },
  });
}
