// Import and export of games and positions: clipboard, files and links.

import { begin, get, post, Refused } from "./api.js";
import { button, fill, h, notice } from "./dom.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").NewGame} NewGame */
/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {import("./game.js").GamePage} GamePage */

export class SharePanel {
  /**
   * @param {GamePage} page
   * @param {(address: string) => Promise<void>} go
   */
  constructor(page, go) {
    this.page = page;
    this.go = go;
    this.texts = h("div", { class: "stack" });
    this.pasted = h("textarea", { id: "pasted", rows: 4, spellcheck: "false" });
    this.trouble = h("p", { class: "trouble", role: "alert" });
    this.element = h(
      "div",
      { class: "stack" },
      h("h2", {}, "This game"),
      h(
        "div",
        { class: "row" },
        button("Copy the game", async () => this.copy(await this.record())),
        button("Save as a file", () => this.save()),
        button("Copy a link", async () => this.copy(link(await this.record()))),
      ),
      h("h2", {}, "This position"),
      button("Show its notations", () => this.write()),
      this.texts,
      h("h2", {}, "Another one"),
      h(
        "label",
        { for: "pasted", class: "stack" },
        "Paste a game or a position, in any notation",
        this.pasted,
      ),
      this.trouble,
      h(
        "div",
        { class: "row" },
        button("Open it", () => this.paste(), { class: "primary" }),
      ),
    );
  }

  /** @param {View} view */
  show(view) {
    if (this.shown !== view.position) fill(this.texts);
    this.shown = view.position;
  }

  shown = "";

  /** @returns {Promise<string>} */
  async record() {
    /** @type {{ record: string }} */
    const found = await get(`${this.page.path}/record`);
    return found.record;
  }

  /** @param {string} text */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      notice("Copied.");
    } catch {
      this.pasted.value = text;
      this.pasted.select();
      notice("The browser does not let us copy; the text is in the field below.");
    }
  }

  async save() {
    const text = await this.record();
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    h("a", { href: url, download: `${this.page.view.game}.txt` }).click();
    URL.revokeObjectURL(url);
  }

  async write() {
    const { game, rules, position } = this.page.view;
    /** @type {PositionView} */
    const found = await post("/api/positions", { game, rules, position });
    fill(
      this.texts,
      ...Object.entries(found.texts).map(([name, text]) =>
        h(
          "div",
          { class: "row" },
          h("code", {}, text),
          button(`Copy (${name})`, () => this.copy(text)),
        ),
      ),
    );
  }

  async paste() {
    const text = this.pasted.value.trim();
    const { game, rules, seats } = this.page.view;
    const players = seats.map(({ player, level, choices }) => ({ player, level, choices }));
    this.trouble.textContent = "";
    try {
      const isRecord = /^\[|^\{|^[0-9]+\./.test(text);
      const view = await begin(
        isRecord ? { record: text, game, rules } : { game, rules, position: text, seats: players },
      );
      await this.go(`/game/${view.id}`);
    } catch (error) {
      this.trouble.textContent = error instanceof Refused ? error.message : String(error);
    }
  }

  /** Start a new game with the same players. */
  async again() {
    const { game, rules, seats, delay } = this.page.view;
    const players = seats.map(({ player, level, choices }) => ({ player, level, choices }));
    const view = await begin({ game, rules, seats: players, delay });
    await this.go(`/game/${view.id}`);
  }
}

/**
 * Make a link that contains the whole record, so that it gives no access to this game.
 * @param {string} record
 */
function link(record) {
  const bytes = new TextEncoder().encode(record);
  const text = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  return `${location.origin}/open#${text}`;
}

/**
 * Return the new game that a link contains.
 * @param {string} hash
 * @returns {Promise<NewGame>}
 */
export async function fromLink(hash) {
  try {
    const text = atob(hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    return {
      record: new TextDecoder().decode(Uint8Array.from(text, (letter) => letter.charCodeAt(0))),
    };
  } catch {
    throw new Error("This link holds no game.");
  }
}
