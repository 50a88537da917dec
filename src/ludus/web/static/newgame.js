// New game: from an address, or from a dialog with game, rules, players and levels.

import { createGame, get } from "./api.js";
import { errorMessage, h, makeOptions, openDialog, setChildren } from "./dom.js";
import { RulesDetails } from "./rules.js";
import { defaultRung, makeLadder, OpponentForm, OTHER_PLAYERS, rungSeat } from "./opponents.js";
import { fetchOpponents, SeatForm } from "./seats.js";

/** @typedef {import("./types.js").GameKindView} GameKindView */
/** @typedef {import("./types.js").OpponentView} OpponentView */
/** @typedef {import("./types.js").SeatRequest} SeatRequest */
/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */

/** Seconds between moves if both sides are computer players. */
const WATCHING_DELAY = 1;
/**
 * Whether each side is played by a person, by the values of `ludus play --side`.
 * @type {Record<string, boolean[]>}
 */
const SIDES = {
  first: [true, false],
  second: [false, true],
  both: [true, true],
  none: [false, false],
};
const RANDOM_SIDES = ["first", "second"];

/**
 * Return a default opponent: one that a beginner can beat.
 * @param {OpponentView[]} players
 * @returns {Partial<SeatRequest>}
 */
function defaultOpponent(players) {
  const rung = defaultRung(makeLadder(players));
  return rung ? rungSeat(rung) : { player: players.at(-1)?.name ?? null };
}

/**
 * Return the game that an address requests: `/new?game=hexapawn&side=second&opponent=playouts`.
 * @param {URLSearchParams} query
 * @returns {Promise<NewGameRequest>}
 */
export async function gameFromQuery(query) {
  const [game, rules] = [query.get("game") ?? "nine_mens_morris", query.get("rules") ?? ""];
  const [player, level, seed] = ["opponent", "level", "seed"].map((name) => query.get(name));
  const opponent = player
    ? { player, level: level ? Number(level) : null }
    : defaultOpponent(await fetchOpponents(game, rules));
  const side = query.get("side") ?? "first";
  const isRandom = side === "random";
  const sides = SIDES[isRandom ? RANDOM_SIDES[Math.floor(2 * Math.random())] ?? "" : side] ?? SIDES.first ?? [];
  return {
    game,
    rules,
    position: query.get("position") ?? "",
    seats: sides.map((isPerson) => (isPerson ? {} : opponent)),
    delay: sides.includes(true) ? 0 : WATCHING_DELAY,
    ...(seed ? { seed: Number(seed) } : {}),
  };
}

/**
 * Open the dialog for a new game.
 * @param {(address: string) => Promise<void>} navigate
 */
export async function openNewGameDialog(navigate) {
  const kinds = /** @type {GameKindView[]} */ (await get("/api/kinds"));
  /** @type {SeatForm[]} */
  let forms = [];
  /** @type {OpponentForm | undefined} */
  let opponent;
  /** Number of changes of the rules; only the last one is shown, whichever response comes last. */
  let numChanges = 0;
  const gameSelect = h(
    "select",
    { id: "game-select", onchange: () => void onGameChange() },
    ...makeOptions(kinds.map(({ game, title }) => [game, title])),
  );
  const rulesSelect = h("select", { id: "rules-select", onchange: () => void onRulesChange() });
  const rulesDetails = new RulesDetails();
  const opponents = h("div", {});
  const seatForms = h("div", { class: "seat-forms" });
  const error = h("p", { class: "error", role: "alert" });
  const selectedKind = () =>
    /** @type {GameKindView} */ (kinds.find(({ game }) => game === gameSelect.value));

  const onGameChange = () => {
    const { presets } = selectedKind();
    setChildren(rulesSelect, ...makeOptions(presets.map((name) => [name, name])));
    return onRulesChange();
  };
  const onRulesChange = async () => {
    const change = ++numChanges;
    const { game, sides } = selectedKind();
    const [players] = await Promise.all([
      fetchOpponents(game, rulesSelect.value),
      rulesDetails.show(game, rulesSelect.value),
    ]);
    if (change !== numChanges) return;
    forms = sides.map(
      (side, index) => new SeatForm(side, players, index === 0 ? {} : defaultOpponent(players)),
    );
    setChildren(seatForms, ...forms.map((form) => form.element));
    const form = new OpponentForm(sides, players, () => {
      seatForms.hidden = form.selected !== OTHER_PLAYERS;
    });
    opponent = form;
    seatForms.hidden = true;
    setChildren(opponents, form.element);
  };
  const start = async (/** @type {HTMLDialogElement} */ dialog) => {
    const isCustom = opponent?.selected === OTHER_PLAYERS;
    const seats = isCustom ? forms.map((form) => form.seat) : (opponent?.seats ?? []);
    const delay = seats.every((seat) => seat.player) ? WATCHING_DELAY : 0;
    const rules = rulesSelect.value;
    try {
      const view = await createGame({ game: selectedKind().game, rules, seats, delay });
      dialog.close();
      await navigate(`/game/${view.id}`);
    } catch (reason) {
      error.textContent = errorMessage(reason);
    }
  };

  await onGameChange();
  const selects = h(
    "div",
    { class: "row" },
    h("label", { for: "game-select" }, "Game", gameSelect),
    h("label", { for: "rules-select" }, "Rules", rulesSelect),
  );
  const content = [selects, rulesDetails.element, opponents, seatForms, error];
  openDialog("New game", content, { label: "Play", run: start });
}
