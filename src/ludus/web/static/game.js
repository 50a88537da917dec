// Page of one game: board, prompt, players, and the panels beside them.

import { createGame, get, hasStatus, post, watchGame } from "./api.js";
import { AnalysisPanel } from "./analysis.js";
import { BoardView } from "./board.js";
import {
  canResign,
  CubePanel,
  isSeenFromSecond,
  isWaiting,
  makeNextGameButton,
  MoveConfirmation,
  openResignDialog,
} from "./cube.js";
import {
  announce,
  button,
  errorMessage,
  h,
  makeOptions,
  setChildren,
  showConnection,
  showNotice,
} from "./dom.js";
import { EditorPanel } from "./editor.js";
import { MovesPanel } from "./moves.js";
import { ReviewPanel } from "./review.js";
import { openRulesDialog } from "./rules.js";
import { hasNoPerson, makeSeatCards, openSeatsDialog, seatRequests } from "./seats.js";
import { SharePanel } from "./share.js";
import { playMoveSound } from "./sound.js";
import { Tabs } from "./tabs.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */

/**
 * Seconds between the moves of two computer players.
 * @type {[number, string][]}
 */
const DELAYS = [
  [2.5, "slow"],
  [1, "normal"],
  [0.3, "fast"],
  [0, "no delay"],
];

/**
 * Return whether a person has moved before the current node, so that there is a move to take back.
 * @param {GameView} view
 */
function hasOwnMove(view) {
  const nodes = new Map(view.moves.map((move) => [move.node, move]));
  let move = nodes.get(view.at);
  while (move && move.by !== "person" && move.parent !== null) move = nodes.get(move.parent);
  return move?.by === "person";
}

/** Number of the tab with the review. */
const REVIEW_TAB = 2;
/** Milliseconds for which each of several moves is shown. */
const REPLAY_DELAY = 700;

/**
 * Return the nodes between two views of a game that should be seen, if the second follows the first.
 * @param {GameView} before
 * @param {GameView} after
 */
function findSteps(before, after) {
  if (before.id !== after.id || matchMedia("(prefers-reduced-motion: reduce)").matches) return [];
  const nodes = new Map(after.moves.map((move) => [move.node, move]));
  const path = [];
  let node = nodes.get(after.node)?.parent;
  while (node !== undefined && node !== null && node > before.node) {
    path.unshift(node);
    node = nodes.get(node)?.parent;
  }
  // The person's own move has just been seen, step by step.
  const [first] = path;
  if (first !== undefined && nodes.get(first)?.by === "person") path.shift();
  return node === before.node ? path : [];
}

/**
 * Keys that step through the moves; the larger ones go to the beginning and the end.
 * @type {Record<string, number>}
 */
const STEP_KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -2, ArrowDown: 2 };

export class GamePage {
  /**
   * @param {HTMLElement} root
   * @param {GameView} view
   * @param {(address: string) => Promise<void>} navigate
   */
  constructor(root, view, navigate) {
    /** View of the node that is shown. */
    this.view = view;
    /** View of the current node of the game, whichever node is shown. */
    this.latest = view;
    this.navigate = navigate;
    /** @type {Promise<unknown>} */
    this.queue = Promise.resolve();
    /** Whether a position is being set up on the board. */
    this.isEditing = false;
    this.board = new BoardView(
      (place) => (this.isEditing ? this.editor.placeMan(place) : this.touch(place)),
      () => this.undoTouch(),
      () => this.flip(),
    );
    const flipped = localStorage.getItem(`flipped ${view.game}`);
    this.board.isFlipped = flipped ? flipped === "yes" : isSeenFromSecond(view);
    /** Number of times the board was shown; a later one ends the replay of an earlier one. */
    this.numReplays = 0;
    /**
     * The view at the end of the replay.
     * @type {GameView | null}
     */
    this.replayed = null;
    this.prompt = h("h1", { class: "prompt" });
    this.message = h("p", { class: "message" });
    this.seatCards = h("div", { class: "seat-cards" });
    this.end = h("div", { class: "end-panel toolbar", role: "group", "aria-label": "After the game", hidden: true });
    this.cube = new CubePanel(this);
    this.confirmation = new MoveConfirmation(this);
    this.analysis = new AnalysisPanel(this);
    this.moves = new MovesPanel(this);
    this.review = new ReviewPanel(this);
    this.share = new SharePanel(this);
    this.editor = new EditorPanel(this);
    this.hint = button("Hint", () => this.analysis.toggleHint(), { "aria-pressed": "false" });
    this.delay = h(
      "select",
      { id: "delay", onchange: () => this.setPace({ delay: Number(this.delay.value) }) },
      ...makeOptions(DELAYS),
    );
    this.tools = this.makeTools();
    this.area = h(
      "section",
      { class: "game-area", "aria-label": "The game" },
      this.prompt,
      this.message,
      this.end,
      this.cube.element,
      this.board.element,
      this.analysis.valueBar,
      this.seatCards,
      h(
        "div",
        { class: "toolbar", role: "toolbar", "aria-label": "This game" },
        ...this.tools.map(([element]) => element),
      ),
    );
    this.tabs = new Tabs(
      "About the game",
      [
        ["Moves", this.moves.element],
        ["Analysis", this.analysis.element],
        ["Review", this.review.element],
        ["Share", this.share.element],
        ["Set up", this.editor.element],
      ],
      () => {
        this.analysis.pictures.show(this.view);
        if (this.analysis.element.offsetParent)
          void this.runInBackground(() => this.analysis.solve.refresh());
      },
    );
    this.sidebar = h("aside", { class: "sidebar", "aria-label": "About the game" }, this.tabs.element);
    setChildren(root, h("div", { class: "game" }, this.area, this.sidebar));
    /** @param {KeyboardEvent} event */
    this.onKey = (event) => this.stepByKey(event);
    document.addEventListener("keydown", this.onKey);
    this.show(view);
    this.unwatch = watchGame(
      view.id,
      (changed) => this.receive(changed),
      (isConnected) => this.showConnection(isConnected),
    );
  }

