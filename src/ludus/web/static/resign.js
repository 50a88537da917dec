// Dialog that resigns a game; in backgammon it asks how much is resigned.

import { h, makeOptions, openDialog } from "./dom.js";

/** @typedef {import("./game.js").GamePage} GamePage */

/** @type {Record<string, string>} */
const RESIGNATIONS = {
  resign: "a single game",
  resign_gammon: "a gammon",
  resign_backgammon: "a backgammon",
};

/**
 * Ask what shall be resigned, and resign it.
 * @param {GamePage} page
 */
export function openResignDialog(page) {
  const { places, resignations } = page.view;
  /** @type {[string, () => unknown][]} */
  const offers = places.includes("resign")
    ? Object.entries(RESIGNATIONS)
        .filter(([place]) => places.includes(place))
        .map(([place, label]) => [label, () => page.touch(place)])
    : resignations.map((label, index) => [label, () => page.postAction("resign", { level: index + 1 })]);
  if (offers.length < 2) {
    const run = offers[0]?.[1] ?? (() => page.postAction("resign"));
    openDialog("Resign this game?", [h("p", {}, "The other side wins; you can still review it.")], {
      label: "Resign",
      run: (dialog) => {
        dialog.close();
        void run();
      },
    });
    return;
  }
  const select = h(
    "select",
    { id: "resign-level" },
    ...makeOptions(offers.map(([label], index) => [index, label])),
  );
  const note = "A computer player accepts if it could not expect to win more.";
  const content = [h("label", { for: "resign-level" }, "Resign ", select), h("p", { class: "muted" }, note)];
  openDialog("Resign this game?", content, {
    label: "Resign",
    run: (dialog) => {
      dialog.close();
      void offers[Number(select.value)]?.[1]();
    },
  });
}
