// Import and export of games and positions: clipboard, files and links.

import { get, post } from "./api.js";
import { button, errorMessage, h, setChildren, showNotice } from "./dom.js";
import { seatRequests } from "./seats.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */
/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {import("./types.js").RecordView} RecordView */
/** @typedef {import("./game.js").GamePage} GamePage */

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
        "Paste a game, a list of moves, a position or a link, in any notation",
        this.input,
      ),
      this.error,
      h("div", { class: "row" }, button("Import", () => this.openInput(), { class: "primary" })),
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
  openInput() {
    return this.openText(this.input.value.trim());
  }

  /**
   * Open a game or position, or a link to one.
   * @param {string} text
   */
  async openText(text) {
    const { game, rules } = this.page.view;
    const [, hash] = text.match(/\/open(#[\w=-]+)$/) ?? [];
    this.error.textContent = "";
    try {
      /** @type {NewGameRequest} */
      const found = hash ? gameFromLink(hash) : await post("/api/imports", { text, game, rules });
      const isHere = found.game === game && !found.record;
      const seats = isHere ? { seats: seatRequests(this.page.view) } : {};
      await this.page.openNewGame({ ...found, ...seats });
    } catch (error) {
      const message = errorMessage(error);
      this.error.textContent = message.slice(0, 1).toUpperCase() + message.slice(1);
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
    const record = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!record.startsWith("[")) throw new Error("no record");
    return { record };
  } catch {
    throw new Error("This link contains no game.");
  }
}
