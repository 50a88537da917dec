// Import and export of games and positions: clipboard, files and links.

import { createGame, get, post } from "./api.js";
import { button, errorMessage, h, openDialog, setChildren, showNotice } from "./dom.js";
import { gameFromLink, makeLink } from "./links.js";
import { rememberGame } from "./remembered.js";
import { seatRequests } from "./seats.js";
import { capitalize } from "./text.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */
/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {import("./types.js").RecordView} RecordView */
/** @typedef {import("./types.js").ShareView} ShareView */
/** @typedef {import("./game.js").GamePage} GamePage */

export class SharePanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.shownPosition = page.view.position;
    this.notations = h("div", { class: "stack" });
    this.card = h("div", { class: "stack" });
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
      h("h2", {}, "A card to share"),
      h("p", { class: "muted" }, "Who has it can look at the moves, and cannot play in this game."),
      h("div", { class: "row" }, button("Make a card", () => this.showCard(), { class: "primary" })),
      this.card,
      h("h2", {}, "This position"),
      h("div", { class: "row" }, button("Show notations", () => this.showNotations())),
      this.notations,
      h("h2", {}, "Import"),
      h(
        "label",
        { for: "import-text", class: "stack" },
        "Paste a game, a list of moves, a position or a link, in any notation. Files of games (records, .mat, .sgf, games from PlayOK, Sanmill, OpenSpiel and Kaggle) can be dropped anywhere on the page.",
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

  /** Save the game to a file; ask for its format where there are several. */
  async saveFile() {
    const { record, suffixes } = /** @type {RecordView} */ (await get(`${this.page.path}/record`));
    const name = this.page.view.game;
    if (suffixes.length < 2) {
      saveText(record, `${name}.txt`);
      return;
    }
    const save = async (/** @type {string} */ suffix) => {
      const found = /** @type {RecordView} */ (await get(`${this.page.path}/record`, { suffix }));
      saveText(found.record, name + suffix);
    };
    const buttons = suffixes.map((suffix) =>
      button(suffix, () => void this.page.runInBackground(() => save(suffix))),
    );
    openDialog("Save to file", [
      h("p", {}, ".txt keeps variations; .mat and .sgf are for other programs."),
      h("div", { class: "row" }, ...buttons),
    ]);
  }

  /** Show the picture of the position that is shown, and what can be sent of the game. */
  async showCard() {
    const { node, position } = this.page.view;
    const codes = /** @type {ShareView} */ (await get(`${this.page.path}/share`, { node }));
    const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
    const theme = `?theme=${isDark ? "dark" : "light"}`;
    const picture = `/picture/${codes.position}.png${theme}`;
    const animation = `/picture/${codes.game}.gif${theme}`;
    const address = `${location.origin}/embed/${codes.game}`;
    const name = this.page.view.game;
    setChildren(
      this.card,
      h("img", {
        src: picture,
        alt: `The card: ${position}`,
        width: 1200,
        height: 630,
        class: "card",
        onerror: () => this.explainMissing(picture),
      }),
      h(
        "div",
        { class: "row" },
        button("Save picture", () => download(picture, `${name}.png`)),
        button("Save animation", () => download(animation, `${name}.gif`)),
        button("Copy link to look at", () => this.copy(address)),
        button("Copy embedding", () =>
          this.copy(`<iframe src="${address}" width="600" height="680" title="A game in Ludus"></iframe>`),
        ),
      ),
    );
  }

  /**
   * Say why there is no picture: the server may lack what draws it.
   * @param {string} address
   */
  explainMissing(address) {
    void this.page.runInBackground(() => get(address));
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
        button("Save", () => saveText(`${text}\n`, `${game} position.txt`), {
          "aria-label": `Save (${name})`,
        }),
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
    this.error.textContent = "";
    try {
      await openText(text, this.page.view, this.page.navigate);
    } catch (error) {
      this.error.textContent = capitalize(errorMessage(error));
    }
  }
}

/**
 * Open what a text holds: games, a position, or a link to a game.
 * @param {string} text
 * @param {GameView | null} view the game that is shown, which is tried first
 * @param {(address: string) => Promise<void>} navigate
 */
export async function openText(text, view, navigate) {
  const { game, rules } = view ?? { game: "nine_mens_morris", rules: "" };
  const [, hash] = text.match(/\/open(#[\w=-]+)$/) ?? [];
  /** @type {NewGameRequest & { more?: string[] }} */
  const { more = [], ...found } = hash
    ? gameFromLink(hash)
    : await post("/api/imports", { text, game, rules });
  // A position of the game that is shown is played by the same players.
  const isHere = view && found.game === game && !found.record;
  const seats = isHere ? { seats: seatRequests(view) } : {};
  const opened = await createGame({ ...found, ...seats });
  if (!more.length) {
    await navigate(`/game/${opened.id}`);
    return;
  }
  for (const record of more.reverse()) rememberGame(await createGame({ record }));
  rememberGame(opened);
  await navigate("/games");
  showNotice(`${more.length + 1} games imported.`);
}

/**
 * Let the browser save a text as a file.
 * @param {string} text
 * @param {string} name
 */
export function saveText(text, name) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  download(url, name);
  URL.revokeObjectURL(url);
}

/**
 * Let the browser save what is at an address as a file.
 * @param {string} address
 * @param {string} name
 */
const download = (address, name) => h("a", { href: address, download: name }).click();
