"""What Janowski's cube decisions gain for money, and their error as bgsage judges it.

    python -m experiments.backgammon.cube [--games 2400] [--positions 300]

Both sides play the moves of `selfplay`, so that only the cube differs: each pair of games has the
same dice and men, and the sides exchange their ways to handle the cube. Chances before a roll are
those of `selfplay` one ply ahead, as its player has them. Errors are those of decisions that are
close: doubling is at most 0.16 points better or worse than not doubling. Results are added to
results/cube.json after every batch, so that a run can be resumed.
"""

import argparse
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus.analysis import find_evaluator
from ludus.games.backgammon import (
    Backgammon,
    Chances,
    CubeEquities,
    Position,
    Rules,
    Stakes,
    evaluate_cube,
    position_to_row,
    row_to_position,
)
from ludus.learn.gammon import load_shipped_chances

from .matches import MOST_PLIES, add_points, count_points, draw_dice, summarize
from .movers import Rows

RESULTS = Path(__file__).parent / "results" / "cube.json"
RULES = Rules(cube=True, jacoby=True)
GAMES_PER_BATCH = 100
CLOSE = 0.16
FAR = 0.4
"""Difference by our own estimate from which a decision is not evaluated."""

DOUBLING_CHANCE, TAKING_CHANCE = 0.7, 0.25
NO_CUBE = {
    "pairs": 0,
    "sum": 0,
    "squares": 0,
    "won": 0,
    "gammons": 0,
    "lost_gammons": 0,
    "seconds": 0,
}


@dataclass
class Line:
    """A game without the cube: boards before rolls, the chances there, and the result."""

    rows: list[Rows] = field(default_factory=list)
    chances: list[Chances] = field(default_factory=list)
    """Of the side to roll; side 0 begins, and the sides roll in turn."""

    level: int = 0
    """1 for a single game, 2 for a gammon, 3 for a backgammon; the last side to roll wins."""


Decide = Callable[[Position, Chances], tuple[bool, bool]]
"""Returns whether to double and whether to take, for the side to roll and its opponent."""


def make_janowski(efficiency: float, may_double: bool = True) -> Decide:
    def decide(position: Position, chances: Chances) -> tuple[bool, bool]:
        found = evaluate_cube(position, chances, efficiency)
        return may_double and found.is_double, found.is_take

    return decide


def decide_by_thresholds(_position: Position, chances: Chances) -> tuple[bool, bool]:
    return chances.win >= DOUBLING_CHANCE, 1 - chances.win >= TAKING_CHANCE


POLICIES: dict[str, Decide] = {
    "janowski": make_janowski(0.68),
    "dead cube": make_janowski(0.0),
    "live cube": make_janowski(1.0),
    "thresholds": decide_by_thresholds,
    "no doubles": make_janowski(0.68, may_double=False),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=2400)
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    path: Path = arguments.results
    results: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    results.setdefault("points", {})
    results.setdefault("errors", {"batches": 0, "positions": 0, "players": {}})

    def save() -> None:
        path.write_text(json.dumps(results, indent=1) + "\n")

    others = [name for name in POLICIES if name != "janowski"]
    names = [f"janowski - {name}" for name in others]
    while 2 * (done := results["points"].get(names[0], NO_CUBE)["pairs"]) < arguments.games:
        began = time.process_time()
        lines = play_lines(GAMES_PER_BATCH, (21, done))
        seconds = time.process_time() - began
        for name, other in zip(names, others, strict=True):
            points = np.array([play_pair(line, "janowski", other) for line in lines])
            before = results["points"].get(name, NO_CUBE)
            results["points"][name] = add_points(before, points, seconds)
        save()
        print({name: summarize(results["points"][name]) for name in names}, flush=True)
    errors = results["errors"]
    while errors["positions"] < arguments.positions:
        lines = play_lines(GAMES_PER_BATCH, (22, errors["batches"]))
        for position, chances in draw_decisions(lines, errors["batches"]):
            add_errors(errors, position, chances)
        errors["batches"] += 1
        save()
        print(errors["positions"], summarize_errors(errors), flush=True)
    print(summarize_errors(errors))


