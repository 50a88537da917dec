// What the Analysis panel shows in detail: the explanation and pictures of the player that moved last,
// and tables of moves.

import { get } from "./api.js";
import { button, h, openDialog, parseSvg, setChildren } from "./dom.js";
import { nameOf } from "./seats.js";
import { formatNumber } from "./text.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").Certainty} Certainty */
/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").EvaluatedMove} EvaluatedMove */
/** @typedef {import("./types.js").ExplanationView} ExplanationView */
/** @typedef {import("./types.js").PictureView} PictureView */
/** @typedef {import("./game.js").GamePage} GamePage */

const NO_NODE = -1;
/** @type {ExplanationView} */
const NO_EXPLANATION = { comment: "", scores: [], pictures: [] };
/** @type {Record<Certainty, string>} */
export const CERTAINTY_LABELS = { exact: "exact", likely: "confident", estimate: "estimate" };
/** @type {Record<Certainty, string>} */
const CERTAINTY_TITLES = {
  exact: "From a solved table or a complete proof: this is certain.",
  likely: "The verdict is very likely right: predicted by a network and confirmed one move deeper and by a search; rarely wrong.",
  estimate: "An estimate, which may be wrong.",
};
/** Rows of a table of moves. */
const MAX_ROWS = 12;

/** The explanation of the player that moved last, its pictures, and its scores. */
export class ExplanationPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.text = h("div", {});
    this.pictures = new PictureList(page);
    this.scores = h("div", {});
    this.element = h("div", {}, this.text, this.pictures.element, this.scores);
  }

  /** @param {GameView} view */
  show(view) {
    this.showText(view);
    this.pictures.show(view);
  }

  /** @param {GameView} view */
  showText(view) {
    const { comment, scores, pictures } = view.thought ?? NO_EXPLANATION;
    if (!comment && !scores.length && !pictures.length) {
      const hasPlayer = view.seats.some((seat) => seat.player);
      const text = "After a computer player has moved, its explanation appears here.";
      setChildren(this.text, hasPlayer && h("p", { class: "muted" }, text));
      setChildren(this.scores);
      return;
    }
    setChildren(
      this.text,
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
  return nameOf(view, move?.mover ?? null) || "the player";
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

/**
 * Create a table of moves with their values and costs.
 * @param {GamePage} page
 * @param {EvaluatedMove[]} moves
 * @param {string[]} texts
 */
export function makeMoveTable(page, moves, texts) {
  const rows = moves.slice(0, MAX_ROWS).map(({ move, cost, mark, certainty }, index) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, makeMoveButton(page, move)),
      h("td", {}, texts[index]),
      h("td", {}, makeCost(mark, cost)),
      h("td", { class: "muted" }, CERTAINTY_LABELS[certainty]),
    ),
  );
  return makeTable("", rows, moves.length);
}

/**
 * @param {GamePage} page
 * @param {string} move
 */
function makeMoveButton(page, move) {
  if (page.view.status !== "yours") return move;
  return button(move, () => page.postAction("moves", { node: page.view.at, move }), {
    class: "link",
    "aria-label": `Play ${move}`,
  });
}
