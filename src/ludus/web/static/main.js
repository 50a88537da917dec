// Routing: the address determines the page, and the back button works. Also the colour theme.

import { createGame, get, hasStatus } from "./api.js";
import { byId, closeSheet, errorMessage, h, setChildren, showNotice } from "./dom.js";
import { GamePage } from "./game.js";
import { acceptDrops } from "./drop.js";
import { loadScript, preload } from "./lazy.js";
import { changeMaterial } from "./material.js";
import { gameFromQuery } from "./newgame.js";
import { isNewcomer, rememberGame } from "./remembered.js";
import { isSoundOn, setSound } from "./sound.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").ServerFeaturesView} ServerFeaturesView */
/** @typedef {{ close: () => void }} Page */
/** @typedef {"system" | "light" | "dark"} Theme */

/** @type {Record<Theme, { next: Theme, icon: string }>} */
const THEMES = {
  system: { next: "light", icon: "◐" },
  light: { next: "dark", icon: "☀" },
  dark: { next: "system", icon: "☾" },
};

/** Scripts of the pages in the header, which are loaded when the pointer comes near their links. */
const SCRIPTS = {
  "/puzzles": () => import("./puzzles.js"),
  "/games": () => import("./mygames.js"),
  "/machines": () => import("./machines.js"),
};
/** Milliseconds after which a server that did not answer is asked again. */
const RETRY_DELAY = 2000;
/** Milliseconds after which the page is kept for a start without the server. */
const KEEP_DELAY = 4000;
const loadNewGameDialog = () => import("./newgamedialog.js");

/** @type {Page | null} */
let page = null;
/** The path of the page shown. */
let shownPath = "";
/** Number of pages requested; only the last one is shown, whichever is loaded last. */
let numRequests = 0;

/**
 * Navigate to an address of this site without reloading.
 * @param {string} address
 */
async function navigate(address) {
  history.pushState(null, "", address);
  await showPage();
  byId("main").focus({ preventScroll: true });
}

/** @param {GameView} view */
function showGame(view) {
  localStorage.setItem("last-game", view.id);
  rememberGame(view);
  page = new GamePage(byId("main"), view, navigate);
}

/**
 * Show a game and make its address replace the current one in the history.
 * @param {GameView} view
 */
function redirectToGame(view) {
  history.replaceState(null, "", `/game/${view.id}`);
  shownPath = location.pathname;
  showGame(view);
}

/**
 * Return a game, or null if there is none with this id.
 * @param {string} id
 * @returns {Promise<GameView | null>}
 */
async function findGame(id) {
  if (!id) return null;
  try {
    return await get(`/api/games/${encodeURIComponent(id)}`);
  } catch (error) {
    if (hasStatus(error, 404, 422)) return null;
    throw error;
  }
}

/**
 * Return the last game if it is unfinished, or a new one.
 * @returns {Promise<GameView>}
 */
async function resumeOrCreate() {
  const last = localStorage.getItem("last-game");
  const view = last && (await findGame(last));
  if (view && !view.outcome) return view;
  return createGame(await gameFromQuery(new URLSearchParams()));
}

/** Show the links to tournaments, trainings and other runs, if there are any. */
async function showLinks() {
  try {
    const features = /** @type {ServerFeaturesView} */ (await get("/api/shown"));
    byId("tournament-link").hidden = !features.tournament;
    byId("training-link").hidden = !features.training;
    byId("running-link").hidden = !features.running;
    byId("unkept-note").hidden = features.keeps_games;
  } catch {
    // the page itself says that the server does not answer
  }
}

async function showPage() {
  const request = ++numRequests;
  void showLinks();
  page?.close();
  page = null;
  document.title = "Ludus";
  shownPath = location.pathname;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === shownPath) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    const show = await loadScript(() => loadPage(shownPath));
    if (request === numRequests) show();
  } catch (error) {
    if (request !== numRequests) return;
    if (hasStatus(error, 0, 502, 503, 504)) void reloadWhenAnswered(request);
    setChildren(
      byId("main"),
      h("h1", { class: "prompt" }, errorMessage(error)),
      h("p", { class: "message" }, h("a", { href: "/new" }, "Start a new game")),
    );
  }
}

/**
 * Load the page anew once the server is back, unless another page was requested.
 * @param {number} request
 */
async function reloadWhenAnswered(request) {
  await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
  if (request !== numRequests) return;
  const isBack = await get("/api/shown").then(() => true, () => false);
  if (isBack && request === numRequests) location.reload();
  else await reloadWhenAnswered(request);
}

