// Form that selects an opponent, from beginner to perfect, and one's own side.

import { h } from "./dom.js";
import { defaultRung, makeLadder, rungSeat } from "./newgame.js";

/** @typedef {import("./types.js").OpponentView} OpponentView */
/** @typedef {import("./types.js").SeatRequest} SeatRequest */

/** Values of the two choices at the end of the list that are no opponents. */
const TWO_PEOPLE = "two people";
export const OTHER_PLAYERS = "other players";
const RANDOM_SIDE = "random";

/**
 * Return a strength as a bar, with its figure as text for screen readers.
 * @param {{ bar: number | null, strength: string }} persona
 */
export function makeStrengthBar({ bar, strength }) {
  const label = `Strength: ${strength}`;
  if (bar === null) return h("span", { class: "strength muted", title: label }, strength);
  return h("meter", { class: "strength", min: 0, max: 1, value: bar, title: label, "aria-label": label });
}

/** Form that selects an opponent and one's own side. */
export class OpponentForm {
  /**
   * @param {string[]} sides
   * @param {OpponentView[]} players
   * @param {() => void} onChange
   */
  constructor(sides, players, onChange) {
    this.ladder = makeLadder(players);
    const first = defaultRung(this.ladder);
    const cards = this.ladder.map((rung) =>
      makeCard(rung.name, rung.name, rung.text, rung === first, makeStrengthBar(rung)),
    );
    this.sideRow = h(
      "fieldset",
      { class: "own-side" },
      h("legend", {}, "You play"),
      ...[...sides, RANDOM_SIDE].map((side, index) =>
        h(
          "label",
          {},
          h("input", { type: "radio", name: "own-side", value: side === RANDOM_SIDE ? side : index, checked: index === 0 }),
          side === RANDOM_SIDE ? "a random side" : side,
        ),
      ),
    );
    this.element = h(
      "div",
      { onchange: () => this.change(onChange) },
      h(
        "fieldset",
        { class: "ladder" },
        h("legend", {}, "Opponent"),
        h(
          "div",
          { class: "rungs" },
          ...cards,
          makeCard(TWO_PEOPLE, "Two people", "Both sides on this screen.", !first),
          makeCard(OTHER_PLAYERS, "Choose both players", "Any program with its options, on either side.", false),
        ),
      ),
      this.sideRow,
    );
  }

  /** The value of the selected opponent. */
  get selected() {
    return this.readValue("opponent");
  }

  /** Scroll the list to the selected opponent; the page stays where it is. */
  showSelected() {
    const list = this.element.querySelector(".rungs");
    const card = list?.querySelector(".rung:has(:checked)");
    if (!list || !card) return;
    const [outer, inner] = [list.getBoundingClientRect(), card.getBoundingClientRect()];
    list.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
  }

  /** @param {string} name */
  readValue(name) {
    const input = this.element.querySelector(`input[name="${name}"]:checked`);
    return input instanceof HTMLInputElement ? input.value : "";
  }

  /** @param {() => void} onChange */
  change(onChange) {
    this.sideRow.hidden = this.selected === TWO_PEOPLE || this.selected === OTHER_PLAYERS;
    onChange();
  }

  /** @returns {Partial<SeatRequest>[]} */
  get seats() {
    const rung = this.ladder.find(({ name }) => name === this.selected);
    if (!rung) return [{}, {}];
    const side = this.readValue("own-side");
    const own = side === RANDOM_SIDE ? Math.floor(2 * Math.random()) : Number(side);
    return [0, 1].map((each) => (each === own ? {} : rungSeat(rung)));
  }
}

/**
 * @param {string} value
 * @param {string} title
 * @param {string} text
 * @param {boolean} isSelected
 * @param {HTMLElement} [bar]
 */
function makeCard(value, title, text, isSelected, bar) {
  const label = `${title}: ${text}`;
  return h(
    "label",
    { class: "rung" },
    h("input", { type: "radio", name: "opponent", value, checked: isSelected, "aria-label": label }),
    h("strong", {}, title),
    bar,
    h("small", {}, text),
  );
}
