"""What the worker processes are asked: a player's choice, exact values, and puzzles.

A question and its answer are plain objects that JSON can hold.
"""

import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.player import Player
from ludus.web.positions import position_of
from ludus.web.seated import has_moved, leave, player_of, wants_results
from ludus.web.thoughts import thought_of

Job = Mapping[str, Any]

LONG = 1.0
"""Seconds; who takes longer is not asked twice to get ready."""

_thinking: list[Player] = []


def choose(job: Job) -> dict[str, Any]:
    """What a player plays, and what it thinks about it."""
    position = position_of(job)
    side = position.mover
    player = player_of(job, side)
    _thinking.append(player)
    try:
        choice = player.choose(position)
    finally:
        _thinking.clear()
    if choice.move not in position.legal_moves():
        raise LudusError(f"{job['player']} wants to play {choice.move}, which is not legal")
    has_moved(job, side, str(choice.move))
    return {
        "move": str(choice.move),
        **thought_of(player, position, choice),
        "name": player.name,
        "wants_results": wants_results(type(player)),
    }


def get_ready(job: Job) -> dict[str, Any]:
    """Make a player and let it choose, so that somebody who plays it need not wait for that.

    The answer is how long it takes once everything that it needs is loaded.
    """
    seconds = []
    for _ in (0, 1):
        began = time.perf_counter()
        choose(job)
        seconds.append(time.perf_counter() - began)
        if seconds[0] > LONG:
            break
    return {"seconds": min(seconds)}


def thinking() -> Player | None:
    """The player who is at work, asked from another thread."""
    return next(iter(_thinking), None)


def end(job: Job) -> dict[str, Any]:
    """Tell a player of one side how its game ended, and hear with which spec it would go on.

    A player that learns from game to game has a `next_spec` for that.
    """
    outcome = position_of(job).outcome()
    player = player_of(job, job["side"])
    if outcome is not None:
        player.end(outcome)
    leave(job, job["side"])
    return {"spec": getattr(player, "next_spec", job["player"]), "name": player.name}


def _elsewhere(module: str, name: str) -> Callable[[Job], dict[str, Any]]:
    """A job whose module is loaded when it is first asked for."""

    def work(job: Job) -> dict[str, Any]:
        found: dict[str, Any] = getattr(import_module(f"ludus.web.{module}"), name)(job)
        return found

    return work


JOBS: Mapping[str, Callable[[Job], dict[str, Any]]] = {
    "choose": choose,
    "get ready": get_ready,
    "end": end,
    "values": _elsewhere("exact", "judged"),
    "puzzle": _elsewhere("puzzles", "make"),
    "opponents": _elsewhere("opponents", "opponents"),
    "tournament": _elsewhere("results", "tournament"),
    "training": _elsewhere("results", "training"),
}
