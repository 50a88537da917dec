"""Our rollouts beside those of GNU Backgammon and bgsage: equities, standard errors and speed.

    python -m experiments.backgammon.rollouts [--positions 200] [--games 36]

Cubeless, of positions before a roll, from games of `selfplay` with pubeval; every program plays to
the end by its network alone and subtracts the luck of the dice, on one thread. Seconds are
processor time of one run, in which the programs take turns; ours does without subtracting luck,
too, and with estimates after 11 rolls. Results are stored after every five positions, and a run
continues those that are stored.
"""

import argparse
import json
import math
import os
import pty
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

import ludus
from ludus.games.backgammon import Backgammon, position_to_row, row_to_position, to_position_id
from ludus.learn.gammon import convert_boards

from .errors import draw_positions
from .movers import Rows

RESULTS = Path(__file__).parent / "results" / "rollouts.json"
BATCH = 5
SEED = 40
NETWORK = "expert"
NUMBER = r"[-+]?[0-9.]+"
EQUITY = re.compile(rf"CL ({NUMBER})\s+\[.*?CL\s+({NUMBER})\]")

GNUBG_SETTINGS = [
    *(f"set automatic {what} off" for what in ("game", "roll", "move", "bearoff")),
    "set threads 1",
    "set player 0 human",
    "set player 1 human",
    "set confirm new off",
    "set cube use off",
    "set jacoby off",
    "set output digits 6",
    "new session",
    "set rollout cubeful off",
    "set rollout varredn on",
    "set rollout chequerplay plies 0",
    "set rollout chequerplay cubeful off",
    "set rollout truncation enable off",
    "set rollout bearofftruncation exact on",
    "set rollout bearofftruncation onesided off",
    "set rollout limit enable off",
    "set rollout jsd stop off",
]

Estimates = list[tuple[float, float]]
"""Equity of the side on roll and its standard error, for each position."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--games", type=int, default=36)
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    path: Path = arguments.results
    if path.exists():
        results: dict[str, Any] = json.loads(path.read_text())
    else:
        drawn, _ = draw_positions(arguments.positions, SEED)
        positions = [str(row_to_position(row, None)) for row in drawn]
        results = {"games": arguments.games, "positions": positions, "programs": {}}
        path.write_text(json.dumps(results, indent=1) + "\n")
    rows = read_positions(results)
    for program in PROGRAMS.values():
        program(rows[:1], 1)  # tables of bearing off are made on first use
    while (done := count_done(results)) < len(rows):
        batch = rows[done : done + BATCH]
        for name, program in PROGRAMS.items():
            stored = results["programs"].setdefault(name, {"seconds": 0.0, "estimates": []})
            began = read_seconds()
            stored["estimates"] += program(batch, results["games"])
            stored["seconds"] += read_seconds() - began
        path.write_text(json.dumps(results, indent=1) + "\n")
        print(count_done(results), json.dumps(summarize(results)), flush=True)


def read_positions(results: dict[str, Any]) -> list[Rows]:
    """Return the positions of stored results."""
    game = Backgammon()
    return [position_to_row(game.parse(text)) for text in results["positions"]]


def count_done(results: dict[str, Any]) -> int:
    """Return the number of positions that every program has rolled out."""
    programs = results["programs"].values()
    return min((len(each["estimates"]) for each in programs), default=0)


def roll_out_ours(rows: list[Rows], games: int, **options: Any) -> Estimates:
    found = []
    for row in rows:
        position = row_to_position(row, None)
        (line,) = ludus.rollout(
            "backgammon", position, network=NETWORK, games=games, threads=1, **options
        ).lines
        found.append((line.equity, line.standard_error))
    return found


def roll_out_by_gnubg(rows: list[Rows], games: int) -> Estimates:
    """Roll out in a program of its own, which prints results to terminals alone."""
    commands = [*GNUBG_SETTINGS, f"set rollout trials {games}"]
    for number, row in enumerate(rows):
        commands += ["set turn 1", f"set board {to_position_id(row_to_position(row, None))}"]
        commands += [f"set rollout seed {number + 1}", "rollout"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(commands) + "\n")
        file.flush()
        output = run_in_terminal(["/usr/games/gnubg", "-t", "-q", "-r", "-c", file.name])
    found = read_final_equities(output)
    if len(found) != len(rows):
        raise RuntimeError(f"GNU Backgammon answers {output[-2000:]}")
    return found


def read_final_equities(output: str) -> Estimates:
    """Return the equities and their standard errors, of results alone that are final."""
    final = output.split("Printing final results.")[1:]
    found = [EQUITY.search(" ".join(part.split())) for part in final]
    return [(float(each[1]), float(each[2])) for each in found if each is not None]


def run_in_terminal(command: list[str]) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                part = b""
            if not part:
                break
            parts.append(part)
        process.wait()
    os.close(ours)
    return b"".join(parts).decode(errors="replace")


def roll_out_by_bgsage(rows: list[Rows], games: int) -> Estimates:
    sage = import_module("bgsage")
    analyzer = sage.BgBotAnalyzer(
        eval_level="rollout",
        cubeful=False,
        cubeful_trial_moves=False,
        parallel_threads=1,
        n_trials=games,
        seed=1,
    )
    found = []
    for board in convert_boards(np.array(rows)):
        after = sage.flip_board(board)  # of the side that has just moved
        result = analyzer.post_move_analytics(after, jacoby=False)
        found.append((-float(result.cubeless_equity), float(result.cubeless_se)))
    return found


PROGRAMS: dict[str, Callable[[list[Rows], int], Estimates]] = {
    NETWORK: roll_out_ours,
    "gnubg": roll_out_by_gnubg,
    "bgsage": roll_out_by_bgsage,
    "with luck": partial(roll_out_ours, is_luck_removed=False),
    "horizon": partial(roll_out_ours, horizon=11),
}
"""By name; the last two are ours, too."""


PAIRS = (
    *((NETWORK, other) for other in ("gnubg", "bgsage", "horizon")),
    ("gnubg", "bgsage"),
)
"""Programs whose equities are compared."""


def read_seconds() -> float:
    """Return the processor time of this process and of the programs that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def summarize(results: dict[str, Any]) -> dict[str, Any]:
    """Return the speed of each program, and how far its equities are from the others'."""
    programs = results["programs"]
    games = results["games"] * count_done(results)
    found: dict[str, Any] = {
        name: {
            "games a second": round(games / each["seconds"], 1),
            "median error": round(median(error for _, error in each["estimates"]), 4),
        }
        for name, each in programs.items()
    }
    for first, second in PAIRS:
        pairs = zip(programs[first]["estimates"], programs[second]["estimates"], strict=True)
        differences, errors = [], []
        for (one, one_error), (other, other_error) in pairs:
            differences.append(one - other)
            errors.append(math.hypot(one_error, other_error))
        ratios = [
            each / error for each, error in zip(differences, errors, strict=True) if error > 1e-6
        ]
        found[f"{first} - {second}"] = {
            "mean": round(fmean(differences), 4),
            "error of the mean": round(math.hypot(*errors) / len(errors), 4),
            "root mean square": round(math.sqrt(fmean(each**2 for each in differences)), 4),
            "in standard errors": round(math.sqrt(fmean(each**2 for each in ratios)), 2),
        }
    return found


if __name__ == "__main__":
    main()
