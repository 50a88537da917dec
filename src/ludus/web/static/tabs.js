// Tabs with arrow keys, following the ARIA tabs pattern.

import { fill, h } from "./dom.js";

let count = 0;

export class Tabs {
  /**
   * @param {[string, HTMLElement][]} panels
   * @param {() => void} chosen called when another panel is shown
   */
  constructor(panels, chosen) {
    count += 1;
    this.chosen = chosen;
    this.tabs = panels.map(([name], index) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${count}-${index}`,
          "aria-controls": `panel-${count}-${index}`,
          onclick: () => this.choose(index),
          onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event, index),
        },
        name,
      ),
    );
    this.panels = panels.map(([, element], index) => {
      const panel = h("div", {
        role: "tabpanel",
        id: `panel-${count}-${index}`,
        "aria-labelledby": `tab-${count}-${index}`,
        tabindex: "0",
      });
      fill(panel, element);
      return panel;
    });
    this.element = h(
      "div",
      { class: "tabs" },
      h("div", { role: "tablist", "aria-label": "About the game" }, ...this.tabs),
      ...this.panels,
    );
    this.choose(0);
  }

  /** @param {number} chosen */
  choose(chosen) {
    this.tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(index === chosen));
      tab.tabIndex = index === chosen ? 0 : -1;
    });
    this.panels.forEach((panel, index) => {
      panel.hidden = index !== chosen;
    });
    this.chosen();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} index
   */
  key(event, index) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (index + step + this.tabs.length) % this.tabs.length;
    this.choose(next);
    this.tabs[next]?.focus();
    event.preventDefault();
  }
}
