// Puzzles: positions with one good move, made by the server from solved positions, and the mistakes
// of one's own games.

import { get, post } from "./api.js";
import { button, errorMessage, h, makeOptions, setChildren } from "./dom.js";
import { Drill } from "./drill.js";
import { fetchMistakes, makeTask } from "./mistakes.js";
import { loadGames } from "./remembered.js";
import { sourceName } from "./text.js";

/** @typedef {import("./types.js").PuzzleKindView} PuzzleKindView */
/** @typedef {import("./types.js").GameKindView} GameKindView */
/** @typedef {import("./types.js").PuzzleView} PuzzleView */
/** @typedef {import("./types.js").GameView} GameView */

/** @typedef {import("./mistakes.js").Mistake} Mistake */

/** Value of the choice of one's own mistakes among the games. */
const OWN_GAMES = "own";
/** Own games that are reviewed for puzzles, the newest first. */
const MAX_OWN_GAMES = 20;
/** @type {Record<string, string>} */
const KINDS = {
  win: "the only move that wins",
  hold: "the only move that draws",
  best: "the move that is clearly best",
  ending: "the best move at the end",
};
const GRADES = ["", "easy", "medium", "hard"];
const STRONG_AT_BACKGAMMON = { player: "gammon", choices: { net: "selfplay" } };
const MAX_PUZZLE_NUMBER = 2 ** 40;
/** Moves to find in a puzzle that can be won, unless the game ends before. */
const MAX_MOVES = 3;

export class PuzzlePage {
  /**
   * @param {HTMLElement} root
   * @param {(address: string) => Promise<void>} navigate
   */
  constructor(root, navigate) {
    this.navigate = navigate;
    /**
     * The puzzles of the selected game.
     * @type {PuzzleKindView[]}
     */
    this.puzzles = [];
    /**
     * Own games that are not reviewed yet.
     * @type {string[]}
     */
    this.ownGames = loadGames()
      .slice(0, MAX_OWN_GAMES)
      .map(({ id }) => id);
    /**
     * Mistakes of own games that have not been set as a puzzle.
     * @type {Mistake[]}
     */
    this.ownMistakes = [];
    /** @type {Drill} */
    this.drill = new Drill(
      (isClean) => this.countStreak(isClean),
      () => [
        button("Next puzzle", () => void this.fetchPuzzle(true), this.drill.hasEnded ? { class: "primary" } : {}),
        this.drill.task !== null && button("Play it out", () => void this.playOut()),
      ],
    );
    this.game = h("select", { id: "puzzle-game", onchange: () => void this.selectGame() });
    this.kind = h("select", {
      id: "puzzle-kind",
      onchange: () => {
        this.showGrades();
        void this.fetchPuzzle();
      },
    });
    this.grade = h("select", { id: "puzzle-grade", onchange: () => void this.fetchPuzzle() });
    this.kindLabel = h("label", { for: "puzzle-kind" }, "Find ", this.kind);
    this.gradeLabel = h("label", { for: "puzzle-grade" }, "Difficulty ", this.grade);
    this.streak = h("p", { class: "muted" });
    this.drill.element.append(
      h(
        "div",
        { class: "puzzle" },
        h(
          "div",
          { class: "row" },
          h("label", { for: "puzzle-game" }, "Game ", this.game),
          this.kindLabel,
          this.gradeLabel,
        ),
        this.streak,
        h("a", { href: "/learn", "data-route": true }, "Learn the rules that a program has found"),
      ),
    );
    setChildren(root, this.drill.element);
    this.showStreak();
    void this.load();
  }

  close() {}

  /** Load which games have puzzles, and the first puzzle. */
  async load() {
    this.drill.setState("loading");
    this.drill.prompt.textContent = "Loading …";
    try {
      const kinds = /** @type {GameKindView[]} */ (await get("/api/kinds"));
      const games = kinds.filter(({ has_puzzles }) => has_puzzles);
      setChildren(
        this.game,
        ...makeOptions([...games.map(({ game, title }) => /** @type {[string, string]} */ ([game, title])), [OWN_GAMES, "My own games"]]),
      );
      if (new URLSearchParams(location.search).has("own")) this.game.value = OWN_GAMES;
      await this.selectGame();
    } catch (error) {
      this.drill.prompt.textContent = errorMessage(error);
    }
  }

