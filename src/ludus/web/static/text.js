// Numbers and sentences as text.

/**
 * Format a number with at most this many significant digits; the integer part is always complete.
 * @param {number | null | undefined} value null, undefined and NaN give an empty text
 * @param {number} [digits]
 */
export function formatNumber(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "";
  if (Math.abs(value) >= 10 ** (digits - 1)) return value.toFixed(0);
  return String(Number(value.toPrecision(digits)));
}

/**
 * Return a text with a capital first letter.
 * @param {string} text
 */
export const capitalize = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
