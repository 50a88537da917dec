"""A designed data base of positions against one that was accumulated haphazardly."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ludus.datasets import GENERATORS, GenerationPlan, ScoredPosition, parse_scored_positions
from ludus.learn.gammon import (
    GammonConfig,
    GammonNetwork,
    load_test_positions,
    load_training_positions,
    play_native_games,
)
from ludus.reproduce import Context, Measurement, Table

from .comparisons import choose_moves, conclude_higher
from .linear_program import fit_linear_program
from .networks import train_on_positions

PROGRAMS = ("tool", "linear program")
BLOCK = 25
"""Positions that are stored together, so that a broken run loses no more."""


def run(context: Context) -> Iterator[Any]:
    count = context.setting("positions")
    haphazard = generate_played_positions(context, count)
    kinds = {"designed": load_training_positions()[:count], "haphazard": haphazard}
    seeds = context.setting("seeds")
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    for kind, positions in kinds.items():
        for seed in range(seeds):
            context.progress(seed, seeds, f"{kind} positions")

            def compute(
                positions: Sequence[ScoredPosition] = positions, seed: int = seed
            ) -> dict[str, Any]:
                return _measure(context, positions, seed)

            found[kind].append(context.cached(f"{kind}, training {seed}", compute))
    shares = Counter(each.theme for each in haphazard)
    tests: dict[str, list[float]] = {}
    for kind, measured in found.items():
        accuracies = [each["test"] for each in measured]
        yield Measurement.mean(f"{kind}: test positions", accuracies, unit="%")
        tests[kind] = [
            sum(shares[theme] * each["themes"][theme] for theme in each["themes"])
            / sum(shares[theme] for theme in each["themes"])
            for each in measured
        ]
        yield Measurement.mean(
            f"{kind}: test positions, themes weighted as in games", tests[kind], unit="%"
        )
        for program in PROGRAMS:
            won = [each[program] for each in measured]
            yield Measurement.mean(f"{kind}: games against {program}", won, unit="%")
    for program in PROGRAMS:
        yield conclude_higher(
            f"a designed data base wins more games against {program}",
            [each[program] for each in found["designed"]],
            [each[program] for each in found["haphazard"]],
        )
    yield conclude_higher(
        "a designed data base agrees with the expert more often where themes are as in games",
        tests["designed"],
        tests["haphazard"],
    )
    yield _make_theme_table(kinds, found)


def _make_theme_table(
    kinds: dict[str, Sequence[ScoredPosition]], found: dict[str, list[dict[str, Any]]]
) -> Table:
    counts = {kind: Counter(each.theme for each in positions) for kind, positions in kinds.items()}
    rows: list[list[Any]] = []
    for theme in found["designed"][0]["themes"]:
        line: list[Any] = [theme]
        for kind in kinds:
            line.append(counts[kind][theme])
            line.append(round(float(np.mean([m["themes"][theme] for m in found[kind]])), 1))
        rows.append(line)
    headings = ["theme"]
    for kind in kinds:
        headings += [f"positions, {kind}", f"agreement, {kind}, %"]
    rows.sort(key=lambda row: -row[3])
    return Table("By theme", headings, rows)


def generate_played_positions(context: Context, count: int) -> list[ScoredPosition]:
    """Generate positions of games, scored by the expert."""
    generator = GENERATORS["backgammon"]()
    plan = GenerationPlan(
        "backgammon",
        f"gnubg:plies={context.setting('plies')}",
        ("tool",),
        count,
        options="selection=play",
        seed=context.seed + 1,
    )
    lines: dict[Any, str] = {}
    begin = 0
    while len(lines) < count:
        context.progress(len(lines), count, "scored positions")

        def compute(begin: int = begin) -> list[str]:
            return [line for n in range(begin, begin + BLOCK) for line in generator.lines(plan, n)]

        for line in context.cached(f"positions from number {begin}", compute):
            lines.setdefault(generator.key(line), line)
        begin += BLOCK
    return list(parse_scored_positions("\n".join(list(lines.values())[:count])))


def _measure(context: Context, positions: Sequence[ScoredPosition], seed: int) -> dict[str, Any]:
    network = train_on_positions(
        positions, GammonConfig(cycles=context.setting("cycles"), seed=context.seed + seed)
    )
    games = max(2, context.setting("games") // context.setting("seeds"))
    found: dict[str, Any] = {}
    for program in PROGRAMS:
        opponent = program if program == "tool" else fit_linear_program()
        dice = context.seed_for("games", seed)
        found[program] = (
            100 * play_native_games(network, opponent, games, dice, context.jobs).win_rate
        )
    is_best = check_test_positions(network)
    themes = np.array([each.theme for each in load_test_positions()])
    found["test"] = 100 * float(is_best.mean())
    found["themes"] = {
        theme: 100 * float(is_best[themes == theme].mean()) for theme in sorted(set(themes))
    }
    return found


def check_test_positions(network: GammonNetwork) -> np.ndarray:
    """For each test position whether the network plays the expert's move."""
    chosen = choose_moves(network, [each.position for each in load_test_positions()])
    return np.array([move == best for move, best in zip(chosen, _list_best_moves(), strict=True)])


@lru_cache(maxsize=1)
def _list_best_moves() -> list[int]:
    """The number of the expert's move in each test position."""
    numbers = []
    for each in load_test_positions():
        moves: list[Any] = each.position.legal_moves()
        numbers.append(moves.index(next(iter(each.scores))))
    return numbers
