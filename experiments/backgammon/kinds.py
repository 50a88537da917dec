"""Mean error of a move by kind of position, judged by bgsage two plies ahead.

    python -m experiments.backgammon.kinds [--contact 500] [--races 2000]

The positions are drawn as in `errors`, from other games, until there are enough of every kind.
Results are added to results/kinds.json after every batch, so that a run can be resumed.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from ludus.datasets import classify_theme
from ludus.games.backgammon import View, make_view, row_to_position

from .errors import add_losses, draw_positions, judge_moves, summarize
from .movers import Rows, make_mover

RESULTS = Path(__file__).parent / "results" / "kinds.json"
PLAYERS = ("gnubg", "sage", "expert", "selfplay")
RACES = ("race", "bearing off")
KINDS = (*RACES, "crashed", "back game", "contact")
FIRST_SEED = 1_000_000
BATCH = 2000
PLIES = 2
FEW_MEN = 6
"""Men that a crashed side has besides those off and on its points 1 and 2, at most."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--contact", type=int, default=500, help="positions of kinds with contact")
    parser.add_argument("--races", type=int, default=2000, help="positions of kinds without")
    parser.add_argument("--players", default=",".join(PLAYERS))
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    players = arguments.players.split(",")
    movers = {name: make_mover(name) for name in players}
    wanted = {kind: arguments.races if kind in RACES else arguments.contact for kind in KINDS}
    path: Path = arguments.results
    empty: dict[str, Any] = {"batches": 0, "drawn": {}, "kinds": {}}
    results = json.loads(path.read_text()) if path.exists() else empty
    while True:
        counts = {kind: results["kinds"].get(kind, {}).get("positions", 0) for kind in KINDS}
        missing = {kind: wanted[kind] - counts[kind] for kind in KINDS}
        if max(missing.values()) <= 0:
            break
        rows, dice = draw_positions(BATCH, FIRST_SEED + results["batches"])
        kinds = np.array([classify(row) for row in rows])
        for kind in KINDS:
            drawn = results["drawn"].get(kind, 0)
            results["drawn"][kind] = drawn + int((kinds == kind).sum())
            chosen = np.flatnonzero(kinds == kind)[: max(missing[kind], 0)]
            if len(chosen) == 0:
                continue
            ends = {name: mover(rows[chosen], dice[chosen]) for name, mover in movers.items()}
            losses = judge_moves(rows[chosen], dice[chosen], ends, PLIES)
            before = results["kinds"].get(kind) or {"positions": 0, "players": {}}
            results["kinds"][kind] = add_losses(before, losses)
        results["batches"] += 1
        path.write_text(json.dumps(results, indent=1) + "\n")
        print(
            results["batches"], {kind: wanted[kind] - missing[kind] for kind in KINDS}, flush=True
        )
    for kind in KINDS:
        print(kind, results["kinds"][kind]["positions"], summarize(results["kinds"][kind]))


def classify(row: Rows) -> str:
    """Return the kind of a position before the move."""
    view = make_view(row_to_position(row, None).board, 0)
    theme = classify_theme(view)
    if theme in ("race", "bearing_off"):
        is_home = not any(view.own[7:]) and not any(view.flip().own[7:])
        return "bearing off" if is_home else "race"
    if is_crashed(view) or is_crashed(view.flip()):
        return "crashed"
    if theme == "back_game" or classify_theme(view.flip()) == "back_game":
        return "back game"
    return "contact"


def is_crashed(view: View) -> bool:
    """Return whether most of the viewer's men are off or on its points 1 and 2."""
    return sum(view.own[3:]) <= FEW_MEN


if __name__ == "__main__":
    main()
