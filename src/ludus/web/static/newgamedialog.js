// Dialog for a new game: game, rules, opponent and side, or both players with their options.

import { createGame, fetchOpponents, get } from "./api.js";
import { errorMessage, h, makeOptions, openDialog, setChildren } from "./dom.js";
import { defaultOpponent, USUAL_RULES, WATCHING_DELAY } from "./newgame.js";
import { OpponentForm, OTHER_PLAYERS } from "./opponents.js";
import { RulesDetails } from "./rules.js";
import { SeatForm } from "./seatform.js";

/** @typedef {import("./types.js").GameKindView} GameKindView */

/**
 * Names of rules as people use them.
 * @type {Record<string, string>}
 */
const RULES_TITLES = {
  standard: "Usual rules",
  threefold: "Usual rules",
  vrajitoru: "Without flying (Vrajitoru)",
  lasker: "Lasker Morris, 10 men",
  morabaraba: "Morabaraba, 12 men",
  hyper: "Hypergammon, 3 men",
  money: "Money game with cube",
  tournament: "Match to 7 with cube",
  four: "4 × 4 squares",
  five: "5 × 5 squares",
  migo: "No pawn left: draw (MIGO)",
  gardner: "Usual rules",
};
/**
 * Titles of the first rules of games whose usual rules are others.
 * @type {Record<string, string>}
 */
const OTHER_STANDARDS = {
  nine_mens_morris: "Second repetition draws (Galassi)",
  hexapawn: "No move left: draw",
};

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
    const { game, presets } = selectedKind();
    const usual = USUAL_RULES[game] ?? "standard";
    /** @type {Record<string, string>} */
    const titles = { ...RULES_TITLES, standard: OTHER_STANDARDS[game] ?? "Usual rules" };
    setChildren(rulesSelect, ...makeOptions([usual, ...presets.filter((name) => name !== usual)].map((name) => [name, titles[name] ?? name])));
    rulesSelect.value = usual;
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
    form.showSelected();
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
  opponent?.showSelected();
}
