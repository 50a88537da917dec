"""Mean error of a move, judged by bgsage with lookahead, over positions of games.

    python -m experiments.backgammon.errors --positions 10000 [--plies 2]

The positions are those of games of `selfplay` against `gnubg` or `pubeval`, every position with a
choice once. Judged are the moves that the players choose and the judge's own best of the three
that its network alone prefers, so that an error is the equity behind the best of these. Results
are added to results/errors.json after every 100 positions.
"""

import argparse
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from ludus.games.backgammon import Backgammon, position_to_row
from ludus.learn.gammon import compute_equities, label_boards, list_moves

from .matches import draw_dice
from .movers import Rows, make_mover

RESULTS = Path(__file__).parent / "results" / "errors.json"
PLAYERS = ("paper", "pubeval", "gnubg", "sage", "expert", "selfplay", "expert:1", "selfplay:1")
BATCH = 100
JUDGED_BEST = 3


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--plies", type=int, default=2)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--players", help="others than those of the table, as in gnubg:2,gnubg")
    arguments = parser.parse_args()
    names = arguments.players.split(",") if arguments.players else PLAYERS
    movers = {name: make_mover(name) for name in names}
    judge = f"bgsage, {arguments.plies} plies ahead"
    if arguments.players:
        judge += f", of {arguments.players}"
    while True:
        results = json.loads(arguments.results.read_text()) if arguments.results.exists() else {}
        result = results.get(judge) or {"positions": 0, "players": {}}
        if result["positions"] >= arguments.positions:
            break
        rows, dice = draw_positions(BATCH, result["positions"])
        ends = {name: mover(rows, dice) for name, mover in movers.items()}
        losses = judge_moves(rows, dice, ends, arguments.plies)
        results[judge] = add_losses(result, losses)
        arguments.results.write_text(json.dumps(results, indent=1) + "\n")
        print(results[judge]["positions"], summarize(results[judge]), flush=True)


def draw_positions(count: int, seed: int) -> tuple[Rows, Rows]:
    """Return positions with a choice and their rolls, from games of selfplay with pubeval."""
    rng = np.random.default_rng((7, seed))
    movers = make_mover("selfplay"), make_mover("pubeval")
    start = position_to_row(Backgammon().start())
    rows = np.repeat(start[None], 8, axis=0)
    kept_rows: list[Rows] = []
    kept_dice: list[Rows] = []
    ply = 0
    while len(kept_rows) < 4 * count:
        dice = draw_dice(rng, len(rows), is_opening=ply == 0)
        _, offsets = list_moves(rows, dice)
        for number in np.flatnonzero(np.diff(offsets) > 1):
            kept_rows.append(rows[number].copy())
            kept_dice.append(dice[number].copy())
        ends = movers[ply % 2](rows, dice)
        over = ~(ends[:, 1:26] > 0).any(axis=1)
        rows = np.ascontiguousarray(ends[:, ::-1])
        rows[over] = start
        ply += 1
    chosen = rng.choice(len(kept_rows), count, replace=False)
    return np.array([kept_rows[i] for i in chosen]), np.array([kept_dice[i] for i in chosen])


def judge_moves(rows: Rows, dice: Rows, ends: dict[str, Rows], plies: int) -> dict[str, np.ndarray]:
    """Return the equity that each player's moves give away, shape (positions,)."""
    listed, offsets = list_moves(rows, dice)
    quick = _judge(listed, 0)
    boards: list[bytes] = []
    groups = []
    for number, (begin, end) in enumerate(itertools.pairwise(offsets)):
        best = begin + np.argsort(-quick[begin:end])[:JUDGED_BEST]
        group = {listed[index].tobytes() for index in best}
        group |= {chosen[number].tobytes() for chosen in ends.values()}
        groups.append(sorted(group))
        boards += groups[-1]
    values = _judge(np.frombuffer(b"".join(boards), np.int8).reshape(-1, 52), plies)
    equities = dict(zip(boards, values.tolist(), strict=True))
    bests = [max(equities[board] for board in group) for group in groups]
    return {
        name: np.array(
            [best - equities[end.tobytes()] for best, end in zip(bests, chosen, strict=True)]
        )
        for name, chosen in ends.items()
    }


def _judge(boards: Rows, plies: int) -> np.ndarray:
    over = ~(boards[:, 1:26] > 0).any(axis=1)
    gammon = boards[:, 51] == 0
    backgammon = gammon & (boards[:, 26:33] > 0).any(axis=1)
    values: np.ndarray = 1.0 + gammon + backgammon
    values[~over] = compute_equities(label_boards(np.ascontiguousarray(boards[~over]), plies))
    return values


def add_losses(result: dict[str, Any], losses: dict[str, np.ndarray]) -> dict[str, Any]:
    players = {
        name: {
            "sum": result["players"].get(name, {}).get("sum", 0) + float(found.sum()),
            "squares": result["players"].get(name, {}).get("squares", 0) + float((found**2).sum()),
        }
        for name, found in losses.items()
    }
    count = len(next(iter(losses.values())))
    return {"positions": result["positions"] + count, "players": players}


def summarize(result: dict[str, Any]) -> dict[str, str]:
    """Return each player's mean loss per move with the half-width of its 95% interval."""
    count = result["positions"]
    found = {}
    for name, sums in result["players"].items():
        mean = sums["sum"] / count
        margin = 1.96 * math.sqrt(max(sums["squares"] / count - mean**2, 0) / count)
        found[name] = f"{mean:.4f} ± {margin:.4f}"
    return found


if __name__ == "__main__":
    main()
