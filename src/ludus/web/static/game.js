// Page of one game: board, prompt, players, and the panels beside them.

import { follow, get, post, Refused } from "./api.js";
import { Board } from "./board.js";
import { button, fill, h, notice, say } from "./dom.js";
import { openChange } from "./change.js";
import { openHow } from "./how.js";
import { EditorPanel } from "./editor.js";
import { Insight } from "./insight.js";
import { MovesPanel } from "./moves.js";
import { plates } from "./plates.js";
import { ReviewPanel } from "./review.js";
import { SharePanel } from "./share.js";
import { Tabs } from "./tabs.js";

/** @typedef {import("./types.js").View} View */

const SPEEDS = [
  ["slow", 2.5],
  ["usual", 1],
  ["fast", 0.3],
  ["at once", 0],
];

export class GamePage {
  /**
   * @param {HTMLElement} root
   * @param {View} view
   * @param {(address: string) => Promise<void>} go
   */
  constructor(root, view, go) {
    this.view = view;
    /** View of the current node of the game, whichever node is shown. */
    this.latest = view;
    /** @type {Promise<unknown>} */
    this.queue = Promise.resolve();
    this.board = new Board(
      (place) => this.touch(place),
      () => this.untouch(),
      () => this.flip(),
    );
    this.board.isFlipped = localStorage.getItem(`flipped ${view.game}`) === "yes";
    this.prompt = h("h1", { class: "prompt" });
    this.told = h("p", { class: "told" });
    this.plates = h("div", { class: "plates" });
    this.tools = h("div", { class: "tools", role: "toolbar", "aria-label": "This game" });
    this.insight = new Insight(this);
    this.moves = new MovesPanel(this);
    this.review = new ReviewPanel(this);
    this.share = new SharePanel(this, go);
    const tabs = new Tabs(
      [
        ["Moves", this.moves.element],
        ["Thinking", this.insight.element],
        ["Review", this.review.element],
        ["Share", this.share.element],
        ["Set up", new EditorPanel(this, go).element],
      ],
      () => this.insight.gallery.show(this.view),
    );
    this.stage = h(
      "section",
      { class: "stage", "aria-label": "The game" },
      this.prompt,
      this.told,
      this.board.element,
      this.insight.bar,
      this.plates,
      this.tools,
    );
    fill(
      root,
      h(
        "div",
        { class: "game" },
        this.stage,
        h("aside", { class: "side", "aria-label": "About the game" }, tabs.element),
      ),
    );
    this.toolList = this.makeTools();
    this.show(view);
    this.unfollow = follow(
      view.id,
      (news) => this.hear(news),
      (isThere) => this.connected(isThere),
    );
  }

  close() {
    this.unfollow();
  }

  /** @param {boolean} isThere */
  connected(isThere) {
    if (isThere === this.isLost)
      notice(isThere ? "" : "The server does not answer; trying again …", 0);
    this.isLost = !isThere;
  }

  isLost = false;

  get path() {
    return `/api/games/${this.view.id}`;
  }

  /** Whether another node than the current one is shown. */
  get isLooking() {
    return this.view.status === "looking";
  }

  /**
   * Receive a change of the game, made on this page or another.
   * @param {View} news
   */
  hear(news) {
    const hasMoved = news.at !== this.latest.at || news.revision !== this.latest.revision;
    this.latest = news;
    if (this.isLooking) {
      this.moves.show(this.view, news.moves);
      return;
    }
    // A partial move is kept as long as the current node stays the same.
    if (hasMoved || !this.view.touched.length) this.show(news);
  }

  /**
   * Show the response to a request; the WebSocket may have been faster.
   * @param {View} view
   */
  show(view) {
    if (view.status !== "looking" && view.revision < this.latest.revision) view = this.latest;
    const isNew = view.node !== this.view.node || view.prompt !== this.prompt.textContent;
    this.view = view;
    if (view.status !== "looking") this.latest = view;
    Object.assign(this.stage.dataset, {
      status: view.status,
      node: view.node,
      touched: view.touched.join(" "),
    });
    document.title = `${view.title} · Ludus`;
    this.prompt.textContent = view.prompt;
    this.told.textContent = view.status === "looking" ? "" : view.told;
    this.board.show(view);
    fill(this.plates, ...plates(view));
    this.showTools();
    this.moves.show(view, view.moves);
    this.insight.show(view);
    this.share.show(view);
    if (isNew)
      say(view.touched.length ? view.prompt : `${this.told.textContent} ${view.prompt}`.trim());
  }

