// Analysis panel: evaluation bar, hints, and what is loaded when the panel is opened.

import { get } from "./api.js";
import { announce, button, h, setChildren } from "./dom.js";
import { LazyPanel, loadScript } from "./lazy.js";
import { sourceName } from "./text.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").EvaluationView} EvaluationView */
/** @typedef {import("./types.js").EvaluatedMove} EvaluatedMove */
/** @typedef {import("./types.js").ShownView} ShownView */
/** @typedef {import("./entry.js").MoveEntry} MoveEntry */
/** @typedef {import("./types.js").AdviceView} AdviceView */
/** @typedef {import("./game.js").GamePage} GamePage */

const NO_NODE = -1;
export class AnalysisPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.showsEvaluation = localStorage.getItem("evaluation") === "on";
    /** The node whose hint is shown on the board. */
    this.hintNode = NO_NODE;
    /** Its shapes, and the touches after which it was given. */
    this.hint = "";
    this.hintTouches = "";
    /** The node whose evaluation is shown or requested. */
    this.shownNode = NO_NODE;
    /** The node whose moves have been evaluated. */
    this.evaluatedNode = NO_NODE;
    /** @type {EvaluatedMove[]} */
    this.evaluatedMoves = [];
    this.evaluationButton = button("Evaluation", () => this.toggleEvaluation(), {
      "aria-pressed": String(this.showsEvaluation),
      title: "Show who stands better, and which moves are good",
    });
    this.valueFill = h("span", { class: "value-fill" });
    this.verdict = h("p", { class: "verdict" });
    this.valueBar = h(
      "div",
      { class: "value-bar", hidden: true },
      h("div", { class: "track", "aria-hidden": "true" }, this.valueFill),
      this.verdict,
    );
    this.advice = h("div", {});
    this.explanation = new LazyPanel(async () => {
      const { ExplanationPanel } = await import("./explanation.js");
      return new ExplanationPanel(page);
    });
    this.evaluation = h("div", {});
    this.solve = new LazyPanel(async () => {
      const { SolvePanel } = await import("./solve.js");
      return new SolvePanel(page);
    });
    this.isClosed = false;
    this.compareLink = h("a", { "data-route": true }, "How do machines see this position?");
    this.element = h(
      "div",
      {},
      this.advice,
      this.evaluation,
      this.explanation.element,
      h("p", {}, this.compareLink),
      this.solve.element,
    );
  }

  close() {
    this.isClosed = true;
    this.solve.panel?.close();
  }

  /** Whether the panel is visible. */
  get isOpen() {
    return this.element.offsetParent !== null;
  }

  /** Show what is loaded only while the panel is visible: the explanation, and how far the game is solved. */
  async showDetails() {
    if (!this.isOpen) return;
    if (this.evaluatedNode !== this.page.view.node) {
      this.shownNode = NO_NODE;
      this.show(this.page.view);
    }
    (await this.explanation.load()).show(this.page.view);
    const solve = await this.solve.load();
    if (!this.isClosed) await solve.refresh();
  }

  /** Shapes of the hint for the node that is shown. */
  get hintShapes() {
    return this.hintNode === this.page.view.node ? this.hint : "";
  }

  /**
   * Return which of the places that may be touched are good, if evaluations are shown.
   * @param {MoveEntry} entry
   */
  rate(entry) {
    const isShown = this.showsEvaluation && this.evaluatedNode === entry.node && !this.hintShapes;
    return isShown ? entry.rate(this.evaluatedMoves) : {};
  }

  toggleEvaluation() {
    this.showsEvaluation = !this.showsEvaluation;
    localStorage.setItem("evaluation", this.showsEvaluation ? "on" : "off");
    this.evaluationButton.setAttribute("aria-pressed", String(this.showsEvaluation));
    this.shownNode = NO_NODE;
    this.page.showEntry();
  }

  /** @param {ShownView} view */
  show(view) {
    if (this.hintNode === view.node && this.hintTouches !== view.touched.join())
      void this.page.runInBackground(() => this.updateHint(view));
    if (view.touched.length) return;
    this.explanation.panel?.show(view);
    // Learners have learned the usual rules, and choose where there is a choice.
    this.compareLink.hidden = Boolean(view.rules || view.outcome) || view.mover < 0;
    const query = new URLSearchParams({ game: view.game, position: view.position });
    this.compareLink.href = `/machines?${query}`;
    if (view.node === this.shownNode) return;
    this.shownNode = view.node;
    if (this.hintNode !== view.node) setChildren(this.advice);
    setChildren(this.evaluation);
    this.valueBar.hidden = !this.showsEvaluation || Boolean(view.outcome);
    if ((this.showsEvaluation || this.isOpen) && !view.outcome && view.mover >= 0)
      void this.page.runInBackground(() => this.fetchEvaluation(view));
  }

  /** @param {GameView} view */
  async fetchEvaluation(view) {
    this.valueBar.classList.add("unknown");
    /** @type {EvaluationView} */
    const found = await get(`${this.page.path}/evaluation`, { node: view.node });
    const { makeCertainty, makeMoveTable } = await loadScript(() => import("./explanation.js"));
    if (this.page.view.node !== view.node || !(this.showsEvaluation || this.isOpen)) return;
    const { analysis } = found;
    this.valueBar.classList.toggle("unknown", !analysis);
    if (!analysis) this.valueBar.hidden = true;
    if (!analysis) return;
    this.evaluatedNode = view.node;
    this.evaluatedMoves = analysis.moves;
    const certainty = makeCertainty(analysis.certainty);
    this.valueFill.style.width = `${100 * (found.share ?? 0.5)}%`;
    setChildren(this.verdict, found.text, " ", certainty.cloneNode(true));
    setChildren(
      this.evaluation,
      h("h2", {}, "Position"),
      h("p", {}, `${found.text}. `, certainty, ` Source: ${sourceName(analysis.source)}.`),
      ...found.details.map((detail) => h("p", { class: "muted" }, `${detail}.`)),
      analysis.line.length > 1 && h("p", {}, "Best play: ", h("strong", {}, analysis.line.join(" "))),
      makeMoveTable(this.page, analysis.moves, found.texts),
    );
    // The board now shows which places are good.
    this.page.drawBoard();
  }

  /** Show or hide the best moves, on the board and beside it. */
  toggleHint() {
    return this.page.enqueue(async () => {
      const { node } = this.page.view;
      if (this.hintNode === node) {
        this.hintNode = NO_NODE;
        setChildren(this.advice);
        this.page.showEntry();
        return;
      }
      await this.showHint(node);
    });
  }

  /**
   * Show the best moves of the node that is shown.
   * @param {number} node
   */
  async showHint(node) {
    this.page.message.textContent = "Looking for the best move …";
    const advice = await this.fetchHint(node, this.page.view.touched);
    const best = advice.moves[0]?.move ?? "";
    const by = sourceName(advice.by);
    this.hintNode = node;
    this.page.showEntry();
    setChildren(
      this.advice,
      h("h2", {}, "Hint"),
      h("p", {}, h("strong", {}, best), `. ${advice.text}. Source: ${by}.`),
    );
    this.page.message.textContent = `Hint from ${by}: ${best}`;
    announce(`Hint from ${by}: ${best}. ${advice.text}`);
  }

  /**
   * @param {number} node
   * @param {string[]} touched
   */
  async fetchHint(node, touched) {
    /** @type {AdviceView} */
    const advice = await get(`${this.page.path}/advice`, { node, touched });
    this.hint = advice.svg;
    this.hintTouches = touched.join();
    return advice;
  }

  /**
   * Of a partial move, only what is still to be done is shown.
   * @param {ShownView} view
   */
  async updateHint({ node, touched }) {
    this.hint = "";
    this.hintTouches = touched.join();
    await this.fetchHint(node, touched);
    const { view } = this.page;
    if (view.node === node && view.touched.join() === touched.join()) this.page.drawBoard();
  }

}
