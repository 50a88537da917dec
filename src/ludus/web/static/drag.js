// Dragging: a copy of a man that follows the pointer over the board.

const SVG = "http://www.w3.org/2000/svg";
/** Parts of one man are stacked within this distance; men of a stack lie further apart. */
const SAME_MAN = 1.6;

/** @param {SVGGraphicsElement} shape */
function middle(shape) {
  const box = shape.getBBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, size: box.height };
}

/**
 * Copy the man on a place, or the last one of a stack; null if the place is empty.
 * @param {SVGSVGElement} svg
 * @param {SVGRectElement | null} area
 * @returns {SVGGElement | null}
 */
export function lift(svg, area) {
  if (!area) return null;
  const { x, y, width, height } = area.getBBox();
  const shapes = /** @type {SVGGraphicsElement[]} */ ([...svg.querySelectorAll(".man")]);
  const standing = shapes.filter((shape) => {
    const at = middle(shape);
    return at.x > x && at.x < x + width && at.y > y && at.y < y + height;
  });
  const last = standing.at(-1);
  if (!last) return null;
  const top = middle(last);
  const ghost = document.createElementNS(SVG, "g");
  ghost.setAttribute("class", "ghost ludus");
  // A pawn consists of a foot and a head; a stack consists of equal men, of which the last moves.
  const parts = standing.filter((shape) => shape === last || shape.tagName !== last.tagName);
  for (const part of parts) {
    if (Math.abs(middle(part).y - top.y) < SAME_MAN * top.size) ghost.append(part.cloneNode(true));
  }
  ghost.dataset.x = String(top.x);
  ghost.dataset.y = String(top.y);
  return ghost;
}

/**
 * Move the copy to the pointer.
 * @param {SVGSVGElement} svg
 * @param {SVGGElement} ghost
 * @param {PointerEvent} event
 */
export function carry(svg, ghost, event) {
  const matrix = svg.getScreenCTM();
  if (!matrix) return;
  if (ghost.parentNode !== svg) svg.append(ghost);
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  const [x, y] = [point.x - Number(ghost.dataset.x), point.y - Number(ghost.dataset.y)];
  ghost.setAttribute("transform", `translate(${x} ${y})`);
}
