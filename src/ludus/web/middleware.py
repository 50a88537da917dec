"""ASGI middleware: allowed hosts and origins, body size, rate limits, security headers.

It also ends the work for a client that has gone.
"""

import asyncio
import ipaddress
import json
import time
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from cachetools import LRUCache
from starlette.requests import HTTPConnection

from ludus.web.errors import WorkerUnavailable
from ludus.web.job_queue import FairPool, JobOwner, current_client
from ludus.web.settings import Settings

SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'none'; "
        b"frame-ancestors 'none'; base-uri 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"x-frame-options", b"DENY"),
)

EMBEDDED_PATH = "/embed/"
"""Pages at these addresses may stand in pages of other sites: they only show a game."""

PICTURE_PATH = "/picture/"
"""Pictures at these addresses may, too."""


def list_security_headers(path: str) -> list[tuple[bytes, bytes]]:
    """Return the headers of a response, which depend on whether other sites may show it."""
    headers = dict(SECURITY_HEADERS)
    if path.startswith(EMBEDDED_PATH):
        del headers[b"x-frame-options"]
        policy = headers[b"content-security-policy"]
        headers[b"content-security-policy"] = policy.replace(
            b"frame-ancestors 'none'", b"frame-ancestors *"
        )
    if path.startswith((EMBEDDED_PATH, PICTURE_PATH)):
        headers[b"cross-origin-resource-policy"] = b"cross-origin"
    return list(headers.items())


MAX_LENGTH_DIGITS = 12
"""Maximum number of digits of a Content-Length header."""

MAX_ADDRESSES = 10_000

REQUEST_SECONDS = 0.003
"""What a request costs, beside what is measured: to parse, route and write it."""

FOREIGN_SITES = (b"cross-site", b"same-site")
"""Values of Sec-Fetch-Site for requests by pages that this server did not send.

Pages of another port of the same host are `same-site`. Browsers send the header to this machine and
over HTTPS; other programs need not.
"""

API_PREFIX = "/api/"


@lru_cache(maxsize=MAX_ADDRESSES)
def name_client(address: str) -> str:
    """Return the name under which a client's requests are counted.

    A home or a company has 2^64 addresses of IPv6, and they count as one.

    >>> name_client("2001:db8::5:6"), name_client("127.0.0.1")
    ('2001:db8::/64', '127.0.0.1')
    """
    parsed = _parse_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((parsed, 64), strict=False))
    return address if parsed is None else str(parsed)


def _parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        parsed = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


def is_owner(request: HTTPConnection) -> bool:
    """Return whether a request comes from this machine itself, and through no proxy."""
    is_direct = "x-forwarded-for" not in request.headers
    return is_direct and is_local(request.client.host if request.client else "")


def is_local(client: str) -> bool:
    """Return whether a client is on this machine."""
    address = _parse_address(client)
    return address is not None and address.is_loopback


CANCELLED_PATHS = ("/api/imports", "/api/games")
"""Requests that read a long text, which is ended when the client leaves, as all reading is."""


