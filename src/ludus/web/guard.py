"""What every request passes: whose page asks, how much and how often; and strict headers."""

import json
import time
from collections import OrderedDict
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from ludus.web.settings import Settings

HEADERS = (
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

EVERYBODY = "*"
"""Among the hosts of the settings: the page may be asked for by any name."""

MAX_DIGITS = 12
"""Of a length that is worth reading."""

MAX_ADDRESSES = 10_000


class Buckets:
    """How often an address may ask: so many a second on average, more in a burst."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> bool:
        """Whether one more is allowed now."""
        now = time.monotonic()
        level, since = self._levels.pop(address, (self._burst, now))
        level = min(self._burst, level + (now - since) * self._rate)
        self._levels[address] = (max(level - 1, 0), now)
        if len(self._levels) > MAX_ADDRESSES:
            self._levels.popitem(last=False)
        return level >= 1


class _TooLarge(Exception):
    """The body of a request goes on for too long."""


class Guard:
    """Stands in front of the application, as ASGI has it."""

    def __init__(self, app: Any, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        rate = settings.requests_per_second
        self._requests = Buckets(rate, 2 * rate)
        rate = settings.new_games_per_second
        self._new_games = Buckets(rate, 10 * rate)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refused = self._refused(scope, headers)
        if refused is not None:
            await _refuse(scope, send, *refused)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        body = _Body(receive, self._settings.max_body)

        async def sending(message: Any) -> None:
            if body.is_too_large:
                return
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *HEADERS]}
            await send(message)

        with suppress(_TooLarge):
            await self._app(scope, body.receive, sending)
        if body.is_too_large:
            await _refuse(scope, send, 413, "the request is too large")

    def _refused(self, scope: Any, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """The status and the reason with which a request is turned away at the door."""
        host = headers.get(b"host", b"").decode("latin-1")
        known = self._settings.hosts
        if _name(host) not in known and EVERYBODY not in known:
            return 421, "this server is not asked for by that name"
        origin = headers.get(b"origin")
        is_writing = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if is_writing and origin is not None and urlsplit(origin.decode("latin-1")).netloc != host:
            return 403, "a page of another site may not do that"
        length = headers.get(b"content-length", b"0")
        is_short = length.isdigit() and len(length) <= MAX_DIGITS
        if not is_short or int(length) > self._settings.max_body:
            return 413, "the request is too large"
        address = (scope.get("client") or ("",))[0]
        if not self._requests.take(address):
            return 429, "too many requests; wait a moment"
        is_new = scope["path"] == "/api/games" and scope.get("method") == "POST"
        if is_new and not self._new_games.take(address):
            return 429, "too many new games; wait a moment"
        return None


class _Body:
    """The body of a request; one that says nothing about its length is counted as it comes."""

    def __init__(self, receive: Any, most: int) -> None:
        self._receive = receive
        self._left = most

    @property
    def is_too_large(self) -> bool:
        return self._left < 0

    async def receive(self) -> Any:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self.is_too_large:
            raise _TooLarge
        return message


def _name(host: str) -> str:
    """A host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


async def _refuse(scope: Any, send: Any, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    body = json.dumps({"detail": why}).encode()
    kind = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*kind, *HEADERS]})
    await send({"type": "http.response.body", "body": body})