  close() {
    this.unwatch();
    document.removeEventListener("keydown", this.onKey);
    showConnection(true);
    this.analysis.solve.close();
  }

  /** @param {boolean} isConnected */
  showConnection(isConnected) {
    showConnection(isConnected);
    this.area.dataset.connection = isConnected ? "on" : "off";
  }

  get path() {
    return `/api/games/${this.view.id}`;
  }

  /** Whether another node than the current one is shown. */
  get isLooking() {
    return this.view.status === "looking";
  }

  /**
   * Receive a change of the game, made on this page or another.
   * @param {GameView} view
   */
  receive(view) {
    // The response to a later request may have been faster.
    if (view.revision < this.latest.revision) return;
    if (this.isEditing) {
      this.latest = view;
      if (!this.isLooking) this.view = view;
      return;
    }
    const hasChanged = view.at !== this.latest.at || view.revision !== this.latest.revision;
    const isSame = JSON.stringify(view) === JSON.stringify(this.latest);
    this.latest = view;
    if (this.isLooking) {
      this.moves.show(this.view, view.moves);
      return;
    }
    // A partial move is kept as long as the current node stays the same.
    if (hasChanged || !(isSame || this.view.touched.length)) this.show(view);
  }

  /**
   * Show the response to a request; the WebSocket may have been faster.
   * @param {GameView} view
   */
  show(view) {
    if (view.status !== "looking" && view.revision < this.latest.revision) view = this.latest;
    const steps = view.status === "looking" ? [] : findSteps(this.view, view);
    const isNew = view.node !== this.view.node || view.prompt !== this.prompt.textContent;
    if (view.status !== "looking" && view.node > this.view.node) playMoveSound(view);
    this.view = view;
    if (view.status !== "looking") this.latest = view;
    Object.assign(this.area.dataset, {
      status: view.status,
      node: view.node,
      touched: view.touched.join(" "),
    });
    document.title = `${view.title} · Ludus`;
    const report = view.status === "looking" ? "" : view.told;
    this.prompt.textContent = view.prompt;
    this.message.textContent = report;
    if (!this.isEditing) void this.showBoard(steps, view);
    setChildren(this.seatCards, ...makeSeatCards(view));
    this.cube.show(view);
    this.showTools();
    this.showEnd();
    this.moves.show(view, view.moves);
    this.analysis.show(view);
    this.review.show(view);
    this.share.show(view);
    if (isNew) announce(view.touched.length ? view.prompt : `${report} ${view.prompt}`.trim());
  }

