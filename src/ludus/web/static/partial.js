// A move that is being entered, drawn over the board of the server: marks, moved men, used dice.

import { findMen, isInside } from "./animation.js";
import { createSvg, parseSvg } from "./dom.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").Slots} Slots */
/** @typedef {import("./entry.js").MoveEntry} MoveEntry */
/** @typedef {import("./board.js").Drawing} Drawing */

/** Distance from a slot within which a shape is the man that stands there. */
const NEAR = 4;
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
  const men = [0, 1].map((side) => findMan(svg, entry, side));
  for (const name of new Set([...Object.keys(before), ...Object.keys(entry.stacks)])) {
    const [side, count] = entry.stacks[name] ?? before[name] ?? [0, 0];
    const isSame = String(entry.stacks[name]) === String(before[name]);
    const slots = entry.slots[name];
    if (!isSame && slots) drawStack(svg, slots, men[side] ?? null, entry.stacks[name] ? count : 0);
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
 * Return the shape of some man of a side; null if none is a single shape.
 * @param {SVGSVGElement} svg
 * @param {MoveEntry} entry
 * @param {number} side
 */
function findMan(svg, entry, side) {
  const stacks = Object.entries(entry.drawn).filter(([, [owner]]) => owner === side);
  const men = findMen(svg);
  for (const [name] of stacks) {
    const slots = entry.slots[name];
    const man = slots && men.find((each) => isNear(each, slotCentre(slots, 0)));
    if (man && man.element.tagName === "circle") return man.element;
  }
  return null;
}

/**
 * @param {{ x: number, y: number }} first
 * @param {{ x: number, y: number }} second
 */
const isNear = (first, second) => Math.hypot(first.x - second.x, first.y - second.y) < NEAR;

/**
 * Draw the men of one place again.
 * @param {SVGSVGElement} svg
 * @param {Slots} slots
 * @param {SVGGraphicsElement | null} man the shape of one
 * @param {number} count
 */
function drawStack(svg, slots, man, count) {
  if (!man) return;
  const size = slots[4];
  const centres = Array.from({ length: size }, (_, number) => slotCentre(slots, number));
  for (const { element, ...centre } of findMen(svg))
    if (centres.some((each) => isNear(each, centre))) element.remove();
  for (const text of svg.querySelectorAll(".count")) {
    const centre = { x: Number(text.getAttribute("x")), y: Number(text.getAttribute("y")) };
    if (centres.some((each) => isNear(each, centre))) text.remove();
  }
  const places = svg.querySelector(".place");
  for (const { x, y } of centres.slice(0, count)) {
    const copy = /** @type {SVGGraphicsElement} */ (man.cloneNode(true));
    copy.setAttribute("cx", String(x));
    copy.setAttribute("cy", String(y));
    svg.insertBefore(copy, places);
  }
  if (count <= size || !size) return;
  const { x, y } = slotCentre(slots, size - 1);
  const side = man.classList.contains("black") ? "black" : "white";
  svg.insertBefore(createSvg("text", { class: `count ${side}`, x, y, dy: "0.35em" }, String(count)), places);
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
