// Line charts as SVG.

import { createSvg } from "./dom.js";
import { formatNumber } from "./text.js";

/**
 * @typedef {{
 *   label: string,
 *   width: number, height: number, margin: number,
 *   points: number[][],
 *   xRange: [number, number], yRange: [number, number],
 *   baseline?: number, isFilled?: boolean, crosses?: number[][], ticks?: number[], cursor?: number,
 *   corners?: [string, string],
 *   onSelect?: (x: number) => void
 * }} ChartOptions
 *   points: x and y. baseline: y of a horizontal line. isFilled: colour the area below the line.
 *   crosses: x and y of marks. ticks: values of y to write at the left edge. cursor: x of a vertical
 *   line. corners: texts at the top and the bottom. onSelect: called with the x of a click.
 */

/** Significant digits of the values of curves, which change little late in training. */
export const CURVE_DIGITS = 4;
/** Half the size of a cross. */
const CROSS_SIZE = 4;
/** Distance of the texts at the top and the bottom from the edge. */
const CORNER_DISTANCE = 6;
const TEXT_HEIGHT = 9;

/**
 * Draw a line through points.
 * @param {ChartOptions} options
 */
export function makeLineChart(options) {
  const { label, width, height, margin, points, baseline, crosses = [], ticks = [], cursor } = options;
  const { isFilled = false, corners: texts, onSelect } = options;
  const toX = makeScale(options.xRange, [margin, width - margin]);
  const toY = makeScale(options.yRange, [height - margin, margin]);
  const attributes = { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img" };
  const svg = createSvg("svg", { ...attributes, "aria-label": label });
  const addPath = (/** @type {string} */ name, /** @type {string} */ d) =>
    svg.append(createSvg("path", { class: name, d }));
  const corners = points.map(([x = 0, y = 0]) => `${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`);
  if (isFilled && points.length) {
    const [first, last] = [points[0], points.at(-1)].map((point) => toX(point?.[0] ?? 0).toFixed(1));
    addPath("filled", `M${first} ${height}L${corners.join("L")}L${last} ${height}Z`);
  }
  if (baseline !== undefined) addPath("axis", `M0 ${toY(baseline)}H${width}`);
  if (cursor !== undefined) addPath("cursor", `M${toX(cursor)} 0V${height}`);
  addPath("curve", corners.length ? `M${corners.join("L")}` : "");
  for (const [x = 0, y = 0] of crosses) {
    const size = 2 * CROSS_SIZE;
    const start = `M${toX(x) - CROSS_SIZE} ${toY(y) - CROSS_SIZE}`;
    addPath("cross", `${start}l${size} ${size}m0 -${size}l-${size} ${size}`);
  }
  if (onSelect) {
    const [low, high] = options.xRange;
    svg.classList.add("selectable");
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * width;
      onSelect(low + ((x - margin) / (width - 2 * margin)) * (high - low));
    });
  }
  texts?.forEach((text, number) => {
    const y = number ? height - CORNER_DISTANCE : CORNER_DISTANCE + TEXT_HEIGHT;
    svg.append(createSvg("text", { class: "tick", x: CORNER_DISTANCE, y }, text));
  });
  for (const tick of ticks)
    svg.append(createSvg("text", { class: "tick", x: 4, y: toY(tick) }, formatNumber(tick, CURVE_DIGITS)));
  return svg;
}

/**
 * Return the linear function that maps one range to another.
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
function makeScale([low, high], [start, end]) {
  return (/** @type {number} */ value) =>
    start + ((end - start) * (value - low)) / (high - low || 1);
}