def play_lines(count: int, seed: tuple[int, int]) -> list[Line]:
    """Play games of `selfplay` with itself to the end."""
    rng = np.random.default_rng(seed)
    network = load_shipped_chances("selfplay").to_native()
    rows = np.repeat(position_to_row(Backgammon().start())[None], count, axis=0)
    lines = [Line() for _ in range(count)]
    active = np.arange(count)
    for ply in range(MOST_PLIES):
        turned = np.ascontiguousarray(rows[active][:, ::-1])
        for number, found in zip(active, network.evaluate(turned, 1).tolist(), strict=True):
            lines[number].rows.append(rows[number].copy())
            lines[number].chances.append(Chances(*found).flip())
        dice = draw_dice(rng, len(active), is_opening=ply == 0)
        rows[active] = network.choose(rows[active], dice)
        over = ~(rows[active][:, 1:26] > 0).any(axis=1)
        for number, level in zip(active[over], count_points(rows[active[over]]), strict=True):
            lines[number].level = int(level)
        active = active[~over]
        if len(active) == 0:
            return lines
        rows[active] = rows[active][:, ::-1]
    raise RuntimeError("a game does not end")


def play_pair(line: Line, first: str, second: str) -> tuple[float, float]:
    """Return the first one's points as side 0 and as side 1."""
    return play_cube(line, (first, second)), -play_cube(line, (second, first))


def play_cube(line: Line, names: tuple[str, str]) -> float:
    """Return the points of side 0 in a money game whose men move as in the line."""
    stakes = Stakes(RULES)
    for ply, chances in enumerate(line.chances):
        side, other = ply % 2, 1 - ply % 2
        # The game begins with a roll.
        if ply == 0 or not stakes.may_double(side):
            continue
        position = Position((0,) * 24, (0, 0), (0, 0), turn=side, dice=None, stakes=stakes)
        if POLICIES[names[side]](position, chances)[0]:
            if not POLICIES[names[other]](position, chances)[1]:
                return stakes.value * (1 if side == 0 else -1)
            stakes = replace(stakes, phase="doubled").take(other)
    won = 1 if len(line.chances) % 2 == 1 else -1
    return won * stakes.compute_points(line.level)


def draw_decisions(lines: list[Line], seed: int) -> list[tuple[Position, Chances]]:
    """Return a position of each game in which doubling is not far from right by our estimate."""
    rng = np.random.default_rng((23, seed))
    found = []
    for line in lines:
        ply = int(rng.integers(1, len(line.rows)))
        stakes = Stakes(RULES) if rng.random() < 0.5 else Stakes(RULES, 2, 0)
        position = replace(row_to_position(line.rows[ply], None), stakes=stakes)
        chances = line.chances[ply]
        if abs(get_margin(evaluate_cube(position, chances))) <= FAR:
            found.append((position, chances))
    return found


@cache
def load_evaluator(name: str, plies: int) -> Any:
    return find_evaluator(ludus.game("backgammon", RULES), name, plies)


def get_margin(equities: CubeEquities) -> float:
    """Return by how much doubling is better than not doubling."""
    return min(equities.double_take, equities.double_drop) - equities.no_double


def add_errors(errors: dict[str, Any], position: Position, chances: Chances) -> None:
    evaluated = load_evaluator("bgsage", 2).evaluate_cube(position).equities
    if abs(get_margin(evaluated)) > CLOSE:
        return
    decisions = {name: decide(position, chances) for name, decide in POLICIES.items()}
    for name in ("gnubg", "bgsage"):
        equities = load_evaluator(name, 0).evaluate_cube(position).equities
        decisions[name] = equities.is_double, equities.is_take
    doubled = min(evaluated.double_take, evaluated.double_drop)
    for name, (is_double, is_take) in decisions.items():
        loss = evaluated.best - (doubled if is_double else evaluated.no_double)
        answer = (evaluated.double_take if is_take else evaluated.double_drop) - doubled
        sums = errors["players"].setdefault(
            name, dict.fromkeys(("doubling", "taking", "squares"), 0.0)
        )
        sums["doubling"] += loss
        sums["taking"] += answer
        sums["squares"] += (loss + answer) ** 2
    errors["positions"] += 1


def summarize_errors(errors: dict[str, Any]) -> dict[str, str]:
    """Return the mean errors of doubling, of taking, and of both with a 95% interval."""
    count = max(errors["positions"], 1)
    found = {}
    for name, sums in errors["players"].items():
        doubling, taking = sums["doubling"] / count, sums["taking"] / count
        variance = max(sums["squares"] / count - (doubling + taking) ** 2, 0.0)
        margin = 1.96 * math.sqrt(variance / count)
        found[name] = f"{doubling:.4f} + {taking:.4f} = {doubling + taking:.4f} ± {margin:.4f}"
    return found


if __name__ == "__main__":
    main()
