// HTTP and WebSocket requests to the server.

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").NewGame} NewGame */

/** Error response of the server; the message is its detail. */
export class Refused extends Error {
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
 * @param {string} path
 * @param {RequestInit} [how]
 * @returns {Promise<Response>}
 */
async function ask(path, how) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, how);
  } catch {
    throw new Refused(0, "The server does not answer. Is it still running?");
  }
  if (response.ok) return response;
  const detail = await response.json().then(
    (body) => String(body.detail),
    () => response.statusText,
  );
  throw new Refused(response.status, detail);
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
    for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value]) {
      search.append(name, String(each));
    }
  }
  const text = search.toString();
  return (await ask(text ? `${path}?${text}` : path)).json();
}

/**
 * @template T
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<T>}
 */
export async function post(path, body = {}) {
  const headers = { "Content-Type": "application/json" };
  return (await ask(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

/**
 * @param {NewGame} order
 * @returns {Promise<View>}
 */
export function begin(order) {
  const after = localStorage.getItem("last-game") ?? "";
  return post("/api/games", { after, ...order });
}

const FIRST_WAIT = 300;
const LONGEST_WAIT = 5000;

/**
 * Receive every change of a game; reconnects when the connection is lost.
 * @param {string} id
 * @param {(view: View) => void} show
 * @param {(connected: boolean) => void} connected
 * @returns {() => void} a function that stops it
 */
export function follow(id, show, connected) {
  let wait = FIRST_WAIT;
  let isOver = false;
  /** @type {WebSocket | undefined} */
  let socket;
  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/api/games/${id}/live`);
    socket.onmessage = (event) => {
      wait = FIRST_WAIT;
      connected(true);
      show(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (isOver || event.code === 4404) return;
      connected(false);
      setTimeout(() => {
        if (!isOver) connect();
      }, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT);
    };
  };
  connect();
  return () => {
    isOver = true;
    socket?.close();
  };
}
