// The views of one game that the page has. Answers of the server hold what differs from one of them.

import { get, post } from "./api.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").GameChange} GameChange */
/** @typedef {import("./types.js").LineChange} LineChange */

/** Views kept; an answer may be late. */
const MAX_VIEWS = 12;

export class GameViews {
  /** @param {GameView} view of the current node */
  constructor(view) {
    this.path = `/api/games/${view.id}`;
    /** The newest view of the current node. */
    this.latest = view;
    /** Views of the current node by revision. */
    this.known = new Map([[view.revision, view]]);
  }

  /**
   * Return the view of a node, by default the current one.
   * @param {number} [node]
   * @returns {Promise<GameView>}
   */
  async get(node) {
    const answer = await get(this.path, { node, since: this.latest.revision });
    return this.read(answer) ?? this.getWhole(node);
  }

  /**
   * Post a change, and return the view after it.
   * @param {string} action
   * @param {unknown} [body]
   * @returns {Promise<GameView>}
   */
  async post(action, body) {
    const answer = await post(`${this.path}/${action}?since=${this.latest.revision}`, body);
    return this.read(answer) ?? this.getWhole();
  }

  /**
   * @param {number} [node]
   * @returns {Promise<GameView>}
   */
  async getWhole(node) {
    const view = /** @type {GameView} */ (await get(this.path, { node }));
    return this.read(view) ?? view;
  }

  /**
   * Return the view that an answer leads to; null if the one it is based on is not known any more.
   * @param {GameView | GameChange} answer
   * @returns {GameView | null}
   */
  read(answer) {
    const base = "since" in answer ? this.known.get(answer.since) : null;
    if (base === undefined) return null;
    const view = base ? applyChange(base, /** @type {GameChange} */ (answer)) : /** @type {GameView} */ (answer);
    if (view.status === "looking") return view;
    this.known.set(view.revision, view);
    if (view.revision >= this.latest.revision) this.latest = view;
    for (const revision of [...this.known.keys()].slice(0, -MAX_VIEWS)) this.known.delete(revision);
    return view;
  }
}

/**
 * @param {GameView} base
 * @param {GameChange} change
 * @returns {GameView}
 */
export function applyChange(base, { since: _, ...change }) {
  const moves = new Map([...base.moves, ...change.moves].map((move) => [move.node, move]));
  return {
    ...base,
    ...change,
    labels: { ...base.labels, ...change.labels },
    svg: replaceLines(base.svg, change.svg),
    moves: [...moves.values()],
  };
}

/**
 * @param {string} text
 * @param {LineChange[]} changes
 */
function replaceLines(text, changes) {
  const lines = text.split("\n");
  for (const [start, count, added] of [...changes].reverse()) lines.splice(start, count, ...added);
  return lines.join("\n");
}
