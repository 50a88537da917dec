// Move list of a game with variations and comments.

import { post } from "./api.js";
import { button, h, setChildren } from "./dom.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").MoveView} MoveView */
/** @typedef {import("./game.js").GamePage} GamePage */

const DICE = -1;
/** @type {[string, string][]} */
const NAVIGATION = [
  ["«", "To the beginning"],
  ["‹", "One move back"],
  ["›", "One move forward"],
  ["»", "To the end"],
];

/** @type {Record<string, string>} */
export const MARK_TITLES = { "?!": "Inaccuracy", "?": "Mistake", "??": "Blunder" };

export class MovesPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.list = h("div", { class: "moves" });
    this.comment = h("textarea", {
      id: "move-comment",
      rows: 2,
      maxlength: 2000,
      onchange: () => this.saveComment(),
    });
    /**
     * The nodes that the navigation buttons lead to.
     * @type {(number | undefined)[]}
     */
    this.targets = [];
    this.navigation = NAVIGATION.map(([sign, title], index) =>
      button(sign, () => this.page.showNode(this.targets[index] ?? this.shownNode), {
        "aria-label": title,
        title,
      }),
    );
    this.element = h(
      "div",
      {},
      h("div", { class: "row" }, ...this.navigation),
      this.list,
      h("label", { for: "move-comment", class: "stack" }, "Comment on this move", this.comment),
    );
    /** @type {Map<number, MoveView>} */
    this.nodes = new Map();
    /** @type {Map<number, number[]>} */
    this.children = new Map();
    this.shownNode = 0;
  }

  /**
   * @param {GameView} view the view shown
   * @param {MoveView[]} moves all nodes of the game
   */
  show(view, moves) {
    this.shownNode = view.node;
    this.nodes = new Map(moves.map((move) => [move.node, move]));
    this.children = new Map(moves.map((move) => [move.node, []]));
    for (const move of moves) {
      if (move.parent !== null) this.children.get(move.parent)?.push(move.node);
    }
    const hadFocus = this.list.contains(document.activeElement);
    setChildren(
      this.list,
      moves.length > 1 ? this.makeLine(0) : h("p", { class: "muted" }, "No moves yet."),
    );
    this.showNavigation(view.at);
    if (document.activeElement !== this.comment)
      this.comment.value = this.nodes.get(view.node)?.comment ?? "";
    const current = /** @type {HTMLElement | null} */ (this.list.querySelector("[aria-current]"));
    if (!current) return;
    // Scroll the list, not the page.
    this.list.scrollTop = current.offsetTop - this.list.clientHeight / 2;
    if (hadFocus) current.focus({ preventScroll: true });
  }

  /** @param {number} at */
  showNavigation(at) {
    const line = this.lineThrough(this.nodes.has(this.shownNode) ? this.shownNode : at);
    const index = line.indexOf(this.shownNode);
    this.targets = [line[0], line[index - 1], line[index + 1], line.at(-1)];
    this.navigation.forEach((each, number) => {
      const target = this.targets[number];
      each.setAttribute("aria-disabled", String(target === undefined || target === this.shownNode));
    });
  }

  /**
   * Return the line through a node, from the first move to its end.
   * @param {number} node
   */
  lineThrough(node) {
    const line = [node];
    let parent = this.nodes.get(node)?.parent;
    while (parent !== null && parent !== undefined) {
      line.unshift(parent);
      parent = this.nodes.get(parent)?.parent;
    }
    let child = this.children.get(node)?.[0];
    while (child !== undefined) {
      line.push(child);
      child = this.children.get(child)?.[0];
    }
    return line;
  }

  /**
   * List the moves after a node in two columns; variations follow the move they replace.
   * @param {number} node
   * @returns {HTMLElement}
   */
  makeLine(node) {
    const grid = h("div", { class: "move-grid" });
    /** @type {HTMLElement | null} */
    let cell = null;
    let column = 1;
    let number = 0;
    /** Text of the last move that a side has chosen. */
    let text = "";
    /** @type {Node[]} */
    let dice = [];
    for (let at = node; ; ) {
      const [first, ...others] = this.children.get(at) ?? [];
      const move = this.nodes.get(first ?? -1);
      if (first === undefined || !move) break;
      if (move.mover === DICE) dice.push(...this.makeMove(first));
      else {
        const side = move.mover ?? 0;
        if (!cell || side !== column) {
          const isNewRow = !cell || side === 0;
          if (side === 0 || number === 0) number += 1;
          if (isNewRow) grid.append(h("span", { class: "move-number" }, `${number}.`));
          if (isNewRow && side === 1) grid.append(h("span", { class: "muted" }, "…"));
          cell = h("div", { class: "move-cell" });
          grid.append(cell);
          column = side;
        }
        cell.append(...dice, ...this.makeMove(first));
        dice = [];
        text = move.text;
      }
      for (const other of others) {
        grid.append(h("div", { class: "variation" }, ...this.makeVariation(other, number)));
        cell = null;
      }
      at = first;
    }
    if (!dice.length) return grid;
    // Dice that are not played yet stand where the move of the side that rolled them will be.
    const isSameSide = text === "roll";
    if (cell && isSameSide) cell.append(...dice);
    else {
      const isSecond = number > 0 && (column === 0) !== isSameSide;
      if (!cell || !isSecond)
        grid.append(h("span", { class: "move-number" }, `${isSecond ? number : number + 1}.`));
      if (!cell && isSecond) grid.append(h("span", { class: "muted" }, "…"));
      grid.append(h("div", { class: "move-cell" }, ...dice));
    }
    return grid;
  }

  /**
   * List a variation in one paragraph, from its first move.
   * @param {number} node
   * @param {number} number of the first move
   * @returns {Node[]}
   */
  makeVariation(node, number) {
    /** @type {Node[]} */
    const parts = [];
    let needsNumber = true;
    for (let at = node; ; ) {
      const move = this.nodes.get(at);
      if (!move) break;
      if (move.mover === 0 && !needsNumber) number += 1;
      const label = `${number}${move.mover === 1 ? "…" : "."}`;
      const hasNumber = move.mover === 0 || (needsNumber && move.mover === 1);
      // The number and its move stay on one line.
      parts.push(
        h(
          "span",
          { class: "numbered" },
          hasNumber && h("span", { class: "move-number" }, label),
          ...this.makeMove(at),
        ),
      );
      if (move.mover !== DICE) needsNumber = false;
      const [first, ...others] = this.children.get(at) ?? [];
      for (const other of others)
        parts.push(h("div", { class: "variation" }, ...this.makeVariation(other, number)));
      if (first === undefined) break;
      at = first;
    }
    return parts;
  }

  /**
   * @param {number} node
   * @returns {Node[]}
   */
  makeMove(node) {
    const move = this.nodes.get(node);
    if (!move) return [];
    const attributes = {
      class: `move${move.mark ? " mistake" : ""}${move.mover === DICE ? " dice" : ""}`,
      "aria-current": node === this.shownNode ? "step" : null,
      title: MARK_TITLES[move.mark ?? ""] ?? null,
    };
    const text = `${move.text}${move.mark ?? ""}`;
    /** @type {Node[]} */
    const parts = [button(text, () => this.page.showNode(node), attributes)];
    if (move.comment) parts.push(h("em", {}, move.comment));
    return parts;
  }

  /**
   * Show the next or the previous position.
   * @param {number} step 1 or -1, or larger for the ends of the line
   */
  step(step) {
    const target = this.targets[step < -1 ? 0 : step === -1 ? 1 : step === 1 ? 2 : 3];
    if (target !== undefined && target !== this.shownNode) void this.page.showNode(target);
  }

  saveComment() {
    const body = { node: this.shownNode, text: this.comment.value };
    void this.page.postAction("remarks", body);
  }
}
