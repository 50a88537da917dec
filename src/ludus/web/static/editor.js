// A position put together by hand. The server says how it looks and whether anybody can play it.

import { begin, post } from "./api.js";
import { Board } from "./board.js";
import { button, fill, h } from "./dom.js";

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
    this.board = new Board((place) => this.put(place), () => {});
    this.problem = h("p", { class: "trouble", role: "status" });
    this.tools = h("div", { class: "stack" });
    this.element = h("div", { class: "stack" },
      h("p", { class: "quiet" }, "Put men on the board and play from there."),
      button("Begin with this position", () => this.load(this.page.view.position)),
      this.tools, this.board.element, this.problem);
  }

  /** @param {string} position */
  load(position) {
    return this.ask({ position });
  }

  /** @param {Record<string, unknown>} what */
  ask(what) {
    return this.page.after(async () => {
      const { game, rules } = this.page.view;
      this.made = await post("/api/arrangements", { game, rules, ...what });
      this.show();
    });
  }

  show() {
    const made = this.made;
    if (!made) return;
    const places = Object.keys(made.labels);
    this.board.show({ svg: made.svg, places, labels: made.labels, touched: [], title: "Set up" });
    this.problem.textContent = made.problem;
    const sides = this.page.view.seats.map((seat) => seat.side);
    const brush = (/** @type {string} */ name, /** @type {number} */ side) =>
      button(name, () => { this.brush = side; this.show(); }, { "aria-pressed": String(this.brush === side) });
    const mover = h("select", { id: "mover", onchange: () => this.change({ mover: Number(mover.value) }) },
      ...sides.map((name, side) => h("option", { value: side, selected: side === made.mover }, name)));
    const hands = sides.map((name, side) => {
      const input = h("input", {
        type: "number", min: 0, max: 12, value: made.hands[side], "aria-label": `${name} has still to place`,
        onchange: () => this.change({ hands: made.hands.map((old, each) => (each === side ? Number(input.value) : old)) }),
      });
      return h("label", {}, `${name} `, input);
    });
    fill(this.tools,
      h("div", { class: "row", role: "group", "aria-label": "What to put" }, ...sides.map(brush), brush("Nobody", NOBODY)),
      h("div", { class: "row" }, h("label", { for: "mover" }, "To move ", mover), button("Empty the board", () => this.change({ men: {} }))),
      made.has_hands && h("div", { class: "row" }, h("span", {}, "Still to place:"), ...hands),
      h("div", { class: "row" }, button("Play from here", () => this.play(), { class: "primary", "aria-disabled": String(Boolean(made.problem)) })));
  }

  /** @param {Partial<Arrangement>} what */
  change(what) {
    const made = this.made;
    if (made) void this.ask({ men: made.men, mover: made.mover, hands: made.hands, ...what });
  }

  /** @param {string} place */
  put(place) {
    const made = this.made;
    if (!made) return;
    const men = { ...made.men };
    const there = men[place];
    if (this.brush === NOBODY) delete men[place];
    else if (there?.side === this.brush && there.count < made.most) men[place] = { side: this.brush, count: there.count + 1 };
    else if (there?.side === this.brush) delete men[place];
    else men[place] = { side: this.brush, count: 1 };
    this.change({ men });
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
