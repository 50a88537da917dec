// New game: from an address, or from a dialog with game, rules, players and levels.

import { createGame, get } from "./api.js";
import { errorMessage, h, makeOptions, openDialog, setChildren } from "./dom.js";
import { RulesDetails } from "./rules.js";
import { easyLevel, fetchOpponents, SeatForm } from "./seats.js";

/** @typedef {import("./types.js").GameKindView} GameKindView */
/** @typedef {import("./types.js").OpponentView} OpponentView */
/** @typedef {import("./types.js").SeatRequest} SeatRequest */
/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */

/** Seconds between moves if both sides are computer players. */
const WATCHING_DELAY = 1;
/**
 * Default opponents of games without levels: fast, and not perfect; the first available one is used.
 * @type {{ player: string, choices?: Record<string, string> }[]}
 */
const DEFAULT_OPPONENTS = [
  { player: "gammon", choices: { net: "selfplay" } },
  { player: "playouts" },
];
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

/**
 * Return a default opponent: a player with levels at a low level, or else a known one.
 * @param {OpponentView[]} players
 * @returns {Partial<SeatRequest>}
 */
function defaultOpponent(players) {
  const withLevels = players.find((each) => each.levels);
  if (withLevels?.levels) return { player: withLevels.name, level: easyLevel(withLevels.levels) };
  const names = players.map((each) => each.name);
  const known = DEFAULT_OPPONENTS.find(({ player }) => names.includes(player));
  return known ?? { player: names.at(-1) ?? null };
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
  const sides = SIDES[query.get("side") ?? "first"] ?? SIDES.first ?? [];
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
  /** Number of changes of the rules; only the last one is shown, whichever response comes last. */
  let numChanges = 0;
  const gameSelect = h(
    "select",
    { id: "game-select", onchange: () => void onGameChange() },
    ...makeOptions(kinds.map(({ game, title }) => [game, title])),
  );
  const rulesSelect = h("select", { id: "rules-select", onchange: () => void onRulesChange() });
  const rulesDetails = new RulesDetails();
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
  };
  const start = async (/** @type {HTMLDialogElement} */ dialog) => {
    const seats = forms.map((form) => form.seat);
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
  const content = [selects, rulesDetails.element, seatForms, error];
  openDialog("New game", content, { label: "Play", run: start });
}
