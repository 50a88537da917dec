"""Script that runs inside GNU Backgammon's own Python and ranks moves on request over pipes.

Each request line is a JSON object with `plies`, `within` and `positions`, a list of Position ID and
two dice. Each response line is a JSON list with, per position, a list of move, equity and GNU
Backgammon's five probabilities (win, win gammon, win backgammon, lose gammon, lose backgammon).
Nothing of Ludus may be imported here: it is another Python.
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
    "set cube use off",
    "set jacoby off",
    "new session",
    "set evaluation chequerplay evaluation cubeful off",
    "set evaluation movefilter 2 1 -1 0 0",
]


def rank_moves(position_id: str, dice: list[int]) -> list[list[Any]]:
    """Return every move of a roll, best first, with its equity and probabilities."""
    # The board is interpreted from the side to move, so the turn is set first.
    gnubg.command("set turn 1")
    gnubg.command(f"set board {position_id}")
    gnubg.command(f"set dice {dice[0]} {dice[1]}")
    found = gnubg.hint(9999)["hint"]
    return [[hint["move"], hint["equity"], *hint["details"]["probs"]] for hint in found]


def set_search_depth(plies: int, within: float) -> None:
    """Search to this depth all moves whose 0-ply equity is at most `within` below the best."""
    gnubg.command(f"set evaluation chequerplay evaluation plies {plies}")
    for ply in (1, 2):
        gnubg.command(f"set evaluation movefilter {ply} 0 1 999 {within}")


def serve_requests(requests: TextIO, responses: TextIO) -> None:
    how = None
    for setting in STARTUP_COMMANDS:
        gnubg.command(setting)
    for line in requests:
        request = json.loads(line)
        if how != (request["plies"], request["within"]):
            how = request["plies"], request["within"]
            set_search_depth(*how)
        found = [rank_moves(position_id, dice) for position_id, *dice in request["positions"]]
        responses.write(json.dumps(found) + "\n")
        responses.flush()


if IS_INSIDE_GNUBG:
    with (
        os.fdopen(int(os.environ["LUDUS_QUESTIONS"])) as requests,
        os.fdopen(int(os.environ["LUDUS_ANSWERS"]), "w") as responses,
    ):
        serve_requests(requests, responses)
