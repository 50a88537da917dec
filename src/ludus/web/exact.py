"""Exact verdicts, worked out in a worker: of a position and its moves, or of a whole line."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.game import CHANCE
from ludus.oracle.finding import oracle_for
from ludus.oracle.oracle import Oracle, Unsolved, Value
from ludus.web.positions import game_of, position_of


@lru_cache(maxsize=16)
def oracle_of(game: str, rules: str) -> Oracle:
    """The oracle of a game; whatever it solves, it solves once."""
    return oracle_for(game_of(game, rules))


def judged(job: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on where a line ends and on every move there, or on each position of the line."""
    try:
        oracle = oracle_of(job["game"], job["rules"])
    except LudusError as error:
        return {"known": False, "why": str(error), "line": []}
    if job["line"]:
        return {"known": True, "why": "", "line": _line(oracle, job)}
    position = position_of(job)
    if position.outcome() is not None or position.mover == CHANCE:
        return {"known": False, "why": "there is nothing to decide here", "line": []}
    try:
        found, rated = oracle.value(position), oracle.moves(position)
    except Unsolved as error:
        return {"known": False, "why": str(error), "line": []}
    return {
        "known": True,
        "why": f"solved {oracle.extent}",
        "line": [],
        **_value(found),
        "moves": [
            {"move": str(each.move), "value": each.value, "depth": each.depth} for each in rated
        ],
    }


def _line(oracle: Oracle, job: Mapping[str, Any]) -> list[dict[str, Any] | None]:
    """The value of every position from the start on; None where none is known."""
    found: list[dict[str, Any] | None] = []
    for size in range(len(job["moves"]) + 1):
        position = position_of({**job, "moves": job["moves"][:size]})
        is_known = position.mover != CHANCE and oracle.knows(position)
        found.append(_value(oracle.value(position)) if is_known else None)
    return found


def _value(value: Value) -> dict[str, Any]:
    return {"value": value.result, "depth": value.depth}
