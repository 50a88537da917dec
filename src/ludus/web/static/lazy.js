// Scripts that are loaded when they are needed, or when the pointer comes near what needs them.

import { NO_ANSWER, RequestError } from "./api.js";
import { button, errorMessage, h, showNotice } from "./dom.js";

/**
 * Load a script; without a connection the error is that of any other request.
 * @template T
 * @param {() => Promise<T>} load
 * @returns {Promise<T>}
 */
export async function loadScript(load) {
  try {
    return await load();
  } catch (error) {
    if (error instanceof TypeError) throw new RequestError(0, NO_ANSWER);
    throw error;
  }
}

/**
 * Load a script as soon as the pointer or the focus reaches an element that will need it.
 * @param {HTMLElement} element
 * @param {() => Promise<unknown>} load
 */
export function preload(element, load) {
  for (const kind of ["pointerenter", "focus"])
    element.addEventListener(kind, () => void load().catch(() => {}), { once: true });
}

/**
 * Create a button whose action has a script of its own.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} load
 * @param {(script: T) => unknown} run
 */
export function makeLazyButton(label, load, run) {
  const onClick = async () => {
    try {
      await run(await loadScript(load));
    } catch (error) {
      showNotice(errorMessage(error));
    }
  };
  const element = button(label, onClick);
  preload(element, load);
  return element;
}

/**
 * Panel whose script is loaded when it is shown for the first time.
 * @template {{ element: HTMLElement }} P
 */
export class LazyPanel {
  /** @param {() => Promise<P>} create imports the script of the panel and creates it */
  constructor(create) {
    this.create = create;
    this.element = h("div", {});
    /** @type {P | null} */
    this.panel = null;
    /** @type {Promise<P> | null} */
    this.loading = null;
    this.load = this.load.bind(this);
  }

  /** Return the panel; a failure to load it is not remembered. */
  async load() {
    this.loading ??= loadScript(this.create);
    try {
      const panel = await this.loading;
      if (!this.panel) this.element.append(panel.element);
      this.panel = panel;
      return panel;
    } catch (error) {
      this.loading = null;
      throw error;
    }
  }
}
