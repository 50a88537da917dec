"""The compiled search called with hostile values; what it accepts it must bring to an end."""

import random
from functools import partial
from typing import Any

import numpy as np

from ludus._native import search
from ludus.games.nine_mens_morris import PRESETS
from ludus.games.nine_mens_morris.board import POINTS
from ludus.oracles.morris.sectors import num_slots
from support.fuzzing.hostile_values import ODD_VALUES, Caller, Values
from support.fuzzing.native_values import _odd_rules

MOST_NODES = 300
"""Enough to get through every part of a search, few enough for thousands of searches."""

MEN = 3


def search_values(source: random.Random, calls: int) -> dict[str, int]:
    """Searches by rules of all kinds, for positions and limits of all kinds."""
    values, caller = Values(source), Caller()
    searches = _searches(values, caller)
    tables = _endgames(values, caller)
    for _ in range(calls):
        found = source.choice(searches)
        men = values.several(2, 0, 2**24 - 1) if source.random() < 0.1 else _some_men(source)
        hands = values.several(2, 0, 2)
        _run(found, caller, values, men, hands, source.choice((None, None, *tables, *tables, "x")))
        side = values.number(0, 1)
        caller.call("evaluate", found.evaluate, men, hands, side)
        caller.call("features", found.features, men, hands, side)
        caller.call("canonical", search.canonical, values.number(0, 2**24), values.number(0, 2**24))
        found.stop()
    return caller.results


def _some_men(source: random.Random) -> tuple[int, int]:
    """Return random sets of men, about equally many of each side."""
    points = source.sample(range(len(POINTS)), source.randint(6, 14))
    half = len(points) // 2
    white, black = (sum(1 << point for point in men) for men in (points[:half], points[half:]))
    return white, black


def _searches(values: Values, caller: Caller) -> list[Any]:
    """Searches under rules that may be hostile, with tables of sizes that may be."""
    pick = values.random.choice
    found = [search.Search(rules, 1) for rules in PRESETS.values()] * 8
    for _ in range(800):
        rules = pick((*PRESETS.values(), _odd_rules(values), pick(ODD_VALUES)))
        megabytes = pick(
            (0, 1, 1, 1, 1, 2, -1, 2**20 + 1, 2**44, 2**63, 2**64, 2**70, "1", None, 1.5)
        )
        made = caller.call("Search", search.Search, rules, megabytes)
        if made is not None:
            found = [*found, made][:60]
    return found


def _endgames(values: Values, caller: Caller) -> list[Any]:
    """Endings with random values; tables of the wrong size are refused."""
    source = values.random
    tables = [search.Endgames(men) for men in (2, MEN, MEN)]  # making one takes its time
    slots = num_slots((MEN, MEN, 0, 0))
    right = [np.frombuffer(source.randbytes(slots), np.uint8) for _ in range(2)]
    wrong = [right[0][1:], np.append(right[0], right[0]), right[0][::-1], right[0].astype(np.int64)]
    for _ in range(400):
        data = source.choice((*right, *right, *wrong, source.choice(ODD_VALUES)))
        x, y = source.choice(
            ((MEN, MEN), (MEN, MEN), (values.number(0, MEN), values.number(0, MEN)))
        )
        caller.call("add", source.choice(tables).add, x, y, source.choice((True, False)), data)
        caller.call("Endgames", search.Endgames, source.choice((-1, 13, 2**31, 2**70, "3", None)))
    return tables


def _run(found: Any, caller: Caller, values: Values, men: Any, hands: Any, endgames: Any) -> None:
    pick, number = values.random.choice, values.number
    reports: list[Any] = []
    nodes = pick((1, 50, MOST_NODES, MOST_NODES, 0, None, -1, 2**64, "9"))
    options = {
        # Without a limit of nodes a deep search would take for ever.
        "depth": pick((1, 2, 0, -1))
        if nodes is None
        else pick((1, 3, 99, 100, 101, 2**31 - 1, 2**31)),
        "nodes": nodes,
        "seconds": pick((None, None, None, 0.01, 0, -1.0, 1e300, float("nan"), float("inf"), "1")),
        "lines": pick((1, 1, 2, 5, 0, -1, 2**31 - 1, 2**40)),
        "threads": pick((1, 1, 1, 2, 3, 0, -1, 2**31)),
        "oversight": pick((0.0, 0.0, 0.5, 1.0, 2.0, -1.0, float("nan"), float("inf"))),
        "seed": pick((0, number(0, 2**64 - 1))),
        "endgames": endgames,
        "extends": pick((True, False)),
        "reduces": pick((True, False)),
        "uses_table": pick((True, True, False, "x")),
        "only": pick(((), (), (), _moves(values), pick(ODD_VALUES))),
        "report": pick((None, None, reports.append, lambda _: True, _refuse, *ODD_VALUES[:3])),
    }
    # Most of them are left as usual, so that many searches are run.
    for name in values.random.sample(sorted(options), len(options) - values.random.randrange(4)):
        del options[name]
    options.setdefault("nodes", MOST_NODES)
    if options["nodes"] is None:
        options["depth"] = 2
    history = pick(((), (), values.several(5, 0, 2**57)))
    call = partial(found.run, **options)
    result = caller.call("run", call, men, hands, number(0, 1), number(1, 2), number(0, 9), history)
    for each in (*reports, *([] if result is None else [result])):
        assert each["lines"], "there is always a move"
        for _, line in each["lines"]:
            assert all(part is None or 0 <= part < len(POINTS) for move in line for part in move)


def _moves(values: Values) -> Any:
    """Moves that may be legal somewhere."""
    point = partial(values.number, 0, 24)
    pick = values.random.choice
    return [
        (pick((None, point())), point(), pick((None, point())))
        for _ in range(values.random.randrange(4))
    ]


def _refuse(_: object) -> None:
    raise ValueError("not now")
