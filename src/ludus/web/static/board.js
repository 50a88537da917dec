// The board: an SVG from the server whose places can be clicked, dragged between and navigated with
// the arrow keys. It knows the places and which may be touched, but no rules.

import { h } from "./dom.js";
import { carry, lift } from "./drag.js";
import { glide, remember, tumble } from "./motion.js";

/** @typedef {import("./types.js").View} View */

const DRAG_FROM = 6;
/** Minimum pixels per place (WCAG 2.5.8); below it the SVG is cropped to its places. */
const SMALLEST = 24;
const MARGIN = 6;
/** Pixels; a narrower board is cropped to its places; the page repeats below what is cut off. */
const NARROW = 480;
/** Margin for the coordinates beside the places. */
const LABELS = 32;

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  /**
   * @param {(place: string) => void} touch called when a place is touched
   * @param {() => void} undo called to undo the last touch
   * @param {() => void} [turn] called to flip the board
   */
  constructor(touch, undo, turn) {
    this.element = h("div", { class: "table" });
    this.touch = touch;
    this.undo = undo;
    this.turn = turn;
    this.isFlipped = false;
    /** @type {SVGSVGElement | null} */
    this.svg = null;
    this.dice = "";
    /** @type {string[]} */
    this.places = [];
    this.chosen = "";
    /** @type {{ place: string, x: number, y: number, ghost: SVGGElement | null, at: number } | null} */
    this.drag = null;
    this.current = "";
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("pointerdown", (event) => this.press(event));
    this.element.addEventListener("pointermove", (event) => this.move(event));
    this.element.addEventListener("pointerup", (event) => this.release(event));
    this.element.addEventListener("pointercancel", () => this.drop());
    this.element.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place) this.touch(place);
    });
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  /**
   * Show a view; men are animated from their previous places.
   * @param {Pick<View, "svg" | "places" | "labels" | "touched" | "title">} view
   */
  show(view) {
    const before = this.svg ? remember(this.svg) : [];
    const hadFocus = this.element.contains(document.activeElement);
    const read = new DOMParser().parseFromString(view.svg, "image/svg+xml").documentElement;
    const svg = /** @type {SVGSVGElement} */ (
      /** @type {unknown} */ (document.importNode(read, true))
    );
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", `${view.title}, the board`);
    svg.querySelector("title")?.remove();
    this.places = view.places;
    this.chosen = view.touched.at(-1) ?? "";
    this.label(svg, view);
    this.element.replaceChildren(svg);
    this.svg = svg;
    soften(svg);
    for (const area of areasOf(svg)) area.classList.toggle("held", lift(svg, area) !== null);
    this.lay(svg);
    this.fit();
    glide(before, svg);
    this.roll(svg);
    this.element.classList.toggle("choosing", view.touched.length > 0);
    if (hadFocus) this.at(this.current)?.focus();
  }

  /**
   * @param {SVGSVGElement} svg
   * @param {Pick<View, "places" | "labels">} view
   */
  label(svg, view) {
    const areas = areasOf(svg);
    const names = areas.map((area) => area.dataset.place ?? "");
    if (!names.includes(this.current)) this.current = view.places[0] ?? names[0] ?? "";
    for (const area of areas) {
      const name = area.dataset.place ?? "";
      area.querySelector("title")?.remove();
      area.setAttribute("role", "button");
      area.setAttribute("aria-label", view.labels[name] ?? name);
      area.setAttribute("tabindex", name === this.current ? "0" : "-1");
      const isOpen = view.places.includes(name);
      area.classList.toggle("open", isOpen);
      if (!isOpen) area.setAttribute("aria-disabled", "true");
    }
  }

  /** Flip the board. */
  flip() {
    this.isFlipped = !this.isFlipped;
    if (this.svg) this.lay(this.svg);
  }

  /**
   * Apply the orientation of the board, keeping texts and men upright.
   * @param {SVGSVGElement} svg
   */
  lay(svg) {
    this.element.classList.toggle("flipped", this.isFlipped);
    if (this.isFlipped) standUpright(svg);
  }

  /**
   * Animate dice that are new.
   * @param {SVGSVGElement} svg
   */
  roll(svg) {
    const pips = [...svg.querySelectorAll(".pip")];
    const dice = pips.map((pip) => `${pip.getAttribute("cx")},${pip.getAttribute("cy")}`).join(" ");
    if (dice && dice !== this.dice) tumble(svg);
    this.dice = dice;
  }

  /** Crop the caption, which the page shows itself, and the margins that a narrow screen lacks. */
  fit() {
    const svg = this.svg;
    if (!svg || !this.element.clientWidth) return;
    const caption = svg.querySelector(".caption");
    const ground = /** @type {SVGGraphicsElement | null} */ (svg.querySelector(".ground"));
    if (!ground) return;
    const { width, height } = ground.getBBox();
    const bottom = caption ? Number(caption.getAttribute("y")) - 14 : height;
    const areas = areasOf(svg);
    const boxes = areas.map((area) => area.getBBox());
    const smallest = Math.min(...boxes.map((box) => Math.min(box.width, box.height)));
    const [room, first] = [this.element.clientWidth, Math.min(...boxes.map((box) => box.x))];
    const last = Math.max(...boxes.map((box) => box.x + box.width));
    let [left, right] = [0, width];
    if (room < NARROW)
      [left, right] = [Math.max(first - LABELS, 0), Math.min(last + LABELS, width)];
    if ((smallest * room) / (right - left) < SMALLEST) [left, right] = [first, last];
    svg.setAttribute("viewBox", `${left} 0 ${right - left} ${bottom}`);
  }

  /**
   * Return the area of a place.
   * @param {string} place
   * @returns {SVGRectElement | null}
   */
  at(place) {
    return this.svg?.querySelector(`.place[data-place="${CSS.escape(place)}"]`) ?? null;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const place = /** @type {SVGElement} */ (event.target).dataset?.place;
    if (!place) return;
    if (event.key in ARROWS) this.walk(place, ARROWS[event.key] ?? [0, 0]);
    else if (event.key === "Enter" || event.key === " ") this.touch(place);
    else if (event.key === "Escape") this.undo();
    else if (event.key === "f" && this.turn && !event.ctrlKey && !event.metaKey) this.turn();
    else return;
    event.preventDefault();
  }

  /**
   * Move the focus to the nearest place in a direction.
   * @param {string} from
   * @param {[number, number]} direction
   */
  walk(from, [right, down]) {
    if (this.isFlipped) [right, down] = [-right, -down];
    const start = this.at(from)?.getBBox();
    if (!start || !this.svg) return;
    let best = null;
    let least = Infinity;
    for (const area of areasOf(this.svg)) {
      const box = area.getBBox();
      const x = box.x + box.width / 2 - start.x - start.width / 2;
      const y = box.y + box.height / 2 - start.y - start.height / 2;
      const ahead = x * right + y * down;
      const aside = Math.abs(x * down) + Math.abs(y * right);
      if (ahead > MARGIN && ahead + 2.5 * aside < least) {
        best = area;
        least = ahead + 2.5 * aside;
      }
    }
    if (best) this.focus(best);
  }

  /** @param {SVGRectElement} area */
  focus(area) {
    this.at(this.current)?.setAttribute("tabindex", "-1");
    this.current = area.dataset.place ?? "";
    area.setAttribute("tabindex", "0");
    area.focus();
  }

  /** @param {PointerEvent} event */
  press(event) {
    const place = placeOf(event.target);
    if (!place || event.button !== 0) return;
    const area = this.at(place);
    this.at(this.current)?.setAttribute("tabindex", "-1");
    this.current = place;
    area?.setAttribute("tabindex", "0");
    this.drag = { place, x: event.clientX, y: event.clientY, ghost: null, at: event.pointerId };
  }

  /** @param {PointerEvent} event */
  move(event) {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.at) return;
    const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
    const isChosen = drag.place === this.chosen;
    if (!drag.ghost && far > DRAG_FROM && (isChosen || this.places.includes(drag.place))) {
      drag.ghost = this.svg ? lift(this.svg, this.at(drag.place)) : null;
      if (drag.ghost) {
        if (!isChosen) this.touch(drag.place);
        this.element.setPointerCapture(event.pointerId);
      }
    }
    if (drag.ghost && this.svg) carry(this.svg, drag.ghost, event);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const drag = this.drag;
    this.drop();
    if (!drag || event.pointerId !== drag.at) return;
    const under = placeOf(document.elementFromPoint(event.clientX, event.clientY));
    // Without a dragged man this is a click, which has its own event.
    if (drag.ghost && under && under !== drag.place) this.touch(under);
  }

  drop() {
    this.drag?.ghost?.remove();
    this.drag = null;
  }
}

