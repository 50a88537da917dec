// What boards are made of: each game has a usual material, and one that is chosen is remembered.

import { byId } from "./dom.js";

const MATERIALS = ["wood", "stone", "paper"];
/** @type {Record<string, string>} */
const USUAL = { hexapawn: "stone", noughts_and_crosses: "paper" };

/** The game whose board is shown. */
let shownGame = "";

/** @param {string} game */
const materialOf = (game) => localStorage.getItem(`material ${game}`) ?? USUAL[game] ?? "wood";

/**
 * Make the boards of the page of the material for a game.
 * @param {string} game
 */
export function showMaterial(game) {
  shownGame = game;
  const material = materialOf(game);
  const root = document.documentElement;
  const button = byId("material");
  button.hidden = false;
  if (root.dataset.material === material) return;
  root.dataset.material = material;
  button.title = `Board: ${material}`;
  button.setAttribute("aria-label", button.title);
  const grain = document.querySelector("#grain image");
  if (material === "paper") grain?.removeAttribute("href");
  else grain?.setAttribute("href", `/static/${material}.webp`);
}

/** Change to the next material. */
export function changeMaterial() {
  const next = MATERIALS[(MATERIALS.indexOf(materialOf(shownGame)) + 1) % MATERIALS.length] ?? "wood";
  localStorage.setItem(`material ${shownGame}`, next);
  showMaterial(shownGame);
}
