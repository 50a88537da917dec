// A position in which good moves are to be found: a board, the task, and whether a move solves it.
// Puzzles and the mistakes of one's own games are such tasks. The server evaluates the moves.

import { createGame, get } from "./api.js";
import { BoardView } from "./board.js";
import { announce, button, errorMessage, h, setChildren } from "./dom.js";
import { MoveEntry } from "./entry.js";
import { GameViews } from "./views.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").AdviceView} AdviceView */
/** @typedef {import("./types.js").EvaluationView} EvaluationView */
/**
 * @typedef {{
 *   game: string, rules: string, position: string, task: string, numMoves: number, note?: string
 * }} Task
 *   numMoves: good moves to find, with the best replies between them. note: shown once it is solved.
 */

export class Drill {
  /**
   * @param {(isClean: boolean) => void} onEnd called once a task is solved or given up; clean means
   *   without a wrong move and without help
   * @param {() => (Node | false | null | undefined)[]} makeButtons buttons beside those of the drill
   */
  constructor(onEnd, makeButtons) {
    this.onEnd = onEnd;
    this.makeButtons = makeButtons;
    /** @type {GameViews | null} */
    this.views = null;
    /** @type {GameView | null} */
    this.view = null;
    /** @type {MoveEntry | null} */
    this.entry = null;
    /** Shapes that show the solution. */
    this.solution = "";
    /** @type {Task | null} */
    this.task = null;
    this.isClean = true;
    this.hasEnded = false;
    this.numFound = 0;
    /** Whether a move is being checked or replied to; the other side's moves are not for the user. */
    this.isChecking = false;
    /** Number of tasks started; only the last one is shown, whichever is loaded last. */
    this.numStarts = 0;
    this.prompt = h("h1", { class: "prompt" });
    this.result = h("p", { class: "message", role: "status" });
    this.board = new BoardView(
      (place) => void this.touch(place),
      () => this.undo(),
    );
    this.toolbar = h("div", { class: "toolbar" });
    this.element = h(
      "div",
      { class: "drill" },
      h("div", { class: "head" }, this.prompt, this.result),
      this.board.element,
      this.toolbar,
    );
  }

  /**
   * @param {"loading" | "open" | "wrong" | "replying" | "right" | "solved" | "shown" | "failed"} state
   *   replying: a move was right and the best reply is being played, then right
   */
  setState(state) {
    this.element.dataset.state = state;
  }

  /**
   * Load a task and start it; errors are shown in its place.
   * @param {() => Promise<Task>} load
   */
  async start(load) {
    const start = ++this.numStarts;
    this.setState("loading");
    this.prompt.textContent = "Loading …";
    this.result.textContent = "";
    try {
      const task = await load();
      if (start !== this.numStarts) return;
      const { game, rules, position } = task;
      const view = await createGame({ game, rules, position });
      if (start !== this.numStarts) return;
      this.views = new GameViews(view);
      this.task = task;
      this.isClean = true;
      this.hasEnded = false;
      this.numFound = 0;
      this.show(view);
      this.setState("open");
    } catch (error) {
      if (start !== this.numStarts) return;
      this.task = null;
      this.prompt.textContent = errorMessage(error);
      this.setState("failed");
      this.showTools();
    }
  }

  get path() {
    return `/api/games/${this.view?.id ?? ""}`;
  }

  /** @param {GameView} view */
  show(view) {
    this.view = view;
    this.entry = new MoveEntry(view);
    this.solution = "";
    this.prompt.textContent = this.task?.task ?? "";
    this.draw();
    this.showTools();
  }

  draw() {
    if (this.view) this.board.show(this.view, this.entry, {}, this.solution);
  }

  undo() {
    this.entry?.undo();
    this.draw();
  }

  showTools() {
    const isOpen = this.task !== null && !this.hasEnded;
    setChildren(
      this.toolbar,
      ...this.makeButtons(),
      isOpen && button("Show solution", () => void this.showSolution()),
    );
  }

  /** @param {string} place */
  async touch(place) {
    const { view, views, entry } = this;
    if (!view || !views || !entry || this.hasEnded || this.isChecking || !entry.touch(place)) return;
    this.draw();
    if (entry.isUnknown) {
      entry.extend(await get(`${this.path}/entry`, { node: view.at, touched: entry.touched }));
      this.draw();
    }
    if (!entry.move) return;
    const start = this.numStarts;
    this.isChecking = true;
    try {
      const after = await views.post("moves", { node: view.at, move: entry.move });
      if (start !== this.numStarts) return;
      this.show(after);
      await this.checkMove(view.at);
    } finally {
      this.isChecking = false;
    }
  }

  /**
   * Tell whether the move made at a node is good.
   * @param {number} node
   */
  async checkMove(node) {
    const { view, views, task } = this;
    if (!view || !views || !task) return;
    const text = firstMoveAfter(node, view);
    const { analysis, texts } = await this.evaluate(node);
    const index = analysis?.moves.findIndex((each) => each.move === text) ?? -1;
    if (index < 0 || analysis?.moves[index]?.mark) {
      this.isClean = false;
      this.show(await views.post("at", { node }));
      const what = index < 0 ? "" : ` ${texts[index]}: that`;
      this.say("wrong", `${text}${what} is not the solution. Try again.`);
      return;
    }
    this.numFound += 1;
    if (view.outcome || this.numFound >= task.numMoves) {
      this.end("solved", `Correct: ${text}.${task.note ? ` ${task.note}` : ""}`);
      return;
    }
    this.say("replying", `Correct: ${text}. Go on.`);
    await this.reply();
    if (!this.hasEnded) this.setState("right");
  }

  /**
   * @param {number} node
   * @returns {Promise<EvaluationView>}
   */
  evaluate(node) {
    return get(`${this.path}/evaluation`, { node });
  }

  /** Play the best reply. */
  async reply() {
    const { view, views } = this;
    if (!view || !views) return;
    const { analysis } = await this.evaluate(view.at);
    const move = analysis?.moves[0]?.move;
    if (!move) return;
    this.show(await views.post("moves", { node: view.at, move }));
    if (this.view?.outcome) this.end("solved", this.view.prompt);
  }

  /** Show the best move on the board and as text. */
  async showSolution() {
    const { view } = this;
    if (!view) return;
    /** @type {AdviceView} */
    const { moves, svg } = await get(`${this.path}/advice`, { node: view.at });
    this.isClean = false;
    this.entry = new MoveEntry(view);
    this.solution = svg;
    this.end("shown", `Solution: ${moves[0]?.move ?? ""}.${this.task?.note ? ` ${this.task.note}` : ""}`);
    this.draw();
  }

  /**
   * @param {"wrong" | "replying" | "solved" | "shown"} state
   * @param {string} text
   */
  say(state, text) {
    this.result.textContent = text;
    announce(text);
    this.setState(state);
  }

  /**
   * @param {"solved" | "shown"} state
   * @param {string} text
   */
  end(state, text) {
    this.hasEnded = true;
    this.say(state, text);
    this.onEnd(this.isClean);
    this.showTools();
  }
}

/**
 * Return the text of the move that leads from a node towards the current one.
 * @param {number} node
 * @param {GameView} view
 */
function firstMoveAfter(node, view) {
  const nodes = new Map(view.moves.map((each) => [each.node, each]));
  let move = nodes.get(view.at);
  while (move && move.parent !== null && move.parent !== node) move = nodes.get(move.parent);
  return move?.text ?? "";
}
