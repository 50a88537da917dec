// Import and export of games and positions: clipboard, files and links.

import { get, post } from "./api.js";
import { button, errorMessage, h, setChildren, showNotice } from "./dom.js";
import { seatRequests } from "./seats.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */
/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {import("./types.js").RecordView} RecordView */
/** @typedef {import("./game.js").GamePage} GamePage */

/** The beginning of a game record, as opposed to a position: a header, a comment or a move number. */
const RECORD_START = /^\[|^\{|^[0-9]+\./;

export class SharePanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.shownPosition = "";
    this.notations = h("div", { class: "stack" });
    this.input = h("textarea", { id: "import-text", rows: 4, spellcheck: "false" });
    this.error = h("p", { class: "error", role: "alert" });
    this.element = h(
      "div",
      { class: "stack" },
      h("h2", {}, "This game"),
      h(
        "div",
        { class: "row" },
        button("Copy game", async () => this.copy(await this.fetchRecord())),
        button("Save to file", () => this.saveFile()),
        button("Copy link", async () => this.copy(makeLink(await this.fetchRecord()))),
      ),
      h("h2", {}, "This position"),
      h("div", { class: "row" }, button("Show notations", () => this.showNotations())),
      this.notations,
      h("h2", {}, "Import"),
      h(
        "label",
        { for: "import-text", class: "stack" },
        "Paste a game or a position, in any notation",
        this.input,
      ),
      this.error,
      h("div", { class: "row" }, button("Open", () => this.openInput(), { class: "primary" })),
    );
  }

  /** @param {GameView} view */
  show(view) {
    if (this.shownPosition !== view.position) setChildren(this.notations);
    this.shownPosition = view.position;
  }

  async fetchRecord() {
    return /** @type {RecordView} */ (await get(`${this.page.path}/record`)).record;
  }

  /** @param {string} text */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      showNotice("Copied.");
    } catch {
      this.input.value = text;
      this.input.select();
      showNotice("The browser does not allow copying; the text is in the field below.");
    }
  }

  async saveFile() {
    const text = await this.fetchRecord();
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    h("a", { href: url, download: `${this.page.view.game}.txt` }).click();
    URL.revokeObjectURL(url);
  }

  async showNotations() {
    const { game, rules, position } = this.page.view;
    /** @type {PositionView} */
    const { texts } = await post("/api/positions", { game, rules, position });
    const rows = Object.entries(texts).map(([name, text]) =>
      h(
        "div",
        { class: "row" },
        h("code", {}, text),
        button(`Copy (${name})`, () => this.copy(text)),
      ),
    );
    setChildren(this.notations, ...rows);
  }

  /** Open the game or position that was pasted. */
  async openInput() {
    const text = this.input.value.trim();
    const { game, rules } = this.page.view;
    const source = RECORD_START.test(text)
      ? { record: text }
      : { position: text, seats: seatRequests(this.page.view) };
    this.error.textContent = "";
    try {
      await this.page.openNewGame({ game, rules, ...source });
    } catch (error) {
      this.error.textContent = errorMessage(error);
    }
  }
}

/**
 * Make a link that contains the whole record, so that it gives no access to this game.
 * @param {string} record
 */
function makeLink(record) {
  const bytes = new TextEncoder().encode(record);
  const text = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  return `${location.origin}/open#${text}`;
}

/**
 * Return the new game that a link contains.
 * @param {string} hash
 * @returns {NewGameRequest}
 */
export function gameFromLink(hash) {
  try {
    const text = atob(hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return { record: new TextDecoder().decode(bytes) };
  } catch {
    throw new Error("This link contains no game.");
  }
}
