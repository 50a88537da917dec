// Training curves: a chart for each measure, with all runs over each other, smoothed, and axes.

import { CURVE_DIGITS } from "./chart.js";
import { createSvg, h } from "./dom.js";
import { formatNumber } from "./text.js";

/** @typedef {import("./types.js").CurveView} CurveView */
/** @typedef {{ run: string, steps: number[], values: number[] }} Run */
/** @typedef {(value: number) => number} Scale */

const WIDTH = 640;
const HEIGHT = 240;
/** Space for the numbers at the left and below, and at the other edges. */
const MARGINS = { left: 64, bottom: 28, top: 12, right: 16 };
const NUM_TICKS = 4;
/** Colours of runs, those of notes on a board. */
const NUM_COLOURS = 9;
/** How far a number stands above the line that it belongs to. */
const TICK_DROP = 5;

/**
 * Return the charts of some curves, by measure.
 * @param {CurveView[]} curves
 * @param {number} smoothing from 0 (none) to below 1
 */
export function makeCurves(curves, smoothing) {
  if (!curves.length)
    return [h("p", {}, "No curve has been written yet. This page updates itself.")];
  return [...groupByMeasure(curves)].map(([measure, runs]) =>
    h(
      "figure",
      {},
      h("figcaption", {}, h("strong", {}, measure), ...runs.map(makeLegend)),
      makeChart(measure, runs, smoothing),
    ),
  );
}

/**
 * @param {CurveView[]} curves
 * @returns {Map<string, Run[]>}
 */
function groupByMeasure(curves) {
  /** @type {Map<string, Run[]>} */
  const groups = new Map();
  for (const { name, steps, values } of curves) {
    const at = name.indexOf(": ");
    const [run, measure] = [name.slice(0, Math.max(at, 0)), at < 0 ? name : name.slice(at + 2)];
    groups.set(measure, [...(groups.get(measure) ?? []), { run, steps, values }]);
  }
  return groups;
}

/**
 * @param {Run} run
 * @param {number} number
 */
function makeLegend({ run, steps, values }, number) {
  const last = `${formatNumber(values.at(-1), CURVE_DIGITS)} at step ${steps.at(-1) ?? 0}`;
  return h("span", { class: `run n${number % NUM_COLOURS}` }, `${run} ${last}`.trim());
}

/**
 * @param {string} measure
 * @param {Run[]} runs
 * @param {number} smoothing
 */
function makeChart(measure, runs, smoothing) {
  const xRange = findRange(runs.flatMap((run) => run.steps));
  const yRange = findRange(runs.flatMap((run) => run.values));
  const toX = makeScale(xRange, [MARGINS.left, WIDTH - MARGINS.right]);
  const toY = makeScale(yRange, [HEIGHT - MARGINS.bottom, MARGINS.top]);
  const label = `Curves of ${measure}`;
  const svg = createSvg("svg", {
    class: "chart runs",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": label,
  });
  addAxes(svg, toX, toY, xRange, yRange);
  runs.forEach(({ steps, values }, number) => {
    const colour = `n${number % NUM_COLOURS}`;
    if (smoothing) addLine(svg, `raw ${colour}`, steps.map(toX), values.map(toY));
    addLine(svg, `curve ${colour}`, steps.map(toX), smooth(values, smoothing).map(toY));
  });
  return svg;
}

/**
 * @param {Element} svg
 * @param {Scale} toX
 * @param {Scale} toY
 * @param {[number, number]} xRange
 * @param {[number, number]} yRange
 */
function addAxes(svg, toX, toY, xRange, yRange) {
  for (const tick of listTicks(yRange)) {
    const y = toY(tick);
    svg.append(createSvg("path", { class: "axis", d: `M${MARGINS.left} ${y}H${WIDTH - MARGINS.right}` }));
    const text = formatNumber(tick, CURVE_DIGITS);
    svg.append(createSvg("text", { class: "tick y", x: MARGINS.left - 8, y: y + TICK_DROP }, text));
  }
  for (const tick of listTicks(xRange)) {
    const x = toX(tick);
    svg.append(createSvg("path", { class: "axis", d: `M${x} ${MARGINS.top}V${HEIGHT - MARGINS.bottom}` }));
    svg.append(createSvg("text", { class: "tick x", x, y: HEIGHT - 8 }, formatNumber(tick, CURVE_DIGITS)));
  }
}

/**
 * @param {Element} svg
 * @param {string} name
 * @param {number[]} xs
 * @param {number[]} ys
 */
function addLine(svg, name, xs, ys) {
  const corners = xs.map((x, index) => `${x.toFixed(1)} ${(ys[index] ?? 0).toFixed(1)}`);
  svg.append(createSvg("path", { class: name, d: corners.length ? `M${corners.join("L")}` : "" }));
}

/**
 * Return the exponential mean of the values so far; the first ones count no more than others.
 * @param {number[]} values
 * @param {number} weight of what came before
 */
export function smooth(values, weight) {
  let [sum, total] = [0, 0];
  return values.map((value) => {
    sum = weight * sum + (1 - weight) * value;
    total = weight * total + (1 - weight);
    return sum / total;
  });
}

/**
 * @param {number[]} values
 * @returns {[number, number]}
 */
function findRange(values) {
  return [Math.min(...values), Math.max(...values)];
}

/**
 * Return round numbers within a range: 1, 2 or 5 of a power of ten apart.
 * @param {[number, number]} range
 */
export function listTicks([low, high]) {
  if (!(high > low)) return [low];
  const power = 10 ** Math.floor(Math.log10((high - low) / NUM_TICKS));
  const step = power * ([1, 2, 5, 10].find((size) => (high - low) / (size * power) <= NUM_TICKS) ?? 10);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
}

/**
 * Return the linear function that maps one range to another; the middle if the range is a point.
 * @param {[number, number]} from
 * @param {[number, number]} to
 * @returns {Scale}
 */
function makeScale([low, high], [start, end]) {
  if (low === high) return () => (start + end) / 2;
  return (value) => start + ((end - start) * (value - low)) / (high - low);
}
