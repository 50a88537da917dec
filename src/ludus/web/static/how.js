// Explanation of a game for beginners. The text comes from the server; the page has no rules.

import { get } from "./api.js";
import { button, fill, h } from "./dom.js";

/** @typedef {{ title: string, sentences: string[] }} How */

/**
 * Fetch the rules as a list of sentences.
 * @param {string} game
 * @param {string} rules
 * @returns {Promise<[string, HTMLElement]>} the title of the game, and its rules
 */
async function told(game, rules) {
  const how = /** @type {How} */ (await get("/api/how", { game, rules }));
  return [how.title, h("ul", { class: "how" }, ...how.sentences.map((each) => h("li", {}, each)))];
}

/**
 * Open a dialog with the rules of a game.
 * @param {{ game: string, rules: string }} view
 */
export async function openHow({ game, rules }) {
  const [title, list] = await told(game, rules);
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    { "aria-labelledby": "how-title", onclose: () => dialog.remove() },
    h("h2", { id: "how-title" }, `How ${title} is played`),
    list,
    h(
      "p",
      { class: "quiet" },
      "On the board: Tab to reach it, arrow keys to walk, Enter to touch, Escape to undo a touch, F to flip it.",
    ),
    h(
      "div",
      { class: "row end" },
      button("Close", () => dialog.close(), { class: "primary" }),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** The rules within the new-game dialog, fetched when opened. */
export class HowDetails {
  constructor() {
    this.list = h("div", {});
    this.element = h("details", {}, h("summary", {}, "How it is played"), this.list);
  }

  /**
   * @param {string} game
   * @param {string} rules
   */
  async show(game, rules) {
    fill(this.list, (await told(game, rules))[1]);
  }
}