/**
 * @param {SVGSVGElement} svg
 * @returns {SVGRectElement[]}
 */
function areasOf(svg) {
  return [...svg.querySelectorAll(".place")].map((area) => /** @type {SVGRectElement} */ (area));
}

/**
 * Rotate texts around their own position, and men of several parts around their place.
 * @param {SVGSVGElement} svg
 */
function standUpright(svg) {
  for (const text of svg.querySelectorAll("text"))
    text.style.transformOrigin = `${text.getAttribute("x")}px ${text.getAttribute("y")}px`;
  for (const area of areasOf(svg)) {
    const { x, y, width, height } = area.getBBox();
    const men = /** @type {SVGGraphicsElement[]} */ ([...svg.querySelectorAll(".man")]);
    const here = men.filter((man) => {
      const box = man.getBBox();
      const [atX, atY] = [box.x + box.width / 2, box.y + box.height / 2];
      return atX > x && atX < x + width && atY > y && atY < y + height;
    });
    if (here.every((man) => man.tagName === here[0]?.tagName)) continue;
    for (const man of here) {
      man.classList.add("upright");
      man.style.transformOrigin = `${x + width / 2}px ${y + height / 2}px`;
    }
  }
}

/**
 * Mark free legal places with a small dot, and men that may be touched with a ring.
 * @param {SVGSVGElement} svg
 */
function soften(svg) {
  const men = /** @type {SVGGraphicsElement[]} */ ([...svg.querySelectorAll(".man")]);
  const boxes = men.map((man) => man.getBBox());
  for (const mark of svg.querySelectorAll(".mark.legal")) {
    const [x, y] = [Number(mark.getAttribute("cx")), Number(mark.getAttribute("cy"))];
    const isHeld = boxes.some(
      (box) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height,
    );
    mark.classList.toggle("free", !isHeld);
  }
}

/**
 * @param {EventTarget | null} target
 * @returns {string | undefined}
 */
function placeOf(target) {
  return target instanceof SVGElement ? target.dataset.place : undefined;
}
