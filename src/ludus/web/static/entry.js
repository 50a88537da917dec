// The entry of a move by touching one place after another. The server lists all ways to enter the
// moves of a position, so a touch needs no answer from it.

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").EntryView} EntryView */
/** @typedef {import("./types.js").EvaluatedMove} EvaluatedMove */
/** @typedef {Record<string, [number, number]>} Stacks side and number of the men on each place */
/** @typedef {number | null} Target */
/**
 * @typedef {{ from: string, place: string, ways: EntryView, state: number, stacks: Stacks }} Step
 *   a touch that changed the board, with what was before; `from` is the place that the man left
 */

const CONFIRM = "Confirm your move, or undo a step";
/** Number of a state that has yet to be requested. */
const UNKNOWN = -1;
/** @type {EntryView} */
const NO_WAYS = { moves: [], states: [], texts: [], go_task: 0, stacks: {} };

export class MoveEntry {
  /**
   * @param {GameView} view
   * @param {boolean} [isLocked] whether the ways are known, but no place may be touched
   */
  constructor({ node, mover, board, entry }, isLocked = false) {
    this.isLocked = isLocked;
    this.node = node;
    this.mover = mover;
    this.slots = board.slots;
    /** The men on the drawn board. */
    this.drawn = entry?.stacks ?? {};
    /** The men after the touches. */
    this.stacks = this.drawn;
    /** How the move can be completed. */
    this.ways = entry ?? NO_WAYS;
    this.state = 0;
    /** @type {Step[]} */
    this.steps = [];
    /** The place of the man that is about to move. */
    this.selected = "";
    /** The move, once it is complete. */
    this.move = "";
  }

  /** The places touched so far. */
  get touched() {
    const places = this.steps.flatMap(({ from, place }) => (from ? [from, place] : [place]));
    return this.selected ? [...places, this.selected] : places;
  }

  /** What each touch leads to; empty when no touch is expected. */
  get next() {
    return this.move ? {} : (this.here?.next ?? {});
  }

  /** Places that may be touched next. */
  get places() {
    return this.isLocked ? [] : this.known;
  }

  /** Places from which a move goes on. */
  get known() {
    return this.selected ? [...this.routes.keys()] : Object.keys(this.next);
  }

  get stage() {
    return this.selected ? "go" : (this.here?.stage ?? "begin");
  }

  get here() {
    return this.ways.states[this.state];
  }

  /** Whether the server has to be asked how to go on. */
  get isUnknown() {
    return this.state === UNKNOWN;
  }

  /** Where the selected man can go, and his stops on the way: several dice may move one man. */
  get routes() {
    /** @type {Map<string, string[]>} */
    const routes = new Map();
    /** @type {[number, string, string[]][]} */
    const waiting = [[this.state, this.selected, []]];
    for (const [number, from, stops] of waiting) {
      for (const [place, target] of Object.entries(this.targets(number, from))) {
        if (routes.has(place)) continue;
        routes.set(place, [...stops, place]);
        if (target !== null && target >= 0) waiting.push([target, place, [...stops, place]]);
      }
    }
    return routes;
  }

  /**
   * Return where a man can go.
   * @param {number} state
   * @param {string} from
   * @returns {Record<string, Target>}
   */
  targets(state, from) {
    const { stage, next } = this.ways.states[state] ?? {};
    const target = stage === "begin" ? next?.[from] : null;
    return typeof target === "object" ? (target ?? {}) : {};
  }

  /**
   * Touch a place; one that leads to no move does nothing.
   * @param {string} place
   * @returns {boolean} whether anything has changed
   */
  touch(place) {
    const route = this.selected ? this.routes.get(place) : undefined;
    if (route) {
      let from = this.selected;
      this.selected = "";
      for (const stop of route) {
        this.makeStep(from, stop, this.targets(this.state, from)[stop] ?? null);
        from = stop;
      }
      return true;
    }
    const target = this.next[place];
    if (target !== null && typeof target === "object") {
      this.selected = this.selected === place ? "" : place;
      return true;
    }
    if (target === undefined) return false;
    this.selected = "";
    this.makeStep("", place, target);
    return true;
  }

  /** Take back the last touch. */
  undo() {
    const { steps, selected } = this;
    this.selected = "";
    const last = selected ? undefined : steps.pop();
    if (!last) return;
    Object.assign(this, { ways: last.ways, state: last.state, stacks: last.stacks });
    this.move = "";
    this.selected = last.from;
  }

