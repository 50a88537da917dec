// Tournaments and trainings, live: a cross table with ratings, and training curves.

import { get, Refused } from "./api.js";
import { fill, h } from "./dom.js";

const EVERY = 2000;
const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, EDGE] = [640, 220, 36];

/**
 * @typedef {{ player: string, games: number, score: number, elo: number, elo_margin: number }} Standing
 * @typedef {{ players: [string, string], games: number, wins: [number, number], draws: number }} Pair
 * @typedef {{ name: string, game: string, games: number, planned: number, players: Standing[], pairs: Pair[] }} Tournament
 * @typedef {{ name: string, steps: number[], values: number[] }} Curve
 */

/**
 * @param {HTMLElement} root
 * @param {string} what `tournament` or `training`
 */
export function resultsPage(root, what) {
  const found = h("div", { class: what === "training" ? "curves" : "" });
  fill(
    root,
    h("h1", { class: "prompt" }, what === "tournament" ? "Tournament" : "Training"),
    found,
  );
  const look = async () => {
    try {
      if (what === "tournament") showTournaments(found, await get("/api/tournament"));
      else showCurves(found, await get("/api/training"));
    } catch (error) {
      fill(found, h("p", {}, error instanceof Refused ? error.message : String(error)));
    }
  };
  void look();
  const timer = setInterval(() => void look(), EVERY);
  return { close: () => clearInterval(timer) };
}

/**
 * @param {HTMLElement} root
 * @param {Tournament[]} tournaments
 */
function showTournaments(root, tournaments) {
  fill(
    root,
    ...tournaments.map((each) =>
      h(
        "section",
        {},
        h("h2", {}, each.name),
        h(
          "label",
          {},
          `${each.games} of ${each.planned} games `,
          h("progress", { value: each.games, max: each.planned }),
        ),
        h(
          "div",
          {
            class: "wide",
            tabindex: "0",
            role: "region",
            "aria-label": `Cross table of ${each.name}`,
          },
          crossTable(each),
        ),
      ),
    ),
  );
  if (!tournaments.length) root.append(h("p", {}, "No game of the tournament has been played yet; this page looks again by itself."));
}

/** @param {Tournament} tournament */
function crossTable(tournament) {
  const names = tournament.players.map((each) => each.player);
  return h(
    "table",
    { class: "cross" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "player"),
        h("th", { scope: "col" }, "Elo"),
        h("th", { scope: "col" }, "score"),
        ...names.map((name) => h("th", { scope: "col" }, name)),
      ),
    ),
    h(
      "tbody",
      {},
      ...tournament.players.map((each) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, each.player),
          h("td", {}, `${Math.round(each.elo)} ± ${Math.round(each.elo_margin)}`),
          h("td", {}, each.games ? `${Math.round(100 * each.score)}% of ${each.games}` : "–"),
          ...names.map((name) => h("td", {}, cell(tournament, each.player, name))),
        ),
      ),
    ),
  );
}

/**
 * Return wins, draws and losses of one player against another.
 * @param {Tournament} tournament
 * @param {string} own
 * @param {string} other
 */
function cell(tournament, own, other) {
  const pair = tournament.pairs.find(
    ({ players }) => players.includes(own) && players.includes(other),
  );
  if (own === other || !pair) return "";
  const [wins, losses] = pair.players[0] === own ? pair.wins : [pair.wins[1], pair.wins[0]];
  return `${wins}–${pair.draws}–${losses}`;
}

/**
 * @param {HTMLElement} root
 * @param {Curve[]} curves
 */
function showCurves(root, curves) {
  fill(
    root,
    ...curves.map((curve) =>
      h(
        "figure",
        {},
        h(
          "figcaption",
          {},
          h("strong", {}, curve.name),
          ` ${short(curve.values.at(-1) ?? NaN)} at step ${curve.steps.at(-1) ?? 0}`,
        ),
        graph(curve),
      ),
    ),
  );
  if (!curves.length) root.append(h("p", {}, "No curve has been written yet; this page looks again by itself."));
}

/**
 * Format a number with its significant digits.
 * @param {number} value
 */
function short(value) {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "";
}

/** @param {Curve} curve */
function graph(curve) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("class", "graph");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Curve of ${curve.name}`);
  const [low, high] = [Math.min(...curve.values), Math.max(...curve.values)];
  const [first, last] = [curve.steps[0] ?? 0, curve.steps.at(-1) ?? 1];
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", "curve");
  path.setAttribute(
    "d",
    curve.values
      .map((value, index) => {
        const x =
          EDGE + ((WIDTH - 2 * EDGE) * ((curve.steps[index] ?? 0) - first)) / (last - first || 1);
        const y = HEIGHT - EDGE - ((HEIGHT - 2 * EDGE) * (value - low)) / (high - low || 1);
        return `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
      })
      .join(""),
  );
  svg.append(path);
  for (const [value, y] of [
    [high, EDGE],
    [low, HEIGHT - EDGE],
  ]) {
    const label = document.createElementNS(SVG, "text");
    label.setAttribute("x", "4");
    label.setAttribute("y", String(y));
    label.setAttribute("class", "tick");
    label.textContent = short(Number(value));
    svg.append(label);
  }
  return svg;
}