  /**
   * Show the board; several moves since the last one are shown one after the other.
   * @param {number[]} steps the nodes to show before
   * @param {GameView} view
   */
  async showBoard(steps, view) {
    const isSame = this.replayed?.node === view.node && !view.touched.length;
    if (this.replayed && isSame && !steps.length) {
      this.replayed = view;
      return;
    }
    const replay = ++this.numReplays;
    this.replayed = view;
    for (const node of steps) {
      this.area.dataset.replay = String(node);
      const past = /** @type {GameView | null} */ (
        await get(this.path, { node }).catch(() => null)
      );
      if (replay !== this.numReplays) return;
      if (!past) break;
      this.board.show({ ...past, places: [] });
      await new Promise((resolve) => setTimeout(resolve, REPLAY_DELAY));
      if (replay !== this.numReplays) return;
    }
    delete this.area.dataset.replay;
    this.board.show(this.replayed);
    this.replayed = null;
  }

  /**
   * Create the buttons, each with the condition under which it is visible. They are created once,
   * so that a pressed button is not replaced.
   * @returns {[HTMLElement, (view: GameView, isWatching: boolean) => boolean][]}
   */
  makeTools() {
    const primary = { class: "primary" };
    const flipTitle = "View the board from the other side (F, on the board)";
    return [
      [
        button("Back to the game", () => this.showNode(this.latest.at), primary),
        ({ status }) => status === "looking",
      ],
      [
        button("Continue from here", () => this.postAction("at", { node: this.view.node })),
        ({ status }) => status === "looking",
      ],
      [this.confirmation.button, isWaiting],
      [button("Undo this step", () => this.undoTouch()), ({ touched }) => touched.length > 0],
      [
        button("Take back", () => this.postAction("back")),
        (view, isWatching) => view.status !== "looking" && !isWatching && hasOwnMove(view),
      ],
      [
        button("Resume", () => this.setPace({ paused: false }), primary),
        ({ status }) => status === "paused" || status === "trouble",
      ],
      [
        button("Pause", () => this.setPace({ paused: true })),
        ({ status }, isWatching) => isWatching && status === "thinking",
      ],
      [
        button("Move now", () => this.postAction("hurry")),
        ({ status }, isWatching) => !isWatching && status === "thinking",
      ],
      [h("label", { for: "delay" }, "Speed ", this.delay), (_, isWatching) => isWatching],
      [this.hint, ({ outcome, mover, status }) => !outcome && mover >= 0 && status !== "trouble"],
      [
        button("Change players", () =>
          openSeatsDialog(this.view, (seats) => this.postAction("seats", { seats })),
        ),
        ({ status }) => status !== "looking" && status !== "over",
      ],
      [this.analysis.evaluationButton, () => true],
      [button("Rules", () => this.enqueue(() => openRulesDialog(this.view))), () => true],
      [button("Flip", () => this.flip(), { title: flipTitle }), () => true],
      [
        button("Resign", () => openResignDialog(this)),
        (view, isWatching) =>
          !isWatching &&
          view.moves.length > 1 &&
          (view.status === "yours" || view.status === "thinking") &&
          canResign(view),
      ],
      [this.confirmation.label, ({ has_dice }, isWatching) => has_dice && !isWatching],
    ];
  }

  showTools() {
    const isWatching = hasNoPerson(this.view);
    for (const [element, isVisible] of this.tools)
      element.hidden = !isVisible(this.view, isWatching);
    this.hint.setAttribute("aria-pressed", String(this.analysis.hintNode === this.view.node));
    if (document.activeElement !== this.delay) this.delay.value = String(this.view.delay);
  }

  /** Flip the board, now and in later games of this kind. */
  flip() {
    this.board.flip();
    const { isFlipped } = this.board;
    localStorage.setItem(`flipped ${this.view.game}`, isFlipped ? "yes" : "no");
    announce(isFlipped ? "The board is flipped." : "The board is not flipped.");
  }

  /**
   * Create a game and navigate to it.
   * @param {NewGameRequest} order
   */
  async openNewGame(order) {
    const view = await createGame(order);
    await this.navigate(`/game/${view.id}`);
  }

  /**
   * Start a new game with the same players.
   * @param {boolean} [isSwapped] whether they change sides
   */
  playAgain(isSwapped = false) {
    const { game, rules, delay } = this.view;
    const seats = seatRequests(this.view);
    return this.enqueue(() =>
      this.openNewGame({ game, rules, delay, seats: isSwapped ? seats.reverse() : seats }),
    );
  }

  /** Show the panel at the end of a game: how it ended, and what to do next. */
  showEnd() {
    const isOver = this.view.status === "over";
    this.end.hidden = !isOver;
    if (!isOver) return;
    const primary = { class: "primary" };
    setChildren(
      this.end,
      button("Review", () => this.openReview(), primary),
      makeNextGameButton(this),
      button("Rematch", () => this.playAgain(), primary),
      button("Swap sides", () => this.playAgain(true)),
    );
  }

