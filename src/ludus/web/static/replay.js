// Paced play: a computer's moves are shown one after the other, each for a while.

import { hasNoPerson } from "./seats.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./views.js").GameViews} GameViews */

/** Milliseconds for which a move is seen before the next one. */
const PACE = 500;
/** Who misses more moves than this sees the last position at once. */
const MAX_STEPS = 6;

/**
 * Return for how many milliseconds each move of a game is seen; players that are watched have a
 * delay of their own.
 * @param {GameView} view
 */
export function findPace(view) {
  const pace = Number(localStorage.getItem("pace") ?? PACE);
  return hasNoPerson(view) ? Math.min(pace, 500 * view.delay) : pace;
}

/**
 * Return the nodes that should be seen after a node, up to that of a view; none if the view does not
 * follow the node, or only persons have moved.
 * @param {number} start
 * @param {GameView} view
 */
function findSteps(start, view) {
  const nodes = new Map(view.moves.map((move) => [move.node, move]));
  const path = [];
  let move = nodes.get(view.node);
  while (move && move.parent !== null && move.node > start) {
    path.unshift(move);
    move = nodes.get(move.parent);
  }
  if (move?.node !== start || !path.some(({ by }) => by === "player" || by === "rules")) return [];
  // The person's own move has just been seen, step by step.
  if (path[0]?.by === "person") path.shift();
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (path.length > MAX_STEPS || isStill) path.splice(0, path.length - 1);
  return path.map(({ node }) => node);
}

export class Replay {
  /**
   * @param {GameViews} views
   * @param {HTMLElement} area where the node that is being replayed is noted
   * @param {(view: GameView) => void} drawStep draws a position on the way
   * @param {(view: GameView) => void} finish shows the view at the end
   */
  constructor(views, area, drawStep, finish) {
    this.views = views;
    this.area = area;
    this.drawStep = drawStep;
    this.finish = finish;
    /**
     * The view at the end of the replay; null if there is none.
     * @type {GameView | null}
     */
    this.target = null;
    /** The node on the board during a replay. */
    this.shown = 0;
    /** When the board was last drawn. */
    this.lastDrawn = 0;
    /** Number of replays; a later one ends an earlier one. */
    this.numReplays = 0;
    this.hurry = () => {};
  }

  /**
   * Show a view after the moves that led to it.
   * @param {GameView} before the view that is shown
   * @param {GameView} view
   */
  show(before, view) {
    const isNow = view.status !== "looking";
    if (isNow && this.target?.node === view.node) {
      this.target = view;
      return;
    }
    if (!this.target) this.shown = before.node;
    const isFollowing = isNow && before.status !== "looking" && before.id === view.id;
    const pace = findPace(view);
    const steps = isFollowing && pace ? findSteps(this.shown, view) : [];
    this.cancel();
    if (!steps.length) {
      this.finish(view);
      return;
    }
    this.target = view;
    void this.run(steps, pace);
  }

  /** End the replay without showing its end. */
  cancel() {
    this.numReplays += 1;
    this.target = null;
    delete this.area.dataset.replay;
  }

  /**
   * @param {number[]} steps
   * @param {number} pace
   */
  async run(steps, pace) {
    const number = this.numReplays;
    let isHurried = false;
    for (const node of steps) {
      this.area.dataset.replay = String(node);
      await new Promise((resolve) => {
        setTimeout(resolve, this.lastDrawn + pace - performance.now());
        this.hurry = () => resolve((isHurried = true));
      });
      if (number !== this.numReplays) return;
      if (isHurried || node === steps.at(-1)) break;
      const past = await this.views.get(node).catch(() => null);
      if (number !== this.numReplays) return;
      if (!past) break;
      this.shown = node;
      this.drawStep(past);
      this.lastDrawn = performance.now();
    }
    const view = this.target;
    this.cancel();
    if (view) this.finish(view);
  }
}
