// Learn from your mistakes: the mistakes of a game as tasks, one after the other.

import { get } from "./api.js";
import { button, errorMessage, h, setChildren } from "./dom.js";
import { Drill } from "./drill.js";
import { sideName } from "./seats.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").ReviewView} ReviewView */
/** @typedef {import("./types.js").ReviewPointView} ReviewPointView */

export class LearnPage {
  /**
   * @param {HTMLElement} root
   * @param {(address: string) => Promise<void>} navigate
   * @param {string} id the game
   */
  constructor(root, navigate, id) {
    this.navigate = navigate;
    this.id = id;
    /**
     * Each mistake with the node before it.
     * @type {{ point: ReviewPointView, before: number }[]}
     */
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
    setChildren(root, h("div", { class: "puzzle" }, this.drill.element));
    void this.load();
  }

  close() {}

  async load() {
    this.drill.setState("loading");
    this.drill.prompt.textContent = "Looking for your mistakes …";
    try {
      const path = `/api/games/${encodeURIComponent(this.id)}`;
      this.game = /** @type {GameView} */ (await get(path));
      const { points } = /** @type {ReviewView} */ (await get(`${path}/review`));
      const { seats } = this.game;
      const hasPerson = seats.some((seat) => !seat.player);
      this.mistakes = points.flatMap((point, index) => {
        const isOwn = !hasPerson || !seats[point.mover ?? -1]?.player;
        return point.mark && isOwn ? [{ point, before: points[index - 1]?.node ?? 0 }] : [];
      });
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
    const { game } = this;
    if (!mistake || !game) return;
    const { point, before } = mistake;
    await this.drill.start(async () => {
      /** @type {GameView} */
      const { position, rules } = await get(`/api/games/${this.id}`, { node: before });
      const who = game.seats.filter((seat) => !seat.player).length === 1 ? "You" : sideName(game, point.mover);
      return {
        game: game.game,
        rules,
        position,
        task: `${this.at + 1} of ${this.mistakes.length}: ${who} played ${point.text}${point.mark}. Find a better move.`,
        numMoves: 1,
        note: point.reason,
      };
    });
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
