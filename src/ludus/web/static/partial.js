// A move that is being entered, drawn over the board of the server: marks, moved men, used dice.

import { findShapes, isInside } from "./animation.js";
import { createSvg, parseSvg } from "./dom.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").Slots} Slots */
/** @typedef {import("./entry.js").MoveEntry} MoveEntry */
/** @typedef {import("./board.js").Drawing} Drawing */

/** Distance from a slot within which a shape is the man that stands there. */
const NEAR = 4;
/** The same for parts of a man, which are smaller than their square. */
const FAR = 26;
/** @type {Record<string, string>} */
const EFFECTS = { begin: "can be chosen", go: "can go here", take: "can be taken" };

/**
 * Draw what the touches have changed, and mark what may be touched next.
 * @param {SVGSVGElement} svg in the page
 * @param {Drawing} view
 * @param {MoveEntry} entry
 * @param {Record<string, "good" | "bad">} rated
 */
export function drawEntry(svg, view, entry, rated) {
  const before = entry.drawn;
  for (const name of new Set([...Object.keys(before), ...Object.keys(entry.stacks)])) {
    const [side, count] = entry.stacks[name] ?? before[name] ?? [0, 0];
    const isSame = String(entry.stacks[name]) === String(before[name]);
    const slots = entry.slots[name];
    const man = view.board?.men[side] ?? "";
    if (!isSame && slots) drawStack(svg, slots, man, side, entry.stacks[name] ? count : 0);
  }
  if (entry.touched.length) for (const mark of svg.querySelectorAll(".last")) mark.remove();
  drawDice(svg, entry.here?.dice_left ?? null);
  /** @type {Record<string, string>} */
  const marks = { ...Object.fromEntries(entry.places.map((place) => [place, entry.stage === "take" ? "take" : "legal"])), ...rated };
  if (entry.selected) marks[entry.selected] = "selected";
  for (const [place, kind] of Object.entries(marks)) {
    const name = entry.stackOf(place);
    const slots = entry.slots[name];
    if (!slots) continue;
    const count = entry.stacks[name]?.[1] ?? 0;
    const { x, y } = slotCentre(slots, Math.max(Math.min(count, slots[4]) - 1, 0));
    const mark = drawOver(svg, view.board?.marks[kind] ?? "");
    mark.setAttribute("transform", `translate(${x} ${y})`);
    if (!count) for (const each of mark.querySelectorAll(".mark.legal")) each.classList.add("free");
  }
}

/**
 * Add shapes over the men and below the places.
 * @param {SVGSVGElement} svg
 * @param {string} shapes
 */
export function drawOver(svg, shapes) {
  const group = createSvg("g", {});
  const parsed = parseSvg(`<svg xmlns="http://www.w3.org/2000/svg">${shapes}</svg>`);
  group.append(...parsed.childNodes);
  svg.insertBefore(group, svg.querySelector(".place"));
  return group;
}

/**
 * Describe a place for screen readers.
 * @param {string} place
 * @param {Drawing} view
 * @param {MoveEntry | null} entry
 */
export function labelPlace(place, view, entry) {
  const label = view.labels[place] ?? place;
  if (!entry) return label;
  const words = [describeMen(place, label, view, entry)];
  if (place === entry.selected) words.push("chosen");
  if (entry.places.includes(place)) words.push(EFFECTS[entry.stage] ?? "");
  return words.join(", ");
}

/**
 * Return the label of a place with the men that stand there now.
 * @param {string} place
 * @param {string} label
 * @param {Drawing} view
 * @param {MoveEntry} entry
 */
function describeMen(place, label, view, entry) {
  const names = entry.slots[place] ? [place] : [`${place}0`, `${place}1`];
  const [now, before] = [entry.stacks, entry.drawn].map((stacks) =>
    names.flatMap((name) => (name in stacks ? [/** @type {[number, number]} */ (stacks[name])] : [])),
  );
  if (!now || String(now) === String(before)) return label;
  const men = now.map(([side, count]) => {
    const name = view.seats?.[side]?.side.toLowerCase() ?? "";
    const man = view.has_dice ? "checker" : "man";
    return `${count} ${name} ${count === 1 ? man : man.replace(/an$/, "en").replace(/r$/, "rs")}`;
  });
  return [label.split(",")[0], men.join(", ") || "empty"].join(", ");
}

/**
 * @param {Slots} slots
 * @param {number} number
 */
function slotCentre([x, y, stepX, stepY], number) {
  return { x: x + number * stepX, y: y + number * stepY };
}

/**
 * @param {{ x: number, y: number }} first
 * @param {{ x: number, y: number }} second
 * @param {number} reach
 */
const isNear = (first, second, reach) => Math.hypot(first.x - second.x, first.y - second.y) < reach;

/**
 * Draw the men of one place again.
 * @param {SVGSVGElement} svg
 * @param {Slots} slots
 * @param {string} man the shapes of one, around the point 0, 0
 * @param {number} side
 * @param {number} count
 */
function drawStack(svg, slots, man, side, count) {
  const size = slots[4];
  const centres = Array.from({ length: size }, (_, number) => slotCentre(slots, number));
  // A pawn has a foot and a head, each beside the middle of its square.
  const reach = man.includes("<path") ? FAR : NEAR;
  for (const { element, ...centre } of findShapes(svg, ".man, .stroke"))
    if (centres.some((each) => isNear(each, centre, reach))) element.remove();
  for (const text of svg.querySelectorAll(".count")) {
    const centre = { x: Number(text.getAttribute("x")), y: Number(text.getAttribute("y")) };
    if (centres.some((each) => isNear(each, centre, NEAR))) text.remove();
  }
  for (const { x, y } of centres.slice(0, count))
    for (const shape of drawOver(svg, man).children) moveShape(shape, x, y);
  if (count <= size || !size) return;
  const { x, y } = slotCentre(slots, size - 1);
  const colour = side ? "black" : "white";
  svg.insertBefore(createSvg("text", { class: `count ${colour}`, x, y, dy: "0.35em" }, String(count)), svg.querySelector(".place"));
}

/**
 * Move a circle, or a path of absolute coordinates.
 * @param {Element} shape
 * @param {number} right
 * @param {number} down
 */
function moveShape(shape, right, down) {
  const shift = (/** @type {string} */ name, /** @type {number} */ step) =>
    shape.setAttribute(name, String(Number(shape.getAttribute(name)) + step));
  if (shape.tagName === "circle") {
    shift("cx", right);
    shift("cy", down);
    return;
  }
  let isAcross = false;
  const path = shape.getAttribute("d") ?? "";
  const moved = path.replace(/-?[\d.]+/g, (number) => {
    isAcross = !isAcross;
    return String(Number(number) + (isAcross ? right : down));
  });
  shape.setAttribute("d", moved);
}

/**
 * Show which dice are played.
 * @param {SVGSVGElement} svg
 * @param {number[] | null} left the dice that are left; null for all
 */
function drawDice(svg, left) {
  if (!left) return;
  const waiting = [...left];
  const pips = /** @type {SVGGraphicsElement[]} */ ([...svg.querySelectorAll(".pip")]);
  for (const die of /** @type {NodeListOf<SVGGraphicsElement>} */ (svg.querySelectorAll(".die"))) {
    const box = die.getBBox();
    const own = pips.filter((pip) =>
      isInside(box, { x: Number(pip.getAttribute("cx")), y: Number(pip.getAttribute("cy")) }),
    );
    const index = waiting.indexOf(own.length);
    if (index >= 0) waiting.splice(index, 1);
    else for (const shape of [die, ...own]) shape.classList.add("used");
  }
}
