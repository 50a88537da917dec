// The rules of a game in a few sentences. The text comes from the server; the page knows no rules.

import { get } from "./api.js";
import { h, openDialog, setChildren } from "./dom.js";

/** @typedef {import("./types.js").RulesView} RulesView */

const KEYBOARD_HELP =
  "Keyboard: Tab moves the focus to the board, the arrow keys move it from place to place, " +
  "Enter touches a place, Escape undoes the last touch, F flips the board. Elsewhere the arrow keys " +
  "left and right step through the moves, up and down go to the beginning and the end.";

/**
 * Fetch the title of a game, and its rules as a list.
 * @param {string} game
 * @param {string} rules
 */
async function fetchRules(game, rules) {
  const { title, sentences } = /** @type {RulesView} */ (await get("/api/how", { game, rules }));
  return { title, list: h("ul", { class: "rules" }, ...sentences.map((each) => h("li", {}, each))) };
}

/**
 * Open a dialog with the rules of a game.
 * @param {{ game: string, rules: string }} view
 */
export async function openRulesDialog({ game, rules }) {
  const { title, list } = await fetchRules(game, rules);
  openDialog(`How to play ${title}`, [list, h("p", { class: "muted" }, KEYBOARD_HELP)]);
}

/** The rules within the new-game dialog. */
export class RulesDetails {
  constructor() {
    this.content = h("div", {});
    this.element = h("details", {}, h("summary", {}, "How to play"), this.content);
  }

  /**
   * @param {string} game
   * @param {string} rules
   */
  async show(game, rules) {
    setChildren(this.content, (await fetchRules(game, rules)).list);
  }
}
