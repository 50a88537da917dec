// Sounds of wood and bone, made by Web Audio: a short knock that makes a body ring. They can be
// switched off.

/** @typedef {import("./types.js").GameView} GameView */
/**
 * @typedef {{ at: number, pitch: number, loud: number, seconds: number, partials: number[] }} Knock
 *   at: seconds after the move; pitch: hertz; partials: of the body that rings, relative to its pitch
 */

/** What a struck body rings with: a bar of wood, a die on a board, a bell. */
const WOOD = [1, 2.57, 4.95];
const BONE = [1, 1.63, 2.41, 3.7];
const BELL = [1, 2, 3.01];

/** @type {(at: number, pitch: number, loud?: number) => Knock} */
const knock = (at, pitch, loud = 1) => ({ at, pitch, loud, seconds: 0.11, partials: WOOD });
/** @type {(at: number, pitch: number, loud: number) => Knock} */
const rattle = (at, pitch, loud) => ({ at, pitch, loud, seconds: 0.045, partials: BONE });
/** @type {(at: number, pitch: number) => Knock} */
const chime = (at, pitch) => ({ at, pitch, loud: 0.5, seconds: 1.1, partials: BELL });

/** @type {Record<string, () => Knock[]>} */
const SOUNDS = {
  move: () => [knock(0, 290 + 40 * Math.random())],
  take: () => [knock(0, 290), knock(0.13, 210, 0.8), knock(0.19, 330, 0.35)],
  mill: () => [knock(0, 290), chime(0.05, 659), chime(0.16, 880)],
  // Two dice bounce, ever lower and ever faster.
  dice: () =>
    [0, 0.09, 0.17, 0.235, 0.29, 0.33].map((at, bounce) =>
      rattle(at + 0.02 * Math.random(), 1100 + 500 * Math.random(), 1.3 * 0.78 ** bounce),
    ),
  end: () => [chime(0, 392), chime(0.14, 494), chime(0.28, 587), chime(0.46, 784)],
};
const VOLUME = 0.22;

/** @type {AudioContext | undefined} */
let audio;
/** Browsers allow no sound before the page has been touched. */
let isTouched = false;
for (const kind of ["pointerdown", "keydown"])
  addEventListener(kind, () => (isTouched = true), { once: true, capture: true });

export const isSoundOn = () => localStorage.getItem("sound") !== "off";

/** @param {boolean} isOn */
export function setSound(isOn) {
  localStorage.setItem("sound", isOn ? "on" : "off");
  if (isOn) play("move");
}

/**
 * Play the sound of the last move of a view.
 * @param {GameView} view
 */
export function playMoveSound({ moves, node, outcome, svg }) {
  const last = moves.find((move) => move.node === node);
  if (outcome) play("end");
  else if (last?.by === "dice") play("dice");
  else if (svg.includes('class="joined"')) play("mill");
  else play(/[x*]/.test(last?.text ?? "") ? "take" : "move");
}

/** @param {string} name */
function play(name) {
  if (!isSoundOn() || !isTouched) return;
  audio ??= new AudioContext();
  for (const each of SOUNDS[name]?.() ?? []) strike(audio, each);
}

/**
 * @param {AudioContext} context
 * @param {Knock} knock
 */
function strike(context, { at, pitch, loud, seconds, partials }) {
  const start = context.currentTime + at;
  partials.forEach((partial, index) => {
    // Higher partials are quieter and die away sooner.
    const length = seconds / (1 + index);
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime((VOLUME * loud) / (1 + 1.4 * index), start);
    gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
    const tone = new OscillatorNode(context, { frequency: pitch * partial, type: "sine" });
    tone.connect(gain).connect(context.destination);
    tone.start(start);
    tone.stop(start + length);
  });
}
