// DOM helpers: creating elements, and announcements for screen readers.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Create an element with attributes, listeners (`onclick` and the like) and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name === "value" && "value" in element) {
      /** @type {HTMLInputElement} */ (element).value = String(value);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) {
    if (child) element.append(child);
  }
  return element;
}

/**
 * Return the element with this id, which must exist.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

/**
 * Replace the children of an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children
      .filter((child) => child !== null && child !== undefined && child !== false)
      .map((child) => /** @type {Node | string} */ (child)),
  );
}

/**
 * Announce a text through the ARIA live region.
 * @param {string} text
 */
export function say(text) {
  const region = byId("said");
  if (region.textContent !== text) region.textContent = text;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

/**
 * Show a short message at the foot of the page.
 * @param {string} text
 * @param {number} [seconds] duration; 0 keeps it until the next message
 */
export function notice(text, seconds = 5) {
  const element = byId("notice");
  clearTimeout(fading);
  element.textContent = text;
  element.hidden = !text;
  if (text && seconds)
    fading = setTimeout(() => {
      element.hidden = true;
    }, 1000 * seconds);
}

/**
 * Create a button.
 * @param {string} label
 * @param {() => unknown} act
 * @param {Record<string, unknown>} [attributes]
 */
export function button(label, act, attributes = {}) {
  return h("button", { type: "button", onclick: act, ...attributes }, label);
}
