// Puzzles: positions with one good move. The server creates them and checks the move.

import { createGame, get, post, RequestError } from "./api.js";
import { BoardView } from "./board.js";
import { announce, button, errorMessage, h, makeOptions, setChildren } from "./dom.js";

/** @typedef {import("./types.js").PuzzleView} PuzzleView */
/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").VerdictView} VerdictView */

/** @type {[string, string][]} */
const GAMES = [
  ["nine_mens_morris", "Nine Men's Morris"],
  ["hexapawn", "Hexapawn, four by four"],
  ["noughts_and_crosses", "Noughts and crosses"],
];
/** @type {[string, string][]} */
const KINDS = [
  ["win", "the only move that wins"],
  ["hold", "the only move that draws"],
];
/** @type {[number, string][]} */
const GRADES = [
  [1, "easy"],
  [2, "medium"],
  [3, "hard"],
];
const MAX_PUZZLE_NUMBER = 2 ** 40;

export class PuzzlePage {
  /**
   * @param {HTMLElement} root
   * @param {(address: string) => Promise<void>} navigate
   */
  constructor(root, navigate) {
    this.navigate = navigate;
    /** @type {GameView | null} */
    this.view = null;
    this.task = "";
    /** Number of puzzles requested; only the last one is shown, whichever comes last. */
    this.numRequests = 0;
    this.prompt = h("h1", { class: "prompt" }, "Loading a puzzle …");
    this.result = h("p", { class: "message", role: "status" });
    this.board = new BoardView(
      (place) => void this.touch(place),
      () => void this.refresh([]),
    );
    this.game = this.makeSelect("puzzle-game", GAMES);
    this.kind = this.makeSelect("puzzle-kind", KINDS);
    this.grade = this.makeSelect("puzzle-grade", GRADES);
    this.nextButton = button("Next puzzle", () => void this.fetchPuzzle(true), {
      class: "primary",
    });
    this.toolbar = h("div", { class: "toolbar" });
    setChildren(
      root,
      h(
        "div",
        { class: "puzzle" },
        this.prompt,
        this.result,
        this.board.element,
        this.toolbar,
        h(
          "div",
          { class: "row" },
          h("label", { for: "puzzle-game" }, "Game ", this.game),
          h("label", { for: "puzzle-kind" }, "Find ", this.kind),
          h("label", { for: "puzzle-grade" }, "Difficulty ", this.grade),
        ),
      ),
    );
    void this.fetchPuzzle();
  }

  close() {}

  /**
   * @param {string} id
   * @param {[string | number, string][]} options
   */
  makeSelect(id, options) {
    return h("select", { id, onchange: () => void this.fetchPuzzle() }, ...makeOptions(options));
  }

  /**
   * Show today's puzzle, or a random one.
   * @param {boolean} [isRandom]
   */
  async fetchPuzzle(isRandom = false) {
    const request = ++this.numRequests;
    this.result.textContent = "";
    try {
      /** @type {PuzzleView} */
      const { game, rules, position, task } = await get("/api/puzzles", {
        game: this.game.value,
        kind: this.kind.value,
        grade: this.grade.value,
        number: isRandom ? Math.floor(Math.random() * MAX_PUZZLE_NUMBER) : undefined,
      });
      if (request !== this.numRequests) return;
      const view = await createGame({ game, rules, position });
      if (request !== this.numRequests) return;
      this.view = view;
      this.task = isRandom ? task : `Today’s puzzle. ${task}`;
      await this.refresh([]);
    } catch (error) {
      if (request !== this.numRequests) return;
      this.prompt.textContent = errorMessage(error);
      setChildren(this.toolbar, this.nextButton);
    }
  }

  get path() {
    return `/api/games/${this.view?.id ?? ""}`;
  }

  /**
   * Show the puzzle with these places touched.
   * @param {string[]} touched
   */
  async refresh(touched) {
    const request = this.numRequests;
    const view = await get(this.path, { node: 0, touched });
    if (request === this.numRequests) this.show(view);
  }

  /** @param {GameView} view */
  show(view) {
    this.view = view;
    this.prompt.textContent = this.task;
    this.board.show(view);
    setChildren(
      this.toolbar,
      this.nextButton,
      button("Play it out", () => void this.playOut()),
      button("Show solution", () => void this.showSolution()),
    );
  }

  /** @param {string} place */
  async touch(place) {
    const { view } = this;
    if (!view || view.status !== "yours" || view.node !== 0) return;
    try {
      this.show(await post(`${this.path}/touch`, { node: 0, touched: view.touched, place }));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      await this.refresh([]);
      return;
    }
    await this.checkMove();
  }

  /** @returns {Promise<VerdictView>} */
  fetchVerdict() {
    return get(`${this.path}/verdict`, { node: 0 });
  }

  /** Tell whether the move is right, once it is complete. */
  async checkMove() {
    const { view } = this;
    if (!view || view.at === 0) return;
    const move = view.moves.find(({ node }) => node === view.at)?.text;
    const { moves } = await this.fetchVerdict();
    const isCorrect = moves.find((each) => each.move === move)?.cost === 0;
    if (!isCorrect) {
      await post(`${this.path}/at`, { node: 0 });
      await this.refresh([]);
    }
    this.result.textContent = isCorrect
      ? `Correct: ${move} is the only move.`
      : `${move} is not the solution. Try again.`;
    announce(this.result.textContent);
  }

  async showSolution() {
    const { moves } = await this.fetchVerdict();
    this.result.textContent = `Solution: ${moves[0]?.move ?? ""}.`;
  }

  /** Continue against a perfect player. */
  async playOut() {
    /** @type {GameView} */
    const { id, mover } = await post(`${this.path}/at`, { node: 0 });
    const seats = [0, 1].map((side) => (side === mover ? {} : { player: "perfect" }));
    await post(`${this.path}/seats`, { seats });
    await this.navigate(`/game/${id}`);
  }
}
