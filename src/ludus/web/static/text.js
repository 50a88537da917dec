// Numbers and sentences as text.

/**
 * Format a number with at most this many significant digits; the integer part is always complete,
 * and numbers too small for two more decimals than that are 0.
 * @param {number | null | undefined} value null, undefined and NaN give an empty text
 * @param {number} [digits]
 */
export function formatNumber(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "";
  if (Math.abs(value) >= 10 ** (digits - 1)) return value.toFixed(0).replace("-", "−");
  const rounded = Math.abs(value) < 10 ** -(digits + 2) ? 0 : Number(value.toPrecision(digits));
  return String(rounded).replace("-", "−");
}

/**
 * Return a text with a capital first letter.
 * @param {string} text
 */
export const capitalize = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

/**
 * What evaluates positions, by the name of the program.
 * @type {Record<string, string>}
 */
const SOURCES = {
  scholar: "networks trained on perfect play",
  negascout: "a search",
  playouts: "random games",
  gammon: "a network trained on its own games",
  bgsage: "Backgammon Sage",
  gnubg: "GNU Backgammon",
};

/**
 * Say in words which program evaluates a position, from its spec such as `bgsage:plies=1`.
 * @param {string} spec
 */
export function sourceName(spec) {
  const player = spec.split(":")[0] ?? spec;
  return SOURCES[player] ?? player;
}
