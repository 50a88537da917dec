// Theme: light, dark, or that of the system.

import { byId } from "./dom.js";

const NEXT = { system: "light", light: "dark", dark: "system" };
const SIGNS = { system: "◐", light: "☀", dark: "☾" };
const WORDS = { system: "as the system", light: "light", dark: "dark" };

/** @typedef {keyof typeof NEXT} Theme */

/** @returns {Theme} */
function chosen() {
  const kept = localStorage.getItem("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

function apply() {
  const theme = chosen();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = byId("theme");
  button.textContent = SIGNS[theme];
  button.setAttribute("aria-label", `Colours: ${WORDS[theme]}`);
  button.title = `Colours: ${WORDS[theme]}`;
}

export function setUpTheme() {
  apply();
  byId("theme").addEventListener("click", () => {
    localStorage.setItem("theme", NEXT[chosen()]);
    apply();
  });
}
