// Files and texts dropped anywhere on the page are imported.

import { byId, errorMessage, showNotice } from "./dom.js";
import { openText } from "./share.js";

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
    text.then((found) => openText(found.trim(), getView(), navigate)).catch((error) => {
      const message = errorMessage(error);
      showNotice(message.slice(0, 1).toUpperCase() + message.slice(1), 10);
    });
  });
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
