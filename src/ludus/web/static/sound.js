// Sounds, made by Web Audio; they can be switched off.

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {{ frequency: number, at: number, seconds: number, type: OscillatorType }} Tone */

/** @type {Record<string, Tone[]>} */
const SOUNDS = {
  move: [{ frequency: 190, at: 0, seconds: 0.07, type: "triangle" }],
  dice: [0, 0.06, 0.13].map((at) => ({ frequency: 420 - 900 * at, at, seconds: 0.04, type: "square" })),
  end: [392, 494, 587].map((frequency, index) => ({
    frequency,
    at: 0.12 * index,
    seconds: 0.3,
    type: "sine",
  })),
};
const VOLUME = 0.12;

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
export function playMoveSound({ moves, node, outcome }) {
  const last = moves.find((move) => move.node === node);
  play(outcome ? "end" : last?.by === "dice" ? "dice" : "move");
}

/** @param {string} name */
function play(name) {
  if (!isSoundOn() || !isTouched) return;
  audio ??= new AudioContext();
  const { currentTime, destination } = audio;
  for (const { frequency, at, seconds, type } of SOUNDS[name] ?? []) {
    const gain = new GainNode(audio, { gain: VOLUME });
    gain.gain.setTargetAtTime(0, currentTime + at + seconds / 2, seconds / 6);
    const tone = new OscillatorNode(audio, { frequency, type });
    tone.connect(gain).connect(destination);
    tone.start(currentTime + at);
    tone.stop(currentTime + at + seconds);
  }
}
