// Analysis panel: evaluation bar, values of all moves, hints, and the explanation and pictures of
// the player that moved last.

import { get } from "./api.js";
import { announce, button, h, openDialog, parseSvg, setChildren } from "./dom.js";
import { LazyPanel } from "./lazy.js";
import { sideName } from "./seats.js";
import { formatNumber, playerOf } from "./text.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").Certainty} Certainty */
/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").EvaluationView} EvaluationView */
/** @typedef {import("./types.js").EvaluatedMove} EvaluatedMove */
/** @typedef {import("./types.js").ShownView} ShownView */
/** @typedef {import("./entry.js").MoveEntry} MoveEntry */
/** @typedef {import("./types.js").AdviceView} AdviceView */
/** @typedef {import("./types.js").ExplanationView} ExplanationView */
/** @typedef {import("./types.js").PictureView} PictureView */
/** @typedef {import("./game.js").GamePage} GamePage */

const NO_NODE = -1;
/** @type {ExplanationView} */
const NO_EXPLANATION = { comment: "", scores: [], pictures: [] };
/** @type {Record<Certainty, string>} */
export const CERTAINTY_LABELS = { exact: "exact", likely: "very likely", estimate: "estimate" };
/** @type {Record<Certainty, string>} */
const CERTAINTY_TITLES = {
  exact: "From a solved table or a complete proof: this is certain.",
  likely: "Predicted by a network and confirmed one move deeper and by a search; rarely wrong.",
  estimate: "An estimate, which may be wrong.",
};
/** Rows of a table of moves. */
const MAX_ROWS = 12;

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
    this.explanation = h("div", {});
    this.pictures = new PictureList(page);
    this.scores = h("div", {});
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
      this.explanation,
      this.pictures.element,
      this.scores,
      h("p", {}, this.compareLink),
      this.solve.element,
    );
  }

  close() {
    this.isClosed = true;
    this.solve.panel?.close();
  }

  /** Show what is loaded only while the panel is visible: the pictures, and how far the game is solved. */
  async showDetails() {
    this.pictures.show(this.page.view);
    if (!this.element.offsetParent) return;
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
    this.showExplanation(view);
    this.pictures.show(view);
    // Learners have learned the usual rules, and choose where there is a choice.
    this.compareLink.hidden = Boolean(view.rules || view.outcome) || view.mover < 0;
    const query = new URLSearchParams({ game: view.game, position: view.position });
    this.compareLink.href = `/machines?${query}`;
    if (view.node === this.shownNode) return;
    this.shownNode = view.node;
    if (this.hintNode !== view.node) setChildren(this.advice);
    setChildren(this.evaluation);
    if (this.showsEvaluation && !view.outcome)
      void this.page.runInBackground(() => this.fetchEvaluation(view));
    else this.valueBar.hidden = true;
  }

  /** @param {GameView} view */
  async fetchEvaluation(view) {
    this.valueBar.hidden = false;
    this.valueBar.classList.add("unknown");
    /** @type {EvaluationView} */
    const found = await get(`${this.page.path}/evaluation`, { node: view.node });
    if (this.page.view.node !== view.node || !this.showsEvaluation) return;
    const { analysis } = found;
    this.valueBar.classList.toggle("unknown", !analysis);
    this.valueBar.hidden = !analysis;
    if (!analysis) return;
    this.evaluatedNode = view.node;
    this.evaluatedMoves = analysis.moves;
    const certainty = makeCertainty(analysis.certainty);
    this.valueFill.style.width = `${100 * (found.share ?? 0.5)}%`;
    setChildren(this.verdict, found.text, " ", certainty.cloneNode(true));
    setChildren(
      this.evaluation,
      h("h2", {}, "Position"),
      h("p", {}, `${found.text}. `, certainty, ` Source: ${playerOf(analysis.source)}.`),
      ...found.details.map((detail) => h("p", { class: "muted" }, `${detail}.`)),
      analysis.line.length > 1 && h("p", {}, "Best play: ", h("strong", {}, analysis.line.join(" "))),
      this.makeMoveTable(analysis.moves, found.texts),
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
    const by = playerOf(advice.by);
    this.hintNode = node;
    this.page.showEntry();
    setChildren(
      this.advice,
      h("h2", {}, "Hint"),
      h("p", {}, h("strong", {}, best), `. ${advice.text}. Source: ${by}.`),
      !this.showsEvaluation && this.makeMoveTable(advice.moves, advice.texts),
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

  /**
   * Create a table of moves with their values and costs.
   * @param {EvaluatedMove[]} moves
   * @param {string[]} texts
   */
  makeMoveTable(moves, texts) {
    const rows = moves.slice(0, MAX_ROWS).map(({ move, cost, mark, certainty }, index) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, this.makeMoveButton(move)),
        h("td", {}, texts[index]),
        h("td", {}, makeCost(mark, cost)),
        h("td", { class: "muted" }, CERTAINTY_LABELS[certainty]),
      ),
    );
    return makeTable("", rows, moves.length);
  }

  /** @param {string} move */
  makeMoveButton(move) {
    if (this.page.view.status !== "yours") return move;
    return button(move, () => this.page.postAction("moves", { node: this.page.view.at, move }), {
      class: "link",
      "aria-label": `Play ${move}`,
    });
  }

  /** @param {GameView} view */
  showExplanation(view) {
    const { comment, scores, pictures } = view.thought ?? NO_EXPLANATION;
    if (!comment && !scores.length && !pictures.length) {
      const hasPlayer = view.seats.some((seat) => seat.player);
      const text = "After a computer player has moved, its explanation appears here.";
      setChildren(this.explanation, hasPlayer && h("p", { class: "muted" }, text));
      setChildren(this.scores);
      return;
    }
    setChildren(
      this.explanation,
      h("h2", {}, `Explanation by ${lastMoverName(view)}`),
      comment && h("p", { class: "comment" }, comment),
    );
    const values = scores.map(([, score]) => score);
    const [worst, best] = [Math.min(...values), Math.max(...values)];
    const rows = scores
      .slice(0, MAX_ROWS)
      .map(([move, score]) => makeScoreRow(move, score, worst, best));
    const caption = "Its score for each move, best first";
    setChildren(this.scores, scores.length > 1 && makeTable(caption, rows, scores.length));
  }
}

