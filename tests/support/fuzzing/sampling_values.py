"""Compiled sampling called with hostile columns; what is accepted is drawn, expanded and played."""

import random
from typing import Any

import numpy as np

from ludus._native import sampling
from ludus.games.nine_mens_morris import PRESETS
from support.fuzzing.hostile_values import NUMBERS, ODD_VALUES, Caller, Values


def sampling_values(source: random.Random, calls: int) -> dict[str, int]:
    """Every function with columns of right and wrong lengths, kinds and contents."""
    values, caller = Values(source), Caller()
    tables = [sampling.Tables(rules) for rules in PRESETS.values()]
    for _ in range(calls):
        rules: Any = source.choice(list(PRESETS.values()))
        if source.random() < 0.05:
            rules = source.choice(ODD_VALUES)
        size, length = source.randrange(4), source.randrange(1, 9)
        positions = _positions(source, size)
        max_moves, seed = values.number(length, length), values.number(0, 2**64 - 1)
        rows = _ints(source, size), _blank(source, size * length), _ints(source, size * length)
        count, child, move = rows
        caller.call("expand", sampling.expand, rules, positions, max_moves, seed, *rows)
        men = _ints(source, 8) if source.random() < 0.5 else np.array([3, 4, 0, 1] * 2, "i4")
        cumulative = np.array([source.getrandbits(32), 2**32 - 1], np.uint32)
        cumulative = cumulative[: source.choice((2, 2, 2, 1, 0))]
        caller.call("draw", sampling.draw, rules, men, cumulative, seed, _blank(source, size))
        caller.call(
            "advance",
            sampling.advance,
            rules,
            count,
            child,
            move,
            _bytes(source, size),
            _bytes(source, size * length),
            source.choice((None, _ints(source, size))),
            _ints(source, size),
            values.number(0, 2**32),
            values.number(1, 2**31 - 1),
            _positions(source, 2),
            seed,
            _blank(source, size),
            _ints(source, size),
        )
        table = source.choice(tables)
        half = values.several(4, 0, 1)
        caller.call("add", table.add, half, np.zeros(source.choice((1, 4, 23, 24, 92, 96)), "u1"))
        caller.call("label", table.label, positions, _bytes(source, size))
    return caller.results


def _length(source: random.Random, size: int) -> int:
    return size if source.random() < 0.99 else source.choice((0, 1, 5, size + 1))


def _ints(source: random.Random, size: int) -> Any:
    if source.random() < 0.01:
        return source.choice((*ODD_VALUES, np.zeros(size), np.zeros((size, 2), np.int32)))
    low, high = source.choice(((0, 9), (0, 9), (-(2**31), 2**31)))
    return np.array([source.randrange(low, high) for _ in range(_length(source, size))], np.int32)


def _bytes(source: random.Random, size: int) -> Any:
    if source.random() < 0.01:
        return source.choice((*ODD_VALUES, np.zeros(size)))
    return np.frombuffer(bytearray(source.randbytes(_length(source, size))), np.uint8)


def _blank(source: random.Random, size: int) -> Any:
    """Columns to be written to, whatever stands in them."""
    kinds = (_ints, _ints, _bytes, _bytes)
    return tuple(kind(source, size) for kind in kinds[: 4 if source.random() < 0.99 else 3])


def _positions(source: random.Random, size: int) -> Any:
    """Mostly positions, sometimes with a board, a hand or a length that cannot be."""
    own, other = np.zeros(size, np.int32), np.zeros(size, np.int32)
    for i in range(size):
        points = source.sample(range(24), source.randrange(13))
        half = len(points) // 2
        own[i] = sum(1 << point for point in points[:half])
        other[i] = sum(1 << point for point in points[half:])
        if source.random() < 0.02:
            own[i] = source.choice([number for number in NUMBERS if abs(number) < 2**31])
    hands = [np.array([source.randrange(4) for _ in range(size)], np.uint8) for _ in range(2)]
    if size and source.random() < 0.02:
        hands[0][0] = source.choice((13, 100, 255))
    return _blank(source, size) if source.random() < 0.02 else (own, other, *hands)
