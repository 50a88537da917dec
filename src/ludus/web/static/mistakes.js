// The mistakes of a person in a reviewed game, as tasks: find a better move.

import { get } from "./api.js";
import { MARK_TITLES } from "./moves.js";
import { hasOnePerson, sideName } from "./seats.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").ReviewView} ReviewView */
/** @typedef {import("./types.js").ReviewPointView} ReviewPointView */
/** @typedef {import("./drill.js").Task} Task */
/** @typedef {{ point: ReviewPointView, before: number, game: GameView }} Mistake before: the node before it */

/**
 * Review a game, and return the mistakes of its persons, or of both sides if it has none.
 * @param {string} id
 * @returns {Promise<Mistake[]>}
 */
export async function fetchMistakes(id) {
  const path = `/api/games/${encodeURIComponent(id)}`;
  const game = /** @type {GameView} */ (await get(path));
  const { points } = /** @type {ReviewView} */ (await get(`${path}/review`));
  const hasPerson = game.seats.some((seat) => !seat.player);
  return points.flatMap((point, index) => {
    const isOwn = !hasPerson || !game.seats[point.mover ?? -1]?.player;
    return point.move?.mark && isOwn ? [{ point, game, before: points[index - 1]?.node ?? 0 }] : [];
  });
}

/**
 * Return the task to improve on a mistake.
 * @param {Mistake} mistake
 * @param {string} title
 * @returns {Promise<Task>}
 */
export async function makeTask({ point, before, game }, title) {
  const path = `/api/games/${game.id}`;
  const { position, rules } = /** @type {GameView} */ (await get(path, { node: before }));
  const who = hasOnePerson(game.seats) ? "you" : sideName(game, point.mover);
  return {
    game: game.game,
    rules,
    position,
    task: `${title}: ${who} played ${point.text} (${MARK_TITLES[point.move?.mark ?? ""]?.toLowerCase()}). Find a better move.`,
    numMoves: 1,
    note: point.move?.reason,
  };
}