/**
 * Load what the page of a path needs, and return a function that shows it.
 * @param {string} path
 * @returns {Promise<() => void>}
 */
async function loadPage(path) {
  const main = byId("main");
  if (path.startsWith("/game/")) {
    const view = await findGame(path.slice("/game/".length));
    if (!view) throw new Error("There is no such game.");
    return () => showGame(view);
  }
  if (path === "/new") {
    const view = await createGame(await gameFromQuery(new URLSearchParams(location.search)));
    return () => redirectToGame(view);
  }
  if (path === "/open") {
    const { gameFromLink } = await import("./links.js");
    const view = await createGame(gameFromLink(location.hash));
    return () => redirectToGame(view);
  }
  if (path === "/puzzles") {
    const { PuzzlePage } = await SCRIPTS["/puzzles"]();
    return () => (page = new PuzzlePage(main, navigate));
  }
  if (path === "/games") {
    const { MyGamesPage } = await SCRIPTS["/games"]();
    return () => (page = new MyGamesPage(main));
  }
  if (path === "/learn") {
    const { RulesTestPage } = await import("./rulestest.js");
    return () => (page = new RulesTestPage(main));
  }
  if (path.startsWith("/learn/")) {
    const [{ LearnPage }, view] = await Promise.all([
      import("./learn.js"),
      findGame(path.slice("/learn/".length)),
    ]);
    if (!view) throw new Error("There is no such game.");
    return () => (page = new LearnPage(main, navigate, view.id));
  }
  if (path === "/machines") {
    const { MachinesPage } = await SCRIPTS["/machines"]();
    return () => (page = new MachinesPage(main, navigate));
  }
  if (path === "/tournament" || path === "/training" || path === "/running") {
    const { ResultsPage } = await import("./results.js");
    return () => (page = new ResultsPage(main, path.slice(1)));
  }
  if (path === "/") {
    const [welcome, view] = await Promise.all([
      isNewcomer() ? import("./welcome.js") : null,
      resumeOrCreate(),
    ]);
    return () => {
      redirectToGame(view);
      if (welcome && page instanceof GamePage) page.sidebar.prepend(welcome.makeWelcome(page));
    };
  }
  throw new Error("There is no such page.");
}

/** @returns {Theme} */
function currentTheme() {
  const stored = localStorage.getItem("theme");
  return stored === "light" || stored === "dark" ? stored : "system";
}

function applyTheme() {
  const theme = currentTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = byId("theme");
  button.textContent = THEMES[theme].icon;
  button.title = `Colour theme: ${theme}`;
  button.setAttribute("aria-label", button.title);
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-route]") : null;
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey)
    return;
  event.preventDefault();
  void navigate(link.pathname + link.search);
});
addEventListener("popstate", () => {
  // A fragment link within the page needs no navigation.
  if (location.pathname !== shownPath) void showPage();
});
addEventListener("unhandledrejection", (event) => showNotice(errorMessage(event.reason)));

applyTheme();
byId("theme").addEventListener("click", () => {
  localStorage.setItem("theme", THEMES[currentTheme()].next);
  applyTheme();
});
function showSound() {
  const button = byId("sound");
  button.setAttribute("aria-pressed", String(isSoundOn()));
  button.textContent = isSoundOn() ? "♪" : "♪̸";
  button.title = `Sound: ${isSoundOn() ? "on" : "off"}`;
}

showSound();
byId("sound").addEventListener("click", () => {
  setSound(!isSoundOn());
  showSound();
});
byId("material").textContent = "▦";
byId("material").addEventListener("click", changeMaterial);
byId("full-screen").hidden = !document.fullscreenEnabled;
byId("full-screen").addEventListener("click", () => {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen();
});
byId("nav").addEventListener("click", () => closeSheet(byId("nav")));
acceptDrops(() => (page instanceof GamePage ? page.view : null), navigate);

async function openNewGame() {
  try {
    const { openNewGameDialog } = await loadScript(loadNewGameDialog);
    await openNewGameDialog(navigate);
  } catch (error) {
    showNotice(errorMessage(error));
  }
}

byId("new-game").addEventListener("click", () => void openNewGame());
preload(byId("new-game"), loadNewGameDialog);
for (const [path, load] of Object.entries(SCRIPTS)) {
  const link = document.querySelector(`nav a[href="${path}"]`);
  if (link instanceof HTMLElement) preload(link, load);
}
void showPage();
// Browsers allow this over HTTPS, and on the machine of the server.
if ("serviceWorker" in navigator)
  setTimeout(() => void navigator.serviceWorker.register("/service-worker.js").catch(() => {}), KEEP_DELAY);
