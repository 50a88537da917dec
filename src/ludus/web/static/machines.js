// How machines learn: the learners of a game side by side on one position, with their moves, their
// pictures, what each move gives away, and how well each learner does over many positions.

import { get, post } from "./api.js";
import { makeCertainty, makeThumbnail } from "./explanation.js";
import { button, errorMessage, h, makeOptions, parseSvg, setChildren } from "./dom.js";

/** @typedef {import("./types.js").LearnersView} LearnersView */
/** @typedef {import("./types.js").LearnerView} LearnerView */
/** @typedef {import("./types.js").ComparedChoiceView} ComparedChoiceView */
/** @typedef {import("./types.js").GameKindView} GameKindView */
/** @typedef {import("./types.js").PositionView} PositionView */

const INTRODUCTION =
  "Each of these programs came to its moves in another way. Here they all look at the same " +
  "position, each with its own move and with pictures of what it pays attention to. What a move " +
  "gives away is known exactly where the game is solved.";
/** Pictures of one learner. */
const MAX_PICTURES = 5;

export class MachinesPage {
  /**
   * @param {HTMLElement} root
   * @param {(address: string) => Promise<void>} navigate
   */
  constructor(root, navigate) {
    this.navigate = navigate;
    const query = new URLSearchParams(location.search);
    this.position = query.get("position") ?? "";
    this.firstGame = query.get("game") ?? "";
    /** Number of comparisons started; only the last one is shown. */
    this.numStarts = 0;
    this.game = h("select", { id: "machines-game", onchange: () => void this.selectGame("") });
    this.positions = h("select", {
      id: "machines-position",
      onchange: () => void this.compare(this.positions.value),
    });
    this.board = h("div", { class: "machines-board" });
    this.cards = h("div", { class: "machines" });
    this.status = h("p", { class: "message", role: "status" }, "Loading …");
    setChildren(
      root,
      h("h1", { class: "prompt" }, "How machines learn this game"),
      h("p", { class: "introduction" }, INTRODUCTION),
      h(
        "div",
        { class: "row centred" },
        h("label", { for: "machines-game" }, "Game ", this.game),
        h("label", { for: "machines-position" }, "Position ", this.positions),
        button("Play from here", () => void this.play()),
      ),
      this.status,
      this.board,
      this.cards,
    );
    void this.load();
  }

  close() {
    this.numStarts += 1;
  }

  async load() {
    const kinds = /** @type {GameKindView[]} */ (await get("/api/kinds"));
    setChildren(this.game, ...makeOptions(kinds.map(({ game, title }) => [game, title])));
    if (kinds.some(({ game }) => game === this.firstGame)) this.game.value = this.firstGame;
    await this.selectGame(this.position);
  }

  /**
   * Show the learners of the selected game.
   * @param {string} position one's own position to compare them in; empty for the first one listed
   */
  async selectGame(position) {
    const start = ++this.numStarts;
    this.status.textContent = "Loading …";
    try {
      const found = /** @type {LearnersView} */ (await get("/api/learners", { game: this.game.value }));
      if (start !== this.numStarts) return;
      this.learners = found.learners;
      setChildren(
        this.positions,
        ...makeOptions([
          ...(position ? [/** @type {[string, string]} */ ([position, "Your position"])] : []),
          ...found.positions.map((each) => /** @type {[string, string]} */ ([each.position, each.title])),
        ]),
      );
      await this.compare(this.positions.value);
    } catch (error) {
      this.status.textContent = errorMessage(error);
    }
  }

  /**
   * Ask every learner for its move in a position, one after the other.
   * @param {string} position
   */
  async compare(position) {
    const start = ++this.numStarts;
    const game = this.game.value;
    const cards = (this.learners ?? []).map((learner) => ({ learner, card: makeCard(learner) }));
    setChildren(this.cards, ...cards.map(({ card }) => card.element));
    this.status.textContent = "Every learner looks at the position …";
    try {
      const { svg } = /** @type {PositionView} */ (await post("/api/positions", { game, position }));
      if (start !== this.numStarts) return;
      const board = parseSvg(svg);
      board.setAttribute("aria-label", `The position. ${board.querySelector("desc")?.textContent}`);
      setChildren(this.board, board);
      for (const { learner, card } of cards) {
        /** @type {ComparedChoiceView | null} */
        const choice = await get("/api/learners/choice", { game, position, player: learner.player }).catch(
          () => null,
        );
        if (start !== this.numStarts) return;
        card.show(choice);
      }
      this.status.textContent = "";
    } catch (error) {
      if (start === this.numStarts) this.status.textContent = errorMessage(error);
    }
  }

  /** Play the position that is shown. */
  async play() {
    const query = new URLSearchParams({ game: this.game.value, position: this.positions.value });
    await this.navigate(`/new?${query}`);
  }
}

/** @param {LearnerView} learner */
function makeCard({ title, how, result, share }) {
  const choice = h("div", { class: "choice" }, h("p", { class: "muted" }, "Thinking …"));
  const element = h(
    "section",
    { class: "machine", "aria-label": title },
    h("h2", {}, title),
    h("p", {}, how),
    h(
      "p",
      { class: "muted" },
      share !== null && h("meter", { min: 0, max: 1, value: share, "aria-label": result }),
      ` ${result}.`,
    ),
    choice,
  );
  return {
    element,
    /** @param {ComparedChoiceView | null} found */
    show(found) {
      element.dataset.state = found ? "shown" : "missing";
      if (!found) {
        setChildren(choice, h("p", { class: "muted" }, "It cannot play on this machine."));
        return;
      }
      const { move, text, evaluation, comment, pictures } = found;
      const mark = evaluation?.mark ?? "";
      setChildren(
        choice,
        h(
          "p",
          {},
          "Its move: ",
          h("strong", { class: mark ? "bad" : "good" }, `${move}${mark}`),
          text && ` ${/^[a-z]/.test(text) ? text : `expected result ${text}`}. `,
          mark && `Gives away ${Number(evaluation?.cost.toFixed(2))} points. `,
          evaluation && makeCertainty(evaluation.certainty),
        ),
        h("div", { class: "pictures" }, ...pictures.slice(0, MAX_PICTURES).map(makeThumbnail)),
        comment && h("p", { class: "comment" }, comment),
      );
    },
  };
}
