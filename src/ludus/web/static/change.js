// Changing the players of a game in progress.

import { button, h } from "./dom.js";
import { opponents, SeatForm } from "./seatform.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Seat} Seat */

/**
 * Open the dialog for changing the seats.
 * @param {View} view
 * @param {(seats: Partial<Seat>[]) => unknown} changed
 */
export async function openChange(view, changed) {
  const players = await opponents(view.game, view.rules);
  const forms = view.seats.map((seat) => {
    const form = new SeatForm(seat.side, () => {});
    form.offer(players, seat);
    return form;
  });
  const change = () => {
    changed(forms.map((form) => form.seat));
    dialog.close();
  };
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    { "aria-labelledby": "change-title", onclose: () => dialog.remove() },
    h("h2", { id: "change-title" }, "Who goes on?"),
    h("div", { class: "seats-form" }, ...forms.map((form) => form.element)),
    h(
      "div",
      { class: "row end" },
      button("Cancel", () => dialog.close()),
      button("Go on", change, { class: "primary" }),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
