// Analysis panel: value bar, exact values, hints, and the explanation and pictures of the player
// that moved last.

import { get } from "./api.js";
import { formatNumber } from "./chart.js";
import { announce, button, h, openDialog, parseSvg, setChildren } from "./dom.js";
import { sideName } from "./seats.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").VerdictView} VerdictView */
/** @typedef {import("./types.js").AdviceView} AdviceView */
/** @typedef {import("./types.js").AdvisedMove} AdvisedMove */
/** @typedef {import("./types.js").ExplanationView} ExplanationView */
/** @typedef {import("./types.js").PictureView} PictureView */
/** @typedef {import("./game.js").GamePage} GamePage */

const NO_NODE = -1;
/** @type {ExplanationView} */
const NO_EXPLANATION = { comment: "", scores: [], pictures: [] };
const VERBS = { win: "wins", draw: "draws", loss: "loses", equity: "" };
/** Share of the value bar that belongs to the side to move. */
const BAR_SHARES = { win: 1, draw: 0.5, loss: 0, equity: 0.5 };
/** By the value a move loses: 0, 1 or 2 half points. */
const COST_TEXTS = ["✓ keeps the value", "✗ costs half a point", "✗ costs a full point"];
/** Rows of a table of moves. */
const MAX_ROWS = 12;

export class AnalysisPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.showsVerdicts = localStorage.getItem("verdicts") === "on";
    /** The node whose hint is shown on the board. */
    this.hintNode = NO_NODE;
    /** The node whose exact values are shown or requested. */
    this.shownNode = NO_NODE;
    this.verdictsButton = button("Exact values", () => this.toggleVerdicts(), {
      "aria-pressed": String(this.showsVerdicts),
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
    this.ratedMoves = h("div", {});
    this.element = h(
      "div",
      {},
      this.advice,
      this.explanation,
      this.pictures.element,
      this.scores,
      this.ratedMoves,
    );
  }

  /** What the server draws over the board. */
  get overlay() {
    if (this.hintNode === this.page.view.node) return "hint";
    return this.showsVerdicts ? "verdicts" : "";
  }

  toggleVerdicts() {
    this.showsVerdicts = !this.showsVerdicts;
    localStorage.setItem("verdicts", this.showsVerdicts ? "on" : "off");
    this.verdictsButton.setAttribute("aria-pressed", String(this.showsVerdicts));
    this.shownNode = NO_NODE;
    void this.page.enqueue(() => this.page.refresh());
  }

  /** @param {GameView} view */
  show(view) {
    this.showExplanation(view);
    this.pictures.show(view);
    if (view.node === this.shownNode) return;
    this.shownNode = view.node;
    setChildren(this.advice);
    setChildren(this.ratedMoves);
    if (this.showsVerdicts && !view.outcome) void this.page.enqueue(() => this.fetchVerdict(view));
    else this.valueBar.hidden = true;
  }

  /** @param {GameView} view */
  async fetchVerdict(view) {
    /** @type {VerdictView} */
    const verdict = await get(`${this.page.path}/verdict`, { node: view.node });
    if (this.page.view.node !== view.node) return;
    const byValue = verdict.value ? BAR_SHARES[verdict.value] : 0.5;
    const moverShare = Math.min(Math.max(byValue + (verdict.equity ?? 0) / 2, 0), 1);
    const firstShare = verdict.mover === 0 ? moverShare : 1 - moverShare;
    this.valueFill.style.width = `${100 * firstShare}%`;
    this.verdict.textContent = describeVerdict(view, verdict);
    this.valueBar.classList.toggle("unknown", !verdict.known);
    this.valueBar.hidden = false;
    if (!verdict.known) return;
    setChildren(this.ratedMoves, h("h2", {}, "All moves"), this.makeMoveTable(verdict.moves));
    if (view.status === "yours") await this.page.refresh();
  }

  /** Show or hide the best moves, on the board and beside it. */
  toggleHint() {
    return this.page.enqueue(async () => {
      const { node } = this.page.view;
      if (this.hintNode === node) {
        this.hintNode = NO_NODE;
        setChildren(this.advice);
        await this.page.refresh();
        return;
      }
      this.page.message.textContent = "Looking for the best move …";
      /** @type {AdviceView} */
      const advice = await get(`${this.page.path}/advice`);
      const best = advice.moves[0]?.move ?? "";
      this.hintNode = node;
      await this.page.refresh();
      setChildren(
        this.advice,
        h("h2", {}, "Hint"),
        h("p", {}, `${advice.by}: `, h("strong", {}, best), `. ${advice.text}`),
        this.makeMoveTable(advice.moves),
      );
      this.page.message.textContent = `Hint from ${advice.by}: ${best}`;
      announce(`Hint from ${advice.by}: ${best}. ${advice.text}`);
    });
  }

  /**
   * Create a table of moves with their values and costs, or their scores.
   * @param {AdvisedMove[]} moves
   */
  makeMoveTable(moves) {
    const rows = moves.slice(0, MAX_ROWS).map(({ move, value, depth, cost, equity, score }) => {
      const hasEquity = equity !== undefined && equity !== null;
      const plies = depth ? ` in ${depth}` : "";
      const text = value && !hasEquity ? `${VERBS[value]}${plies}` : formatNumber(equity ?? score);
      const costs = hasEquity && cost ? `✗ costs ${cost.toFixed(3)} points` : COST_TEXTS[cost ?? 0];
      const costText = cost !== undefined && h("span", { class: cost ? "bad" : "good" }, costs);
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, this.makeMoveButton(move)),
        h("td", {}, text),
        h("td", {}, costText),
      );
    });
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
      const text = view.seats.some((seat) => seat.player)
        ? "After a computer player has moved, its explanation appears here."
        : "Both sides are played by people. Hint and Exact values are available.";
      setChildren(this.explanation, h("p", { class: "muted" }, text));
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

/** @param {PictureView} picture */
function makeThumbnail(picture) {
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
 * @param {GameView} view
 * @param {VerdictView} verdict
 */
function describeVerdict(view, { known, why, value, depth, equity, mover }) {
  if (!known || !value) return `Not solved here: ${why}`;
  if (equity !== undefined && equity !== null)
    return `${formatNumber(equity)} points a game for ${sideName(view, mover)} with perfect play`;
  if (value === "draw") return "Draw with perfect play";
  const plies = depth === null ? "" : ` in ${depth} ${depth === 1 ? "ply" : "plies"}`;
  const winner = value === "win" ? mover : 1 - mover;
  return `Win for ${sideName(view, winner)}${plies} with perfect play`;
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
  return seat?.player ? `${name} (${seat.title})` : name;
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
