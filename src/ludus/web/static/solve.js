// Solving a game completely, in the background: a button, its progress, and what it is good for.

import { get, post } from "./api.js";
import { button, h, setChildren } from "./dom.js";

/** @typedef {import("./types.js").SolveView} SolveView */
/** @typedef {import("./game.js").GamePage} GamePage */

const REFRESH_INTERVAL = 2000;

export class SolvePanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.element = h("div", { class: "solve", hidden: true });
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.isClosed = false;
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** Ask how far the game is solved; repeat that while it is being solved. */
  async refresh() {
    const { game, rules } = this.page.view;
    this.show(await get("/api/solve", { game, rules }));
  }

  /** @param {"start" | "stop"} action */
  control(action) {
    const { game, rules } = this.page.view;
    return this.page.runInBackground(async () =>
      this.show(await post("/api/solve", { game, rules, action })),
    );
  }

  /** @param {SolveView} view */
  show(view) {
    clearTimeout(this.timer);
    this.element.hidden = !view.available && view.state !== "too_large";
    if (this.element.hidden) return;
    setChildren(this.element, h("h2", {}, "Exact values for every position"), ...this.makeContent(view));
    if (view.state === "running" && !this.isClosed)
      this.timer = setTimeout(
        () => void this.page.runInBackground(() => this.refresh()),
        REFRESH_INTERVAL,
      );
  }

  /** @param {SolveView} view */
  makeContent({ state, why, done, minutes, gigabytes }) {
    const percent = `${(100 * done).toFixed(done < 0.1 ? 1 : 0)}%`;
    if (state === "done") return [h("p", {}, "This game is solved: every evaluation is exact.")];
    if (state === "too_large")
      return [h("p", {}, `This game cannot be solved completely on this machine: ${why}.`)];
    if (state === "running")
      return [
        h("p", {}, `Solving: ${percent}`, minutes === null ? "" : `, ${formatMinutes(minutes)} left`),
        h("progress", { value: done, max: 1, "aria-label": "Solved part of the game" }),
        h("p", { class: "muted" }, "Play on meanwhile; stopping loses nothing."),
        h("div", { class: "row" }, button("Stop solving", () => this.control("stop"))),
      ];
    const size = `${formatMinutes(minutes ?? 0)}, ${gigabytes < 0.1 ? "under 0.1" : gigabytes.toFixed(1)} GB`;
    const label =
      state === "paused" ? `Go on solving (${percent} done)` : "Solve this game completely";
    return [
      state === "failed" && h("p", { class: "error" }, `Solving failed: ${why}`),
      h("p", {}, `It takes ${size} on this machine, runs in the background, and can be stopped and resumed.`),
      h("div", { class: "row" }, button(label, () => this.control("start"))),
    ];
  }
}

/** @param {number} minutes */
function formatMinutes(minutes) {
  if (minutes < 1) return "less than a minute";
  if (minutes < 100) return `about ${Math.round(minutes)} minutes`;
  return `about ${Math.round(minutes / 60)} hours`;
}
