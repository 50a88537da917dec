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

const CHART_HEIGHT = 180;
const CHART_MARGIN = 8;
/** Minimum number of plies on the x-axis. */
const MIN_PLIES = 12;
/** Milliseconds for which a move is seen when the game is played through; a roll is seen half as long. */
const PACE = 1200;

export class ReviewPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.result = h("div", {});
    this.status = h("div", { "aria-live": "polite" });
    /**
     * The last review.
     * @type {ReviewView | null}
     */
    this.review = null;
    /** Index of the point on the board; negative in a variation. */
    this.cursor = -1;
    this.isPlaying = false;
    this.chart = h("div", {});
    this.caption = h("figcaption", { class: "review-now" });
    this.player = button("Play through", () => this.togglePlay());
    this.slider = h("input", {
      type: "range",
      min: 0,
      "aria-label": "Position in the game",
      oninput: () => this.showPoint(Number(this.slider.value)),
    });
    this.figure = h(
      "figure",
      {},
      this.chart,
      h("div", { class: "row review-player" }, this.player, this.slider),
      this.caption,
    );
    new ResizeObserver(() => this.drawChart()).observe(this.chart);
    this.element = h(
      "div",
      {},
      button("Review this game", () => this.fetchReview(), { class: "primary" }),
      this.status,
      this.result,
    );
  }

  fetchReview() {
    this.isPlaying = false;
    return this.page.enqueue(async () => {
      setChildren(
        this.status,
        h("p", { class: "muted" }, "Analysing every move … "),
        h("progress", { "aria-label": "Analysing" }),
      );
      try {
        this.review = /** @type {ReviewView} */ (await get(`${this.page.path}/review`));
      } finally {
        setChildren(this.status);
      }
      this.showReview(this.review);
      // The move list now marks the mistakes.
      await this.page.refresh();
    });
  }

  /**
   * Mark the node that is shown in the chart, and say what its move did.
   * @param {GameView} view
   */
  show(view) {
    if (!this.review) return;
    const { points } = this.review;
    const cursor = points.findIndex(({ node }) => node === view.node);
    // Going elsewhere ends it.
    if (this.isPlaying && cursor !== this.cursor) this.stopPlaying();
    this.cursor = cursor;
    this.slider.max = String(points.length - 1);
    this.slider.value = String(Math.max(cursor, 0));
    this.slider.setAttribute("aria-valuetext", points[cursor]?.text || "the beginning");
    setChildren(this.caption, ...this.describePoint(points[cursor]));
    this.drawChart();
  }

  drawChart() {
    const width = this.chart.clientWidth;
    if (this.review && width) setChildren(this.chart, this.makeValueChart(this.review.points, width));
  }

  /** @param {number} index */
  showPoint(index) {
    const point = this.review?.points[index];
    this.cursor = index;
    return point ? this.page.showNode(point.node) : Promise.resolve();
  }

  /** Play the game through from the position on the board, or stop that. */
  async togglePlay() {
    if (this.isPlaying) {
      this.stopPlaying();
      return;
    }
    const points = this.review?.points ?? [];
    this.isPlaying = true;
    this.player.textContent = "Pause";
    let index = this.cursor < points.length - 1 ? this.cursor + 1 : 0;
    for (; this.isPlaying && !this.page.isClosed && index < points.length; index += 1) {
      await this.showPoint(index);
      const pace = points[index]?.luck === null && points[index]?.move === null ? PACE / 2 : PACE;
      if (index < points.length - 1) await new Promise((resolve) => setTimeout(resolve, pace));
    }
    this.stopPlaying();
  }

  stopPlaying() {
    this.isPlaying = false;
    this.player.textContent = "Play through";
  }

  /**
   * Return what a move did, in a line.
   * @param {ReviewPointView | undefined} point
   */
  describePoint(point) {
    if (!point?.text) return ["Click the chart, or play through the game."];
    const { mover, text, move, luck } = point;
    const name = h("strong", { class: move?.mark ? "bad" : null }, `${capitalize(nameOf(this.page.view, mover))} ${text}${move?.mark ?? ""} `);
    if (luck !== null)
      return [h("strong", {}, `${text} `), luck < 0 ? "an unlucky roll" : "a lucky roll", ` (${formatPoints(luck)})`];
    if (!move) return [name];
    if (move.mark) return [name, describeReason(move)];
    const isBest = move.cost === 0 || move.move === move.best;
    return [name, isBest ? "gives nothing away." : `${move.best} was slightly better.`];
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
    const { mark, certainty, line } = move;
    const isOwn = !this.page.view.seats[mover ?? -1]?.player;
    const isSure = certainty !== "estimate";
    const name = MARK_TITLES[mark] ?? "";
    const title = isSure ? name : `Probably: ${name.toLowerCase()}`;
    return h(
      "li",
      {},
      h("strong", { class: "bad" }, `${capitalize(nameOf(this.page.view, mover))} ${text}${mark}`),
      h("small", {}, `${title} · ${CERTAINTY_LABELS[certainty]}`),
      h("span", {}, capitalize(describeReason(move))),
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
   * @param {number} width
   */
  makeValueChart(points, width) {
    const numPlies = Math.max(points.length - 1, MIN_PLIES);
    const [first = "", second = ""] = [0, 1].map((side) => nameOf(this.page.view, side));
    return makeLineChart({
      label: `The value of the game after each move. Top: a win for ${first}. Bottom: a win for ${second}.`,
      width,
      height: CHART_HEIGHT,
      margin: CHART_MARGIN,
      // Nobody has a move to choose before the dice are rolled; the line goes on to the next value.
      points: points.flatMap(({ share }, index) => (share === null ? [] : [[index, share]])),
      xRange: [0, numPlies],
      yRange: [0, 1],
      baseline: 0.5,
      isFilled: true,
      corners: [describeWin(first), describeWin(second)],
      crosses: points.flatMap(({ move }, index) => (move?.mark ? [[index, findShare(points, index)]] : [])),
      cursor: this.cursor < 0 ? undefined : this.cursor,
      onSelect: (x) => {
        this.stopPlaying();
        void this.showPoint(Math.min(Math.max(Math.round(x), 0), points.length - 1));
      },
    });
  }
}

/** @param {string} name */
const describeWin = (name) => `${capitalize(name)} ${name === "you" ? "win" : "wins"}`;

/**
 * Return why a move is a mistake; the sentence begins with the move, which stands before it.
 * @param {import("./types.js").ReviewedMove} move
 */
const describeReason = ({ move, reason }) => reason.slice(move.length).trim();

/** @param {number} points */
const formatPoints = (points) => `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(2)} points`;

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
function makeSide(name, { moves, marks, cube_mistakes, accuracy, stages, summary }) {
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
    accuracy !== null && h("div", {}, `${Math.round(accuracy)}% accuracy`),
    Object.keys(stages).length > 1 &&
      h("small", {}, Object.entries(stages).map(([stage, value]) => `${stage} ${Math.round(value)}%`).join(", ")),
    h("small", {}, `Could do better in ${inaccuracies + mistakes + blunders} of ${moves} moves`),
    h("small", {}, parts.join(", ") || "none found"),
    cube_mistakes > 0 && h("small", {}, `${cube_mistakes} of them about the cube`),
    performance_rating !== null &&
      h("small", {}, `Performance rating ${performance_rating.toFixed(1)} (${rating ?? ""})`),
    summary && h("small", {}, `Luck ${formatPoints(luck)}`),
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
