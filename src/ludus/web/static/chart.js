// Line charts as SVG, and the format of numbers.

import { createSvg } from "./dom.js";

/**
 * @typedef {{
 *   label: string,
 *   width: number, height: number, margin: number,
 *   points: [number, number | null][],
 *   xRange: [number, number], yRange: [number, number],
 *   baseline?: number, crosses?: number[], ticks?: number[]
 * }} ChartOptions
 *   points: x and y; a null interrupts the line. baseline: y of a horizontal line. crosses: indices
 *   of points to mark. ticks: values of y to write at the left edge.
 */

/** Significant digits of the values of curves, which change little late in training. */
export const CURVE_DIGITS = 4;
/** Half the size of a cross. */
const CROSS_SIZE = 4;

/**
 * Draw a line through points.
 * @param {ChartOptions} options
 */
export function makeLineChart(options) {
  const { label, width, height, margin, points, baseline, crosses = [], ticks = [] } = options;
  const toX = makeScale(options.xRange, [margin, width - margin]);
  const toY = makeScale(options.yRange, [height - margin, margin]);
  const attributes = { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img" };
  const svg = createSvg("svg", { ...attributes, "aria-label": label });
  const addPath = (/** @type {string} */ name, /** @type {string} */ d) =>
    svg.append(createSvg("path", { class: name, d }));
  if (baseline !== undefined) addPath("axis", `M0 ${toY(baseline)}H${width}`);
  addPath(
    "curve",
    points
      .map(([x, y], index) => {
        if (y === null) return "";
        const isFirst = index === 0 || points[index - 1]?.[1] === null;
        return `${isFirst ? "M" : "L"}${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`;
      })
      .join(""),
  );
  for (const index of crosses) {
    const [x, y] = points[index] ?? [0, null];
    if (y === null) continue;
    const size = 2 * CROSS_SIZE;
    const start = `M${toX(x) - CROSS_SIZE} ${toY(y) - CROSS_SIZE}`;
    addPath("cross", `${start}l${size} ${size}m0 -${size}l-${size} ${size}`);
  }
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

/**
 * Format a number with at most this many significant digits; the integer part is always complete.
 * @param {number | null | undefined} value null, undefined and NaN give an empty text
 * @param {number} [digits]
 */
export function formatNumber(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "";
  if (Math.abs(value) >= 10 ** (digits - 1)) return value.toFixed(0);
  return String(Number(value.toPrecision(digits)));
}
