// Keeps the page itself, without games: an installed app opens without a server, and says so.

const SHELL = "shell";

addEventListener("install", (event) => event.waitUntil(keepShell()));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const isShell = request.method === "GET" && origin === location.origin && !pathname.startsWith("/api/");
  if (isShell) event.respondWith(answer(request));
});

/** Keep the document and everything that it names, and what is loaded later on. */
async function keepShell() {
  const cache = await caches.open(SHELL);
  const document = await (await fetch("/")).text();
  const named = document.match(/\/(?:static\/[\w.-]+|colours\.css)/g) ?? [];
  const lazy = ["newgamedialog", "opponents", "rules", "puzzles", "drill", "mygames", "welcome"];
  const files = [...named, ...lazy.map((name) => `/static/${name}.js`), "/static/wood.webp", "/static/stone.webp"];
  await cache.addAll(["/", ...new Set(files)]);
  await skipWaiting();
}

/**
 * Answer from the server, or from what is kept if there is no answer.
 * @param {Request} request
 */
async function answer(request) {
  const key = request.mode === "navigate" ? "/" : request;
  const cache = await caches.open(SHELL);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(key, response.clone());
    return response;
  } catch {
    return (await cache.match(key, { ignoreVary: true })) ?? Response.error();
  }
}
