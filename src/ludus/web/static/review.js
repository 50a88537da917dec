// Review of a game by exact values: a chart, and the mistakes in order.

import { get } from "./api.js";
import { makeLineChart } from "./chart.js";
import { button, h, setChildren } from "./dom.js";
import { sideName } from "./seats.js";

/** @typedef {import("./types.js").ReviewView} ReviewView */
/** @typedef {import("./types.js").ReviewPointView} ReviewPointView */
/** @typedef {import("./game.js").GamePage} GamePage */

const CHART_HEIGHT = 90;
const CHART_MARGIN = 8;
const PLY_WIDTH = 12;
/** Minimum number of plies on the x-axis. */
const MIN_PLIES = 24;
/** By the value lost: 0, 1 or 2 half points. */
const LOSS_TEXTS = ["", "half a point", "a full point"];

export class ReviewPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.result = h("div", {});
    this.element = h(
      "div",
      {},
      button("Review this game", () => this.fetchReview(), { class: "primary" }),
      this.result,
    );
  }

  fetchReview() {
    return this.page.enqueue(async () => {
      setChildren(this.result, h("p", { class: "muted" }, "Analysing every move …"));
      this.show(await get(`${this.page.path}/review`));
      // The move list now marks the moves that lost value.
      await this.page.refresh();
    });
  }

  /** @param {ReviewView} review */
  show({ known, why, points }) {
    if (!known) {
      setChildren(this.result, h("p", {}, `Exact values are not available: ${why}.`));
      return;
    }
    const mistakes = points.filter((point) => point.lost > 0);
    const [first, second] = [0, 1].map((side) => sideName(this.page.view, side));
    const caption = `Top: win for ${first}. Middle: draw. Bottom: win for ${second}. Gaps: not solved.`;
    setChildren(
      this.result,
      h("figure", {}, makeValueChart(points), h("figcaption", {}, caption)),
      h("h2", {}, mistakes.length ? "Mistakes, in order" : "No mistakes where the game is solved"),
      h("ol", { class: "mistakes" }, ...mistakes.map((point) => this.makeMistake(point, points))),
    );
  }

  /**
   * @param {ReviewPointView} point
   * @param {ReviewPointView[]} points
   */
  makeMistake(point, points) {
    const before = points[points.indexOf(point) - 1];
    return h(
      "li",
      {},
      `${sideName(this.page.view, point.mover)} played `,
      h("strong", {}, point.text),
      ` and lost ${LOSS_TEXTS[point.lost] ?? ""}. `,
      button("Show", () => this.page.showNode(point.node)),
      button("Try again from here", () =>
        this.page.postAction("at", { node: before?.node ?? 0 }),
      ),
    );
  }
}

/** @param {ReviewPointView[]} points */
function makeValueChart(points) {
  const numPlies = Math.max(points.length - 1, MIN_PLIES);
  return makeLineChart({
    label: "The value of the game after each move",
    width: 2 * CHART_MARGIN + PLY_WIDTH * numPlies,
    height: CHART_HEIGHT,
    margin: CHART_MARGIN,
    points: points.map(({ share }, index) => [index, share]),
    xRange: [0, numPlies],
    yRange: [0, 1],
    baseline: 0.5,
    crosses: points.flatMap(({ lost }, index) => (lost ? [index] : [])),
  });
}
