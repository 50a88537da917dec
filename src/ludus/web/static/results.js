// Tournaments and training runs, live: a cross table with ratings, and training curves; and a list
// of everything that is running.

import { get } from "./api.js";
import { makeCurves } from "./curves.js";
import { errorMessage, h, setChildren } from "./dom.js";

/** @typedef {import("./types.js").TournamentView} TournamentView */

/** @typedef {import("./types.js").RunView} RunView */

const REFRESH_INTERVAL = 2000;
/** How much of a curve's value is that of the points before, until the slider is moved. */
const FIRST_SMOOTHING = 0.6;
/** @type {Record<string, string>} */
const TITLES = { tournament: "Tournament", training: "Training", running: "Running now" };
/** @type {Record<RunView["kind"], { label: string, address?: string }>} */
const KINDS = {
  training: { label: "Training", address: "/training" },
  tournament: { label: "Tournament", address: "/tournament" },
  solve: { label: "Solving" },
};

export class ResultsPage {
  /**
   * @param {HTMLElement} root
   * @param {string} subject `tournament`, `training` or `running`
   */
  constructor(root, subject) {
    this.subject = subject;
    this.content = h("div", { class: subject === "training" ? "curves" : "" });
    this.smoothing = FIRST_SMOOTHING;
    const title = h("h1", { class: "prompt" }, TITLES[subject] ?? "");
    setChildren(root, title, ...(subject === "training" ? [this.makeSmoothing()] : []), this.content);
    void this.refresh();
    this.timer = setInterval(() => void this.refresh(), REFRESH_INTERVAL);
  }

  close() {
    clearInterval(this.timer);
  }

  makeSmoothing() {
    const input = h("input", { type: "range", min: 0, max: 0.98, step: 0.02, value: this.smoothing });
    input.addEventListener("input", () => {
      this.smoothing = Number(/** @type {HTMLInputElement} */ (input).value);
      void this.refresh();
    });
    return h("label", { class: "smoothing" }, "Smoothing ", input);
  }

  async refresh() {
    try {
      setChildren(this.content, ...(await fetchContent(this.subject, this.smoothing)));
    } catch (error) {
      setChildren(this.content, h("p", {}, errorMessage(error)));
    }
  }
}

/**
 * @param {string} subject
 * @param {number} smoothing
 */
async function fetchContent(subject, smoothing) {
  if (subject === "tournament") return makeTournaments(await get("/api/tournament"));
  if (subject === "training") return makeCurves(await get("/api/training"), smoothing);
  return makeRuns(await get("/api/runs"));
}

/** @param {RunView[]} runs */
function makeRuns(runs) {
  if (!runs.length) return [h("p", {}, "Nothing is running. This page updates itself.")];
  return [
    h(
      "ul",
      { class: "game-list" },
      ...runs.map(({ kind, title, began, done, total }) =>
        h(
          "li",
          {},
          h("strong", {}, `${KINDS[kind].label}: ${title}`),
          total > 0 && h("progress", { value: done, max: total, "aria-label": `Progress of ${title}` }),
          h("small", {}, `since ${new Date(1000 * began).toLocaleString()}`),
          KINDS[kind].address && h("a", { href: KINDS[kind].address, "data-route": true }, "Show"),
        ),
      ),
    ),
  ];
}

/** @param {TournamentView[]} tournaments */
function makeTournaments(tournaments) {
  if (!tournaments.length)
    return [h("p", {}, "No game of the tournament has been played yet. This page updates itself.")];
  return tournaments.map((each) =>
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
          class: "scrollable",
          tabindex: "0",
          role: "region",
          "aria-label": `Cross table of ${each.name}`,
        },
        makeCrossTable(each),
      ),
    ),
  );
}

/** @param {TournamentView} tournament */
function makeCrossTable(tournament) {
  const names = tournament.players.map((each) => each.player);
  const titles = ["player", "Elo", "score", ...names];
  const rows = tournament.players.map(({ player, games, score, elo, elo_margin }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, player),
      h("td", {}, `${Math.round(elo)} ± ${Math.round(elo_margin)}`),
      h("td", {}, games ? `${Math.round(100 * score)}% of ${games}` : "–"),
      ...names.map((name) => h("td", {}, formatPair(tournament, player, name))),
    ),
  );
  return h(
    "table",
    { class: "cross-table" },
    h("thead", {}, h("tr", {}, ...titles.map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, ...rows),
  );
}

/**
 * Return wins, draws and losses of one player against another.
 * @param {TournamentView} tournament
 * @param {string} player
 * @param {string} opponent
 */
function formatPair({ pairs }, player, opponent) {
  const pair = pairs.find(({ players }) => players.includes(player) && players.includes(opponent));
  if (player === opponent || !pair) return "";
  const [wins, losses] = pair.players[0] === player ? pair.wins : [pair.wins[1], pair.wins[0]];
  return `${wins}–${pair.draws}–${losses}`;
}
