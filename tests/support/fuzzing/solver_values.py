"""The compiled solvers called with hostile values, by one thread and by several at once."""

import random
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np

from ludus._native import equities, solver
from ludus.games.nine_mens_morris import Rules
from support.fuzzing.hostile_values import ODD_VALUES, Caller, Values

SMALL_SECTORS = [(x, y, a, b) for x in range(5) for y in range(5) for a in (0, 1) for b in (0, 1)]
HUGE = (2**31 - 1, 2**31 - 10, -(2**31), 2**30, 13, 100)


def solver_values(source: random.Random, calls: int) -> dict[str, int]:
    """Every method of a solver with sectors and tables that exist or do not."""
    values, caller = Values(source), Caller()
    solvers = [solver.Solver(Rules(), 2), solver.Solver(Rules(men=4, lose_below=1), 1)]
    for _ in range(calls):
        if source.random() < 0.02:
            _make_solver(source, caller)
        chosen = source.choice(solvers)
        sector = _sector(source)
        name = source.choice(("solve", "verify", "tally", "values", "load", "has", "drop", "shape"))
        if name in ("tally", "values"):
            caller.call(name, getattr(chosen, name), sector, source.random() < 0.5)
        elif name == "load":
            caller.call(name, chosen.load, sector, _table(source), _table(source))
        else:
            caller.call(name, _refuse_missing(getattr(chosen, name)), sector)
        boards = np.array([values.number(0, 2**24 - 1)] * 2, dtype=object)
        caller.call("slots", chosen.slots, sector, _array(boards), _array(boards[::-1]))
        caller.call("boards", chosen.boards, sector, _array(boards, np.uint64))
        _ask_equities(source, caller)
    return caller.results


def _refuse_missing(method: Any) -> Any:
    """The method, which refuses a sector that others are missing for like any other value."""

    def call(sector: Any) -> Any:
        try:
            return method(sector)
        except solver.MissingSector as error:
            raise ValueError from error

    return call


def _make_solver(source: random.Random, caller: Caller) -> None:
    fields = {name: getattr(Rules(), name) for name in Rules.__dataclass_fields__}
    fields[source.choice(list(fields))] = source.choice((*HUGE, *ODD_VALUES, 0, 255))
    caller.call("Solver", solver.Solver, SimpleNamespace(**fields), source.choice((1, 2, -5)))


def _sector(source: random.Random) -> Any:
    if source.random() < 0.7:
        return source.choice(SMALL_SECTORS)
    if source.random() < 0.7:
        return tuple(source.choice((*HUGE, 0, 1, 3, 9)) for _ in range(4))
    return source.choice(ODD_VALUES)


def _table(source: random.Random) -> Any:
    size = source.choice((0, 1, 158 * 1330, 210_140, 5))
    return source.choice((None, np.zeros(size, np.uint8), np.full(size, 255, np.uint8), "x"))


def _array(values: Any, dtype: Any = np.uint32) -> Any:
    """Return the values as an array if they fit, else as they are."""
    try:
        return np.array([int(value) for value in values], dtype)
    except (OverflowError, TypeError, ValueError):
        return values


def _ask_equities(source: random.Random, caller: Caller) -> None:
    men, points = (source.choice((*HUGE, 0, 1, 2, 3, 25, 26)) for _ in range(2))
    sides = source.choice((np.zeros((2, 26), np.int8), np.full((1, 26), -1, np.int8), np.zeros(3)))
    ranks = np.array([source.choice((0, 1, 5, 2**32 - 1))], np.uint32)
    caller.call("rank", equities.rank, sides, men, points)
    caller.call("unrank", equities.unrank, ranks, men, points)
    if source.random() < 0.02:
        width = source.choice((-1, 0, 2, 300))
        caller.call("one_sided", equities.one_sided, min(men, 3), min(points, 3), width, 1)
        caller.call("two_sided", equities.two_sided, min(men, 3), min(points, 4), 2)


def solvers_in_threads(rounds: int) -> dict[str, int]:
    """Solve, verify, drop and look at the same tables from several threads."""
    shared, sector = solver.Solver(Rules(), 2), (3, 3, 0, 0)
    shared.solve(sector)
    counts = {"solved": 0, "verified": 0, "read": 0}

    def work(name: str, step: Any) -> None:
        for _ in range(rounds):
            try:
                step()
                counts[name] += 1
            except (ValueError, solver.MissingSector):
                pass  # it was dropped

    def read() -> None:
        table = shared.values(sector, True)
        shared.drop(sector)
        assert table is not None
        assert int(table.max()) == solver.DRAW

    steps = (
        ("solved", lambda: shared.solve(sector)),
        ("solved", lambda: shared.solve(sector)),
        ("verified", lambda: shared.verify(sector)),
        ("read", read),
    )
    threads = [threading.Thread(target=work, args=step) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts
