// Buttons below the board, and those that follow the end of a game.

import { canResign, isWaiting, makeNextGameButton } from "./cube.js";
import { button, closeSheet, h, makeOptions, setChildren } from "./dom.js";
import { makeLazyButton } from "./lazy.js";
import { hasNoPerson } from "./seats.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").ShownView} ShownView */
/** @typedef {import("./game.js").GamePage} GamePage */
/** @typedef {[HTMLElement, (view: ShownView, isWatching: boolean) => boolean]} Tool */

/**
 * Seconds between the moves of two computer players.
 * @type {[number, string][]}
 */
const DELAYS = [
  [2.5, "slow"],
  [1, "normal"],
  [0.3, "fast"],
  [0, "no delay"],
];

/**
 * Return whether a person has moved before the current node, so that there is a move to take back.
 * @param {GameView} view
 */
function hasOwnMove(view) {
  const nodes = new Map(view.moves.map((move) => [move.node, move]));
  let move = nodes.get(view.at);
  while (move && move.by !== "person" && move.parent !== null) move = nodes.get(move.parent);
  return move?.by === "person";
}

export class Toolbar {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.hint = button("Hint", () => page.analysis.toggleHint(), { "aria-pressed": "false" });
    this.delay = h(
      "select",
      { id: "delay", onchange: () => page.setPace({ delay: Number(this.delay.value) }) },
      ...makeOptions(DELAYS),
    );
    this.tools = this.makeTools();
    this.rareTools = this.makeRareTools();
    // On a phone what is rarely needed is in a sheet.
    const sheet = h(
      "div",
      { id: "more-tools", popover: "auto", onclick: () => closeSheet(sheet) },
      ...this.rareTools.map(([element]) => element),
    );
    this.element = h(
      "div",
      { class: "toolbar", role: "toolbar", "aria-label": "This game" },
      ...this.tools.map(([element]) => element),
      h("button", { type: "button", class: "more", popovertarget: "more-tools" }, "More …"),
      sheet,
    );
  }

  /**
   * Create the buttons, each with the condition under which it is visible. They are created once,
   * so that a pressed button is not replaced.
   * @returns {Tool[]}
   */
  makeTools() {
    const { page } = this;
    const primary = { class: "primary" };
    return [
      [
        button("Back to the game", () => page.showNode(page.latest.at), primary),
        ({ status }) => status === "looking",
      ],
      [
        button("Continue from here", () => page.postAction("at", { node: page.view.node })),
        ({ status }) => status === "looking",
      ],
      [page.confirmation.button, isWaiting],
      [button("Undo this step", () => page.undoTouch()), ({ touched }) => touched.length > 0],
      [
        button("Take back", () => page.postAction("back")),
        (view, isWatching) => view.status !== "looking" && !isWatching && hasOwnMove(view),
      ],
      [
        button("Resume", () => page.setPace({ paused: false }), primary),
        ({ status }) => status === "paused" || status === "trouble",
      ],
      [
        button("Pause", () => page.setPace({ paused: true })),
        ({ status }, isWatching) => isWatching && status === "thinking",
      ],
      [
        button("Move now", () => {
          page.replay.hurry();
          return page.postAction("hurry");
        }),
        ({ status }, isWatching) => !isWatching && status === "thinking",
      ],
      [h("label", { for: "delay" }, "Speed ", this.delay), (_, isWatching) => isWatching],
      [this.hint, ({ outcome, mover, status }) => !outcome && mover >= 0 && status !== "trouble"],
      [page.analysis.evaluationButton, () => true],
    ];
  }

  /** @returns {Tool[]} */
  makeRareTools() {
    const { page } = this;
    const flipTitle = "View the board from the other side (F, on the board)";
    return [
      [
        makeLazyButton("Change players", () => import("./seatform.js"), ({ openSeatsDialog }) =>
          openSeatsDialog(page.view, (seats) => page.postAction("seats", { seats })),
        ),
        ({ status }) => status !== "looking" && status !== "over",
      ],
      [
        makeLazyButton("Rules", () => import("./rules.js"), ({ openRulesDialog }) =>
          openRulesDialog(page.view),
        ),
        () => true,
      ],
      [button("Flip", () => page.flip(), { title: flipTitle }), () => true],
      [
        makeLazyButton("Resign", () => import("./resign.js"), ({ openResignDialog }) =>
          openResignDialog(page),
        ),
        (view, isWatching) =>
          !isWatching &&
          view.moves.length > 1 &&
          (view.status === "yours" || view.status === "thinking") &&
          canResign(view),
      ],
      [page.confirmation.label, ({ has_dice }, isWatching) => has_dice && !isWatching],
    ];
  }

  /** @param {ShownView} view */
  show(view) {
    const isWatching = hasNoPerson(view);
    for (const [element, isVisible] of [...this.tools, ...this.rareTools]) element.hidden = !isVisible(view, isWatching);
    this.hint.setAttribute("aria-pressed", String(this.page.analysis.hintNode === view.node));
    if (document.activeElement !== this.delay) this.delay.value = String(view.delay);
  }
}

/** Buttons after the end of a game: review it, or play again. */
export class EndPanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.element = h("div", {
      class: "end-panel toolbar",
      role: "group",
      "aria-label": "After the game",
      hidden: true,
    });
  }

  /** @param {GameView} view */
  show({ status }) {
    const { page } = this;
    this.element.hidden = status !== "over";
    if (this.element.hidden) return;
    const primary = { class: "primary" };
    setChildren(
      this.element,
      button("Review", () => page.openReview(), primary),
      makeNextGameButton(page),
      button("Rematch", () => page.playAgain()),
      button("Swap sides", () => page.playAgain(true)),
    );
  }
}
