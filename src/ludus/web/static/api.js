// HTTP and WebSocket requests to the server.

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").GameChange} GameChange */
/** @typedef {import("./types.js").NewGameRequest} NewGameRequest */
/** @typedef {import("./types.js").OpponentView} OpponentView */

export const NO_ANSWER = "The server does not answer. Is it still running?";
const FIRST_RETRY_DELAY = 300;
const MAX_RETRY_DELAY = 5000;
/** Close code of the WebSocket of an unknown game. */
const NOT_FOUND_CODE = 4404;

/** Error response of the server, whose detail is the message; status 0 means no response. */
export class RequestError extends Error {
  /**
   * @param {number} status
   * @param {string} detail
   */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/**
 * Return whether an error is a response with one of these HTTP statuses.
 * @param {unknown} error
 * @param {...number} statuses
 */
export function hasStatus(error, ...statuses) {
  return error instanceof RequestError && statuses.includes(error.status);
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
async function request(path, options) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new RequestError(0, NO_ANSWER);
  }
  if (response.ok) return response;
  const detail = await response.json().then(
    (body) => String(body.detail),
    () => response.statusText,
  );
  throw new RequestError(response.status, detail);
}

/**
 * @template T
 * @param {string} path
 * @param {Record<string, string | number | string[] | undefined>} [query]
 * @returns {Promise<T>}
 */
export async function get(path, query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
  }
  const text = search.toString();
  return (await request(text ? `${path}?${text}` : path)).json();
}

/**
 * @template T
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<T>}
 */
export async function post(path, body = {}) {
  const headers = { "Content-Type": "application/json" };
  return (await request(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

/**
 * Create a game; players that learn continue from the last game of this browser.
 * @param {NewGameRequest} order
 * @returns {Promise<GameView>}
 */
export function createGame(order) {
  const after = localStorage.getItem("last-game") ?? "";
  return post("/api/games", { after, ...order });
}

/**
 * Fetch the players for a game.
 * @param {string} game
 * @param {string} rules
 * @returns {Promise<OpponentView[]>}
 */
export const fetchOpponents = (game, rules) => get("/api/opponents", { game, rules });

/**
 * Receive every change of a game; reconnects when the connection is lost.
 * @param {string} id
 * @param {() => number} getRevision returns the revision of the view that the page has
 * @param {(answer: GameView | GameChange) => void} onChange
 * @param {(isConnected: boolean) => void} onConnection
 * @returns {() => void} a function that closes the connection
 */
export function watchGame(id, getRevision, onChange, onConnection) {
  let delay = FIRST_RETRY_DELAY;
  let isClosed = false;
  /** @type {WebSocket | undefined} */
  let socket;
  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const address = `${scheme}://${location.host}/api/games/${id}/live`;
    socket = new WebSocket(`${address}?since=${getRevision()}`);
    socket.onmessage = (event) => {
      delay = FIRST_RETRY_DELAY;
      onConnection(true);
      onChange(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (isClosed || event.code === NOT_FOUND_CODE) return;
      onConnection(false);
      setTimeout(() => {
        if (!isClosed) connect();
      }, delay);
      delay = Math.min(2 * delay, MAX_RETRY_DELAY);
    };
  };
  connect();
  return () => {
    isClosed = true;
    socket?.close();
  };
}
