// Learned rules explained to a person: a test, the rules, and a test of the same kind afterwards.

import { createGame, get, post } from "./api.js";
import { BoardView } from "./board.js";
import { announce, button, errorMessage, h, makeOptions, parseSvg, setChildren } from "./dom.js";
import { MoveEntry } from "./entry.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").EvaluationView} EvaluationView */
/** @typedef {import("./types.js").RulesTestView} RulesTestView */
/** @typedef {import("./types.js").RulesTestTaskView} RulesTestTaskView */
/** @typedef {{ before: number, after: number, tasks: number, hasRead: boolean }} Result */

const STORED_RESULTS = "rules-test-results";
const MAX_SEED = 2 ** 40;

export class RulesTestPage {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {RulesTestView | null} */
    this.test = null;
    /** @type {GameView | null} */
    this.view = null;
    /** @type {MoveEntry | null} */
    this.entry = null;
    this.hasRead = true;
    this.numRight = { before: 0, after: 0 };
    this.isClosed = false;
    /** A touch is being answered; others wait. */
    this.isBusy = false;
    this.prompt = h("h1", { class: "prompt" });
    this.message = h("p", { class: "message", role: "status" });
    this.board = new BoardView(
      (place) => void this.touch(place),
      () => this.undo(),
    );
    this.content = h("div", { class: "drill" });
    setChildren(root, h("div", { class: "puzzle" }, this.prompt, this.message, this.content));
    this.showIntroduction();
  }

  close() {
    this.isClosed = true;
  }

  /** @param {"introduction" | "loading" | "before" | "rules" | "after" | "result" | "failed"} state */
  setState(state) {
    this.content.dataset.state = state;
  }

  showIntroduction() {
    this.setState("introduction");
    this.prompt.textContent = "Learn the rules that a program has found";
    const game = h(
      "select",
      { id: "rules-game" },
      ...makeOptions([
        ["noughts_and_crosses", "Noughts and crosses"],
        ["hexapawn", "Hexapawn"],
      ]),
    );
    const between = h(
      "select",
      { id: "rules-between" },
      ...makeOptions([
        ["rules", "read the rules"],
        ["nothing", "read nothing, for comparison"],
      ]),
    );
    this.message.textContent =
      "A test, the rules, and another test: each board has one right move, and you have one try.";
    setChildren(
      this.content,
      h("label", { for: "rules-game" }, "Game ", game),
      h("label", { for: "rules-between" }, "Between the tests ", between),
      button("Begin", () => void this.load(game.value, between.value === "rules"), {
        class: "primary",
      }),
      describeResults(readResults()),
    );
  }

  /**
   * @param {string} game
   * @param {boolean} hasRead
   */
  async load(game, hasRead) {
    this.hasRead = hasRead;
    this.setState("loading");
    this.prompt.textContent = "Loading …";
    this.message.textContent = "";
    try {
      const seed = Math.floor(Math.random() * MAX_SEED);
      this.test = /** @type {RulesTestView} */ (await get("/api/rules-test", { game, seed }));
      setChildren(this.content, this.board.element);
      await this.start("before", 0);
    } catch (error) {
      this.prompt.textContent = errorMessage(error);
      this.setState("failed");
      setChildren(this.content, button("Back", () => this.showIntroduction()));
    }
  }

  /**
   * Show a task of a test, or what follows it.
   * @param {"before" | "after"} part
   * @param {number} index
   */
  async start(part, index) {
    const { test } = this;
    if (!test || this.isClosed) return;
    const task = test[part][index];
    if (!task) {
      if (part === "before" && this.hasRead) this.showRules();
      else if (part === "before") await this.start("after", 0);
      else this.showResult();
      return;
    }
    this.part = part;
    this.index = index;
    const { game, rules } = test;
    const view = await createGame({ game, rules, position: task.position });
    setChildren(this.content, this.board.element);
    this.show(view);
    this.prompt.textContent = task.task;
    const number = `Board ${index + 1} of ${test[part].length}`;
    this.message.textContent = part === "before" ? number : `Second test. ${number}`;
    this.content.dataset.position = task.position;
    this.content.dataset.task = `${part}-${index}`;
    this.setState(part);
  }

  get path() {
    return `/api/games/${this.view?.id ?? ""}`;
  }

  /** @param {GameView} view */
  show(view) {
    this.view = view;
    this.entry = new MoveEntry(view);
    this.board.show(view, this.entry);
  }

  undo() {
    this.entry?.undo();
    if (this.view) this.board.show(this.view, this.entry);
  }

  /** @param {string} place */
  async touch(place) {
    const { view, entry, part, index } = this;
    if (!view || !entry || !part || index === undefined || this.isBusy || !entry.touch(place)) return;
    this.board.show(view, entry);
    if (!entry.move) return;
    this.isBusy = true;
    try {
      this.show(await post(`${this.path}/moves`, { node: view.at, move: entry.move }));
      await this.countMove(view.at, entry.move, part);
      await this.start(part, index + 1);
    } finally {
      this.isBusy = false;
    }
  }

  /**
   * Count the move that was made at a node if it is right; which one was, is not told.
   * @param {number} node
   * @param {string} move
   * @param {"before" | "after"} part
   */
  async countMove(node, move, part) {
    /** @type {EvaluationView} */
    const { analysis } = await get(`${this.path}/evaluation`, { node });
    const found = analysis?.moves.find((each) => each.move === move);
    if (found && !found.mark) this.numRight[part] += 1;
  }

  showRules() {
    const { test } = this;
    if (!test) return;
    this.part = undefined;
    this.prompt.textContent = `What a program has learned about ${test.title.toLowerCase()}`;
    this.message.textContent = "Read the rules from the top: the first that gives a move is used.";
    setChildren(
      this.content,
      h("ol", { class: "rules" }, ...test.sentences.map((sentence) => h("li", {}, sentence))),
      h(
        "div",
        { class: "pictures" },
        ...test.examples.map(({ title, text, svg }) => {
          const drawing = parseSvg(svg);
          drawing.setAttribute("role", "img");
          drawing.setAttribute("aria-label", title);
          return h("figure", {}, drawing, h("figcaption", {}, `${title}. ${text}`));
        }),
      ),
      h(
        "details",
        {},
        h("summary", {}, "The same as a logic program"),
        h("pre", {}, test.clauses.join("\n")),
      ),
      button("Take the second test", () => void this.start("after", 0), { class: "primary" }),
    );
    this.setState("rules");
  }

  showResult() {
    const { test, numRight } = this;
    if (!test) return;
    this.part = undefined;
    const tasks = test.before.length;
    const text = `Right moves: ${numRight.before} of ${tasks} before, ${numRight.after} of ${tasks} after.`;
    const results = [...readResults(), { ...numRight, tasks, hasRead: this.hasRead }];
    localStorage.setItem(STORED_RESULTS, JSON.stringify(results));
    this.prompt.textContent = "Result";
    this.message.textContent = text;
    announce(text);
    setChildren(
      this.content,
      describeResults(results),
      h(
        "p",
        { class: "muted" },
        "Donald Michie called learning ultra-strong if it teaches people: with the rules they play ",
        "better than without. One person and twelve boards prove little; several tests of several ",
        "people, with and without the rules, say more.",
      ),
      button("Again", () => this.restart(), { class: "primary" }),
    );
    this.setState("result");
  }

  restart() {
    this.numRight = { before: 0, after: 0 };
    this.showIntroduction();
  }
}

