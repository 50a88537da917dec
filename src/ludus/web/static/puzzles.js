// Puzzles: one position, one good move. The server creates them and checks the move.

import { begin, get, post, Refused } from "./api.js";
import { Board } from "./board.js";
import { button, fill, h, say } from "./dom.js";

/** @typedef {import("./types.js").Puzzle} Puzzle */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Verdict} Verdict */

const GRADES = ["easy", "middling", "hard"];

/**
 * @param {HTMLElement} root
 * @param {(address: string) => Promise<void>} go
 */
export function puzzlePage(root, go) {
  const page = new PuzzlePage(root, go);
  void page.today();
  return page;
}

class PuzzlePage {
  /**
   * @param {HTMLElement} root
   * @param {(address: string) => Promise<void>} go
   */
  constructor(root, go) {
    this.go = go;
    /** @type {View | null} */
    this.view = null;
    this.prompt = h("h1", { class: "prompt" }, "Looking for a puzzle …");
    this.answer = h("p", { class: "told", role: "status" });
    this.board = new Board(
      (place) => void this.touch(place),
      () => void this.show([]),
    );
    this.game = h(
      "select",
      { id: "puzzle-game", onchange: () => void this.today() },
      h("option", { value: "nine_mens_morris" }, "Nine Men's Morris"),
      h("option", { value: "hexapawn" }, "Hexapawn, four by four"),
      h("option", { value: "noughts_and_crosses" }, "Noughts and crosses"),
    );
    this.kind = h(
      "select",
      { id: "puzzle-kind", onchange: () => void this.today() },
      h("option", { value: "win" }, "the only move that wins"),
      h("option", { value: "hold" }, "the only move that holds"),
    );
    this.grade = h(
      "select",
      { id: "puzzle-grade", onchange: () => void this.today() },
      ...GRADES.map((name, index) => h("option", { value: index + 1 }, name)),
    );
    this.tools = h("div", { class: "tools" });
    fill(
      root,
      h(
        "div",
        { class: "puzzle" },
        this.prompt,
        this.answer,
        this.board.element,
        this.tools,
        h(
          "div",
          { class: "row" },
          h("label", { for: "puzzle-game" }, "Game ", this.game),
          h("label", { for: "puzzle-kind" }, "Find ", this.kind),
          h("label", { for: "puzzle-grade" }, "How hard ", this.grade),
        ),
      ),
    );
  }

  close() {}

  today() {
    return this.ask(undefined);
  }

  another() {
    return this.ask(Math.floor(Math.random() * 2 ** 40));
  }

  /** @param {number | undefined} number */
  async ask(number) {
    this.answer.textContent = "";
    try {
      /** @type {Puzzle} */
      const puzzle = await get("/api/puzzles", {
        game: this.game.value,
        kind: this.kind.value,
        grade: Number(this.grade.value),
        number,
      });
      this.view = await begin({
        game: puzzle.game,
        rules: puzzle.rules,
        position: puzzle.position,
      });
      this.task = number === undefined ? `Today’s puzzle. ${puzzle.task}` : puzzle.task;
      await this.show([]);
    } catch (error) {
      this.prompt.textContent = error instanceof Refused ? error.message : String(error);
      fill(
        this.tools,
        button("Another one", () => void this.another(), { class: "primary" }),
      );
    }
  }

  task = "";

  get path() {
    return `/api/games/${this.view?.id ?? ""}`;
  }

  /** @param {string[]} touched */
  async show(touched) {
    this.view = /** @type {View} */ (await get(this.path, { node: 0, touched }));
    this.paint(this.task);
  }

  /** @param {string} prompt */
  paint(prompt) {
    const view = this.view;
    if (!view) return;
    this.prompt.textContent = prompt;
    this.board.show(view);
    fill(
      this.tools,
      button("Another one", () => void this.another(), { class: "primary" }),
      button("Play it out", () => void this.playOut()),
      button("Show the move", () => void this.solve()),
    );
  }

  /** @param {string} place */
  async touch(place) {
    const view = this.view;
    if (!view || view.status !== "yours" || view.node !== 0) return;
    try {
      this.view = await post(`${this.path}/touch`, { node: 0, touched: view.touched, place });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await this.show([]);
      return;
    }
    this.paint(this.task);
    if (this.view && this.view.at !== 0) await this.judge();
  }

  async judge() {
    /** @type {Verdict} */
    const verdict = await get(`${this.path}/verdict`, { node: 0 });
    const made = this.view?.moves.find((move) => move.node === this.view?.at)?.text;
    const rated = verdict.moves.find((each) => each.move === made);
    const isRight = rated?.cost === 0;
    this.answer.textContent = isRight
      ? `Right: ${made} is the only move.`
      : `${made} does not do it. Try again.`;
    say(this.answer.textContent);
    if (!isRight) {
      await post(`${this.path}/at`, { node: 0 });
      await this.show([]);
    }
  }

  async solve() {
    /** @type {Verdict} */
    const verdict = await get(`${this.path}/verdict`, { node: 0 });
    this.answer.textContent = `The move is ${verdict.moves[0]?.move ?? ""}.`;
  }

  /** Continue against a perfect player. */
  async playOut() {
    const view = this.view;
    if (!view) return;
    await post(`${this.path}/at`, { node: 0 });
    const solver =
      view.moves[0] &&
      (await get(this.path, { node: 0 }).then((each) => /** @type {View} */ (each).mover));
    const seats = [0, 1].map((side) => (side === solver ? {} : { player: "perfect" }));
    await post(`${this.path}/seats`, { seats });
    await this.go(`/game/${view.id}`);
  }
}
