// Tabs with arrow keys, following the ARIA tabs pattern.

import { h } from "./dom.js";
import { preload } from "./lazy.js";

/** @typedef {{ element: HTMLElement, load?: () => Promise<unknown> }} Panel load: loads its content */

/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/** Number of tab lists created, which makes their ids unique. */
let numTabs = 0;

export class Tabs {
  /**
   * @param {string} label accessible name of the tab list
   * @param {[string, Panel][]} panels
   * @param {(panel: Panel) => void} onSelect called when another panel is shown
   */
  constructor(label, panels, onSelect) {
    numTabs += 1;
    const id = `${numTabs}`;
    this.contents = panels.map(([, panel]) => panel);
    this.onSelect = onSelect;
    this.tabs = panels.map(([name], index) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${id}-${index}`,
          "aria-controls": `panel-${id}-${index}`,
          onclick: () => this.select(index),
          onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event, index),
        },
        name,
      ),
    );
    this.contents.forEach(({ load }, index) => {
      const tab = this.tabs[index];
      if (tab && load) preload(tab, load);
    });
    this.panels = this.contents.map(({ element }, index) =>
      h(
        "div",
        {
          role: "tabpanel",
          id: `panel-${id}-${index}`,
          "aria-labelledby": `tab-${id}-${index}`,
          tabindex: "0",
        },
        element,
      ),
    );
    this.element = h(
      "div",
      {},
      h("div", { role: "tablist", "aria-label": label }, ...this.tabs),
      ...this.panels,
    );
    this.select(0);
  }

  /** @param {number} selected */
  select(selected) {
    this.tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(index === selected));
      tab.tabIndex = index === selected ? 0 : -1;
    });
    this.panels.forEach((panel, index) => {
      panel.hidden = index !== selected;
    });
    const content = this.contents[selected];
    if (content) this.onSelect(content);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} index
   */
  onKey(event, index) {
    const step = STEPS[event.key];
    if (!step) return;
    const next = (index + step + this.tabs.length) % this.tabs.length;
    this.select(next);
    this.tabs[next]?.focus();
    event.preventDefault();
  }
}
