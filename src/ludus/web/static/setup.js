// New game: game, players and levels.

import { begin, get, Refused } from "./api.js";
import { button, fill, h } from "./dom.js";
import { HowDetails } from "./how.js";
import { easyLevel, opponents, SeatForm } from "./seatform.js";

/** @typedef {import("./types.js").Kind} Kind */
/** @typedef {import("./types.js").Opponent} Opponent */
/** @typedef {import("./types.js").Seat} Seat */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").NewGame} NewGame */

const WATCHING_DELAY = 1;
/** Default opponents: fast, neither random nor perfect; the first available one is used. */
const FAIR = ["gammon", "playouts"];
/**
 * Sides played by persons, by the values of `ludus play --side`.
 * @type {Record<string, boolean[]>}
 */
const SIDES = {
  first: [true, false],
  second: [false, true],
  both: [true, true],
  none: [false, false],
};

/** @returns {Promise<Kind[]>} */
const kinds = () => get("/api/kinds");

/**
 * Return a default opponent: a player with levels at a low level, or else a medium one.
 * @param {Opponent[]} all
 * @returns {Partial<Seat>}
 */
function usualOpponent(all) {
  const levelled = all.find((each) => each.levels);
  if (levelled?.levels) {
    return { player: levelled.name, level: easyLevel(levelled.levels) };
  }
  const fair = FAIR.map((name) => all.find((each) => each.name === name)).find((each) => each);
  return { player: (fair ?? all.at(-1))?.name ?? null };
}

/**
 * Return the game that an address requests: `/new?game=hexapawn&side=second&opponent=playouts`.
 * @param {URLSearchParams} asked
 * @returns {Promise<NewGame>}
 */
export async function askedOrder(asked) {
  const [game, rules] = [asked.get("game") ?? "nine_mens_morris", asked.get("rules") ?? ""];
  const named = asked.get("opponent");
  const level = asked.get("level");
  const opponent = named
    ? { player: named, level: level ? Number(level) : null }
    : usualOpponent(await opponents(game, rules));
  const seats = SIDES[asked.get("side") ?? "first"] ?? SIDES.first ?? [];
  const seed = asked.get("seed");
  return {
    game,
    rules,
    position: asked.get("position") ?? "",
    seats: seats.map((isPerson) => (isPerson ? {} : opponent)),
    delay: seats.some((isPerson) => isPerson) ? 0 : WATCHING_DELAY,
    ...(seed ? { seed: Number(seed) } : {}),
  };
}

/**
 * Open the dialog for a new game.
 * @param {(view: View) => void} opened
 */
export async function openSetup(opened) {
  const all = await kinds();
  const which = h(
    "select",
    {
      id: "which",
      onchange: () => {
        refill();
        void refresh();
      },
    },
    ...all.map((kind) => h("option", { value: kind.game }, kind.title)),
  );
  const rules = h("select", { id: "rules", onchange: () => void refresh() });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const seats = h("div", { class: "seats-form" });
  const how = new HowDetails();
  /** @type {SeatForm[]} */
  let forms = [];
  const kind = () => /** @type {Kind} */ (all.find((each) => each.game === which.value));
  const refill = () =>
    fill(rules, ...kind().presets.map((name) => h("option", { value: name }, name)));
  const refresh = async () => {
    const [players] = await Promise.all([
      opponents(kind().game, rules.value),
      how.show(kind().game, rules.value),
    ]);
    forms = kind().sides.map((side) => new SeatForm(side, () => {}));
    forms[0]?.offer(players, {});
    forms[1]?.offer(players, usualOpponent(players));
    fill(seats, ...forms.map((form) => form.element));
  };
  const start = async () => {
    const chosen = forms.map((form) => form.seat);
    const delay = chosen.every((seat) => seat.player) ? WATCHING_DELAY : 0;
    try {
      const view = await begin({ game: kind().game, rules: rules.value, seats: chosen, delay });
      dialog.close();
      opened(view);
    } catch (error) {
      trouble.textContent = error instanceof Refused ? error.message : String(error);
    }
  };
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    { "aria-labelledby": "setup-title", onclose: () => dialog.remove() },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: "setup-title" }, "New game"),
      h(
        "div",
        { class: "row" },
        h("label", { for: "which" }, "Game", which),
        h("label", { for: "rules" }, "Rules", rules),
      ),
      how.element,
      seats,
      trouble,
      h(
        "div",
        { class: "row end" },
        button("Cancel", () => dialog.close()),
        button("Play", start, { class: "primary" }),
      ),
    ),
  );
  refill();
  await refresh();
  document.body.append(dialog);
  dialog.showModal();
}
