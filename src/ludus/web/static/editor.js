// Position editor. The server draws the position and checks whether it can be played.

import { begin, post } from "./api.js";
import { Board } from "./board.js";
import { button, h } from "./dom.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Arrangement} Arrangement */
/** @typedef {import("./types.js").Man} Man */
/** @typedef {import("./game.js").GamePage} GamePage */

const NOBODY = -1;

export class EditorPanel {
  /**
   * @param {GamePage} page
   * @param {(address: string) => Promise<void>} go
   */
  constructor(page, go) {
    this.page = page;
    this.go = go;
    /** @type {Arrangement | null} */
    this.made = null;
    this.brush = 0;
    this.board = new Board(
      (place) => this.put(place),
      () => {},
    );
    this.problem = h("p", { class: "trouble", role: "status" });
    const sides = page.view.seats.map((seat) => seat.side);
    this.brushes = [...sides, "Nobody"].map((name, side) =>
      button(name, () => this.choose(side < sides.length ? side : NOBODY)),
    );
    this.mover = h(
      "select",
      { id: "mover", onchange: () => this.change(() => ({ mover: Number(this.mover.value) })) },
      ...sides.map((name, side) => h("option", { value: side }, name)),
    );
    this.hands = sides.map((name, side) =>
      h("input", {
        type: "number",
        min: 0,
        max: 15,
        onchange: () => {
          // Read now: a pending response would restore the old number.
          const number = this.hand(side);
          this.change(({ hands }) => ({
            hands: hands.map((old, each) => (each === side ? number : old)),
          }));
        },
      }),
    );
    this.handTitle = h("span", {});
    this.handRow = h(
      "div",
      { class: "row" },
      this.handTitle,
      ...this.hands.map((input, side) => h("label", {}, `${sides[side]} `, input)),
    );
    this.dice = [1, 2].map((die) =>
      h(
        "select",
        { "aria-label": `Die ${die}`, onchange: () => this.roll(die - 1) },
        h("option", { value: 0 }, "to be rolled"),
        ...[1, 2, 3, 4, 5, 6].map((face) => h("option", { value: face }, String(face))),
      ),
    );
    this.diceRow = h("div", { class: "row" }, h("span", {}, "Dice:"), ...this.dice);
    this.start = button("Play from here", () => this.play(), { class: "primary" });
    const brushes = h(
      "div",
      { class: "row", role: "group", "aria-label": "What to put" },
      ...this.brushes,
    );
    this.tools = h(
      "div",
      { class: "stack", hidden: true },
      brushes,
      this.board.element,
      this.problem,
      h(
        "div",
        { class: "row" },
        h("label", { for: "mover" }, "To move ", this.mover),
        button("Empty the board", () => this.change(() => ({ men: {}, hands: [0, 0] }))),
      ),
      this.handRow,
      this.diceRow,
      h("div", { class: "row" }, this.start),
    );
    this.element = h(
      "div",
      { class: "stack" },
      h(
        "p",
        { class: "quiet" },
        "Choose a side, touch the places where its men should stand, and play from there.",
      ),
      h(
        "div",
        { class: "row" },
        button("Begin with this position", () => this.load()),
      ),
      this.tools,
    );
    this.choose(0);
  }

  /** @param {number} side */
  choose(side) {
    this.brush = side;
    const sides = this.brushes.length - 1;
    this.brushes.forEach((each, index) =>
      each.setAttribute("aria-pressed", String((index < sides ? index : NOBODY) === side)),
    );
  }

  /** @param {number} side */
  hand(side) {
    return Math.min(Math.max(Math.trunc(Number(this.hands[side]?.value)), 0), 15);
  }

  /**
   * Change a die; both dice are set or none.
   * @param {number} turned
   */
  roll(turned) {
    const face = Number(this.dice[turned]?.value);
    this.change(({ dice }) => ({
      dice: face ? [0, 1].map((die) => (die === turned ? face : (dice?.[die] ?? face))) : null,
    }));
  }

  load() {
    return this.page.after(() => this.ask({ position: this.page.view.position }));
  }

  /** @param {Record<string, unknown>} what */
  async ask(what) {
    const { game, rules } = this.page.view;
    this.made = await post("/api/arrangements", { game, rules, ...what });
    this.show();
  }

  show() {
    const made = this.made;
    if (!made) return;
    const places = Object.keys(made.labels);
    this.board.show({ svg: made.svg, places, labels: made.labels, touched: [], title: "Set up" });
    this.problem.textContent = made.problem;
    this.tools.hidden = false;
    this.mover.value = String(made.mover);
    this.handRow.hidden = !made.hand_title;
    this.handTitle.textContent = `${made.hand_title}:`;
    this.diceRow.hidden = !made.has_dice;
    this.dice.forEach((select, die) => {
      select.value = String(made.dice?.[die] ?? 0);
    });
    this.hands.forEach((input, side) => {
      const name = this.page.view.seats[side]?.side ?? "";
      input.setAttribute("aria-label", `${name}, ${made.hand_title.toLowerCase()}`);
      if (document.activeElement !== input) input.value = String(made.hands[side]);
    });
    this.start.setAttribute("aria-disabled", String(Boolean(made.problem)));
  }

  /**
   * Apply a change to the arrangement after all earlier changes.
   * @param {(made: Arrangement) => Partial<Arrangement>} how
   */
  change(how) {
    void this.page.after(async () => {
      const made = this.made;
      if (!made) return;
      const { men, mover, hands, dice } = made;
      await this.ask({ men, mover, hands, dice, ...how(made) });
    });
  }

  /** @param {string} place */
  put(place) {
    const brush = this.brush;
    this.change((made) => {
      const men = { ...made.men };
      const there = men[place];
      const count = there?.side === brush ? there.count + 1 : 1;
      if (brush === NOBODY || count > made.most) delete men[place];
      else men[place] = { side: brush, count };
      return { men };
    });
  }

  play() {
    const made = this.made;
    if (!made || made.problem) return;
    void this.page.after(async () => {
      const { game, rules, seats } = this.page.view;
      const players = seats.map(({ player, level, choices }) => ({ player, level, choices }));
      const view = await begin({ game, rules, position: made.position, seats: players });
      await this.go(`/game/${view.id}`);
    });
  }
}
