"""Matches of cubeless money games with duplicate dice.

    python -m experiments.backgammon.matches expert gnubg --games 20000

Two games have the same dice, and the players change sides between them; the interval is that of
the mean over such pairs. Results are added to results/matches.json after every 1000 games, so that
a match can be interrupted and resumed.
"""

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from ludus.games.backgammon import Backgammon, position_to_row

from .movers import Mover, Rows, make_mover

RESULTS = Path(__file__).parent / "results" / "matches.json"
PAIRS_PER_BATCH = 500
MOST_PLIES = 4000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    movers = make_mover(arguments.first), make_mover(arguments.second)
    name = f"{arguments.first} - {arguments.second}"
    while True:
        results = json.loads(arguments.results.read_text()) if arguments.results.exists() else {}
        result = results.get(name) or dict.fromkeys(
            ("pairs", "sum", "squares", "won", "gammons", "lost_gammons", "seconds"), 0
        )
        if 2 * result["pairs"] >= arguments.games:
            break
        began = time.process_time()
        points = play_pairs(movers, PAIRS_PER_BATCH, (arguments.seed, result["pairs"]))
        results[name] = add_points(result, points, time.process_time() - began)
        arguments.results.write_text(json.dumps(results, indent=1) + "\n")
        print(name, summarize(results[name]), flush=True)


def add_points(result: dict[str, Any], points: np.ndarray, seconds: float) -> dict[str, Any]:
    """Add the first player's points of pairs of games, shape (pairs, 2)."""
    means = points.mean(axis=1)
    return {
        "pairs": result["pairs"] + len(points),
        "sum": result["sum"] + float(means.sum()),
        "squares": result["squares"] + float((means**2).sum()),
        "won": result["won"] + int((points > 0).sum()),
        "gammons": result["gammons"] + int((points > 1).sum()),
        "lost_gammons": result["lost_gammons"] + int((points < -1).sum()),
        "seconds": round(result["seconds"] + seconds, 1),
    }


def summarize(result: dict[str, Any]) -> dict[str, float]:
    """Return the points per game with the half-width of the 95% interval, and games won."""
    pairs = result["pairs"]
    mean = result["sum"] / pairs
    variance = max(result["squares"] / pairs - mean**2, 0.0) * pairs / max(pairs - 1, 1)
    return {
        "games": 2 * pairs,
        "points": round(mean, 4),
        "margin": round(1.96 * math.sqrt(variance / pairs), 4),
        "won": round(result["won"] / (2 * pairs), 4),
    }


def play_pairs(movers: tuple[Mover, Mover], pairs: int, seed: tuple[int, int]) -> np.ndarray:
    """Play pairs of games; return the first player's points, shape (pairs, 2).

    Game 2n and game 2n + 1 have the same dice; the first player begins in the former.
    """
    rng = np.random.default_rng(seed)
    rows = np.repeat(position_to_row(Backgammon().start())[None], 2 * pairs, axis=0)
    points = np.zeros(2 * pairs)
    active = np.arange(2 * pairs)
    for ply in range(MOST_PLIES):
        dice = draw_dice(rng, pairs, is_opening=ply == 0)[active // 2]
        is_first = (active % 2 == 0) == (ply % 2 == 0)
        for mover, mask in zip(movers, (is_first, ~is_first), strict=True):
            if mask.any():
                rows[active[mask]] = mover(rows[active[mask]], dice[mask])
        over = ~(rows[active][:, 1:26] > 0).any(axis=1)
        ended = active[over]
        points[ended] = count_points(rows[ended]) * np.where(is_first[over], 1, -1)
        active = active[~over]
        if len(active) == 0:
            return points.reshape(pairs, 2)
        rows[active] = rows[active][:, ::-1]
    raise RuntimeError("a game does not end")


def draw_dice(rng: np.random.Generator, count: int, is_opening: bool) -> Rows:
    """Return rolls, the higher die first; an opening roll is no double."""
    dice = rng.integers(1, 7, (count, 2))
    if is_opening:
        doubles = dice[:, 0] == dice[:, 1]
        dice[:, 1] = np.where(
            doubles, (dice[:, 0] - 1 + rng.integers(1, 6, count)) % 6 + 1, dice[:, 1]
        )
    found: Rows = np.ascontiguousarray(np.sort(dice, axis=1)[:, ::-1].astype(np.int8))
    return found


def count_points(rows: Rows) -> np.ndarray:
    """Return the points that the side that has just moved wins."""
    has_gammon = rows[:, 51] == 0
    has_backgammon = has_gammon & (rows[:, 26:33] > 0).any(axis=1)
    points: np.ndarray = 1 + has_gammon.astype(int) + has_backgammon
    return points


if __name__ == "__main__":
    main()
