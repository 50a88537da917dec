// Review of a game: a chart of its value, the mistakes in order, and what was better.

import { get } from "./api.js";
import { CERTAINTY_LABELS } from "./explanation.js";
import { makeLineChart } from "./chart.js";
import { button, h, setChildren } from "./dom.js";
import { MARK_TITLES } from "./moves.js";
import { nameOf } from "./seats.js";
import { capitalize } from "./text.js";

/** @typedef {import("./types.js").ReviewView} ReviewView */
/** @typedef {import("./types.js").ReviewPointView} ReviewPointView */
/** @typedef {import("./types.js").ReviewSideView} ReviewSideView */
/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./game.js").GamePage} GamePage */

const CHART_HEIGHT = 90;
const CHART_MARGIN = 8;
const PLY_WIDTH = 12;
/** Minimum number of plies on the x-axis. */
const MIN_PLIES = 24;

export class ReviewPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.result = h("div", { "aria-live": "polite" });
    /**
     * The last review.
     * @type {ReviewView | null}
     */
    this.review = null;
    this.figure = h("figure", {});
    this.element = h(
      "div",
      {},
      button("Review this game", () => this.fetchReview(), { class: "primary" }),
      this.result,
    );
  }

  fetchReview() {
    return this.page.enqueue(async () => {
      setChildren(
        this.result,
        h("p", { class: "muted" }, "Analysing every move … "),
        h("progress", { "aria-label": "Analysing" }),
      );
      try {
        this.review = /** @type {ReviewView} */ (await get(`${this.page.path}/review`));
      } catch (error) {
        setChildren(this.result);
        throw error;
      }
      this.showReview(this.review);
      // The move list now marks the mistakes.
      await this.page.refresh();
    });
  }

  /**
   * Mark the node that is shown in the chart.
   * @param {GameView} view
   */
  show(view) {
    if (!this.review) return;
    const { points } = this.review;
    const cursor = points.findIndex(({ node }) => node === view.node);
    setChildren(
      this.figure,
      this.makeValueChart(points, cursor),
      h("figcaption", {}, this.describeChart()),
    );
  }

  describeChart() {
    const [first, second] = [0, 1].map((side) => nameOf(this.page.view, side));
    return `Top: a win for ${first}. Bottom: a win for ${second}. Click to see a position.`;
  }

  /** @param {ReviewView} review */
  showReview({ points, sides }) {
    const mistakes = points.filter(({ move }) => move?.mark);
    const own = mistakes.filter(({ mover }) => !this.page.view.seats[mover ?? -1]?.player);
    setChildren(
      this.result,
      this.figure,
      h("div", { class: "review-sides" }, ...sides.map((side, number) => makeSide(capitalize(nameOf(this.page.view, number)), side))),
      own.length > 0 &&
        button(`Learn from ${own.length === 1 ? "this move" : `these ${own.length} moves`}`, () =>
          this.page.navigate(`/learn/${this.page.view.id}`),
        ),
      h("h2", {}, mistakes.length ? "Mistakes" : "No mistake found"),
      h("p", { class: "muted" }, describeCertainty(points)),
      h("ol", { class: "mistakes" }, ...mistakes.map((point) => this.makeMistake(point, points))),
    );
    this.show(this.page.view);
  }

  /**
   * @param {ReviewPointView} point
   * @param {ReviewPointView[]} points
   */
  makeMistake(point, points) {
    const before = points[points.indexOf(point) - 1]?.node ?? 0;
    const { mover, text, move } = point;
    if (!move) return null;
    const { mark, certainty, reason, line } = move;
    const isOwn = !this.page.view.seats[mover ?? -1]?.player;
    const isSure = certainty !== "estimate";
    const name = MARK_TITLES[mark] ?? "";
    const title = isSure ? name : `Probably: ${name.toLowerCase()}`;
    return h(
      "li",
      {},
      h("strong", { class: "bad" }, `${capitalize(nameOf(this.page.view, mover))} ${text}${mark}`),
      h("small", {}, `${title} · ${CERTAINTY_LABELS[certainty]}`),
      h("span", {}, reason),
      line.length > 1 && h("small", {}, `Best play: ${line.join(" ")}`),
      h(
        "span",
        { class: "row" },
        button("Show", () => this.page.showNode(point.node)),
        button("Better move", () => this.showBetter(before)),
        isOwn
          ? button("Try again", () => this.page.tryAgain(before))
          : button("Play on", () => this.page.tryAgain(point.node)),
      ),
    );
  }

  /** @param {number} node */
  async showBetter(node) {
    await this.page.showNode(node);
    await this.page.enqueue(() => this.page.analysis.showHint(node));
  }

  /**
   * @param {ReviewPointView[]} points
   * @param {number} cursor
   */
  makeValueChart(points, cursor) {
    const numPlies = Math.max(points.length - 1, MIN_PLIES);
    return makeLineChart({
      label: "The value of the game after each move",
      width: 2 * CHART_MARGIN + PLY_WIDTH * numPlies,
      height: CHART_HEIGHT,
      margin: CHART_MARGIN,
      // Nobody has a move to choose before the dice are rolled; the line goes on to the next value.
      points: points.flatMap(({ share }, index) => (share === null ? [] : [[index, share]])),
      xRange: [0, numPlies],
      yRange: [0, 1],
      baseline: 0.5,
      crosses: points.flatMap(({ move }, index) => (move?.mark ? [[index, findShare(points, index)]] : [])),
      cursor: cursor < 0 ? undefined : cursor,
      onSelect: (x) => {
        const point = points[Math.min(Math.max(Math.round(x), 0), points.length - 1)];
        if (point) void this.page.showNode(point.node);
      },
    });
  }
}

