// Position editor. The server draws the position and checks whether it can be played.

import { post } from "./api.js";
import { button, h, makeOptions } from "./dom.js";
import { seatRequests, sideName } from "./seats.js";

/** @typedef {import("./types.js").ArrangementView} ArrangementView */
/** @typedef {import("./game.js").GamePage} GamePage */

/** The side selected for removing men. */
const NO_SIDE = -1;
const MAX_HAND = 15;
const HELP = "Choose a side, click places on the board, and play from that position.";

export class EditorPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    /** @type {ArrangementView | null} */
    this.arrangement = null;
    this.selectedSide = 0;
    this.problem = h("p", { class: "error", role: "status" });
    const sides = page.view.seats.map((seat) => seat.side);
    this.sideButtons = [...sides, "Remove"].map((name, index) =>
      button(name, () => this.selectSide(index < sides.length ? index : NO_SIDE)),
    );
    this.mover = h(
      "select",
      { id: "mover", onchange: () => this.change(() => ({ mover: Number(this.mover.value) })) },
      ...makeOptions(sides.map((name, side) => [side, name])),
    );
    this.hands = sides.map((_, side) =>
      h("input", { type: "number", min: 0, max: MAX_HAND, onchange: () => this.setHand(side) }),
    );
    this.handTitle = h("span", {});
    this.handRow = h(
      "div",
      { class: "row" },
      this.handTitle,
      ...this.hands.map((input, side) => h("label", {}, `${sides[side]} `, input)),
    );
    this.dice = [0, 1].map((die) =>
      h(
        "select",
        { "aria-label": `Die ${die + 1}`, onchange: () => this.setDie(die) },
        h("option", { value: 0 }, "not rolled"),
        ...[1, 2, 3, 4, 5, 6].map((face) => h("option", { value: face }, String(face))),
      ),
    );
    this.diceRow = h("div", { class: "row" }, h("span", {}, "Dice:"), ...this.dice);
    this.playButton = button("Play from here", () => this.play(), { class: "primary" });
    this.editButton = button("Edit this position", () => this.load());
    this.tools = h(
      "div",
      { class: "stack", hidden: true },
      h("div", { class: "row", role: "group", "aria-label": "Men to place" }, ...this.sideButtons),
      this.problem,
      h(
        "div",
        { class: "row" },
        h("label", { for: "mover" }, "To move ", this.mover),
        button("Clear the board", () => this.change(() => ({ men: {}, hands: [0, 0] }))),
      ),
      this.handRow,
      this.diceRow,
      h(
        "div",
        { class: "row" },
        this.playButton,
        button("Cancel", () => this.cancel()),
      ),
    );
    this.element = h(
      "div",
      { class: "stack" },
      h("p", { class: "muted" }, HELP),
      h("div", { class: "row" }, this.editButton),
      this.tools,
    );
    this.selectSide(0);
  }

  /** @param {number} side */
  selectSide(side) {
    this.selectedSide = side;
    const selected = side === NO_SIDE ? this.sideButtons.length - 1 : side;
    this.sideButtons.forEach((each, index) =>
      each.setAttribute("aria-pressed", String(index === selected)),
    );
  }

  load() {
    return this.page.enqueue(() => this.update({ position: this.page.view.position }));
  }

  /** @param {Record<string, unknown>} request */
  async update(request) {
    const { game, rules } = this.page.view;
    this.arrangement = await post("/api/arrangements", { game, rules, ...request });
    if (this.arrangement) this.show(this.arrangement);
  }

  /** @param {ArrangementView} arrangement */
  show({ svg, labels, problem, mover, hands, hand_title, dice, has_dice }) {
    this.page.showEditor({ svg, labels, places: Object.keys(labels), title: "Set up" });
    this.problem.textContent = problem;
    this.tools.hidden = false;
    this.editButton.hidden = true;
    this.mover.value = String(mover);
    this.handRow.hidden = !hand_title;
    this.handTitle.textContent = `${hand_title}:`;
    this.diceRow.hidden = !has_dice;
    this.dice.forEach((select, die) => {
      select.value = String(dice?.[die] ?? 0);
    });
    this.hands.forEach((input, side) => {
      const label = `${sideName(this.page.view, side)}, ${hand_title.toLowerCase()}`;
      input.setAttribute("aria-label", label);
      if (document.activeElement !== input) input.value = String(hands[side]);
    });
    this.playButton.setAttribute("aria-disabled", String(Boolean(problem)));
  }

  /**
   * Apply a change to the arrangement after all earlier changes.
   * @param {(arrangement: ArrangementView) => Partial<ArrangementView>} makeChange
   */
  change(makeChange) {
    void this.page.enqueue(async () => {
      if (!this.arrangement) return;
      const { men, mover, hands, dice } = this.arrangement;
      await this.update({ men, mover, hands, dice, ...makeChange(this.arrangement) });
    });
  }

  /**
   * Place one more man of the selected side; a full place, or no side, empties the place.
   * @param {string} place
   */
  placeMan(place) {
    const side = this.selectedSide;
    this.change((arrangement) => {
      const men = { ...arrangement.men };
      const there = men[place];
      const count = there?.side === side ? there.count + 1 : 1;
      const isRemoved = side === NO_SIDE || count > arrangement.most;
      if (isRemoved) delete men[place];
      else men[place] = { side, count };
      return { men, hands: this.countHands(arrangement, there, isRemoved ? null : side) };
    });
  }

  /**
   * Return the men still to place: one fewer for each man put on the board, one more for each taken.
   * @param {ArrangementView} arrangement
   * @param {{ side: number, count: number } | undefined} before the men on the place until now
   * @param {number | null} placed the side of the man put there
   */
  countHands({ hands, hands_are_placed }, before, placed) {
    if (!hands_are_placed) return hands;
    return hands.map((count, side) => {
      const back = before?.side === side && placed !== side ? before.count : 0;
      const used = placed === side && before?.side !== side ? 1 : 0;
      return Math.min(Math.max(count + back - used, 0), MAX_HAND);
    });
  }

  /** Show the game again. */
  cancel() {
    this.arrangement = null;
    this.tools.hidden = true;
    this.editButton.hidden = false;
    this.page.hideEditor();
  }

  /** @param {number} side */
  setHand(side) {
    // Read now: a pending response would restore the old number.
    const value = Math.trunc(Number(this.hands[side]?.value));
    const count = Math.min(Math.max(value, 0), MAX_HAND);
    this.change(({ hands }) => ({
      hands: hands.map((old, index) => (index === side ? count : old)),
    }));
  }

  /**
   * Change a die; both dice are set or none.
   * @param {number} changed
   */
  setDie(changed) {
    const face = Number(this.dice[changed]?.value);
    this.change(({ dice }) => ({
      dice: face ? [0, 1].map((die) => (die === changed ? face : (dice?.[die] ?? face))) : null,
    }));
  }

  play() {
    const { arrangement } = this;
    if (!arrangement || arrangement.problem) return;
    const { game, rules } = this.page.view;
    const { position } = arrangement;
    const seats = seatRequests(this.page.view);
    this.cancel();
    void this.page.enqueue(() => this.page.openNewGame({ game, rules, position, seats }));
  }
}
