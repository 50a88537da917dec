"""Script that runs inside GNU Backgammon's own Python and ranks moves on request over pipes.

Each request line is a JSON object with `plies`, `within` and `positions`, a list of Position ID and
two dice. Each response line is a JSON list with, per position, a list of move, equity and GNU
Backgammon's five probabilities (win, win gammon, win backgammon, lose gammon, lose backgammon).
With `xgids`, positions with dice, cube and score, in the place of `positions` equities are cubeful.
With `cubes`, positions before a roll, the response has per position the equities without a double,
after a double and a take, and after a drop, and the five probabilities. Nothing of Ludus may be
imported here: it is another Python.
"""

import json
import os
from importlib import import_module
from typing import Any, TextIO

IS_INSIDE_GNUBG = "LUDUS_QUESTIONS" in os.environ
gnubg: Any = import_module("gnubg") if IS_INSIDE_GNUBG else None

STARTUP_COMMANDS = [
    *(f"set automatic {what} off" for what in ("game", "roll", "move", "bearoff")),
    # With one thread every response is delayed by a timer of 10 ms.
    "set threads 2",
    "set player 0 human",
    "set player 1 human",
    "set confirm new off",
    "set display off",
    "set evaluation chequerplay evaluation cubeful off",
    "set evaluation movefilter 2 1 -1 0 0",
]


CUBELESS_COMMANDS = ["set cube use off", "set jacoby off", "new session"]
"""A game without cube and score; an XGID begins one with them."""

CUBEFUL_COMMANDS = ["set cube use on", "new session"]


def rank_moves(position_id: str, dice: list[int]) -> list[list[Any]]:
    """Return every move of a roll, best first, with its equity and probabilities."""
    # The board is interpreted from the side to move, so the turn is set first.
    gnubg.command("set turn 1")
    gnubg.command(f"set board {position_id}")
    gnubg.command(f"set dice {dice[0]} {dice[1]}")
    found = gnubg.hint(9999)["hint"]
    return [[hint["move"], hint["equity"], *hint["details"]["probs"]] for hint in found]


def rank_staked_moves(xgid: str) -> list[list[Any]]:
    """Return the same with cubeful equities at a cube value and match score."""
    gnubg.command(f"set xgid {xgid}")
    found = gnubg.hint(9999)["hint"]
    return [[hint["move"], hint["equity"], *hint["details"]["probs"]] for hint in found]


def evaluate_cube(xgid: str, plies: int) -> list[float]:
    """Return the equities of no double, double and take, and drop, and the probabilities."""
    gnubg.command(f"set xgid {xgid}")
    context = {"plies": plies, "cubeful": 1, "deterministic": 1, "noise": 0.0, "prune": 1}
    board, cube = gnubg.board(), gnubg.cubeinfo()
    equities = gnubg.cfevaluate(board, cube, context)[1:4]
    return [*equities, *gnubg.evaluate(board, cube, context)[:5]]


def set_search_depth(plies: int, within: float, is_cubeful: bool) -> None:
    """Search to this depth all moves whose 0-ply equity is at most `within` below the best."""
    gnubg.command(f"set evaluation chequerplay evaluation plies {plies}")
    cubeful = "on" if is_cubeful else "off"
    gnubg.command(f"set evaluation chequerplay evaluation cubeful {cubeful}")
    for ply in (1, 2):
        gnubg.command(f"set evaluation movefilter {ply} 0 1 999 {within}")


def answer(request: dict[str, Any], how: list[Any]) -> list[Any]:
    """Return the response to a request; `how` are the settings of the one before."""
    if "cubes" in request:
        return [evaluate_cube(xgid, request["plies"]) for xgid in request["cubes"]]
    wanted = [request["plies"], request["within"], "xgids" in request]
    if how != wanted:
        how[:] = wanted
        set_search_depth(*wanted)
    if "xgids" in request:
        return [rank_staked_moves(xgid) for xgid in request["xgids"]]
    return [rank_moves(position_id, dice) for position_id, *dice in request["positions"]]


def serve_requests(requests: TextIO, responses: TextIO) -> None:
    how: list[Any] = []
    is_cubeful = False
    for setting in STARTUP_COMMANDS + CUBELESS_COMMANDS:
        gnubg.command(setting)
    for line in requests:
        request = json.loads(line)
        if is_cubeful != ("positions" not in request):
            is_cubeful = not is_cubeful
            for setting in CUBEFUL_COMMANDS if is_cubeful else CUBELESS_COMMANDS:
                gnubg.command(setting)
        responses.write(json.dumps(answer(request, how)) + "\n")
        responses.flush()


if IS_INSIDE_GNUBG:
    with (
        os.fdopen(int(os.environ["LUDUS_QUESTIONS"])) as requests,
        os.fdopen(int(os.environ["LUDUS_ANSWERS"]), "w") as responses,
    ):
        serve_requests(requests, responses)
