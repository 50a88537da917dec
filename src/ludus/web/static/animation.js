// Motion of men: copies that follow the pointer while dragged, and transitions between two
// drawings, in which men that changed place move there.

import { createSvg } from "./dom.js";

const MOVE_TIMING = { duration: 260, easing: "cubic-bezier(.2,.7,.2,1)" };
const FADE_TIMING = { duration: 200, easing: "ease-out" };
const ROLL_TIME = 620;
/** Milliseconds for which a tumbling die shows a face. */
const FACE_TIME = 75;
/** Where the pips of each face are, in steps from its centre. */
const FACES = [
  [[0, 0]],
  [[-1, -1], [1, 1]],
  [[-1, -1], [0, 0], [1, 1]],
  [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
];
/**
 * Parts of one man are at most this far apart, in heights of the man; men of a stack are further
 * apart.
 */
const MAX_PART_DISTANCE = 1.6;

/**
 * A shape of the drawing and its centre.
 * @typedef {{ element: SVGGraphicsElement, x: number, y: number, box: DOMRect }} Shape
 */

/**
 * Return the shapes that a selector matches.
 * @param {SVGSVGElement} svg
 * @param {string} selector
 * @returns {Shape[]}
 */
export function findShapes(svg, selector) {
  const found = /** @type {NodeListOf<SVGGraphicsElement>} */ (svg.querySelectorAll(selector));
  return [...found].map((element) => {
    const box = element.getBBox();
    return { element, x: box.x + box.width / 2, y: box.y + box.height / 2, box };
  });
}

/**
 * Return the shapes of all men on the board, without a man that is being dragged.
 * @param {SVGSVGElement} svg
 */
export const findMen = (svg) => findShapes(svg, ".man:not(.ghost *)");

/**
 * Return whether a point is inside a box.
 * @param {DOMRect} box
 * @param {{ x: number, y: number }} point
 */
export function isInside(box, { x, y }) {
  return x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
}

/**
 * Copy the man on a place, or the last one of a stack; null if the place is empty.
 * @param {SVGSVGElement} svg
 * @param {SVGRectElement | null} area
 * @returns {SVGGElement | null}
 */
export function copyMan(svg, area) {
  if (!area) return null;
  const box = area.getBBox();
  const shapes = findMen(svg).filter((shape) => isInside(box, shape));
  const last = shapes.at(-1);
  if (!last) return null;
  // A pawn consists of a foot and a head; a stack consists of equal men, of which the last moves.
  const parts = shapes.filter(
    ({ element, y }) =>
      (element === last.element || element.tagName !== last.element.tagName) &&
      Math.abs(y - last.y) < MAX_PART_DISTANCE * last.box.height,
  );
  const attributes = { class: "ghost ludus", "data-x": last.x, "data-y": last.y };
  return createSvg("g", attributes, ...parts.map(({ element }) => element.cloneNode(true)));
}

/**
 * Move the copy of a man to the pointer.
 * @param {SVGSVGElement} svg
 * @param {SVGGElement} ghost
 * @param {PointerEvent} event
 */
export function followPointer(svg, ghost, event) {
  const matrix = svg.getScreenCTM();
  if (!matrix) return;
  if (ghost.parentNode !== svg) svg.append(ghost);
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  const [x, y] = [point.x - Number(ghost.dataset.x), point.y - Number(ghost.dataset.y)];
  ghost.setAttribute("transform", `translate(${x} ${y})`);
}

/** Return whether the user prefers reduced motion. */
function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Return what a shape is; a man that is taken goes beside the board.
 * @param {Shape} shape
 */
const kindOf = ({ element }) => `${element.tagName} ${element.getAttribute("class")?.replace(" taken", "")}`;

/** @param {Shape} shape */
const keyOf = (shape) =>
  [kindOf(shape), ...[shape.x, shape.y, shape.box.width].map((each) => each.toFixed(1))].join(" ");

/**
 * Capture the men of a drawing while it is in the page, to compare them with the next one.
 * @param {SVGSVGElement} svg
 * @returns {Shape[]}
 */
export function captureMen(svg) {
  return prefersReducedMotion() ? [] : findShapes(svg, ".man, .stroke");
}

/**
 * Animate the men of a new drawing from their previous places.
 * @param {Shape[]} before
 * @param {SVGSVGElement} svg
 */
export function animateMen(before, svg) {
  if (!before.length) return;
  const after = captureMen(svg);
  const [keysBefore, keysAfter] = [before, after].map((shapes) => new Set(shapes.map(keyOf)));
  const removed = before.filter((shape) => !keysAfter?.has(keyOf(shape)));
  for (const shape of after.filter((each) => !keysBefore?.has(keyOf(each)))) {
    const from = findNearest(shape, removed);
    if (from) {
      removed.splice(removed.indexOf(from), 1);
      const scale = shape.box.width ? from.box.width / shape.box.width : 1;
      const start = `translate(${from.x - shape.x}px, ${from.y - shape.y}px) scale(${scale})`;
      shape.element.animate([{ transform: start }, { transform: "none" }], MOVE_TIMING);
    } else {
      const start = { opacity: 0, transform: "scale(.6)" };
      shape.element.animate([start, { opacity: 1, transform: "none" }], FADE_TIMING);
    }
  }
  for (const shape of removed) fadeOut(shape, svg);
}

/**
 * @param {Shape} shape
 * @param {Shape[]} candidates
 */
function findNearest(shape, candidates) {
  const distance = (/** @type {Shape} */ each) => Math.hypot(each.x - shape.x, each.y - shape.y);
  return candidates
    .filter((each) => kindOf(each) === kindOf(shape))
    .sort((a, b) => distance(a) - distance(b))[0];
}

/**
 * @param {Shape} shape
 * @param {SVGSVGElement} svg
 */
function fadeOut(shape, svg) {
  const copy = /** @type {SVGGraphicsElement} */ (shape.element.cloneNode(true));
  copy.setAttribute("aria-hidden", "true");
  svg.append(copy);
  const end = { opacity: 0, transform: "scale(.5)" };
  const animation = copy.animate([{ opacity: 1, transform: "none" }, end], FADE_TIMING);
  animation.onfinish = () => copy.remove();
}

/**
 * Let the dice roll: each tumbles from the side, showing other faces, until it lies.
 * @param {SVGSVGElement} svg
 */
export function animateDice(svg) {
  if (prefersReducedMotion()) return;
  const pips = findShapes(svg, ".pip");
  findShapes(svg, ".die").forEach((die, index) => {
    const own = pips.filter((pip) => isInside(die.box, pip)).map(({ element }) => element);
    const shapes = [die.element, ...own];
    const tumbling = createSvg("g", { class: "ludus" }, die.element.cloneNode());
    tumbling.style.transformOrigin = `${die.x}px ${die.y}px`;
    for (const shape of shapes) shape.style.opacity = "0";
    svg.insertBefore(tumbling, svg.querySelector(".place"));
    const pipClass = own[0]?.getAttribute("class") ?? "pip";
    const timer = setInterval(() => showFace(tumbling, die, pipClass), FACE_TIME);
    showFace(tumbling, die, pipClass);
    const away = `translate(${-150 - 60 * index}px, ${index % 2 ? 70 : -80}px) rotate(${-560 - 170 * index}deg)`;
    const hop = `translate(${-40 - 14 * index}px, -12px) rotate(${-150 - 40 * index}deg)`;
    const roll = tumbling.animate(
      [{ transform: away, opacity: 0 }, { opacity: 1, offset: 0.12 }, { transform: hop, offset: 0.62 }, { transform: "none", opacity: 1 }],
      { duration: ROLL_TIME + 70 * index, easing: "cubic-bezier(.2,.65,.35,1)" },
    );
    roll.onfinish = () => {
      clearInterval(timer);
      tumbling.remove();
      for (const shape of shapes) shape.style.opacity = "";
    };
  });
}

/**
 * Show a random face on a die that tumbles.
 * @param {SVGGElement} group
 * @param {Shape} die
 * @param {string} pipClass
 */
function showFace(group, { x, y }, pipClass) {
  for (const pip of group.querySelectorAll(".pip")) pip.remove();
  for (const [right = 0, down = 0] of FACES[Math.floor(6 * Math.random())] ?? [])
    group.append(createSvg("circle", { class: pipClass, cx: x + 10 * right, cy: y + 10 * down, r: 3.6 }));
}
