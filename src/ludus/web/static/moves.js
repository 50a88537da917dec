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
      moves.length > 1 ? this.makeLine(0, 0) : h("p", { class: "muted" }, "No moves yet."),
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
   * List the moves after a node; variations follow the move they replace.
   * @param {number} node
   * @param {number} ply
   * @returns {HTMLElement}
   */
  makeLine(node, ply) {
    const row = h("div", { class: "move-line" });
    let needsNumber = true;
    for (let at = node; ; ply += 1) {
      const [first, ...others] = this.children.get(at) ?? [];
      if (first === undefined) return row;
      row.append(...this.makeMove(first, ply, needsNumber));
      needsNumber = others.length > 0;
      for (const other of others) {
        const variation = [...this.makeMove(other, ply, true), this.makeLine(other, ply + 1)];
        row.append(h("div", { class: "variation" }, ...variation));
      }
      at = first;
    }
  }

  /**
   * @param {number} node
   * @param {number} ply
   * @param {boolean} needsNumber
   * @returns {Node[]}
   */
  makeMove(node, ply, needsNumber) {
    const move = this.nodes.get(node);
    if (!move) return [];
    const isMistake = move.mark !== "";
    const attributes = {
      class: `move${isMistake ? " mistake" : ""}${move.mover === DICE ? " dice" : ""}`,
      "aria-current": node === this.shownNode ? "step" : null,
      title: MARK_TITLES[move.mark] ?? null,
    };
    const text = `${move.text}${move.mark}`;
    /** @type {Node[]} */
    const parts = [button(text, () => this.page.showNode(node), attributes)];
    if (needsNumber || ply % 2 === 0) {
      const number = `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."}`;
      parts.unshift(h("span", { class: "move-number" }, number));
    }
    if (move.comment) parts.push(h("em", {}, move.comment));
    return parts;
  }

  saveComment() {
    const body = { node: this.shownNode, text: this.comment.value };
    void this.page.postAction("remarks", body);
  }
}
