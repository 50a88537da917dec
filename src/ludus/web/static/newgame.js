// The new game that an address requests, and the opponent that it has by default.

import { fetchOpponents } from "./api.js";

/** @typedef {import("./types.js").OpponentView} OpponentView */
/** @typedef {import("./types.js").PersonaView} PersonaView */
/** @typedef {import("./types.js").SeatRequest} SeatRequest */
/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */
/** @typedef {PersonaView & { player: string }} Rung */

/**
 * The rules with which a game is opened where they are not the first ones.
 * @type {Record<string, string>}
 */
export const USUAL_RULES = { nine_mens_morris: "threefold", hexapawn: "gardner" };
/** Seconds between moves if both sides are computer players. */
export const WATCHING_DELAY = 1;
/**
 * Whether each side is played by a person, by the values of `ludus play --side`.
 * @type {Record<string, boolean[]>}
 */
const SIDES = {
  first: [true, false],
  second: [false, true],
  both: [true, true],
  none: [false, false],
};
const RANDOM_SIDES = ["first", "second"];
/** Ranks between which the opponent selected at first is; a beginner should be able to win. */
const [FIRST_RANK, MAX_FIRST_RANK] = [0.14, 0.5];

/**
 * Return all opponents with human names, the weakest first.
 * @param {OpponentView[]} players
 * @returns {Rung[]}
 */
export function makeLadder(players) {
  return players
    .flatMap(({ name, personas }) => personas.map((persona) => ({ ...persona, player: name })))
    .sort((one, other) => one.rank - other.rank);
}

/**
 * Return the opponent that is selected at first: one that plays with some sense, and that a beginner
 * can beat.
 * @param {Rung[]} ladder
 */
export const defaultRung = (ladder) =>
  ladder.find(({ rank, player }) => rank >= FIRST_RANK && rank <= MAX_FIRST_RANK && player !== "random") ??
  ladder.filter(({ rank, player }) => rank < FIRST_RANK && player !== "random").at(-1) ??
  ladder[0];

/**
 * Return the seat of an opponent.
 * @param {Rung} rung
 * @returns {Partial<SeatRequest>}
 */
export const rungSeat = ({ player, level, choices }) => ({ player, level, choices });

/**
 * Return a default opponent: one that a beginner can beat.
 * @param {OpponentView[]} players
 * @returns {Partial<SeatRequest>}
 */
export function defaultOpponent(players) {
  const rung = defaultRung(makeLadder(players));
  return rung ? rungSeat(rung) : { player: players.at(-1)?.name ?? null };
}

/**
 * Return the game that an address requests: `/new?game=hexapawn&side=second&opponent=playouts`.
 * @param {URLSearchParams} query
 * @returns {Promise<NewGameRequest>}
 */
export async function gameFromQuery(query) {
  const game = query.get("game") ?? "nine_mens_morris";
  const rules = query.get("rules") ?? USUAL_RULES[game] ?? "";
  const [player, level, seed] = ["opponent", "level", "seed"].map((name) => query.get(name));
  const opponent = player
    ? { player, level: level ? Number(level) : null }
    : defaultOpponent(await fetchOpponents(game, rules));
  const side = query.get("side") ?? "first";
  const isRandom = side === "random";
  const sides = SIDES[isRandom ? RANDOM_SIDES[Math.floor(2 * Math.random())] ?? "" : side] ?? SIDES.first ?? [];
  return {
    game,
    rules,
    position: query.get("position") ?? "",
    seats: sides.map((isPerson) => (isPerson ? {} : opponent)),
    delay: sides.includes(true) ? 0 : WATCHING_DELAY,
    ...(seed ? { seed: Number(seed) } : {}),
  };
}