class RateLimiter:
    """Token bucket per client."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens: LRUCache[str, tuple[float, float]] = LRUCache(MAX_ADDRESSES)

    def allow(self, client: str, amount: float = 1) -> bool:
        """Take tokens; return whether there were enough."""
        now = time.monotonic()
        level, since = self._tokens.get(client, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._rate)
        self._tokens[client] = (max(level - amount, 0), now)
        return level >= amount


class _BodyTooLarge(Exception):
    """The request body exceeds the limit."""


class GuardMiddleware:
    """ASGI middleware in front of the application."""

    def __init__(self, app: Any, settings: Settings, turns: FairPool[None]) -> None:
        self._app, self._turns = app, turns
        self._settings = settings
        rate = settings.requests_per_second
        self._requests = RateLimiter(rate, 2 * rate)
        rate = settings.new_games_per_second
        self._new_games = RateLimiter(rate, 10 * rate)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        address, port = scope.get("client") or ("", 0)
        client = name_client(address)
        refusal = self._find_refusal(scope, client)
        if refusal is not None:
            await _send_error(scope, send, *refusal)
            return
        current_client.set(client)
        owner = JobOwner(client, f"{port}")  # each connection has its turn, as each game has
        try:
            async with self._turns.turn(owner):
                self._turns.queue.used.add(owner, REQUEST_SECONDS)
        except WorkerUnavailable as error:
            await _send_error(scope, send, error.status, str(error))
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        body = _LimitedBody(receive, self._settings.max_body)

        added = list_security_headers(scope["path"])

        async def send_guarded(message: Any) -> None:
            if body.is_too_large:
                return
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        is_reading = scope["method"] in ("GET", "HEAD") and scope["path"].startswith(API_PREFIX)
        run = _run_while_connected if is_reading or scope["path"] in CANCELLED_PATHS else _run
        with suppress(_BodyTooLarge):
            await run(self._app, scope, body.receive, send_guarded)
        if body.is_too_large:
            await _send_error(scope, send, 413, "the request is too large")

    def _find_refusal(self, scope: Any, client: str) -> tuple[int, str] | None:
        """Return the status and reason for which a request is refused, or None."""
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        if not self._is_own_name(_host_name(host), (scope.get("server") or ("",))[0]):
            return 421, "this server does not serve that host name; `ludus play --name` adds one"
        if _is_foreign(scope, host):
            return 403, "a page of another site may not do that"
        length = headers.get(b"content-length", b"0")
        is_short = length.isdigit() and len(length) <= MAX_LENGTH_DIGITS
        if not is_short or int(length) > self._settings.max_body:
            return 413, "the request is too large"
        if not self._requests.allow(client):
            return 429, "too many requests; wait a moment"
        is_new = scope["path"] == "/api/games" and scope.get("method") == "POST"
        if is_new and not self._new_games.allow(client):
            return 429, "too many new games; wait a moment"
        return None

    def _is_own_name(self, name: str, address: str) -> bool:
        """Return whether a Host header is a known name, or the address that the request came to."""
        own = _parse_address(address)
        return name in self._settings.names or (
            own is not None and own == _parse_address(name.strip("[]"))
        )


class _LimitedBody:
    """Request body whose bytes are counted as they arrive, for requests without a length."""

    def __init__(self, receive: Any, max_bytes: int) -> None:
        self._receive = receive
        self._bytes_left = max_bytes

    @property
    def is_too_large(self) -> bool:
        return self._bytes_left < 0

    async def receive(self) -> Any:
        message = await self._receive()
        self._bytes_left -= len(message.get("body", b""))
        if self.is_too_large:
            raise _BodyTooLarge
        return message


async def _run(app: Any, scope: Any, receive: Any, send: Any) -> None:
    await app(scope, receive, send)


async def _run_while_connected(app: Any, scope: Any, receive: Any, send: Any) -> None:
    """Answer a request; cancel the work when the client disconnects."""
    messages: asyncio.Queue[Any] = asyncio.Queue()

    async def watch() -> None:
        while True:
            message = await receive()
            messages.put_nowait(message)
            if message["type"] == "http.disconnect":
                return

    answering = asyncio.create_task(app(scope, messages.get, send))
    watching = asyncio.create_task(watch())
    try:
        await asyncio.wait((answering, watching), return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            await answering
        else:
            await watching  # raises if the body is too large
    finally:
        answering.cancel()
        watching.cancel()
        await asyncio.gather(answering, watching, return_exceptions=True)


def _is_foreign(scope: Any, host: str) -> bool:
    """Return whether a page of another site makes a request that it may not make.

    It may link to our pages. It may not call the interface: to write, or to start expensive work.
    """
    is_reading = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
    is_page = is_reading and not scope["path"].startswith(API_PREFIX)
    for name, value in scope["headers"]:
        if name == b"origin" and not is_page and _get_netloc(value) != host:
            return True
        if name == b"sec-fetch-site" and not is_page and value.strip() in FOREIGN_SITES:
            return True
    return False


def _get_netloc(origin: bytes) -> str | None:
    try:
        return urlsplit(origin.decode("latin-1")).netloc
    except ValueError:
        return None


def _host_name(host: str) -> str:
    """Return a host without its port."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() else host.lower()


async def _send_error(scope: Any, send: Any, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    body = json.dumps({"detail": why}).encode()
    kind = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send(
        {"type": "http.response.start", "status": status, "headers": [*kind, *SECURITY_HEADERS]}
    )
    await send({"type": "http.response.body", "body": body})
