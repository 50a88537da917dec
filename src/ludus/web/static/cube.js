// Doubling cube, match score and money session; moves that wait for a confirmation.

import { button, h, setChildren } from "./dom.js";
import { findPace } from "./replay.js";
import { hasOnePerson, nameOf, seatRequests } from "./seats.js";
import { capitalize } from "./text.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").ShownView} ShownView */
/** @typedef {import("./game.js").GamePage} GamePage */

/**
 * Labels of the actions about the cube; others are named as on the board.
 * @type {Record<string, (cube: number) => string>}
 */
const ACTION_LABELS = {
  roll: () => "Roll",
  double: (cube) => `Double to ${2 * cube}`,
  take: (cube) => `Take at ${2 * cube}`,
  drop: (cube) => `Pass and lose ${cube}`,
  accept: () => "Accept",
  reject: () => "Play on",
};

/** Milliseconds after which the dice are rolled where nothing else is worth a thought. */
const ROLL_DELAY = 1500;

/** Score, cube and actions about it, above the board of a game that has them. */
export class CubePanel {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.text = h("p", { class: "stakes" });
    this.actions = h("div", { class: "toolbar", role: "group", "aria-label": "Cube" });
    this.element = h("section", { class: "cube-panel", "aria-label": "Cube and score", hidden: true }, this.text, this.actions);
  }

  /** Roll after a while where doubling is impossible, unless the person does something else. */
  rollSoon() {
    const { node, places, status } = this.page.view;
    if (status !== "yours" || !places.includes("roll") || places.includes("double")) return;
    if (!findPace(this.page.view)) return;
    setTimeout(() => {
      const { page } = this;
      const isBusy = document.querySelector("dialog[open]") || page.isEditing || page.replay.target;
      if (page.view.node !== node || page.view.status !== "yours" || page.isClosed || isBusy) return;
      page.touch("roll");
    }, ROLL_DELAY);
  }

  /** @param {ShownView} view */
  show(view) {
    this.element.hidden = !view.stakes;
    if (!view.stakes) return;
    this.text.textContent = describeStakes(view);
    const cube = view.stakes.cube ?? 1;
    const actions = view.places.filter((place) => place in ACTION_LABELS);
    setChildren(
      this.actions,
      ...actions.map((place, index) =>
        button(ACTION_LABELS[place]?.(cube) ?? place, () => this.page.touch(place), {
          "data-action": place,
          ...(index ? {} : { class: "primary" }),
        }),
      ),
    );
    this.actions.hidden = !actions.length;
  }
}

/**
 * Return the score and the cube in one line.
 * @param {GameView} view
 */
function describeStakes(view) {
  const { stakes } = view;
  if (!stakes) return "";
  const [first, second] = stakes.score.map((points, side) => `${capitalize(nameOf(view, side))} ${points}`);
  const owner = stakes.owner === null ? "in the middle" : `owned by ${nameOf(view, stakes.owner)}`;
  const parts = [
    stakes.match ? `Match to ${stakes.match}` : `Money session, game ${stakes.game_number}`,
    `${first}, ${second}`,
    stakes.cube === null ? "no cube" : `cube at ${stakes.cube}, ${owner}`,
    stakes.crawford && "Crawford game",
    stakes.jacoby && "Jacoby rule",
  ];
  return parts.filter((part) => part).join(" · ");
}

/**
 * Describe the result of a game of a match that has ended between two views of it, while the match
 * goes on; empty if none has.
 * @param {GameView} before
 * @param {GameView} after
 */
export function describeGameOfMatch(before, after) {
  const old = before.stakes;
  const { stakes, outcome, status, seats } = after;
  if (!old?.match || !stakes || outcome || before.id !== after.id) return "";
  if (before.status === "looking" || status === "looking") return "";
  const points = stakes.score.map((score, side) => score - (old.score[side] ?? 0));
  const winner = points.findIndex((each) => each > 0);
  if (winner < 0 || points.some((each) => each < 0)) return "";
  const isYou = hasOnePerson(seats) && !seats[winner]?.player;
  const won = points[winner] ?? 0;
  const who = isYou ? "You win" : `${capitalize(nameOf(after, winner))} wins`;
  const [first, second] = stakes.score.map((score, side) => `${capitalize(nameOf(after, side))} ${score}`);
  return `${who} ${won} ${won === 1 ? "point" : "points"}. The score in the match to ${stakes.match}: ${first}, ${second}.`;
}

/**
 * Return the button that continues a money session with another game; false if there is none.
 * @param {GamePage} page
 */
export function makeNextGameButton(page) {
  const { game, rules, delay, id, stakes } = page.view;
  if (!stakes || stakes.match) return false;
  const order = { game, rules, delay, seats: seatRequests(page.view), continues: id };
  return button("Next game", () => page.enqueue(() => page.openNewGame(order)));
}

/**
 * Return whether resigning is possible now: by the rules before a roll, else at any time.
 * @param {ShownView} view
 */
export const canResign = ({ stakes, places }) => !stakes?.can_resign || places.includes("resign");

/** Whether a move with dice waits for a confirmation, which this browser remembers. */
export class MoveConfirmation {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.checkbox = h("input", {
      type: "checkbox",
      id: "confirm-moves",
      onchange: () => localStorage.setItem("confirm moves", this.checkbox.checked ? "yes" : "no"),
    });
    this.checkbox.checked = localStorage.getItem("confirm moves") === "yes";
    this.label = h("label", { for: "confirm-moves" }, this.checkbox, " Confirm moves");
    this.button = button("Confirm move", () => this.confirm(), { class: "primary" });
  }

  get isOn() {
    return this.page.view.has_dice && this.checkbox.checked;
  }

  confirm() {
    return this.page.sendMove();
  }
}

/**
 * Return whether a complete move waits for its confirmation.
 * @param {ShownView} view
 */
export const isWaiting = ({ has_dice, touched, places }) =>
  has_dice && touched.length > 1 && !places.length;

/**
 * Return whether the board is seen from the second side, which the only person plays with dice.
 * @param {GameView} view
 */
export const isSeenFromSecond = ({ has_dice, seats }) =>
  has_dice && Boolean(seats[0]?.player) && !seats[1]?.player;
