"""Runs inside GNU Backgammon's own Python: ranks moves for whoever holds the other end of a pipe.

Each line that comes in is a JSON object with `plies`, `within` and `positions`, a list of Position
ID and two dice; each line that goes out is a list of lists of move, equity and the five chances
GNU Backgammon gives (win, win gammon, win backgammon, lose gammon, lose backgammon). Nothing of
Ludus is imported here: this Python is another one.
"""

import json
import os
from importlib import import_module
from typing import Any, TextIO

IS_INSIDE = "LUDUS_QUESTIONS" in os.environ
gnubg: Any = import_module("gnubg") if IS_INSIDE else None

SETTINGS = [
    *(f"set automatic {what} off" for what in ("game", "roll", "move", "bearoff")),
    # With one thread every answer waits for a clock that ticks a hundred times a second.
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


def ranked(position_id: str, dice: list[int]) -> list[list[Any]]:
    """Every move of a roll, best first."""
    # The board is read from the side of whoever has the turn, so the turn comes first.
    gnubg.command("set turn 1")
    gnubg.command(f"set board {position_id}")
    gnubg.command(f"set dice {dice[0]} {dice[1]}")
    found = gnubg.hint(9999)["hint"]
    return [[hint["move"], hint["equity"], *hint["details"]["probs"]] for hint in found]


def look(plies: int, within: float) -> None:
    """Look so far ahead, at every move that its network alone puts so near the best one."""
    gnubg.command(f"set evaluation chequerplay evaluation plies {plies}")
    for ply in (1, 2):
        gnubg.command(f"set evaluation movefilter {ply} 0 1 999 {within}")


def serve(questions: TextIO, answers: TextIO) -> None:
    how = None
    for setting in SETTINGS:
        gnubg.command(setting)
    for line in questions:
        asked = json.loads(line)
        if how != (asked["plies"], asked["within"]):
            how = asked["plies"], asked["within"]
            look(*how)
        found = [ranked(position_id, dice) for position_id, *dice in asked["positions"]]
        answers.write(json.dumps(found) + "\n")
        answers.flush()


if IS_INSIDE:
    with (
        os.fdopen(int(os.environ["LUDUS_QUESTIONS"])) as questions,
        os.fdopen(int(os.environ["LUDUS_ANSWERS"]), "w") as answers,
    ):
        serve(questions, answers)