/** @returns {Result[]} */
function readResults() {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED_RESULTS) ?? "[]");
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

/**
 * Return a table of all tests of this browser, with and without the rules.
 * @param {Result[]} results
 */
function describeResults(results) {
  const rows = [true, false].flatMap((hasRead) => {
    const own = results.filter((each) => each.hasRead === hasRead);
    if (!own.length) return [];
    /** @param {"before" | "after"} part */
    const share = (part) => {
      const right = own.reduce((sum, each) => sum + each[part], 0);
      const tasks = own.reduce((sum, each) => sum + each.tasks, 0);
      return `${Math.round((100 * right) / tasks)}%`;
    };
    const label = hasRead ? "rules read between the tests" : "nothing read";
    return [[label, String(own.length), share("before"), share("after")]];
  });
  if (!rows.length) return null;
  return h(
    "table",
    {},
    h("caption", {}, "All tests in this browser"),
    h(
      "thead",
      {},
      h("tr", {}, ...["", "tests", "before", "after"].map((name) => h("th", { scope: "col" }, name))),
    ),
    h(
      "tbody",
      {},
      ...rows.map(([label, ...cells]) =>
        h("tr", {}, h("th", { scope: "row" }, label), ...cells.map((cell) => h("td", {}, cell))),
      ),
    ),
  );
}
