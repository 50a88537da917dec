"""ASGI middleware: allowed hosts and origins, body size, rate limits, security headers."""

import json
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from cachetools import LRUCache

from ludus.web.settings import Settings

SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; manifest-src 'self'; form-action 'none'; frame-ancestors 'none'; "
        b"base-uri 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"x-frame-options", b"DENY"),
)

ANY_HOST = "*"
"""In `Settings.hosts`: accept any host name."""

MAX_LENGTH_DIGITS = 12
"""Maximum number of digits of a Content-Length header."""

MAX_ADDRESSES = 10_000


class RateLimiter:
    """Token bucket per client address."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens: LRUCache[str, tuple[float, float]] = LRUCache(MAX_ADDRESSES)

    def allow(self, address: str) -> bool:
        """Take one token; return whether the request is allowed."""
        now = time.monotonic()
        level, since = self._tokens.get(address, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._rate)
        self._tokens[address] = (max(level - 1, 0), now)
        return level >= 1


class _BodyTooLarge(Exception):
    """The request body exceeds the limit."""


class GuardMiddleware:
    """ASGI middleware in front of the application."""

    def __init__(self, app: Any, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        rate = settings.requests_per_second
        self._requests = RateLimiter(rate, 2 * rate)
        rate = settings.new_games_per_second
        self._new_games = RateLimiter(rate, 10 * rate)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refusal = self._find_refusal(scope, headers)
        if refusal is not None:
            await _send_error(scope, send, *refusal)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        body = _LimitedBody(receive, self._settings.max_body)

        async def send_guarded(message: Any) -> None:
            if body.is_too_large:
                return
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *SECURITY_HEADERS]}
            await send(message)

        with suppress(_BodyTooLarge):
            await self._app(scope, body.receive, send_guarded)
        if body.is_too_large:
            await _send_error(scope, send, 413, "the request is too large")

    def _find_refusal(self, scope: Any, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """Return the status and reason for which a request is refused, or None."""
        host = headers.get(b"host", b"").decode("latin-1")
        known = self._settings.hosts
        if _host_name(host) not in known and ANY_HOST not in known:
            return 421, "this server does not serve that host name"
        origin = headers.get(b"origin")
        is_writing = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if is_writing and origin is not None and urlsplit(origin.decode("latin-1")).netloc != host:
            return 403, "a page of another site may not do that"
        length = headers.get(b"content-length", b"0")
        is_short = length.isdigit() and len(length) <= MAX_LENGTH_DIGITS
        if not is_short or int(length) > self._settings.max_body:
            return 413, "the request is too large"
        address = (scope.get("client") or ("",))[0]
        if not self._requests.allow(address):
            return 429, "too many requests; wait a moment"
        is_new = scope["path"] == "/api/games" and scope.get("method") == "POST"
        if is_new and not self._new_games.allow(address):
            return 429, "too many new games; wait a moment"
        return None


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


def _host_name(host: str) -> str:
    """Return a host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


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
