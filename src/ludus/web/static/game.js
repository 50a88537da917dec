// Page of one game: board, prompt, players, and the panels beside them.

import { createGame, get, hasStatus, post, watchGame } from "./api.js";
import { AnalysisPanel } from "./analysis.js";
import { BoardView } from "./board.js";
import { CubePanel, isSeenFromSecond, MoveConfirmation } from "./cube.js";
import { announce, errorMessage, h, setChildren, showConnection, showNotice } from "./dom.js";
import { LazyPanel } from "./lazy.js";
import { MovesPanel } from "./moves.js";
import { findSteps, Replay } from "./replay.js";
import { hasNoPerson, makeSeatCards, seatRequests } from "./seats.js";
import { playMoveSound } from "./sound.js";
import { Tabs } from "./tabs.js";
import { EndPanel, Toolbar } from "./toolbar.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */

/** Number of the tab with the review. */
const REVIEW_TAB = 2;
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
      (place) => (this.isEditing ? this.editor.panel?.placeMan(place) : this.touch(place)),
      () => this.undoTouch(),
      () => this.flip(),
    );
    const flipped = localStorage.getItem(`flipped ${view.game}`);
    this.board.isFlipped = flipped ? flipped === "yes" : isSeenFromSecond(view);
    this.prompt = h("h1", { class: "prompt" });
    this.message = h("p", { class: "message" });
    this.seatCards = h("div", { class: "seat-cards" });
    this.cube = new CubePanel(this);
    this.confirmation = new MoveConfirmation(this);
    this.analysis = new AnalysisPanel(this);
    this.moves = new MovesPanel(this);
    this.review = new LazyPanel(async () => {
      const { ReviewPanel } = await import("./review.js");
      return new ReviewPanel(this);
    });
    this.share = new LazyPanel(async () => {
      const { SharePanel } = await import("./share.js");
      return new SharePanel(this);
    });
    this.editor = new LazyPanel(async () => {
      const { EditorPanel } = await import("./editor.js");
      return new EditorPanel(this);
    });
    this.toolbar = new Toolbar(this);
    this.end = new EndPanel(this);
    this.area = h(
      "section",
      { class: "game-area", "aria-label": "The game" },
      this.prompt,
      this.message,
      this.end.element,
      this.cube.element,
      this.board.element,
      this.analysis.valueBar,
      this.seatCards,
      this.toolbar.element,
    );
    this.replay = new Replay(this.board, this.area);
    this.tabs = new Tabs(
      "About the game",
      [
        ["Moves", this.moves],
        ["Analysis", this.analysis],
        ["Review", this.review],
        ["Share", this.share],
        ["Set up", this.editor],
      ],
      ({ load }) => {
        if (load) void this.runInBackground(load);
        void this.runInBackground(() => this.analysis.showDetails());
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
    this.analysis.close();
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
    if (!this.isEditing) void this.replay.show(steps, view);
    setChildren(this.seatCards, ...makeSeatCards(view));
    this.cube.show(view);
    this.toolbar.show(view);
    this.end.show(view);
    this.moves.show(view, view.moves);
    this.analysis.show(view);
    this.review.panel?.show(view);
    this.share.panel?.show(view);
    if (isNew) announce(view.touched.length ? view.prompt : `${report} ${view.prompt}`.trim());
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

  /** Review the game that has ended. */
  openReview() {
    this.tabs.select(REVIEW_TAB);
    return this.runInBackground(async () => (await this.review.load()).fetchReview());
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