/** Pictures by the player that moved last: thumbnails side by side, each with a large view. */
class PictureList {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.element = h("div", { class: "pictures", hidden: true });
    /** The node whose pictures are shown or requested. */
    this.shownNode = NO_NODE;
  }

  /**
   * Show the pictures of a node; they are requested only while the panel is visible.
   * @param {GameView} view
   */
  show(view) {
    const { scores, pictures } = view.thought ?? NO_EXPLANATION;
    // The server draws the scores of players that have no pictures of their own.
    const hasPictures = pictures.length > 0 || scores.length > 1;
    this.element.hidden = !hasPictures;
    if (!hasPictures) setChildren(this.element);
    if (view.node === this.shownNode) return;
    this.shownNode = NO_NODE;
    if (!hasPictures || this.element.offsetParent === null) return;
    this.shownNode = view.node;
    void this.page.runInBackground(async () => {
      /** @type {PictureView[]} */
      const found = await get(`${this.page.path}/pictures`, { node: view.node });
      if (this.shownNode === view.node) this.showPictures(found);
    });
  }

  /** @param {PictureView[]} pictures */
  showPictures(pictures) {
    const hadFocus = this.element.contains(document.activeElement);
    setChildren(this.element, ...pictures.map(makeThumbnail));
    this.element.hidden = !pictures.length;
    if (hadFocus) this.element.querySelector("button")?.focus();
  }
}

/**
 * Create a small picture that opens large on a click.
 * @param {PictureView} picture
 */
export function makeThumbnail(picture) {
  const attributes = {
    type: "button",
    class: "picture",
    "aria-label": `${picture.title}, enlarge`,
    onclick: () =>
      openDialog(picture.title, [makePicture(picture), picture.text && h("p", {}, picture.text)]),
  };
  return h(
    "figure",
    {},
    h("button", attributes, makePicture(picture)),
    h("figcaption", {}, h("strong", {}, picture.title), picture.text && ` ${picture.text}`),
  );
}

/** @param {PictureView} picture */
function makePicture(picture) {
  const svg = parseSvg(picture.svg);
  svg.setAttribute("aria-label", `${picture.title}. ${svg.querySelector("desc")?.textContent}`);
  return svg;
}

/**
 * Tell how certain an evaluation is.
 * @param {Certainty} certainty
 */
export function makeCertainty(certainty) {
  const title = CERTAINTY_TITLES[certainty];
  return h("span", { class: `certainty ${certainty}`, title }, CERTAINTY_LABELS[certainty]);
}

/**
 * Tell what a move gives away.
 * @param {Mark} mark
 * @param {number} cost in points
 */
function makeCost(mark, cost) {
  if (!mark) return h("span", { class: "good" }, "✓");
  return h("span", { class: "bad" }, `${mark} −${formatNumber(cost, 2)}`);
}

/**
 * Return who made the last chosen move; dice rolls and forced passes are skipped.
 * @param {GameView} view
 */
function lastMoverName(view) {
  const moves = new Map(view.moves.map((move) => [move.node, move]));
  let move = moves.get(view.node);
  while (move && (move.by === "dice" || move.by === "rules") && move.parent !== null)
    move = moves.get(move.parent);
  const side = move?.mover ?? null;
  const name = sideName(view, side) || "the player";
  const seat = view.seats[side ?? -1];
  return seat?.player ? `${name} (${seat.persona || seat.title})` : name;
}

/**
 * Create a table of moves, and tell how many rows it leaves out.
 * @param {string} caption
 * @param {HTMLElement[]} rows
 * @param {number} numMoves
 */
function makeTable(caption, rows, numMoves) {
  const numMore = numMoves - rows.length;
  return h(
    "div",
    {},
    h("table", { class: "move-table" }, caption && h("caption", {}, caption), h("tbody", {}, ...rows)),
    numMore > 0 && h("p", { class: "muted" }, `and ${numMore} more`),
  );
}

/**
 * @param {string} move
 * @param {number} score
 * @param {number} worst
 * @param {number} best
 */
function makeScoreRow(move, score, worst, best) {
  const meter = h("meter", {
    min: 0,
    max: 1,
    value: best > worst ? (score - worst) / (best - worst) : 1,
    "aria-label": `${move}, compared with the other moves`,
  });
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, move),
    h("td", {}, formatNumber(score)),
    h("td", {}, meter),
  );
}