/**
 * Return the height of the line at a point; between two values it is straight.
 * @param {ReviewPointView[]} points
 * @param {number} index
 */
export function findShare(points, index) {
  const known = points.flatMap(({ share }, at) => (share === null ? [] : [{ at, share }]));
  const after = known.find(({ at }) => at >= index) ?? known.at(-1);
  const before = known.filter(({ at }) => at <= index).at(-1) ?? after;
  if (!before || !after) return 0.5;
  const way = after.at - before.at;
  return before.share + (way > 0 ? ((after.share - before.share) * (index - before.at)) / way : 0);
}

/**
 * @param {string} name
 * @param {ReviewSideView} side
 */
function makeSide(name, { moves, marks, cube_mistakes, summary }) {
  const [inaccuracies, mistakes, blunders] = [marks["?!"] ?? 0, marks["?"] ?? 0, marks["??"] ?? 0];
  const { luck = 0, performance_rating = null, rating = "" } = summary ?? {};
  const parts = [
    [inaccuracies, "inaccuracy", "inaccuracies"],
    [mistakes, "mistake", "mistakes"],
    [blunders, "blunder", "blunders"],
  ].flatMap(([count, one, many]) => (count ? [`${count} ${count === 1 ? one : many}`] : []));
  return h(
    "div",
    {},
    h("strong", {}, name),
    h("small", {}, `Could do better in ${inaccuracies + mistakes + blunders} of ${moves} moves`),
    h("small", {}, parts.join(", ") || "none found"),
    cube_mistakes > 0 && h("small", {}, `${cube_mistakes} of them about the cube`),
    performance_rating !== null &&
      h("small", {}, `Performance rating ${performance_rating.toFixed(1)} (${rating ?? ""})`),
    summary && h("small", {}, `Luck ${luck < 0 ? "−" : "+"}${Math.abs(luck).toFixed(2)} points`),
  );
}

/** @param {ReviewPointView[]} points */
function describeCertainty(points) {
  const known = points.flatMap(({ move }) => (move ? [move] : []));
  if (!known.length) return "No move of this game was a choice.";
  const counts = /** @type {const} */ (["exact", "likely", "estimate"]).flatMap((certainty) => {
    const count = known.filter((move) => move.certainty === certainty).length;
    return count ? [`${count} ${CERTAINTY_LABELS[certainty]}`] : [];
  });
  return `Verdicts on ${known.length} ${known.length === 1 ? "move" : "moves"}: ${counts.join(", ")}.`;
}
