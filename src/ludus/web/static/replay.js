// Several moves that were made since the board was last shown, one after the other.

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").ShownView} ShownView */
/** @typedef {import("./views.js").GameViews} GameViews */
/** @typedef {import("./board.js").BoardView} BoardView */

/** Milliseconds for which each of several moves is shown. */
const REPLAY_DELAY = 700;

/**
 * Return the nodes between two views of a game that should be seen, if the second follows the first.
 * @param {GameView} before
 * @param {GameView} after
 */
export function findSteps(before, after) {
  if (before.id !== after.id || matchMedia("(prefers-reduced-motion: reduce)").matches) return [];
  const nodes = new Map(after.moves.map((move) => [move.node, move]));
  const path = [];
  let node = nodes.get(after.node)?.parent;
  while (node !== undefined && node !== null && node > before.node) {
    path.unshift(node);
    node = nodes.get(node)?.parent;
  }
  // The person's own move has just been seen, step by step.
  const [first] = path;
  if (first !== undefined && nodes.get(first)?.by === "person") path.shift();
  return node === before.node ? path : [];
}

export class Replay {
  /**
   * @param {BoardView} board
   * @param {GameViews} views
   * @param {HTMLElement} area where the node that is being replayed is noted
   */
  constructor(board, views, area) {
    this.board = board;
    this.views = views;
    this.area = area;
    /** Number of times the board was shown; a later one ends the replay of an earlier one. */
    this.numReplays = 0;
    /**
     * The view at the end of the replay.
     * @type {ShownView | null}
     */
    this.last = null;
  }

  /**
   * Show the board; several moves since the last one are shown one after the other.
   * @param {number[]} steps the nodes to show before
   * @param {ShownView} view
   * @param {() => void} draw draws the view
   */
  async show(steps, view, draw) {
    const isSame = this.last?.node === view.node && !view.touched.length;
    if (this.last && isSame && !steps.length) {
      this.last = view;
      return;
    }
    const replay = ++this.numReplays;
    this.last = view;
    for (const node of steps) {
      this.area.dataset.replay = String(node);
      const past = await this.views.get(node).catch(() => null);
      if (replay !== this.numReplays) return;
      if (!past) break;
      this.board.show(past);
      await new Promise((resolve) => setTimeout(resolve, REPLAY_DELAY));
      if (replay !== this.numReplays) return;
    }
    delete this.area.dataset.replay;
    this.last = null;
    draw();
  }
}
