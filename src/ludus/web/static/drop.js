// Files and texts dropped anywhere on the page are imported.

import { byId, errorMessage, showNotice } from "./dom.js";
import { loadScript } from "./lazy.js";
import { capitalize } from "./text.js";

/** @typedef {import("./types.js").GameView} GameView */

/** Bytes of a file of games; the server accepts no more. */
const MAX_BYTES = 1_000_000;

/**
 * Import what is dropped on the page.
 * @param {() => GameView | null} getView the game that is shown
 * @param {(address: string) => Promise<void>} navigate
 */
export function acceptDrops(getView, navigate) {
  const target = byId("drop-target");
  addEventListener("dragover", (event) => {
    if (!canImport(event)) return;
    event.preventDefault();
    target.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) target.hidden = true;
  });
  addEventListener("drop", (event) => {
    target.hidden = true;
    const { dataTransfer } = event;
    if (!dataTransfer || !canImport(event)) return;
    event.preventDefault();
    const [file] = dataTransfer.files;
    const text = file ? readFile(file) : Promise.resolve(dataTransfer.getData("text/plain"));
    importText(text, getView(), navigate).catch((error) =>
      showNotice(capitalize(errorMessage(error)), 10),
    );
  });
}

/**
 * @param {Promise<string>} text
 * @param {GameView | null} view
 * @param {(address: string) => Promise<void>} navigate
 */
async function importText(text, view, navigate) {
  const found = await text;
  const { openText } = await loadScript(() => import("./share.js"));
  await openText(found.trim(), view, navigate);
}

/**
 * Return whether something is dragged that can hold a game; text fields take texts themselves.
 * @param {DragEvent} event
 */
function canImport({ dataTransfer, target }) {
  if (dataTransfer?.types.includes("Files")) return true;
  const isField = target instanceof Element && target.closest("input, textarea");
  return !isField && Boolean(dataTransfer?.types.includes("text/plain"));
}

/** @param {File} file */
async function readFile(file) {
  if (file.size > MAX_BYTES) throw new Error(`${file.name} is too large for a file of games.`);
  return file.text();
}