  /**
   * @param {string} from empty unless a man moves
   * @param {string} place
   * @param {Target} target
   */
  makeStep(from, place, target) {
    const { stage, ways, state, stacks } = this;
    this.steps.push({ from, place, ways, state, stacks });
    this.stacks = { ...stacks };
    if (stage === "take") delete this.stacks[this.stackOf(place)];
    else this.putMan(from, place);
    if (target !== null && target < 0) this.move = ways.moves[-1 - target] ?? "";
    else this.state = target ?? UNKNOWN;
  }

  /**
   * Move a man, or put a new one on the board; a man of the other side there is removed.
   * @param {string} from
   * @param {string} place
   */
  putMan(from, place) {
    const { stacks, mover } = this;
    if (from) this.addMen(this.stackOf(from), mover, -1);
    const name = this.stackOf(place);
    const other = 1 - mover;
    if (stacks[name]?.[0] === other) {
      delete stacks[name];
      if (this.slots[`bar${other}`]) this.addMen(`bar${other}`, other, 1);
    }
    this.addMen(name, mover, 1);
  }

  /**
   * @param {string} name
   * @param {number} side
   * @param {number} change
   */
  addMen(name, side, change) {
    const count = (this.stacks[name]?.[1] ?? 0) + change;
    if (count > 0) this.stacks[name] = [side, count];
    else delete this.stacks[name];
  }

  /**
   * Return the name of the mover's men on a place: those of a place of both sides have one for each.
   * @param {string} place
   */
  stackOf(place) {
    return this.slots[place] ? place : `${place}${this.mover}`;
  }

  /**
   * Go on with the ways to complete the move from here.
   * @param {EntryView} ways
   */
  extend(ways) {
    this.ways = ways;
    this.state = 0;
  }

  /**
   * Return a view with what the touches have changed.
   * @param {GameView} view
   */
  enter(view) {
    const { ways, here, touched, places, selected, move } = this;
    const { texts } = ways;
    const shown = { ...view, touched, places };
    if (!touched.length || !here) return shown;
    const task = selected ? ways.go_task : here.task;
    shown.prompt = move ? CONFIRM : (texts[task] ?? view.prompt);
    shown.seats = view.seats.map((seat, side) => ({
      ...seat,
      standing: texts[here.standings[side] ?? 0] ?? seat.standing,
    }));
    return shown;
  }

  /**
   * Return for each place that may be touched whether a move through it is good, as far as known.
   * @param {EvaluatedMove[]} evaluated
   * @returns {Record<string, "good" | "bad">}
   */
  rate(evaluated) {
    const marks = new Map(evaluated.map(({ move, mark }) => [move, mark]));
    /** @type {Map<number, (boolean | undefined)>} */
    const known = new Map();
    /** @type {(target: Target | Record<string, Target> | undefined) => boolean | undefined} */
    const isGood = (target) => {
      if (target === null || target === undefined) return undefined;
      if (typeof target === "object") return any(Object.values(target).map(isGood));
      if (target < 0) {
        const mark = marks.get(this.ways.moves[-1 - target] ?? "");
        return mark === undefined ? undefined : mark === "";
      }
      if (!known.has(target)) {
        const { next = {} } = this.ways.states[target] ?? {};
        known.set(target, any(Object.values(next).map(isGood)));
      }
      return known.get(target);
    };
    /** @type {Record<string, "good" | "bad">} */
    const rated = {};
    for (const place of this.known) {
      const good = isGood(this.selected ? this.follow(place) : this.next[place]);
      if (good !== undefined) rated[place] = good ? "good" : "bad";
    }
    return rated;
  }

  /**
   * Return what the selected man leads to if he goes to a place.
   * @param {string} place
   */
  follow(place) {
    /** @type {Target} */
    let target = this.state;
    let from = this.selected;
    for (const stop of this.routes.get(place) ?? []) {
      target = target === null || target < 0 ? null : (this.targets(target, from)[stop] ?? null);
      from = stop;
    }
    return target;
  }
}

/**
 * Return whether any is true; undefined if none is known.
 * @param {(boolean | undefined)[]} values
 */
function any(values) {
  const known = values.filter((value) => value !== undefined);
  return known.length ? known.includes(true) : undefined;
}
