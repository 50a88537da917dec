// The games that were opened in this browser, newest first.

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {{ id: string, began: number }} RememberedGame */

/** Games that are remembered. */
const MAX_GAMES = 200;

/** Whether no game has been opened in this browser yet. */
export const isNewcomer = () => !localStorage.getItem("my-games");

/** @returns {RememberedGame[]} */
export function loadGames() {
  try {
    const games = JSON.parse(localStorage.getItem("my-games") ?? "[]");
    return Array.isArray(games) ? games : [];
  } catch {
    return [];
  }
}

/**
 * Remember a game; the last one is first.
 * @param {GameView} view
 */
export function rememberGame({ id }) {
  const known = loadGames();
  const began = known.find((each) => each.id === id)?.began ?? Date.now();
  const games = [{ id, began }, ...known.filter((each) => each.id !== id)].slice(0, MAX_GAMES);
  localStorage.setItem("my-games", JSON.stringify(games));
}