  /** Offer the puzzles of the selected game, and show one. */
  async selectGame() {
    const game = this.game.value;
    this.drill.numStarts += 1; // whatever is being loaded is not wanted any more
    this.drill.setState("loading");
    this.drill.prompt.textContent = "Loading …";
    const isOwn = game === OWN_GAMES;
    this.kindLabel.hidden = this.gradeLabel.hidden = isOwn;
    if (isOwn) {
      await this.fetchPuzzle();
      return;
    }
    this.puzzles = await get("/api/puzzles/kinds", { game });
    if (this.game.value !== game) return;
    const kinds = [...new Set(this.puzzles.map(({ kind }) => kind))];
    setChildren(this.kind, ...makeOptions(kinds.map((kind) => [kind, KINDS[kind] ?? kind])));
    this.showGrades();
    await this.fetchPuzzle();
  }

  /** Offer the grades of the selected kind. */
  showGrades() {
    const grades = this.puzzles.filter(({ kind }) => kind === this.kind.value);
    setChildren(
      this.grade,
      ...makeOptions(grades.map(({ grade }) => [grade, GRADES[grade] ?? ""])),
    );
  }

  /**
   * Show today's puzzle, or a random one.
   * @param {boolean} [isRandom]
   * @returns {Promise<void>}
   */
  fetchPuzzle(isRandom = false) {
    if (this.game.value === OWN_GAMES) return this.drill.start(() => this.fetchOwnPuzzle());
    return this.drill.start(async () => {
      /** @type {PuzzleView} */
      const { game, rules, position, task, kind, margin, source } = await get("/api/puzzles", {
        game: this.game.value,
        kind: this.kind.value,
        grade: this.grade.value,
        number: isRandom ? Math.floor(Math.random() * MAX_PUZZLE_NUMBER) : undefined,
      });
      const text = isRandom ? task : `Today’s puzzle. ${task}`;
      const note = margin === null ? "" : describeMargin(margin, source);
      return { game, rules, position, task: text, numMoves: kind === "win" ? MAX_MOVES : 1, note };
    });
  }

  /** Return the next mistake of one's own games; games are reviewed as they are needed. */
  async fetchOwnPuzzle() {
    while (!this.ownMistakes.length) {
      const id = this.ownGames.shift();
      if (!id)
        throw new Error(
          loadGames().length
            ? "No more mistakes were found in your last games. Play some more."
            : "Play a game first: moves that gave something away become puzzles here.",
        );
      this.drill.prompt.textContent = "Looking for mistakes in your games …";
      this.ownMistakes = await fetchMistakes(id).catch(() => []);
    }
    const mistake = /** @type {Mistake} */ (this.ownMistakes.shift());
    return makeTask(mistake, `From your game of ${mistake.game.title}`);
  }

  /** @param {boolean} isClean */
  countStreak(isClean) {
    const streak = isClean ? Number(localStorage.getItem("puzzle-streak")) + 1 : 0;
    localStorage.setItem("puzzle-streak", String(streak));
    const best = Math.max(streak, Number(localStorage.getItem("puzzle-best")));
    localStorage.setItem("puzzle-best", String(best));
    this.showStreak();
  }

  showStreak() {
    const [streak, best] = ["puzzle-streak", "puzzle-best"].map((name) => localStorage.getItem(name));
    this.streak.textContent = best
      ? `Solved in a row: ${streak ?? 0}. Best: ${best}.`
      : "Solve puzzles in a row without a wrong move.";
  }

  /** Continue against a perfect player, or a strong one where none is perfect. */
  async playOut() {
    const { path } = this.drill;
    /** @type {GameView} */
    const { id, mover } = await post(`${path}/at`, { node: 0 });
    const opponent = this.game.value === "backgammon" ? STRONG_AT_BACKGAMMON : { player: "perfect" };
    const seats = [0, 1].map((side) => (side === mover ? {} : opponent));
    await post(`${path}/seats`, { seats });
    await this.navigate(`/game/${id}`);
  }
}

/**
 * Say how sure a puzzle is, and how clear.
 * @param {number} margin points
 * @param {string} source what evaluates the moves; empty for exact values
 */
function describeMargin(margin, source) {
  const points = `at least ${margin.toFixed(2)} points`;
  return source
    ? `Every other move gives away ${points}, as ${sourceName(source)} estimates.`
    : `This is exact: every other move gives away ${points}.`;
}