  /** Review the game that has ended. */
  openReview() {
    this.tabs.select(REVIEW_TAB);
    return this.review.fetchReview();
  }

  /**
   * Post a change and show the result; requests run one at a time, in order.
   * @param {string} action
   * @param {unknown} [body]
   */
  postAction(action, body) {
    return this.enqueue(async () => this.show(await post(`${this.path}/${action}`, body)));
  }

  /**
   * Change the pace; other fields keep their values at the time the request is sent.
   * @param {{ paused?: boolean, delay?: number }} change
   */
  setPace(change) {
    return this.enqueue(async () => {
      const pace = { paused: this.view.status === "paused", delay: this.view.delay };
      this.show(await post(`${this.path}/pace`, { ...pace, ...change }));
    });
  }

  /**
   * Go back to a node; if a computer player is to move there, it moves again at once.
   * @param {number} node
   */
  tryAgain(node) {
    return this.enqueue(async () => {
      const view = /** @type {GameView} */ (await post(`${this.path}/at`, { node }));
      const isPaused = view.status === "paused" && !hasNoPerson(view);
      const pace = { paused: false, delay: view.delay };
      this.show(isPaused ? await post(`${this.path}/pace`, pace) : view);
    });
  }

  /**
   * Show a position that is being set up in the place of the game.
   * @param {Parameters<BoardView["show"]>[0]} drawing
   */
  showEditor(drawing) {
    this.isEditing = true;
    this.area.dataset.status = "editing";
    this.prompt.textContent = "Set up a position";
    this.message.textContent = "";
    this.board.show(drawing);
  }

  hideEditor() {
    this.isEditing = false;
    this.show(this.view);
  }

  /**
   * @param {string} place
   * @param {boolean} [isConfirmed] whether a complete move, touched last at this place, is played
   */
  touch(place, isConfirmed = false) {
    return this.enqueue(async () => {
      // A touch in a past position opens a variation there.
      if (this.isLooking && this.view.places.includes(place))
        this.show(await post(`${this.path}/at`, { node: this.view.node }));
      if (this.view.status !== "yours") return;
      const { at } = this.view;
      const touched = isConfirmed ? this.view.touched.slice(0, -1) : this.view.touched;
      const hold = this.confirmation.isOn && !isConfirmed;
      try {
        const body = { node: at, touched, place, hold };
        this.show(await post(`${this.path}/touch?overlay=${this.analysis.overlay}`, body));
      } catch (error) {
        if (!hasStatus(error, 409, 422)) throw error;
        // Not a legal destination: the man is deselected.
        if (hasStatus(error, 409) || touched.length) await this.refresh([]);
        else announce(`Not possible. ${this.view.prompt}`);
      }
    });
  }

  undoTouch() {
    return this.enqueue(() => this.refresh(this.view.touched.slice(0, -1)));
  }

  /**
   * Show the same node again.
   * @param {string[]} [touched] places of the partial move; unchanged if omitted
   */
  async refresh(touched = this.view.touched) {
    const node = this.isLooking ? this.view.node : undefined;
    this.show(await get(this.path, { node, touched, overlay: this.analysis.overlay }));
  }

  /**
   * Step through the moves with the arrow keys, unless something has the focus that uses them.
   * @param {KeyboardEvent} event
   */
  stepByKey(event) {
    const step = STEP_KEYS[event.key];
    const target = event.target instanceof Element ? event.target : document.body;
    const isUsed = target.closest(".board-view, input, textarea, select, [role=tab], dialog");
    if (!step || isUsed || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    this.moves.step(step);
  }

  /**
   * Show a node of the game without making it current.
   * @param {number} node
   */
  showNode(node) {
    return this.enqueue(async () =>
      this.show(await get(this.path, { node, overlay: this.analysis.overlay })),
    );
  }

  /**
   * Run a task after all earlier ones.
   * @param {() => Promise<unknown>} task
   */
  enqueue(task) {
    this.queue = this.runInBackground(() => this.queue.then(task));
    return this.queue;
  }

  /**
   * Run a task at once, and show its error, if any.
   * @param {() => Promise<unknown>} task
   */
  runInBackground(task) {
    return task().catch((error) => showNotice(errorMessage(error)));
  }
}
