"""Every address of the server with odd bodies and queries: no fault, one line for each error."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from fuzzing.hostile import JSON_WORDS, make_value
from support.page_server import begin
from support.repetition import repeat

NAMES = ("nine_mens_morris", "backgammon", "noughts_and_crosses", "hexapawn")
RULES = (
    *("", "standard", "money", "twelve", "size=4", "size=8", "men=3", "men=12,diagonals=yes"),
    *("match=5", "length=7", "size=99999999999999999999", "men=\u0663", "men=1e9"),
    *("=", ",", "a=b=c"),
)
POSITIONS = (
    *("", "start", "XX./OO./... x", "BBB/.../WWW w", "4HPwATDgc/ABMA:cAkAAAAAAAAA"),
    *("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31", "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 cube"),
    *("24:99,13:5 24:-2 0 99", "EMOOMMOOEEOOMOOOOEEOMEOO1156", "XGID=" + "-" * 26, "WWW" * 300),
)
RECORDS = (
    *("", "1. d6 f4 2. b4", '[Game "hexapawn"]\n\n1. a1-a2 b3xa2 *', '[Game "nobody"]\n\n1. x *'),
    *("(" * 3000, "{" * 3000, "1. " * 3000, "(;GM[6]", "(;" * 2000, ";" + "[" * 2000 + "]" * 2000),
    *(" 5 point match\n\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5\n", "5 point match" * 20),
    *('[Game "backgammon"]\n[Rules "money"]\n\n1. 31 8/5 6/5 double take *' * 2, "XGID=" * 50),
)
PLAYERS = (
    *("random", "perfect", "newbie", "scholar", "nnmm", "migo", "external:cmd=id", "adaptive"),
    *("negascout:level=99", "nnmm:weights=/etc/passwd", "gammon", "menace", "", "random" * 30),
)
KNOWN: dict[str, tuple[Any, ...]] = {
    "game": NAMES,
    "rules": RULES,
    "position": POSITIONS,
    "record": RECORDS,
    "text": (*RECORDS, *POSITIONS),
    "player": PLAYERS,
    "move": ("d6", "a1-a2", "double", "take", "roll", "8/5 6/5", "resign", "b2"),
    "place": ("d6", "a1", "roll", "double", "take", "resign_gammon", "6", "bar", "off"),
    "touched": ([], ["d6"], ["a1", "a2"], ["bar"] * 60),
    "node": (0, 1, 2),
    "level": (1, 2, 3, 10),
    "seed": (0, 7),
    "delay": (0, 60),
    "paused": (True, False),
    "hold": (True, False),
    "mover": (0, 1),
    "hands": ([0, 0], [15, 15]),
    "dice": ([1, 6], [3, 3], None),
    "men": ({"d6": {"side": 0}}, {"6": {"side": 1, "count": 15}, "bar": {"side": 0}}, {}),
    "seats": ([{"player": "random"}, {}], [{}, {}]),
    "kind": ("win", "hold"),
    "grade": (1, 2, 3),
    "number": (0, 2**52),
    "since": (0, 1, -1, 2**60, "x"),
    "suffix": ("mat", "sgf", "txt"),
    "action": ("stop",),  # a start that is accepted would work for an hour
}
"""Plausible values of fields and parameters, so that requests get beyond the checks of types."""


class HttpRequest(NamedTuple):
    """A request; the body is JSON, or not quite."""

    method: str
    path: str
    query: dict[str, str]
    body: bytes | None


class Operation(NamedTuple):
    """An address and a method of the description, with the names of its fields."""

    method: str
    path: str
    queries: tuple[str, ...]
    fields: tuple[str, ...]


def list_operations(description: dict[str, Any]) -> list[Operation]:
    """Return the operations of an OpenAPI description."""
    return list(_walk(description))


def _walk(description: dict[str, Any]) -> Iterator[Operation]:
    schemas = description["components"]["schemas"]
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            queries = [each["name"] for each in operation.get("parameters", ())]
            content = operation.get("requestBody", {}).get("content", {})
            body = json.dumps(content.get("application/json", {}))
            named = [name for name in schemas if f'schemas/{name}"' in body]
            fields = [field for name in named for field in schemas[name]["properties"]]
            yield Operation(
                method.upper(), path, tuple(set(queries) - {"id"}), tuple(dict.fromkeys(fields))
            )


def make_request(operation: Operation, ids: list[str], source: random.Random) -> HttpRequest:
    """Return a request for an operation, on one of the games or on none."""
    id_ = source.choice(ids) if source.random() < 0.9 else source.choice(("x" * 22, "..", "%00"))
    query = {
        name: _as_text(_choose(name, source))
        for name in operation.queries
        if source.random() < 0.85
    }
    body = _make_body(operation, source) if operation.fields else None
    return HttpRequest(operation.method, operation.path.replace("{id}", id_), query, body)


def _choose(name: str, source: random.Random) -> Any:
    known = KNOWN.get(name)
    if known is not None and source.random() < 0.75:
        return source.choice(known)
    return make_value(source)


def _as_text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode(errors="replace").decode()[:300]


def _make_body(operation: Operation, source: random.Random) -> bytes:
    fields: Any = {
        name: _choose(name, source) for name in operation.fields if source.random() < 0.85
    }
    if source.random() < 0.1:
        fields[source.choice(JSON_WORDS)] = make_value(source)
    text = json.dumps(fields)  # with NaN and Infinity, which are not JSON
    kind = source.randrange(12)
    if kind == 0:
        text = text[: source.randrange(len(text) + 1)]
    elif kind == 1:
        deep = source.choice((50, 5_000, 100_000))
        text = source.choice(("[" * deep + "]" * deep, '{"game":' * deep, f"[{text}]"))
    elif kind == 2:
        text = json.dumps(make_value(source))
    elif kind == 3:
        data = bytearray(text.encode())
        for _ in range(source.choice((1, 5))):
            data[source.randrange(len(data))] = source.randrange(256)
        return bytes(data)
    return text.encode(errors="surrogatepass")


JSON = {"content-type": "application/json"}
ALLOWED = {200, 201, 204, 400, 404, 409, 413, 422, 429}
BUSY = 503
"""A worker process that is late on a busy machine, which the server names as such."""

SLOW = ("puzzles", "learners", "review", "evaluation", "advice", "rules-test", "verdict")
"""Parts of addresses whose work takes seconds; few of their requests are tried."""


@pytest.mark.timeout(1200)
def test_odd_requests_are_answered_or_refused_in_one_line(server, client):
    operations = list_operations(client.get("/api/openapi.json").json())
    assert len(operations) > 30
    source = random.Random(21)
    ids = [begin(client, name)["id"] for name in NAMES]
    ids.append(begin(client, "backgammon", rules="money")["id"])
    statuses = Counter()
    for number in range(repeat(4, 400)):
        for operation in operations:
            is_slow = any(word in operation.path for word in SLOW)
            if is_slow and number % 20 != 10:
                continue
            request = make_request(operation, ids, source)
            answer = client.request(
                request.method,
                request.path,
                params=request.query,
                content=request.body,
                headers=JSON,
            )
            statuses[answer.status_code] += 1
            assert answer.status_code in {*ALLOWED, BUSY}, (request, answer.text)
            if answer.status_code >= 400:
                detail = answer.json()["detail"]
                assert 0 < len(detail) < 500, (request, detail)
                assert "\n" not in detail, (request, detail)
                assert "Traceback" not in detail, request
    assert server.process.poll() is None
    assert {200, 422} <= statuses.keys(), statuses
    assert statuses[BUSY] <= statuses.total() / 20, statuses
    print(f"{statuses.total()} requests: {dict(statuses)}")
