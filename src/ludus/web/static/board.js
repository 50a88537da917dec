// The board: an SVG from the server whose places can be clicked, dragged between and navigated with
// the arrow keys. It knows the places and which may be touched, but no rules.

import {
  animateDice,
  animateMen,
  captureMen,
  copyMan,
  findMen,
  followPointer,
  isInside,
} from "./animation.js";
import { h, parseSvg } from "./dom.js";
import { showMaterial } from "./material.js";
import { drawEntry, drawOver, labelPlace } from "./partial.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./entry.js").MoveEntry} MoveEntry */
/**
 * @typedef {Pick<GameView, "svg" | "labels" | "title"> & Partial<GameView> & { places?: string[] }} Drawing
 *   places: those that may be touched, where no move is entered
 */

/** Distance in pixels from which a pressed pointer drags. */
const DRAG_DISTANCE = 6;
/** Minimum pixels per place (WCAG 2.5.8); below it the SVG is cropped to its places. */
const MIN_PLACE_SIZE = 24;
/** Pixels; a narrower board is cropped to its places; the page repeats below what is cut off. */
const NARROW_WIDTH = 480;
/** Margin for the coordinates beside the places. */
const LABEL_MARGIN = 32;
/** Shapes of the empty board, which are drawn before those of men and marks. */
const EMPTY_BOARD = ".ground, .board, .frame, .tone, .shade, .edge, .line";
const MEN = ".man, .stroke, .heat, .dot, .die, .place";
/** Empty margin of a drawing at its left and right. */
const OUTER_MARGIN = 16;
/** Height of the caption above its baseline. */
const CAPTION_HEIGHT = 14;
/** An arrow key ignores places that are not at least this far in its direction. */
const MIN_FOCUS_STEP = 6;
/** Cost of distance across the direction of an arrow key, relative to distance along it. */
const SIDEWAYS_COST = 2.5;

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class BoardView {
  /**
   * @param {(place: string) => void} onTouch called when a place is touched
   * @param {() => void} onUndo called to undo the last touch
   * @param {() => void} [onFlip] called to flip the board
   */
  constructor(onTouch, onUndo, onFlip) {
    this.element = h("div", { class: "board-view" });
    this.table = h("div", { class: "table", "aria-hidden": "true" });
    this.onTouch = onTouch;
    this.onUndo = onUndo;
    this.onFlip = onFlip;
    this.isFlipped = false;
    /** @type {SVGSVGElement | null} */
    this.svg = null;
    /** The dice shown, as positions of their pips. */
    this.dice = "";
    /**
     * Places that may be touched.
     * @type {string[]}
     */
    this.places = [];
    /** The place touched last in a partial move. */
    this.selected = "";
    /** The place in the tab order. */
    this.focused = "";
    /**
     * The pressed pointer, the element it is on, and the ghost: the man that it drags.
     * @type {{ place: string, area: EventTarget | null, x: number, y: number,
     *   ghost: SVGGElement | null, id: number } | null}
     */
    this.drag = null;
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    this.element.addEventListener("pointerdown", (event) => this.onPointerDown(event));
    this.element.addEventListener("pointermove", (event) => this.onPointerMove(event));
    this.element.addEventListener("pointerup", (event) => this.onPointerUp(event));
    this.element.addEventListener("pointercancel", () => this.endDrag());
    this.element.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place) this.onTouch(place);
    });
    new ResizeObserver(() => this.cropToFit()).observe(this.element);
  }

  /**
   * Show a view; men are animated from their previous places.
   * @param {Drawing} view
   * @param {MoveEntry | null} [entry] the move that is being entered
   * @param {Record<string, "good" | "bad">} [rated] places that are known to be good or bad
   * @param {string} [shapes] SVG to lie over the men
   */
  show(view, entry = null, rated = {}, shapes = "") {
    const before = this.svg ? captureMen(this.svg) : [];
    const hadFocus = this.element.contains(document.activeElement);
    const svg = parseSvg(view.svg);
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", `${view.title}, the board`);
    this.places = entry ? entry.places : (view.places ?? []);
    this.selected = entry?.selected ?? "";
    this.splitBoard(svg);
    this.element.replaceChildren(this.table, svg);
    this.svg = svg;
    if (view.game) {
      showMaterial(view.game);
      this.element.dataset.game = view.game;
    }
    // The line of a closed mill lies under its men.
    const man = svg.querySelector(".man, .stroke");
    for (const line of svg.querySelectorAll(".joined")) svg.insertBefore(line, man);
    if (entry) drawEntry(svg, view, entry, rated);
    this.labelPlaces(svg, view, entry);
    if (shapes) drawOver(svg, shapes);
    for (const area of areasOf(svg)) area.classList.toggle("occupied", copyMan(svg, area) !== null);
    this.applyFlip(svg);
    this.cropToFit();
    animateMen(before, svg);
    this.animateNewDice(svg);
    // The touch that starts a drag draws the board again; the man stays in the hand.
    if (this.drag?.ghost) svg.append(this.drag.ghost);
    if (hadFocus) this.areaOf(this.focused)?.focus();
  }

  /**
   * Move the empty board of a drawing to a layer of its own, which is painted again only if it
   * changes.
   * @param {SVGSVGElement} svg
   */
  splitBoard(svg) {
    const board = /** @type {SVGSVGElement} */ (svg.cloneNode(false));
    board.removeAttribute("role");
    for (const shape of [...svg.children]) {
      if (shape.matches(MEN)) break;
      if (shape.matches(EMPTY_BOARD)) board.append(shape);
    }
    const old = this.table.firstElementChild;
    if (old && old.innerHTML === board.innerHTML) return;
    this.table.replaceChildren(board);
  }

  /**
   * @param {SVGSVGElement} svg
   * @param {Drawing} view
   * @param {MoveEntry | null} entry
   */
  labelPlaces(svg, view, entry) {
    const areas = areasOf(svg);
    const names = areas.map((area) => area.dataset.place ?? "");
    if (!names.includes(this.focused)) this.focused = this.places[0] ?? names[0] ?? "";
    for (const area of areas) {
      const name = area.dataset.place ?? "";
      const isEnabled = this.places.includes(name);
      area.querySelector("title")?.remove();
      area.setAttribute("role", "button");
      area.setAttribute("aria-label", labelPlace(name, view, entry));
      area.setAttribute("tabindex", name === this.focused ? "0" : "-1");
      area.classList.toggle("enabled", isEnabled);
      if (!isEnabled) area.setAttribute("aria-disabled", "true");
    }
  }

  flip() {
    this.isFlipped = !this.isFlipped;
    if (this.svg) this.applyFlip(this.svg);
  }

  /** @param {SVGSVGElement} svg */
  applyFlip(svg) {
    this.element.classList.toggle("flipped", this.isFlipped);
    if (this.isFlipped) keepUpright(svg);
  }

  /** @param {SVGSVGElement} svg */
  animateNewDice(svg) {
    const pips = [...svg.querySelectorAll(".pip")];
    const dice = pips.map((pip) => `${pip.getAttribute("cx")},${pip.getAttribute("cy")}`).join(" ");
    if (dice && dice !== this.dice) animateDice(svg);
    this.dice = dice;
  }

  /** Crop the caption, which the page shows itself, and the margins that a narrow screen lacks. */
  cropToFit() {
    const svg = this.svg;
    const available = this.element.clientWidth;
    const background = /** @type {SVGGraphicsElement | null} */ (this.table.querySelector(".ground"));
    if (!svg || !available || !background) return;
    const { width, height } = background.getBBox();
    const caption = svg.querySelector(".caption");
    const bottom = caption ? Number(caption.getAttribute("y")) - CAPTION_HEIGHT : height;
    const boxes = areasOf(svg).map((area) => area.getBBox());
    const smallest = Math.min(...boxes.map((box) => Math.min(box.width, box.height)));
    const first = Math.min(...boxes.map((box) => box.x));
    const last = Math.max(...boxes.map((box) => box.x + box.width));
    let [left, right] = [OUTER_MARGIN, width - OUTER_MARGIN];
    if (available < NARROW_WIDTH)
      [left, right] = [Math.max(first - LABEL_MARGIN, 0), Math.min(last + LABEL_MARGIN, width)];
    if ((smallest * available) / (right - left) < MIN_PLACE_SIZE) [left, right] = [first, last];
    for (const each of [svg, this.table.firstElementChild])
      each?.setAttribute("viewBox", `${left} 0 ${right - left} ${bottom}`);
  }

  /**
   * Return the clickable area of a place.
   * @param {string} place
   * @returns {SVGRectElement | null}
   */
  areaOf(place) {
    return this.svg?.querySelector(`.place[data-place="${CSS.escape(place)}"]`) ?? null;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const place = placeOf(event.target);
    if (!place) return;
    if (event.key in ARROWS) this.moveFocus(place, ARROWS[event.key] ?? [0, 0]);
    else if (event.key === "Enter" || event.key === " ") this.onTouch(place);
    else if (event.key === "Escape") this.onUndo();
    else if (event.key === "f" && this.onFlip && !event.ctrlKey && !event.metaKey) this.onFlip();
    else return;
    event.preventDefault();
  }

  /**
   * Move the focus to the nearest place in a direction.
   * @param {string} from
   * @param {[number, number]} direction
   */
  moveFocus(from, [right, down]) {
    if (this.isFlipped) [right, down] = [-right, -down];
    const start = this.areaOf(from)?.getBBox();
    if (!start || !this.svg) return;
    let best = null;
    let lowestCost = Infinity;
    for (const area of areasOf(this.svg)) {
      const box = area.getBBox();
      const x = box.x + box.width / 2 - start.x - start.width / 2;
      const y = box.y + box.height / 2 - start.y - start.height / 2;
      const ahead = x * right + y * down;
      const cost = ahead + SIDEWAYS_COST * (Math.abs(x * down) + Math.abs(y * right));
      if (ahead > MIN_FOCUS_STEP && cost < lowestCost) [best, lowestCost] = [area, cost];
    }
    if (!best) return;
    this.setFocusable(best.dataset.place ?? "");
    best.focus();
  }

  /**
   * Put a place, and no other, in the tab order.
   * @param {string} place
   */
  setFocusable(place) {
    this.areaOf(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = place;
    this.areaOf(place)?.setAttribute("tabindex", "0");
  }

  /** @param {PointerEvent} event */
  onPointerDown(event) {
    const place = placeOf(event.target);
    if (!place || event.button !== 0) return;
    this.setFocusable(place);
    const { target: area, clientX: x, clientY: y, pointerId: id } = event;
    this.drag = { place, area, x, y, ghost: null, id };
  }

  /** @param {PointerEvent} event */
  onPointerMove(event) {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.id || !this.svg) return;
    const distance = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
    const isSelected = drag.place === this.selected;
    const canDrag = isSelected || this.places.includes(drag.place);
    if (!drag.ghost && distance > DRAG_DISTANCE && canDrag) {
      drag.ghost = copyMan(this.svg, this.areaOf(drag.place));
      if (drag.ghost) {
        if (!isSelected) this.onTouch(drag.place);
        this.element.setPointerCapture(event.pointerId);
      }
    }
    if (drag.ghost) followPointer(this.svg, drag.ghost, event);
  }

  /** @param {PointerEvent} event */
  onPointerUp(event) {
    const drag = this.drag;
    this.endDrag();
    if (!drag || event.pointerId !== drag.id) return;
    const target = placeOf(document.elementFromPoint(event.clientX, event.clientY));
    // Without a dragged man this is a click, which has its own event, unless the board was drawn
    // again since the pointer was pressed: the place is another element now.
    const isLostClick = !drag.ghost && target === drag.place && drag.area !== this.areaOf(target);
    if (target && (isLostClick || (drag.ghost && target !== drag.place))) this.onTouch(target);
  }

  endDrag() {
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
 * @param {EventTarget | null} target
 * @returns {string | undefined}
 */
function placeOf(target) {
  return target instanceof SVGElement ? target.dataset.place : undefined;
}

/**
 * Rotate texts around their own position, and men of several parts around their place.
 * @param {SVGSVGElement} svg
 */
function keepUpright(svg) {
  for (const text of svg.querySelectorAll("text"))
    text.style.transformOrigin = `${text.getAttribute("x")}px ${text.getAttribute("y")}px`;
  const men = findMen(svg);
  for (const area of areasOf(svg)) {
    const box = area.getBBox();
    const parts = men.filter((man) => isInside(box, man)).map(({ element }) => element);
    if (parts.every((part) => part.tagName === parts[0]?.tagName)) continue;
    for (const part of parts) {
      part.classList.add("upright");
      part.style.transformOrigin = `${box.x + box.width / 2}px ${box.y + box.height / 2}px`;
    }
  }
}
