// What boards are made of: each game has a usual material, and one that is chosen is remembered.

import { byId } from "./dom.js";

const MATERIALS = ["wood", "stone", "paper"];
/** @type {Record<string, string>} */
const USUAL = { hexapawn: "stone", noughts_and_crosses: "paper" };

/** The game whose board is shown. */
let shownGame = "";

/** @param {string} game */
export const materialOf = (game) => localStorage.getItem(`material ${game}`) ?? USUAL[game] ?? "wood";

/**
 * Make the boards of the page of the material for a game.
 * @param {string} game
 */
export function showMaterial(game) {
  shownGame = game;
  const material = materialOf(game);
  const button = byId("material");
  button.hidden = false;
  button.title = `Board: ${material}`;
  button.setAttribute("aria-label", button.title);
  makeBoardsOf(material);
}

/**
 * Show all boards as made of a material.
 * @param {string} material
 */
export function makeBoardsOf(material) {
  const root = document.documentElement;
  if (root.dataset.material === material) return;
  root.dataset.material = material;
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
