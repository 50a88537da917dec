// Analysis panel: value bar, exact verdicts, hints, and a player's explanation and pictures.

import { get } from "./api.js";
import { button, fill, h, say } from "./dom.js";
import { Gallery } from "./gallery.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Verdict} Verdict */
/** @typedef {import("./types.js").Advice} Advice */
/** @typedef {import("./types.js").AdvisedMove} AdvisedMove */
/** @typedef {import("./game.js").GamePage} GamePage */

const WORDS = { win: "wins", draw: "draws", loss: "loses" };
const LENGTHS = { win: 1, draw: 0.5, loss: 0 };
const MOST = 12;

export class Insight {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.isJudging = localStorage.getItem("verdicts") === "on";
    /** The node whose hint is shown on the board. */
    this.hinted = -1;
    this.seen = -1;
    this.toggle = h(
      "button",
      { type: "button", "aria-pressed": String(this.isJudging), onclick: () => this.judge() },
      "Verdicts",
    );
    this.fill = h("span", { class: "value" });
    this.verdict = h("p", { class: "verdict" });
    this.bar = h(
      "div",
      { class: "bar", hidden: true },
      h("div", { class: "track", "aria-hidden": "true" }, this.fill),
      this.verdict,
    );
    this.advice = h("div", {});
    this.thought = h("div", {});
    this.rated = h("div", {});
    this.gallery = new Gallery(page);
    this.scores = h("div", {});
    this.element = h(
      "div",
      {},
      this.advice,
      this.thought,
      this.gallery.element,
      this.scores,
      this.rated,
    );
  }

  /** The overlay of the board. */
  get overlay() {
    if (this.hinted === this.page.view.node) return "hint";
    return this.isJudging ? "verdicts" : "";
  }

  judge() {
    this.isJudging = !this.isJudging;
    localStorage.setItem("verdicts", this.isJudging ? "on" : "off");
    this.toggle.setAttribute("aria-pressed", String(this.isJudging));
    this.seen = -1;
    void this.page.after(() => this.page.refresh(this.page.view.touched));
  }

  /** @param {View} view */
  show(view) {
    this.showThought(view);
    this.gallery.show(view);
    if (view.node === this.seen) return;
    this.seen = view.node;
    fill(this.advice);
    fill(this.rated);
    if (this.isJudging && !view.outcome) void this.page.after(() => this.ask(view));
    else this.bar.hidden = true;
  }

  /** @param {View} view */
  async ask(view) {
    /** @type {Verdict} */
    const verdict = await get(`${this.page.path}/verdict`, { node: view.node });
    if (this.page.view.node !== view.node) return;
    this.bar.hidden = false;
    this.verdict.textContent = this.spoken(view, verdict);
    const first =
      verdict.value && (verdict.mover === 0 ? LENGTHS[verdict.value] : 1 - LENGTHS[verdict.value]);
    this.fill.style.width = `${100 * (first ?? 0.5)}%`;
    this.bar.classList.toggle("unknown", !verdict.known);
    if (!verdict.known) return;
    fill(this.rated, h("h2", {}, "Every move"), this.table(verdict.moves));
    if (view.status === "yours") await this.page.refresh(this.page.view.touched);
  }

  /**
   * @param {View} view
   * @param {Verdict} verdict
   */
  spoken(view, verdict) {
    if (!verdict.known || !verdict.value) return `Not solved here: ${verdict.why}`;
    const side = view.seats[verdict.mover]?.side ?? "";
    if (verdict.value === "draw") return "Drawn if nobody errs";
    const plies =
      verdict.depth === null ? "" : ` in ${verdict.depth} ${verdict.depth === 1 ? "ply" : "plies"}`;
    return `${side} ${WORDS[verdict.value]}${plies} if nobody errs`;
  }

  /** Show or hide the best moves, on the board and beside it. */
  advise() {
    return this.page.after(async () => {
      const node = this.page.view.node;
      if (this.hinted === node) {
        this.hinted = -1;
        fill(this.advice);
        await this.page.refresh(this.page.view.touched);
        return;
      }
      this.page.told.textContent = "Thinking about it …";
      /** @type {Advice} */
      const advice = await get(`${this.page.path}/advice`);
      const best = advice.moves[0]?.move ?? "";
      this.hinted = node;
      await this.page.refresh(this.page.view.touched);
      fill(
        this.advice,
        h("h2", {}, "Hint"),
        h("p", {}, `${advice.by}: `, h("strong", {}, best), `. ${advice.text}`),
        this.table(advice.moves),
      );
      this.page.told.textContent = `Hint from ${advice.by}: ${best}`;
      say(`Hint from ${advice.by}: ${best}. ${advice.text}`);
    });
  }

  /**
   * List moves with their costs or scores.
   * @param {AdvisedMove[]} moves
   */
  table(moves) {
    const rows = moves
      .slice(0, MOST)
      .map((each) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, this.playable(each.move)),
          h(
            "td",
            {},
            each.value
              ? `${WORDS[each.value]}${each.depth ? ` in ${each.depth}` : ""}`
              : number(each.score),
          ),
          h(
            "td",
            {},
            each.cost === undefined
              ? ""
              : each.cost === 0
                ? h("span", { class: "good" }, "✓ keeps it")
                : h(
                    "span",
                    { class: "bad" },
                    `✗ costs ${each.cost === 2 ? "the game" : "half a point"}`,
                  ),
          ),
        ),
      );
    const more = moves.length - rows.length;
    return h(
      "div",
      {},
      h("table", { class: "rated" }, h("tbody", {}, ...rows)),
      more > 0 && h("p", { class: "quiet" }, `and ${more} more`),
    );
  }

  /** @param {string} move */
  playable(move) {
    if (this.page.view.status !== "yours") return move;
    return button(move, () => this.page.act("moves", { node: this.page.view.at, move }), {
      class: "link",
      "aria-label": `Play ${move}`,
    });
  }

  /** @param {View} view */
  showThought(view) {
    const thought = view.thought;
    if (!thought || (!thought.comment && !thought.scores.length && !thought.pictures.length)) {
      const text = view.seats.some((seat) => seat.player)
        ? "When a player has moved, what it thought stands here."
        : "Two people play: nobody’s thoughts can be shown. Hint and Verdicts work.";
      fill(this.thought, h("p", { class: "quiet" }, text));
      fill(this.scores);
      return;
    }
    fill(
      this.thought,
      h("h2", {}, `What ${this.thinker(view)} thought`),
      thought.comment && h("p", { class: "comment" }, thought.comment),
    );
    const [best, worst] = [Math.max, Math.min].map((of) =>
      of(...thought.scores.map(([, score]) => score)),
    );
    const more = thought.scores.length - MOST;
    fill(
      this.scores,
      thought.scores.length > 1 &&
        h(
          "table",
          { class: "rated" },
          h("caption", {}, "Its score for each move, best first"),
          h(
            "tbody",
            {},
            ...thought.scores
              .slice(0, MOST)
              .map(([move, score]) => scoreRow(move, score, worst ?? 0, best ?? 0)),
          ),
        ),
      more > 0 && h("p", { class: "quiet" }, `and ${more} more`),
    );
  }

  /**
   * Return who made the last chosen move.
   * @param {View} view
   */
  thinker(view) {
    const moves = new Map(view.moves.map((move) => [move.node, move]));
    let move = moves.get(view.node);
    while (move && (move.by === "dice" || move.by === "rules") && move.parent !== null)
      move = moves.get(move.parent);
    const seat = view.seats[move?.mover ?? -1];
    return seat?.player ? `${seat.side}, ${seat.title},` : (seat?.side ?? "the player");
  }
}

/**
 * @param {string} move
 * @param {number} score
 * @param {number} worst
 * @param {number} best
 */
function scoreRow(move, score, worst, best) {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, move),
    h("td", {}, number(score)),
    h(
      "td",
      {},
      h("meter", {
        min: 0,
        max: 1,
        value: best > worst ? (score - worst) / (best - worst) : 1,
        "aria-label": `${move}, compared with the others`,
      }),
    ),
  );
}

/** @param {number | null | undefined} value */
function number(value) {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) || Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}
