// Review of a game by exact values: a graph, and the mistakes in order.

import { get } from "./api.js";
import { button, fill, h } from "./dom.js";

/** @typedef {import("./types.js").Review} Review */
/** @typedef {import("./types.js").ReviewPoint} ReviewPoint */
/** @typedef {import("./game.js").GamePage} GamePage */

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 90;
const STEP = 12;
const EDGE = 8;
/** Minimum number of plies on the x-axis. */
const LEAST = 24;
const GIVEN = ["", "half a point", "the whole game"];

export class ReviewPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.found = h("div", {});
    this.element = h(
      "div",
      {},
      button("Review this game", () => this.ask(), { class: "primary" }),
      this.found,
    );
  }

  ask() {
    return this.page.after(async () => {
      fill(this.found, h("p", { class: "quiet" }, "Looking at every move …"));
      this.show(await get(`${this.page.path}/review`));
      // The move list now marks the moves that lost value.
      await this.page.refresh(this.page.view.touched);
    });
  }

  /** @param {Review} review */
  show(review) {
    if (!review.known) {
      fill(this.found, h("p", {}, `Perfect play is not known here: ${review.why}.`));
      return;
    }
    const mistakes = review.points.filter((point) => point.lost > 0);
    const [first, second] = this.page.view.seats.map((seat) => seat.side);
    fill(
      this.found,
      h(
        "figure",
        {},
        this.graph(review.points),
        h("figcaption", {}, `Top: a win for ${first}. Middle: a draw. Bottom: a win for ${second}. Gaps: not solved.`),
      ),
      h("h2", {}, mistakes.length ? "Mistakes, in order" : "No mistake where the game is solved"),
      h("ol", { class: "mistakes" }, ...mistakes.map((point) => this.mistake(point, review))),
    );
  }

  /**
   * @param {ReviewPoint} point
   * @param {Review} review
   */
  mistake(point, review) {
    const before = review.points[review.points.indexOf(point) - 1];
    const side = this.page.view.seats[point.mover ?? 0]?.side ?? "";
    return h(
      "li",
      {},
      h(
        "span",
        {},
        `${side} played `,
        h("strong", {}, point.text),
        ` and gave away ${GIVEN[point.lost] ?? ""}. `,
      ),
      button("Look", () => this.page.look(point.node)),
      button("Try again from here", () => this.page.act("at", { node: before?.node ?? 0 })),
    );
  }

  /** @param {ReviewPoint[]} points */
  graph(points) {
    const width = 2 * EDGE + STEP * Math.max(points.length - 1, LEAST);
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.setAttribute("class", "graph");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "The value of the game from move to move");
    const at = (/** @type {number} */ index, /** @type {number} */ share) =>
      `${EDGE + STEP * index} ${EDGE + (HEIGHT - 2 * EDGE) * (1 - share)}`;
    draw(svg, "axis", `M0 ${HEIGHT / 2}H${width}`);
    let path = "";
    points.forEach((point, index) => {
      if (point.share === null) return;
      const isNew = index === 0 || points[index - 1]?.share === null;
      path += `${isNew ? "M" : "L"}${at(index, point.share)}`;
    });
    draw(svg, "curve", path);
    points.forEach((point, index) => {
      if (!point.lost || point.share === null) return;
      const [x, y] = at(index, point.share).split(" ").map(Number);
      draw(svg, "slip", `M${(x ?? 0) - 4} ${(y ?? 0) - 4}l8 8m0 -8l-8 8`);
    });
    return svg;
  }
}

/**
 * @param {SVGSVGElement} svg
 * @param {string} name
 * @param {string} d
 */
function draw(svg, name, d) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", name);
  path.setAttribute("d", d);
  svg.append(path);
}
