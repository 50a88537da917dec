"""Exact regret in hypergammon of players that have learned backgammon with 15 men.

    python -m experiments.backgammon.hypergammon --oracle DIR [--positions 10000]

The players see three men a side and no men off, GNU Backgammon and pubeval twelve men off. The
positions are those of games with random moves, every one with a choice. Regret is the equity, in
points a game, that a move gives away against perfect play.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus.games.backgammon import position_to_row
from ludus.learn.gammon import list_moves
from ludus.oracles import TableFolder

from .matches import count_points, draw_dice
from .movers import Rows, make_mover

RESULTS = Path(__file__).parent / "results" / "hypergammon.json"
PLAYERS = ("paper", "pubeval", "gnubg", "sage", "expert", "selfplay", "expert:1", "selfplay:1")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--oracle", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    tables = TableFolder.open(arguments.oracle)
    rows, dice = draw_positions(arguments.positions)
    listed, offsets = list_moves(rows, dice)
    exact = look_up(tables, listed)
    best = np.maximum.reduceat(exact, offsets[:-1])
    results: dict[str, Any] = {"positions": len(rows), "players": {}}
    middle = (np.add.reduceat(exact, offsets[:-1]) / np.diff(offsets), "random")
    for name in (*PLAYERS, "random"):
        values = middle[0] if name == "random" else look_up(tables, make_mover(name)(rows, dice))
        regret = best - values
        margin = 1.96 * regret.std() / len(regret) ** 0.5
        results["players"][name] = {
            "mean": round(float(regret.mean()), 5),
            "margin": round(float(margin), 5),
        }
        print(name, results["players"][name], flush=True)
    arguments.results.write_text(json.dumps(results, indent=1) + "\n")


def draw_positions(count: int, seed: int = 11) -> tuple[Rows, Rows]:
    """Return positions of games with random moves and their rolls."""
    rng = np.random.default_rng(seed)
    start = position_to_row(ludus.game("backgammon:hyper").start())
    rows = np.repeat(start[None], 200, axis=0)
    found: list[tuple[Rows, Rows]] = []
    while sum(len(some) for some, _ in found) < count:
        dice = draw_dice(rng, len(rows), is_opening=False)
        ends, offsets = list_moves(rows, dice)
        counts = np.diff(offsets)
        found.append((rows[counts > 1].copy(), dice[counts > 1]))
        ends = ends[offsets[:-1] + (rng.random(len(rows)) * counts).astype(int)]
        over = ~(ends[:, 1:26] > 0).any(axis=1)
        rows = np.ascontiguousarray(ends[:, ::-1])
        rows[over] = start
    all_rows, all_dice = (np.concatenate(part)[:count] for part in zip(*found, strict=True))
    return all_rows, all_dice


def look_up(tables: TableFolder, boards: Rows) -> np.ndarray:
    """Return the exact equities of the side that has just moved."""
    over = ~(boards[:, 1:26] > 0).any(axis=1)
    values = count_points(boards).astype(float)
    own, other = boards[~over][:, 51:25:-1], boards[~over][:, :26]
    ranks = tables.extent.rank(own), tables.extent.rank(other)
    values[~over] = -tables.equities(*ranks)
    return values


if __name__ == "__main__":
    main()
