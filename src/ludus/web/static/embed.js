// A shared game, looked at move by move; nobody plays in it here.

import { get } from "./api.js";
import { button, byId, errorMessage, h, parseSvg, setChildren } from "./dom.js";
import { makeLink } from "./links.js";
import { makeBoardsOf, materialOf } from "./material.js";
import { capitalize } from "./text.js";

/** @typedef {import("./types.js").SharedGameView} SharedGameView */

/** Milliseconds for which a move is seen, a roll half as long. */
const PACE = 1200;

export class SharedGame {
  /**
   * @param {HTMLElement} root
   * @param {SharedGameView} view
   */
  constructor(root, view) {
    this.frames = view.frames;
    this.index = 0;
    this.isPlaying = false;
    this.board = h("div", { class: "board-view", "data-game": view.game });
    makeBoardsOf(materialOf(view.game));
    this.caption = h("p", { class: "caption", "aria-live": "polite" });
    this.player = button("Play", () => this.togglePlay(), { class: "primary" });
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: this.frames.length - 1,
      "aria-label": "Position in the game",
      oninput: () => {
        this.stop();
        this.show(Number(this.slider.value));
      },
    });
    setChildren(
      root,
      h("header", {}, h("h1", {}, view.title), h("small", {}, view.text)),
      this.board,
      this.caption,
      h(
        "div",
        { class: "row" },
        this.player,
        this.slider,
        h("a", { href: makeLink(view.record), target: "_blank", rel: "noopener" }, "Play on in Ludus"),
      ),
    );
    document.title = `${view.title} · Ludus`;
    this.show(this.frames.length - 1);
  }

  /** @param {number} index */
  show(index) {
    const frame = this.frames[index];
    if (!frame) return;
    this.index = index;
    const svg = parseSvg(frame.svg);
    svg.setAttribute("aria-label", frame.text);
    setChildren(this.board, svg);
    this.caption.textContent = frame.text;
    this.slider.value = String(index);
    this.slider.setAttribute("aria-valuetext", frame.text);
  }

  async togglePlay() {
    if (this.isPlaying) {
      this.stop();
      return;
    }
    this.isPlaying = true;
    this.player.textContent = "Pause";
    if (this.index === this.frames.length - 1) this.show(0);
    while (this.isPlaying && this.index < this.frames.length - 1) {
      const pace = this.frames[this.index]?.is_roll ? PACE / 2 : PACE;
      await new Promise((resolve) => setTimeout(resolve, pace));
      if (this.isPlaying) this.show(this.index + 1);
    }
    this.stop();
  }

  stop() {
    this.isPlaying = false;
    this.player.textContent = "Play";
  }
}

const main = byId("main");
const code = location.pathname.split("/").at(-1) ?? "";
try {
  new SharedGame(main, await get(`/api/shared/${code}`));
} catch (error) {
  setChildren(main, h("p", { class: "error", role: "alert" }, capitalize(errorMessage(error))));
}
