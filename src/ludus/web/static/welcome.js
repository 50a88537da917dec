// Welcome: what there is on this page, shown beside the first game of a browser.

import { button, h } from "./dom.js";

/** @typedef {import("./game.js").GamePage} GamePage */

const ANALYSIS_TAB = 1;

/**
 * Create a panel that tells what there is; it is shown beside the first game only.
 * @param {GamePage} page
 */
export function makeWelcome(page) {
  /** @type {HTMLElement} */
  const panel = h(
    "section",
    { class: "welcome", "aria-labelledby": "welcome-title" },
    h("h2", { id: "welcome-title" }, "Welcome"),
    h(
      "ul",
      {},
      makeItem(button("Play", () => document.getElementById("new-game")?.click(), { class: "link" }), "the board is ready; or choose another game and opponent, from beginner to perfect."),
      makeItem(link("/puzzles", "Puzzles"), "positions with one good move, a new one every day."),
      makeItem(button("Analysis", () => page.tabs.select(ANALYSIS_TAB), { class: "link" }), "see who stands better and which moves are good, at any time."),
      makeItem(h("strong", {}, "Learn"), "after a game Review names your mistakes, and you try again."),
      makeItem(link("/machines", "How machines learn"), "networks, matchboxes and logic programs, side by side on one position."),
    ),
    button("Close", () => panel.remove()),
  );
  return panel;
}

/**
 * @param {string} address
 * @param {string} text
 */
const link = (address, text) => h("a", { href: address, "data-route": true }, text);

/**
 * @param {HTMLElement} title
 * @param {string} text
 */
const makeItem = (title, text) => h("li", {}, title, `: ${text}`);
