// Animation of men: two drawings are compared, and men that changed place move there.

const MEN = ".man, .stroke";
const GLIDE = { duration: 260, easing: "cubic-bezier(.2,.7,.2,1)" };
const FADE = { duration: 200, easing: "ease-out" };

/** @typedef {{ element: SVGGraphicsElement, kind: string, x: number, y: number, size: number }} Man */

/** Whether the user prefers reduced motion. */
function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * @param {SVGSVGElement} svg
 * @returns {Man[]}
 */
function men(svg) {
  const found = /** @type {NodeListOf<SVGGraphicsElement>} */ (svg.querySelectorAll(MEN));
  return [...found].map((element) => {
    const box = element.getBBox();
    const kind = `${element.tagName} ${element.getAttribute("class")}`;
    return { element, kind, x: box.x + box.width / 2, y: box.y + box.height / 2, size: box.width };
  });
}

/** @param {Man} man */
function key(man) {
  return `${man.kind} ${man.x.toFixed(1)} ${man.y.toFixed(1)} ${man.size.toFixed(1)}`;
}

/**
 * Capture the men of a drawing while it is in the page, to compare with the next one.
 * @param {SVGSVGElement} svg
 * @returns {Man[]}
 */
export function remember(svg) {
  return isStill() ? [] : men(svg);
}

/**
 * Animate the men of a new drawing from their previous places.
 * @param {Man[]} before
 * @param {SVGSVGElement} svg
 */
export function glide(before, svg) {
  if (!before.length || isStill()) return;
  const after = men(svg);
  const now = new Set(after.map(key));
  const then = new Set(before.map(key));
  const gone = before.filter((man) => !now.has(key(man)));
  for (const man of after.filter((each) => !then.has(key(each)))) {
    const from = nearest(man, gone);
    if (from) {
      gone.splice(gone.indexOf(from), 1);
      const grown = man.size ? from.size / man.size : 1;
      const start = `translate(${from.x - man.x}px, ${from.y - man.y}px) scale(${grown})`;
      man.element.animate([{ transform: start }, { transform: "none" }], GLIDE);
    } else {
      man.element.animate(
        [
          { opacity: 0, transform: "scale(.6)" },
          { opacity: 1, transform: "none" },
        ],
        FADE,
      );
    }
  }
  for (const man of gone) vanish(man, svg);
}

/**
 * @param {Man} man
 * @param {Man[]} gone
 */
function nearest(man, gone) {
  const alike = gone.filter((each) => each.kind === man.kind);
  const far = (/** @type {Man} */ each) => Math.hypot(each.x - man.x, each.y - man.y);
  return alike.sort((a, b) => far(a) - far(b))[0];
}

/**
 * @param {Man} man
 * @param {SVGSVGElement} svg
 */
function vanish(man, svg) {
  const ghost = /** @type {SVGGraphicsElement} */ (man.element.cloneNode(true));
  ghost.setAttribute("aria-hidden", "true");
  svg.append(ghost);
  const fading = ghost.animate(
    [
      { opacity: 1, transform: "none" },
      { opacity: 0, transform: "scale(.5)" },
    ],
    FADE,
  );
  fading.onfinish = () => ghost.remove();
}

/**
 * Animate rolled dice.
 * @param {SVGSVGElement} svg
 */
export function tumble(svg) {
  if (isStill()) return;
  for (const die of svg.querySelectorAll(".die, .pip")) {
    die.animate(
      [
        { opacity: 0, transform: "rotate(-25deg) scale(.8)" },
        { opacity: 1, transform: "none" },
      ],
      GLIDE,
    );
  }
}
