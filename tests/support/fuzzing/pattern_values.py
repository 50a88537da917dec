"""The compiled Fuzzy player called with hostile values; what is accepted plays."""

import random

from ludus._native import patterns
from ludus.games.nine_mens_morris import PRESETS
from support.fuzzing.hostile_values import ODD_VALUES, Caller, Values


def pattern_values(source: random.Random, calls: int) -> dict[str, int]:
    """Players from random scores and edges, and every method of those that are accepted."""
    values, caller = Values(source), Caller()
    rules = list(PRESETS.values())
    numbers = (0.0, 1.0, 1e299, 1e301, -1.0, float("nan"), float("inf"))
    for _ in range(calls):
        scores = [source.random() * 100] * source.choice((512, 512, 512, 511, 0))
        scores[:1] = [source.choice(numbers)] if source.random() < 0.3 else scores[:1]
        edges = [(source.randrange(512), source.randrange(512)) for _ in range(20)]
        edges += [values.several(2, 0, 511)] if source.random() < 0.3 else []
        fuzzy = caller.call(
            "Fuzzy",
            patterns.Fuzzy,
            source.choice((*rules, source.choice(ODD_VALUES))),
            scores,
            edges,
            source.choice((2.0, *numbers)) if source.random() < 0.3 else 2.0,
            source.choice((5.0, *numbers)) if source.random() < 0.3 else 5.0,
            source.choice((True, False)),
            source.choice((True, False)),
            source.choice(("random", "share", "best", "best", "", "\ud800")),
        )
        board = values.several(2, 0, 2**24 - 1), values.several(2, 0, 9), values.number(0, 1)
        if source.random() < 0.8:
            points = source.sample(range(24), 12)
            men = (sum(1 << point for point in points[:6]), sum(1 << point for point in points[6:]))
            board = men, source.choice(((0, 0), (3, 3))), source.randrange(2)
        if fuzzy is not None:
            caller.call("weights", fuzzy.weights, *board)
            sides = [source.choice((fuzzy, "newbie", "basic:opening=any", "focused", "", None))]
            sides += [source.choice((fuzzy, fuzzy, "focused", "newby"))]
            games, threads = source.choice((0, 1, 1, 2, 2, -1, 2**64)), values.number(1, 3)
            plies = source.choice((0, 1, 9, 60, -1, 2**31))
            fields = source.choice(rules), *board
            caller.call("games", patterns.games, *fields, *sides, games, 1, threads, plies)
        caller.call("pattern", patterns.pattern, values.number(0, 2**24), values.number(0, 3))
    return caller.results
