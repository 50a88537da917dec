// My games: the games of this browser, newest first, with a search.

import { get } from "./api.js";
import { button, errorMessage, h, setChildren, showNotice } from "./dom.js";
import { loadGames } from "./remembered.js";
import { playerName } from "./seats.js";
import { saveText } from "./share.js";
import { capitalize } from "./text.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").RecordView} RecordView */

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
      h(
        "div",
        { class: "row centred" },
        h("label", { for: "search" }, "Search ", this.search),
        button("Save all to a file", () => void this.saveAll()),
        h("a", { href: "/puzzles?own", "data-route": true }, "Puzzles from these games"),
      ),
      this.empty,
      this.list,
    );
    void this.load();
  }

  close() {}

  async load() {
    for (const { id, began } of loadGames()) {
      /** @type {GameView | null} */
      const view = await get(`/api/games/${id}`).catch(() => null);
      if (view && view.moves.length > 1) this.games.push({ view, began });
      this.show();
    }
    this.empty.textContent = this.games.length
      ? ""
      : "No games yet. Games that you play in this browser are listed here.";
  }

  /** Save the listed games as one file, which can be dropped on the page again. */
  async saveAll() {
    try {
      const records = [];
      for (const { view } of this.games) {
        const { record } = /** @type {RecordView} */ (await get(`/api/games/${view.id}/record`));
        records.push(record);
      }
      saveText(records.join("\n"), "ludus games.txt");
    } catch (error) {
      showNotice(errorMessage(error));
    }
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
  const [first, second] = seats.map((seat) => playerName(seat, seats));
  const text = `${first} against ${second}. ${outcome ? prompt : "Not finished."}`;
  return capitalize(text);
}
