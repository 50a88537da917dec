// DOM helpers: elements, dialogs, messages, and announcements for screen readers.

/** @typedef {Node | string | null | undefined | false} Child */

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

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
  setChildren(element, ...children);
  return element;
}

/**
 * Create an SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function createSvg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG_NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * Parse a drawing from the server; its size and its accessible name are those of the page.
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function parseSvg(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const svg = /** @type {SVGSVGElement} */ (
    /** @type {unknown} */ (document.importNode(parsed, true))
  );
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.querySelector("title")?.remove();
  return svg;
}

/**
 * Return the element with this id, which must exist.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element with the id ${id}`);
  return found;
}

/**
 * Replace the children of an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function setChildren(element, ...children) {
  element.replaceChildren(
    .../** @type {(Node | string)[]} */ (children.filter((child) => child)),
  );
}

/**
 * Create a button.
 * @param {string} label
 * @param {() => unknown} onClick
 * @param {Record<string, unknown>} [attributes]
 */
export function button(label, onClick, attributes = {}) {
  return h("button", { type: "button", onclick: onClick, ...attributes }, label);
}

/**
 * Create the options of a select element.
 * @param {(readonly [string | number, string])[]} options values and labels
 */
export function makeOptions(options) {
  return options.map(([value, label]) => h("option", { value }, label));
}

/**
 * Open a modal dialog, which is removed from the page when it closes.
 * @param {string} title
 * @param {Child[]} content
 * @param {{ label: string, run: (dialog: HTMLDialogElement) => unknown }} [action]
 *   the main button, next to Cancel; without it the dialog has a Close button
 */
export function openDialog(title, content, action) {
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    { "aria-labelledby": "dialog-title", onclose: () => dialog.remove() },
    h("h2", { id: "dialog-title" }, title),
    ...content,
    h(
      "div",
      { class: "row end" },
      button(action ? "Cancel" : "Close", () => dialog.close()),
      action && button(action.label, () => action.run(dialog), { class: "primary" }),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Show a text until it has been read, then go on.
 * @param {string} title
 * @param {string} text
 * @param {string} label of the button
 * @param {() => unknown} goOn
 */
export function openNoticeDialog(title, text, label, goOn) {
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    {
      "aria-labelledby": "dialog-title",
      onclose: () => {
        dialog.remove();
        goOn();
      },
    },
    h("h2", { id: "dialog-title" }, title),
    h("p", {}, text),
    h("div", { class: "row end" }, button(label, () => dialog.close(), { class: "primary" })),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Announce a text through the ARIA live region.
 * @param {string} text
 */
export function announce(text) {
  const region = byId("live-region");
  if (region.textContent !== text) region.textContent = text;
}

/**
 * Show or hide the message that the server does not answer; other messages do not replace it.
 * @param {boolean} isConnected
 */
export function showConnection(isConnected) {
  const element = byId("connection");
  element.textContent = isConnected ? "" : "No connection to the server; trying again …";
  element.hidden = isConnected;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let noticeTimer;

/**
 * Show a short message at the bottom of the page.
 * @param {string} text
 * @param {number} [seconds] duration; 0 keeps it until the next message
 */
export function showNotice(text, seconds = 5) {
  const element = byId("notice");
  clearTimeout(noticeTimer);
  element.textContent = text;
  element.hidden = !text;
  if (text && seconds)
    noticeTimer = setTimeout(() => {
      element.hidden = true;
    }, 1000 * seconds);
}

/**
 * Return the message of anything that was thrown.
 * @param {unknown} error
 */
export function errorMessage(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Close a sheet, if it is open.
 * @param {HTMLElement} sheet
 */
export const closeSheet = (sheet) =>
  /** @type {HTMLElement & { hidePopover: () => void }} */ (sheet).hidePopover();
