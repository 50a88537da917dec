"""Arbitrary JSON values, and changes of a value at any place in it."""

import random
from typing import Any

WORDS = (
    *("", "\x00", "\ud800", "\u202eab", "é" * 2_000, "x" * 2_000, "../..", "%s%n", "' OR 1=1 --"),
    *(
        "<script>",
        "-0",
        "1e999",
        "nan",
        "\U0001f600" * 50,
        "\r\n",
        "null",
        "true",
        "[]",
        "d6",
        "a7",
    ),
)
NUMBERS = (0, 1, -1, 3, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**400, 0.5, -0.0, 1e308, 5e-324)
CONSTANTS = (float("nan"), float("inf"), -float("inf"), True, False, None)


def make_value(source: random.Random, depth: int = 0) -> Any:
    """Return an arbitrary JSON value, nested up to a few levels."""
    kinds = [
        lambda: source.choice(WORDS),
        lambda: source.choice(NUMBERS),
        lambda: source.choice(CONSTANTS),
    ]
    if depth < 3:
        size = source.choice((0, 1, 2, 30))
        kinds += [
            lambda: [make_value(source, depth + 1) for _ in range(size)],
            lambda: {source.choice(WORDS): make_value(source, depth + 1) for _ in range(size)},
        ]
    return source.choice(kinds)()


def change_value(value: Any, source: random.Random) -> Any:
    """Return a value with one change: another value, one more, or one less, at any place."""
    if not isinstance(value, dict | list) or not value or source.random() < 0.1:
        return make_value(source)
    changed = value.copy()
    keys = list(changed) if isinstance(changed, dict) else range(len(changed))
    key = source.choice(keys)
    kind = source.randrange(6)
    if kind == 0:
        del changed[key]
    elif kind == 1 and isinstance(changed, dict):
        changed[source.choice(WORDS)] = make_value(source)
    elif kind == 1:
        changed.append(make_value(source))
    else:
        changed[key] = change_value(changed[key], source)
    return changed
