// What players and perfect play think: the value bar, hints, and a player's own words and pictures.

import { get } from "./api.js";
import { button, fill, h, say } from "./dom.js";

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
    this.thoughtShown = "";
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
    this.element = h("div", {}, this.advice, this.thought, this.rated);
  }

  /** What is laid over the board. */
  get overlay() {
    return this.thoughtShown || (this.isJudging ? "verdicts" : "");
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

  async advise() {
    await this.page.after(async () => {
      fill(this.advice, h("p", { class: "quiet" }, "Thinking about it …"));
      /** @type {Advice} */
      const advice = await get(`${this.page.path}/advice`);
      const best = advice.moves[0]?.move ?? "";
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
   * Moves with what each costs, or what a player gives for it.
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
      fill(
        this.thought,
        h("p", { class: "quiet" }, "When a player has moved, what it thought stands here."),
      );
      return;
    }
    const choose = h(
      "select",
      {
        id: "laid",
        onchange: () => {
          this.thoughtShown = choose.value;
          void this.page.after(() => this.page.refresh(view.touched));
        },
      },
      h("option", { value: "" }, "nothing"),
      thought.scores.length > 0 && h("option", { value: "thought" }, "its scores"),
      ...thought.pictures.map((title, index) => h("option", { value: `thought:${index}` }, title)),
    );
    choose.value = this.thoughtShown;
    const best = Math.max(...thought.scores.map(([, score]) => score));
    const worst = Math.min(...thought.scores.map(([, score]) => score));
    fill(
      this.thought,
      h("h2", {}, "What the player thought"),
      thought.comment && h("p", {}, thought.comment),
      h("label", { for: "laid" }, "Lay over the board ", choose),
      h(
        "table",
        { class: "rated" },
        h(
          "tbody",
          {},
          ...thought.scores.slice(0, MOST).map(([move, score]) =>
            h(
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
            ),
          ),
        ),
      ),
    );
  }
}

/** @param {number | null | undefined} value */
function number(value) {
  return value === null || value === undefined ? "" : value.toFixed(2);
}
