// The two sides of a game: who plays them, by name and as cards.

import { h } from "./dom.js";
import { capitalize } from "./text.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").SeatView} SeatView */
/** @typedef {import("./types.js").SeatRequest} SeatRequest */

/**
 * Return the players of a game, for a new game.
 * @param {GameView} view
 * @returns {SeatRequest[]}
 */
export const seatRequests = ({ seats }) =>
  seats.map(({ player, level, choices }) => ({ player, level, choices }));

/**
 * Return the name of a side; empty for dice.
 * @param {GameView} view
 * @param {number | null} side
 */
export const sideName = ({ seats }, side) => seats[side ?? -1]?.side ?? "";

/**
 * Return whether both sides are computer players.
 * @param {GameView} view
 */
export const hasNoPerson = ({ seats }) => seats.every((seat) => seat.player);

/**
 * Return whether one person plays against a computer player.
 * @param {SeatView[]} seats
 */
export const hasOnePerson = (seats) => seats.filter((seat) => !seat.player).length === 1;

/**
 * Return who plays: a person, or a computer player by its human name, else by that of its program.
 * @param {SeatView} seat
 * @param {SeatView[]} seats both sides
 */
export function playerName({ player, persona, title }, seats) {
  if (!player) return hasOnePerson(seats) ? "you" : "a person";
  const level = / level ([\d.]+) of \d+$/.exec(title)?.[1];
  return persona ? `${persona}${level ? `, level ${Math.round(Number(level))}` : ""}` : title;
}

/**
 * Return how a side is called: you, the other player's name, or the side where both are persons.
 * @param {GameView} view
 * @param {number | null} side
 */
export function nameOf(view, side) {
  const seat = view.seats[side ?? -1];
  if (!seat || (!seat.player && !hasOnePerson(view.seats))) return sideName(view, side);
  return seat.player ? seat.persona || seat.side : "you";
}

/**
 * Create a card for each side: who plays, its men, and whether it is to move.
 * @param {GameView} view
 * @returns {HTMLElement[]}
 */
export function makeSeatCards(view) {
  return view.seats.map((seat, side) => {
    const isToMove = view.mover === side && !view.outcome;
    return h(
      "div",
      { class: `seat-card${isToMove ? " to-move" : ""}` },
      h("span", { class: `disc side-${side} ${view.game}`, "aria-hidden": "true" }),
      h(
        "span",
        {},
        h("strong", {}, capitalize(playerName(seat, view.seats))),
        isToMove && h("span", { class: "visually-hidden" }, ", to move"),
        h("small", {}, [seat.side, seat.standing].filter(Boolean).join(" · ")),
      ),
    );
  });
}
