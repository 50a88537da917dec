// Pictures by the player that moved last: thumbnails side by side, each with a large view.

import { get } from "./api.js";
import { button, fill, h } from "./dom.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").SeenPicture} SeenPicture */
/** @typedef {import("./game.js").GamePage} GamePage */

export class Gallery {
  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
    this.element = h("div", { class: "gallery", hidden: true });
    /** The node whose pictures are shown or requested. */
    this.seen = -1;
  }

  /**
   * Request pictures only while the panel is visible.
   * @param {View} view
   */
  show(view) {
    const thought = view.thought;
    const hasAny = thought && (thought.pictures.length > 0 || thought.scores.length > 1);
    this.element.hidden = !hasAny;
    if (!hasAny) fill(this.element);
    if (!hasAny || view.node === this.seen || this.element.offsetParent === null) {
      if (view.node !== this.seen) this.seen = -1;
      return;
    }
    this.seen = view.node;
    void this.page.aside(async () => {
      const found = /** @type {SeenPicture[]} */ (
        await get(`${this.page.path}/pictures`, { node: view.node })
      );
      if (this.seen === view.node) this.hang(found);
    });
  }

  /** @param {SeenPicture[]} pictures */
  hang(pictures) {
    const hadFocus = this.element.contains(document.activeElement);
    fill(this.element, ...pictures.map((picture) => this.small(picture)));
    this.element.hidden = !pictures.length;
    if (hadFocus) this.element.querySelector("button")?.focus();
  }

  /** @param {SeenPicture} picture */
  small(picture) {
    return h(
      "figure",
      {},
      h(
        "button",
        {
          type: "button",
          class: "picture",
          "aria-label": `${picture.title}, enlarge`,
          onclick: () => enlarge(picture),
        },
        painted(picture),
      ),
      h("figcaption", {}, h("strong", {}, picture.title), picture.text && ` ${picture.text}`),
    );
  }
}

/** @param {SeenPicture} picture */
function painted(picture) {
  const read = new DOMParser().parseFromString(picture.svg, "image/svg+xml").documentElement;
  const svg = /** @type {SVGSVGElement} */ (
    /** @type {unknown} */ (document.importNode(read, true))
  );
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.querySelector("title")?.remove();
  svg.setAttribute("aria-label", `${picture.title}. ${svg.querySelector("desc")?.textContent}`);
  return svg;
}

/** @param {SeenPicture} picture */
function enlarge(picture) {
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    { class: "large", "aria-labelledby": "picture-title", onclose: () => dialog.remove() },
    h("h2", { id: "picture-title" }, picture.title),
    painted(picture),
    picture.text && h("p", {}, picture.text),
    h(
      "div",
      { class: "row end" },
      button("Close", () => dialog.close()),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
