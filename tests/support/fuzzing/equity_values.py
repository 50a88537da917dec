"""Compiled equities of backgammon called with hostile men, tables and sizes."""

import math
import random
from typing import Any

import numpy as np

from ludus._native import equities
from support.fuzzing.hostile_values import ODD_VALUES, Caller, Values

MAX_POSITIONS = 300
"""Larger tables would take most of the time; their sizes are refused or taken all the same."""

ODD_FLOATS = (math.nan, math.inf, -math.inf, 1e38, -1e38, 0.0)


def equity_values(source: random.Random, calls: int) -> dict[str, int]:
    """Every function and class with men, points and tables that may not be."""
    values, caller = Values(source), Caller()
    for _ in range(calls):
        men, points, threads = *_size(values), values.number(1, 3)
        caller.call("rank", equities.rank, _sides(source), men, points)
        caller.call("unrank", equities.unrank, _ranks(source), men, points)
        width = values.number(2, 12)
        caller.call("one_sided", equities.one_sided, men, points, width, threads)
        solved = caller.call("two_sided", equities.two_sided, men, points, threads)
        if source.random() < 0.5:
            solved = _floats(source, solved.shape if solved is not None else (4, 4))
        caller.call("verify_two_sided", equities.verify_two_sided, solved, men, points, threads)
        _play_hypergammon(source, values, caller)
    return caller.results


def _play_hypergammon(source: random.Random, values: Values, caller: Caller) -> None:
    """One man a side, in any order of calls, with any tables loaded."""
    men = values.number(1, 1)
    men = 1 if men in (2, 3) else men  # these take minutes
    game = caller.call("Hypergammon", equities.Hypergammon, men, values.number(1, 2))
    if game is None:
        return
    size = game.size
    for _ in range(4):
        tables = (
            _floats(source, (size, size)),
            _floats(source, source.choice(((0,), (5, size, size)))),
        )
        caller.call("load", game.load, *tables)
        caller.call("chances", game.chances)
        caller.call("sweep_chances", game.sweep_chances)
        caller.call("find_errors", game.find_errors)
        use = source.choice((game.sweep, game.choose, game.equities))
        use()


def _size(values: Values) -> tuple[Any, Any]:
    """Men and points, mostly of small tables."""
    men, points = values.number(1, 3), values.number(1, 5)
    is_size = all(isinstance(each, int) and 1 <= each <= 25 for each in (men, points))
    return (2, 3) if is_size and math.comb(men + points, men) > MAX_POSITIONS else (men, points)


def _sides(source: random.Random) -> Any:
    """Rows of counts by place: few men, any numbers, or another shape."""
    if source.random() < 0.03:
        return source.choice(ODD_VALUES)
    rows, columns = source.randrange(4), 26 if source.random() < 0.97 else source.randrange(30)
    sides = np.zeros((rows, columns), np.int8 if source.random() < 0.98 else np.int16)
    for row in sides:
        for _ in range(source.randrange(3)):
            row[source.randrange(min(6, columns)) if columns else ...] += 1
        if columns and source.random() < 0.1:
            row[source.randrange(columns)] = source.choice((-128, -1, 1, 16, 127))
    return sides


def _ranks(source: random.Random) -> Any:
    if source.random() < 0.03:
        return source.choice(ODD_VALUES)
    most = source.choice((2, 2, 5, 2**32))
    return np.array([source.randrange(most) for _ in range(source.randrange(4))], np.uint32)


def _floats(source: random.Random, shape: tuple[int, ...]) -> Any:
    """A table of this shape or nearly so; some of its values are no equities."""
    if source.random() < 0.03:
        return source.choice(ODD_VALUES)
    if source.random() < 0.05:
        shape = (*shape[:-1], shape[-1] + 1)
    kind = np.float32 if source.random() < 0.98 else np.float64
    table = np.array([source.uniform(-3, 3) for _ in range(math.prod(shape))], kind)
    for _ in range(source.randrange(3) if table.size else 0):
        table[source.randrange(table.size)] = source.choice(ODD_FLOATS)
    if source.random() < 0.05:
        table[:] = math.nan
    return table.reshape(shape)
