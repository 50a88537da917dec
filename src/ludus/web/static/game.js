// Page of one game: board, prompt, players, and the panels beside them.

import { createGame, get, hasStatus, watchGame } from "./api.js";
import { AnalysisPanel } from "./analysis.js";
import { BoardView } from "./board.js";
import { CubePanel, describeGameOfMatch, isSeenFromSecond, MoveConfirmation } from "./cube.js";
import { announce, byId, errorMessage, h, openNoticeDialog, setChildren, showConnection, showNotice } from "./dom.js";
import { MoveEntry } from "./entry.js";
import { LazyPanel } from "./lazy.js";
import { MovesPanel } from "./moves.js";
import { Replay } from "./replay.js";
import { hasNoPerson, makeSeatCards, seatRequests } from "./seats.js";
import { playMoveSound } from "./sound.js";
import { Tabs } from "./tabs.js";
import { EndPanel, Toolbar } from "./toolbar.js";
import { GameViews } from "./views.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */
/** @typedef {import("./types.js").EntryView} EntryView */
/** @typedef {import("./types.js").ShownView} ShownView */

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
    this.views = new GameViews(view);
    /** The move that is being entered at the node that is shown. */
    this.entry = new MoveEntry(view);
    /**
     * View of the node that is shown, with the touches of a partial move.
     * @type {ShownView}
     */
    this.view = this.entry.enter(view);
    /** View of the node that is shown, as it is without touches. */
    this.plain = view;
    this.navigate = navigate;
    /** @type {Promise<unknown>} */
    this.queue = Promise.resolve();
    /**
     * The complete move that is on its way to the server.
     * @type {MoveEntry | null}
     */
    this.sent = null;
    this.isClosed = false;
    /** Whether the result of a game of a match is being read, while the next one goes on. */
    this.isHeld = false;
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
      h("div", { class: "head" }, this.prompt, this.message),
      this.board.element,
      this.end.element,
      this.cube.element,
      this.seatCards,
      this.analysis.valueBar,
      this.toolbar.element,
    );
    this.replay = new Replay(
      this.views,
      this.area,
      (past) => {
        this.board.show(past);
        playMoveSound(past);
      },
      (shown) => this.showNow(shown),
    );
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
      () => this.latest.revision,
      (answer) => this.receive(answer),
      (isConnected) => this.showConnection(isConnected),
    );
  }

  close() {
    this.isClosed = true;
    this.unwatch();
    this.replay.cancel();
    document.removeEventListener("keydown", this.onKey);
    showConnection(true);
    byId("game-title").textContent = "";
    this.analysis.close();
  }

  /** @param {boolean} isConnected */
  showConnection(isConnected) {
    showConnection(isConnected);
    this.area.dataset.connection = isConnected ? "on" : "off";
  }

  get path() {
    return this.views.path;
  }

  /** View of the current node of the game, whichever node is shown. */
  get latest() {
    return this.views.latest;
  }

  /** Whether the move that is shown is on its way; the next one may be entered before its answer. */
  get isSending() {
    return this.sent === this.entry;
  }

  /** Whether another node than the current one is shown. */
  get isLooking() {
    return this.view.status === "looking";
  }

  /** Whether an earlier node of a game that goes on is shown: no move is entered there. */
  get isLocked() {
    return this.plain.status === "looking" && this.latest.status !== "over";
  }

  /**
   * Receive a change of the game, made on this page or another.
   * @param {import("./types.js").GameView | import("./types.js").GameChange} answer
   */
  receive(answer) {
    const before = this.latest;
    const view = this.views.read(answer);
    if (!view) {
      void this.enqueue(() => this.refresh());
      return;
    }
    // The response to a later request may have been faster.
    if (view !== this.latest || view.revision === before.revision) return;
    if (this.isEditing) {
      if (!this.isLooking) this.setView(view);
    } else if (this.isLooking) this.moves.show(this.view, view.moves);
    else this.show(view);
  }

  /**
   * Remember a view as the one that is shown; a partial move is kept while its node stays current.
   * @param {GameView} view
   */
  setView(view) {
    const isSame = view.node === this.plain.node && JSON.stringify(view.entry) === JSON.stringify(this.plain.entry);
    this.plain = view;
    if (!isSame || !this.entry.touched.length) this.entry = new MoveEntry(view, this.isLocked);
    this.view = this.entry.enter(view);
  }

  /**
   * Show the response to a request, after the moves that led to it; the WebSocket may have been
   * faster.
   * @param {GameView} view
   */
  show(view) {
    if (view.status !== "looking" && view.revision < this.latest.revision) view = this.latest;
    if (this.isHeld) return;
    const result = describeGameOfMatch(this.view, view);
    if (!result) {
      this.replay.show(this.view, view);
      return;
    }
    // The next game of the match begins when the result has been read.
    this.isHeld = true;
    this.replay.cancel();
    announce(result);
    openNoticeDialog("The game is over", result, "Next game", () => {
      this.isHeld = false;
      if (!this.isClosed) this.replay.show(this.view, this.latest);
    });
  }

  /** @param {GameView} view */
  showNow(view) {
    if (view.status !== "looking" && view.node > this.view.node) playMoveSound(view);
    this.setView(view);
    document.title = `${view.title} · Ludus`;
    byId("game-title").textContent = view.title;
    this.cube.rollSoon();
    this.moves.show(view, view.moves);
    this.review.panel?.show(view);
    this.share.panel?.show(view);
    this.showEntry();
  }

  /** Show the view with the touches of a partial move. */
  showEntry() {
    const { entry } = this;
    this.view = entry.enter(this.plain);
    const { view } = this;
    // The prompt stays until the answer to a move that is being sent.
    const isSent = this.isSending && entry.move !== "";
    if (isSent) view.prompt = this.prompt.textContent ?? "";
    const isNew = String(view.node) !== this.area.dataset.node || view.prompt !== this.prompt.textContent;
    Object.assign(this.area.dataset, {
      status: isSent ? "sending" : view.status,
      node: view.node,
      touched: view.touched.join(" "),
    });
    const report = view.status === "looking" ? "" : view.told;
    this.prompt.textContent = view.prompt;
    this.message.textContent = report;
    setChildren(this.seatCards, ...makeSeatCards(view));
    this.cube.show(view);
    this.toolbar.show(view);
    this.end.show(view);
    this.analysis.show(view);
    this.drawBoard();
    if (isNew) announce(view.touched.length ? view.prompt : `${report} ${view.prompt}`.trim());
  }

  /** Draw the board with the touches, and what is known of the moves. */
  drawBoard() {
    if (this.isEditing || this.replay.target) return;
    this.replay.lastDrawn = performance.now();
    this.board.show(this.view, this.entry, this.analysis.rate(this.entry), this.analysis.hintShapes);
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
    return this.enqueue(async () => this.show(await this.views.post(action, body)));
  }

  /**
   * Change the pace; other fields keep their values at the time the request is sent.
   * @param {{ paused?: boolean, delay?: number }} change
   */
  setPace(change) {
    return this.enqueue(async () => {
      const pace = { paused: this.view.status === "paused", delay: this.view.delay };
      this.show(await this.views.post("pace", { ...pace, ...change }));
    });
  }

  /**
   * Go back to a node; if a computer player is to move there, it moves again at once.
   * @param {number} node
   */
  tryAgain(node) {
    return this.enqueue(async () => {
      const view = await this.views.post("at", { node });
      const isPaused = view.status === "paused" && !hasNoPerson(view);
      const pace = { paused: false, delay: view.delay };
      this.show(isPaused ? await this.views.post("pace", pace) : view);
    });
  }

  /**
   * Show a position that is being set up in the place of the game.
   * @param {Parameters<BoardView["show"]>[0]} drawing
   */
  showEditor(drawing) {
    this.isEditing = true;
    this.replay.cancel();
    this.area.dataset.status = "editing";
    this.prompt.textContent = "Set up a position";
    this.message.textContent = "";
    this.board.show(drawing);
  }

  hideEditor() {
    this.isEditing = false;
    this.show(this.plain);
  }

  /**
   * Touch a place; one from which no move goes on does nothing. While moves are replayed it ends
   * that, and at a past position of a game that goes on it returns to the present.
   * @param {string} place
   */
  touch(place) {
    const { entry } = this;
    if (this.isSending) return;
    if (this.replay.target) {
      this.replay.hurry();
      return;
    }
    if (this.isLocked) {
      showNotice("Back in the game. Continue from here plays on from an earlier move.");
      void this.showNode(this.latest.at);
      return;
    }
    if (!entry.touch(place)) {
      if (this.view.status === "yours") announce(`Not possible. ${this.view.prompt}`);
      return;
    }
    // A single touch is an action about the cube, which has nothing to undo.
    const isHeld = this.confirmation.isOn && entry.touched.length > 1;
    if (entry.move && !isHeld) void this.sendMove();
    else this.showEntry();
    if (entry.isUnknown) void this.enqueue(() => this.loadEntry());
  }

  /** Play the move that is complete; at a past node it opens a variation. */
  sendMove() {
    const { entry, isLooking } = this;
    const { node } = this.view;
    if (this.isSending) return this.queue;
    this.sent = entry;
    this.showEntry();
    return this.enqueue(async () => {
      try {
        if (isLooking) await this.views.post("at", { node });
        const view = await this.views.post("moves", { node, move: entry.move });
        if (this.isSending) this.sent = null;
        this.show(view);
      } catch (error) {
        this.sent = null;
        this.entry = new MoveEntry(this.plain);
        await this.refresh().catch(() => this.showEntry());
        // The game has changed on another page, and is shown as it is now.
        if (!hasStatus(error, 409, 422)) throw error;
      }
    });
  }

  /** Request how to go on with a move that has many continuations. */
  async loadEntry() {
    const { entry } = this;
    const { node, touched } = this.view;
    const found = /** @type {EntryView} */ (await get(`${this.path}/entry`, { node, touched }));
    if (!entry.isUnknown || entry !== this.entry) return;
    entry.extend(found);
    this.showEntry();
  }

  undoTouch() {
    if (this.isSending) return;
    this.entry.undo();
    this.showEntry();
  }

  /** Show the same node again. */
  async refresh() {
    this.show(await this.views.get(this.isLooking ? this.view.node : undefined));
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
    return this.enqueue(async () => this.show(await this.views.get(node)));
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