  /** The buttons, created once, so that a pressed button is not replaced. */
  makeTools() {
    const primary = { class: "primary" };
    this.hint = button("Hint", () => this.insight.advise(), { "aria-pressed": "false" });
    this.speed = h(
      "select",
      {
        id: "speed",
        onchange: () => this.pace({ delay: Number(this.speed?.value) }),
      },
      ...SPEEDS.map(([name, seconds]) => h("option", { value: seconds }, String(name))),
    );
    /** @type {[HTMLElement, (view: View, isWatched: boolean) => boolean][]} */
    const tools = [
      [
        button("Back to the game", () => this.look(this.latest.at), primary),
        ({ status }) => status === "looking",
      ],
      [
        button("Go on from here", () => this.act("at", { node: this.view.node })),
        ({ status }) => status === "looking",
      ],
      [button("Undo this step", () => this.untouch()), ({ touched }) => touched.length > 0],
      [
        button("Take back", () => this.act("back")),
        ({ status }, isWatched) => status !== "looking" && !isWatched,
      ],
      [
        button("Go on", () => this.pace({ paused: false }), primary),
        ({ status }) => status === "paused" || status === "trouble",
      ],
      [
        button("Pause", () => this.pace({ paused: true })),
        ({ status }, isWatched) => isWatched && status === "thinking",
      ],
      [
        button("Move now", () => this.act("hurry")),
        ({ status }, isWatched) => !isWatched && status === "thinking",
      ],
      [h("label", { for: "speed" }, "Speed ", this.speed), (_, isWatched) => isWatched],
      [this.hint, ({ status }) => status === "yours"],
      [
        button("Players", () => openChange(this.view, (seats) => this.act("seats", { seats }))),
        ({ status }) => status !== "looking" && status !== "over",
      ],
      [this.insight.toggle, () => true],
      [button("Rules", () => this.after(() => openHow(this.view))), () => true],
      [
        button("Flip", () => this.flip(), {
          title: "See the board from the other side (F, on the board)",
        }),
        () => true,
      ],
      [button("Play again", () => this.share.again(), primary), ({ status }) => status === "over"],
    ];
    fill(this.tools, ...tools.map(([element]) => element));
    return tools;
  }

  showTools() {
    const isWatched = this.view.seats.every((seat) => seat.player);
    for (const [element, isWanted] of this.toolList)
      element.hidden = !isWanted(this.view, isWatched);
    this.hint?.setAttribute("aria-pressed", String(this.insight.hinted === this.view.node));
    if (this.speed && document.activeElement !== this.speed)
      this.speed.value = String(this.view.delay);
  }

  /** Flip the board, now and in later games of this kind. */
  flip() {
    this.board.flip();
    localStorage.setItem(`flipped ${this.view.game}`, this.board.isFlipped ? "yes" : "no");
    say(this.board.isFlipped ? "The board is turned round." : "The board is as usual.");
  }

  /**
   * Post a change and show the result; requests run one at a time, in order.
   * @param {string} what
   * @param {unknown} [body]
   */
  act(what, body) {
    return this.after(async () => this.show(await post(`${this.path}/${what}`, body)));
  }

  /**
   * Change the pace; other fields keep their values at the time the request is sent.
   * @param {{ paused?: boolean, delay?: number }} change
   */
  pace(change) {
    return this.after(async () => {
      const now = { paused: this.view.status === "paused", delay: this.view.delay };
      this.show(await post(`${this.path}/pace`, { ...now, ...change }));
    });
  }

  /** @param {string} place */
  touch(place) {
    return this.after(async () => {
      if (this.view.status !== "yours") return;
      const { at, touched } = this.view;
      try {
        const body = { node: at, touched, place };
        this.show(await post(`${this.path}/touch?overlay=${this.insight.overlay}`, body));
      } catch (error) {
        if (!(error instanceof Refused) || (error.status !== 422 && error.status !== 409))
          throw error;
        // Not a legal destination: the man is deselected.
        if (error.status === 409 || touched.length) await this.refresh([]);
        else say(`Not there. ${this.view.prompt}`);
      }
    });
  }

  untouch() {
    return this.after(() => this.refresh(this.view.touched.slice(0, -1)));
  }

  /**
   * Show the same node with these places touched.
   * @param {string[]} touched
   */
  async refresh(touched) {
    const node = this.isLooking ? this.view.node : undefined;
    this.show(await get(this.path, { node, touched, overlay: this.insight.overlay }));
  }

  /**
   * Show a node of the game without making it current.
   * @param {number} node
   */
  look(node) {
    return this.after(async () =>
      this.show(await get(this.path, { node, overlay: this.insight.overlay })),
    );
  }

  /** @param {() => Promise<unknown>} work */
  after(work) {
    this.queue = this.aside(() => this.queue.then(work));
    return this.queue;
  }

  /**
   * Run something in the background.
   * @param {() => Promise<unknown>} work
   */
  aside(work) {
    return work().catch((error) => {
      notice(error instanceof Error ? error.message : String(error));
    });
  }
}
