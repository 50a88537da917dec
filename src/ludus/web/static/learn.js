// Learn from your mistakes: the mistakes of a game as tasks, one after the other.

import { button, errorMessage, h, setChildren } from "./dom.js";
import { Drill } from "./drill.js";
import { fetchMistakes, makeTask } from "./mistakes.js";

/** @typedef {import("./mistakes.js").Mistake} Mistake */

export class LearnPage {
  /**
   * @param {HTMLElement} root
   * @param {(address: string) => Promise<void>} navigate
   * @param {string} id the game
   */
  constructor(root, navigate, id) {
    this.navigate = navigate;
    this.id = id;
    /** @type {Mistake[]} */
    this.mistakes = [];
    this.at = -1;
    this.numClean = 0;
    /** @type {Drill} */
    this.drill = new Drill(
      (isClean) => {
        this.numClean += isClean ? 1 : 0;
      },
      () => [
        this.at < this.mistakes.length - 1 &&
          button("Next mistake", () => void this.next(), { class: "primary" }),
        this.drill.hasEnded &&
          this.at === this.mistakes.length - 1 &&
          button("Finish", () => this.finish(), { class: "primary" }),
        button("Back to the game", () => this.navigate(`/game/${this.id}`)),
      ],
    );
    this.root = root;
    setChildren(root, this.drill.element);
    void this.load();
  }

  close() {}

  async load() {
    this.drill.setState("loading");
    this.drill.prompt.textContent = "Looking for your mistakes …";
    try {
      this.mistakes = await fetchMistakes(this.id);
    } catch (error) {
      this.drill.prompt.textContent = errorMessage(error);
      return;
    }
    if (this.mistakes.length) await this.next();
    else this.showEnd("No mistake was found in this game.");
  }

  async next() {
    this.at += 1;
    const mistake = this.mistakes[this.at];
    if (!mistake) return;
    await this.drill.start(() => makeTask(mistake, `${this.at + 1} of ${this.mistakes.length}`));
  }

  finish() {
    this.showEnd(
      `Done: ${this.numClean} of ${this.mistakes.length} found at the first try.`,
    );
  }

  /** @param {string} text */
  showEnd(text) {
    setChildren(
      this.root,
      h("h1", { class: "prompt" }, text),
      h(
        "div",
        { class: "toolbar" },
        button("Back to the game", () => this.navigate(`/game/${this.id}`), { class: "primary" }),
      ),
    );
  }
}
