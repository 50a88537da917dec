// Cards of the two sides: who plays, their men, and whose turn it is.

import { h } from "./dom.js";

/** @typedef {import("./types.js").View} View */

/**
 * @param {View} view
 * @returns {HTMLElement[]}
 */
export function plates(view) {
  const isAlone = view.seats.filter((seat) => !seat.player).length === 1;
  return view.seats.map((seat, side) => {
    const isTurn = view.mover === side && !view.outcome;
    const who = seat.player ? seat.title : isAlone ? "you" : "a person";
    return h(
      "div",
      { class: `plate${isTurn ? " turn" : ""}` },
      h("span", { class: `disc side-${side} ${view.game}`, "aria-hidden": "true" }),
      h(
        "span",
        {},
        h("strong", {}, seat.side),
        ` · ${who}`,
        isTurn && h("span", { class: "unseen" }, ", to move"),
        seat.standing && h("small", {}, seat.standing),
      ),
    );
  });
}
