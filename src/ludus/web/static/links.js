// Links that hold the whole record of a game, so that they give no access to the game itself.

/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */

/**
 * Make a link to play on from a record.
 * @param {string} record
 */
export function makeLink(record) {
  const bytes = new TextEncoder().encode(record);
  const text = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  return `${location.origin}/open#${text}`;
}

/**
 * Return the new game that a link contains.
 * @param {string} hash
 * @returns {NewGameRequest}
 */
export function gameFromLink(hash) {
  try {
    const text = atob(hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const record = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!record.startsWith("[")) throw new Error("no record");
    return { record };
  } catch {
    throw new Error("This link contains no game.");
  }
}
