// Routing: the address determines the page, and the back button works.

import { begin, get, Refused } from "./api.js";
import { byId, fill, h, notice } from "./dom.js";
import { GamePage } from "./game.js";
import { askedOrder, openSetup } from "./setup.js";
import { fromLink } from "./share.js";
import { setUpTheme } from "./theme.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {{ close: () => void }} Page */

/** @type {Page | null} */
let page = null;
/** The address of the page shown. */
let shown = "";

/**
 * Navigate to an address of this site without reloading.
 * @param {string} address
 */
export async function go(address) {
  history.pushState(null, "", address);
  await show();
  byId("main").focus({ preventScroll: true });
}

/** @param {View} view */
function showGame(view) {
  localStorage.setItem("last-game", view.id);
  page = new GamePage(byId("main"), view, go);
}

/**
 * Return the last game if it is unfinished, or a new one.
 * @returns {Promise<View>}
 */
async function lastOrNew() {
  const last = localStorage.getItem("last-game");
  if (last) {
    try {
      const view = /** @type {View} */ (await get(`/api/games/${encodeURIComponent(last)}`));
      if (!view.outcome) return view;
    } catch (error) {
      if (!(error instanceof Refused) || (error.status !== 404 && error.status !== 422))
        throw error;
    }
  }
  return begin(await askedOrder(new URLSearchParams()));
}

/** @param {View} view */
function replaceWith(view) {
  history.replaceState(null, "", `/game/${view.id}`);
  shown = location.pathname;
  showGame(view);
}

async function show() {
  page?.close();
  page = null;
  const main = byId("main");
  document.title = "Ludus";
  const path = location.pathname;
  shown = path;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === path) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    if (path.startsWith("/game/")) {
      showGame(await get(`/api/games/${encodeURIComponent(path.slice("/game/".length))}`));
    } else if (path === "/new") {
      replaceWith(await begin(await askedOrder(new URLSearchParams(location.search))));
    } else if (path === "/open") {
      replaceWith(await begin(await fromLink(location.hash)));
    } else if (path === "/puzzles") {
      page = (await import("./puzzles.js")).puzzlePage(main, go);
    } else if (path === "/tournament" || path === "/training") {
      page = (await import("./results.js")).resultsPage(main, path.slice(1));
    } else {
      replaceWith(await lastOrNew());
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    fill(
      main,
      h("p", { class: "prompt" }, why),
      h("p", {}, h("a", { href: "/new" }, "Begin a new game")),
    );
  }
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-route]") : null;
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey)
    return;
  event.preventDefault();
  void go(link.pathname);
});
addEventListener("popstate", () => {
  // A fragment link within the page needs no navigation.
  if (location.pathname !== shown) void show();
});
addEventListener("unhandledrejection", (event) => {
  notice(event.reason instanceof Error ? event.reason.message : String(event.reason));
});

setUpTheme();
byId("new-game").addEventListener("click", () => void openSetup((view) => go(`/game/${view.id}`)));
void show();
void get("/api/shown").then((/** @type {{ tournament: boolean, training: boolean }} */ offered) => {
  byId("to-tournament").hidden = !offered.tournament;
  byId("to-training").hidden = !offered.training;
});
