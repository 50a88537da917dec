// My games: the games of this browser, newest first, with a search.

import { get } from "./api.js";
import { h, setChildren } from "./dom.js";
import { playerName } from "./seats.js";

/** @typedef {import("./types.js").GameView} GameView */

/** Games that are remembered. */
const MAX_GAMES = 200;
/** Games that are listed at once. */
const MAX_LISTED = 30;

/** @typedef {{ id: string, began: number }} RememberedGame */

/** @returns {RememberedGame[]} */
function loadGames() {
  try {
    const games = JSON.parse(localStorage.getItem("my-games") ?? "[]");
    return Array.isArray(games) ? games : [];
  } catch {
    return [];
  }
}

/**
 * Remember a game; the last one is first.
 * @param {GameView} view
 */
export function rememberGame({ id }) {
  const known = loadGames();
  const began = known.find((each) => each.id === id)?.began ?? Date.now();
  const games = [{ id, began }, ...known.filter((each) => each.id !== id)].slice(0, MAX_GAMES);
  localStorage.setItem("my-games", JSON.stringify(games));
}

export class MyGamesPage {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.search = h("input", { type: "search", id: "search", oninput: () => this.show() });
    this.list = h("ul", { class: "game-list" });
    this.empty = h("p", { class: "message", role: "status" }, "Loading …");
    /** @type {{ view: GameView, began: number }[]} */
    this.games = [];
    setChildren(
      root,
      h("h1", { class: "prompt" }, "My games"),
      h("p", { class: "row" }, h("label", { for: "search" }, "Search ", this.search)),
      this.empty,
      this.list,
    );
    void this.load();
  }

  close() {}

  async load() {
    for (const { id, began } of loadGames().slice(0, MAX_LISTED)) {
      /** @type {GameView | null} */
      const view = await get(`/api/games/${id}`).catch(() => null);
      if (view && view.moves.length > 1) this.games.push({ view, began });
      this.show();
    }
    this.empty.textContent = this.games.length
      ? ""
      : "No games yet. Games that you play in this browser are listed here.";
  }

  show() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.games
      .map((game) => ({ ...game, text: describeGame(game.view) }))
      .filter(({ view, text }) =>
        words.every((word) => `${view.title} ${text}`.toLowerCase().includes(word)),
      );
    setChildren(
      this.list,
      ...found.map(({ view, began, text }) =>
        h(
          "li",
          {},
          h("a", { href: `/game/${view.id}`, "data-route": true }, view.title),
          h("span", {}, text),
          h("small", {}, `${new Date(began).toLocaleString()} · ${countMoves(view)} moves`),
        ),
      ),
    );
  }
}

/** @param {GameView} view */
const countMoves = (view) => view.moves.filter(({ mover }) => mover === 0 || mover === 1).length;

/** @param {GameView} view */
function describeGame({ seats, outcome, prompt }) {
  const players = seats.map((seat) => (seat.player ? playerName(seat) : "a person")).join(" against ");
  return `${players}. ${outcome ? prompt : "Not finished."}`;
}
