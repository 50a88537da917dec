// Move list of a game with variations and comments.

import { button, fill, h } from "./dom.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").MoveView} MoveView */
/** @typedef {import("./game.js").GamePage} GamePage */

const DICE = -1;
const STEPS = [
  ["«", "To the beginning"],
  ["‹", "One move back"],
  ["›", "One move on"],
  ["»", "To the end"],
];

export class MovesPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.list = h("div", { class: "moves" });
    this.note = h("textarea", {
      id: "note",
      rows: 2,
      maxlength: 2000,
      onchange: () => this.remark(),
    });
    /** @type {(number | undefined)[]} */
    this.targets = [];
    this.buttons = this.makeSteps();
    this.steps = h("div", { class: "row" }, ...this.buttons);
    this.element = h(
      "div",
      {},
      this.steps,
      this.list,
      h("label", { for: "note", class: "stack" }, "Comment on this move", this.note),
    );
    /** @type {Map<number, MoveView>} */
    this.nodes = new Map();
    /** @type {Map<number, number[]>} */
    this.children = new Map();
    this.shown = 0;
  }

  /**
   * @param {View} view the view shown
   * @param {MoveView[]} moves all nodes of the game
   */
  show(view, moves) {
    this.shown = view.node;
    this.nodes = new Map(moves.map((move) => [move.node, move]));
    this.children = new Map(moves.map((move) => [move.node, []]));
    for (const move of moves) {
      if (move.parent !== null) this.children.get(move.parent)?.push(move.node);
    }
    const hadFocus = this.list.contains(document.activeElement);
    fill(
      this.list,
      moves.length > 1 ? this.line(0, 0) : h("p", { class: "quiet" }, "No move has been made yet."),
    );
    this.showSteps(view.at);
    const note = this.nodes.get(view.node)?.comment ?? "";
    if (document.activeElement !== this.note) this.note.value = note;
    this.scroll();
    if (hadFocus)
      /** @type {HTMLElement | null} */ (this.list.querySelector("[aria-current]"))?.focus({
        preventScroll: true,
      });
  }

  /** Scroll the list, not the page, to the move shown. */
  scroll() {
    const here = /** @type {HTMLElement | null} */ (this.list.querySelector("[aria-current]"));
    if (here) this.list.scrollTop = here.offsetTop - this.list.clientHeight / 2;
  }

  makeSteps() {
    return STEPS.map(([sign, name], index) =>
      button(sign ?? "", () => this.page.look(this.targets[index] ?? this.shown), {
        "aria-label": name,
        title: name,
      }),
    );
  }

  /** @param {number} at */
  showSteps(at) {
    const line = this.way(at);
    const index = line.indexOf(this.shown);
    this.targets = [line[0], line[index - 1], line[index + 1], line.at(-1)];
    this.buttons.forEach((each, number) => {
      const target = this.targets[number];
      each.setAttribute("aria-disabled", String(target === undefined || target === this.shown));
    });
  }

  /**
   * Return the line through a node, from the first move to its end.
   * @param {number} node
   */
  way(node) {
    const through = this.nodes.has(this.shown) ? this.shown : node;
    const line = [through];
    for (
      let up = this.nodes.get(through)?.parent;
      up !== null && up !== undefined;
      up = this.nodes.get(up)?.parent
    )
      line.unshift(up);
    for (
      let down = this.children.get(through)?.[0];
      down !== undefined;
      down = this.children.get(down)?.[0]
    )
      line.push(down);
    return line;
  }

  /**
   * List the moves after a node; variations follow the move they replace.
   * @param {number} node
   * @param {number} ply
   * @returns {HTMLElement}
   */
  line(node, ply) {
    const row = h("div", { class: "line" });
    let isNumberDue = true;
    for (let at = node; ;) {
      const [first, ...others] = this.children.get(at) ?? [];
      if (first === undefined) return row;
      row.append(...this.move(first, ply, isNumberDue));
      isNumberDue = others.length > 0;
      for (const other of others) {
        const variation = h("div", { class: "variation" }, ...this.move(other, ply, true));
        variation.append(this.line(other, ply + 1));
        row.append(variation);
      }
      at = first;
      ply += 1;
    }
  }

  /**
   * @param {number} number
   * @param {number} ply
   * @param {boolean} isNumberDue
   * @returns {(Node | string)[]}
   */
  move(number, ply, isNumberDue) {
    const move = this.nodes.get(number);
    if (!move) return [];
    const count = `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."}`;
    /** @type {(Node | string)[]} */
    const parts = [];
    if (isNumberDue || ply % 2 === 0) parts.push(h("span", { class: "number" }, count));
    const isLost = move.verdict === "lost";
    parts.push(
      h(
        "button",
        {
          type: "button",
          class: `move${isLost ? " lost" : ""}${move.mover === DICE ? " dice" : ""}`,
          "aria-current": number === this.shown ? "step" : null,
          title: isLost ? "gave something away" : null,
          onclick: () => this.page.look(number),
        },
        `${move.text}${isLost ? " ✗" : ""}`,
      ),
    );
    if (move.comment) parts.push(h("em", {}, move.comment));
    return parts;
  }

  remark() {
    void this.page.after(async () => {
      const { post } = await import("./api.js");
      this.page.show(
        await post(`${this.page.path}/remarks`, { node: this.shown, text: this.note.value }),
      );
    });
  }
}
