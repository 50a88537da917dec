"""Exact regret in bearing off, with at most ten men of either side left.

    ludus solve backgammon --max-men 10 --out DIR
    python -m experiments.backgammon.bearoff --oracle DIR [--positions 2000]

The positions are drawn as in `errors`, every one with a choice once. Regret is the equity, in
points a game, that a move gives away against perfect play. The judge of `errors`, bgsage two plies
ahead, is among the players: here its own errors can be seen.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from ludus.learn.gammon import list_moves
from ludus.oracles import TableFolder

from .errors import draw_positions
from .hypergammon import look_up
from .movers import Rows, make_mover

RESULTS = Path(__file__).parent / "results" / "bearoff.json"
PLAYERS = ("paper", "pubeval", "gnubg", "sage", "sage:2", "expert", "selfplay")
FIRST_SEED = 2_000_000
BATCH = 2000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--oracle", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    tables = TableFolder.open(arguments.oracle)
    rows, dice = draw_bearoffs(tables, arguments.positions)
    listed, offsets = list_moves(rows, dice)
    best = np.maximum.reduceat(look_up(tables, listed), offsets[:-1])
    results: dict[str, Any] = {"positions": len(rows), "men": tables.extent.men, "players": {}}
    for name in PLAYERS:
        regret = best - look_up(tables, make_mover(name)(rows, dice))
        results["players"][name] = {
            "mean": round(float(regret.mean()), 6),
            "margin": round(float(1.96 * regret.std() / len(regret) ** 0.5), 6),
            "largest": round(float(regret.max()), 5),
        }
        print(name, results["players"][name], flush=True)
    arguments.results.write_text(json.dumps(results, indent=1) + "\n")


def draw_bearoffs(tables: TableFolder, count: int) -> tuple[Rows, Rows]:
    """Return positions that are solved, and their rolls."""
    found: list[tuple[Rows, Rows]] = []
    while sum(len(rows) for rows, _ in found) < count:
        rows, dice = draw_positions(BATCH, FIRST_SEED + len(found))
        extent = tables.extent
        known = extent.contains(rows[:, :26]) & extent.contains(rows[:, 51:25:-1])
        found.append((rows[known], dice[known]))
    all_rows, all_dice = (np.concatenate(part)[:count] for part in zip(*found, strict=True))
    return all_rows, all_dice


if __name__ == "__main__":
    main()
