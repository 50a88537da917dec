"""Table 1: effects of size, data, features, hidden units and noise.

Every row is trained several times; intervals are those of the mean over trainings. The networks
play two conventional programs: `tool`, and a linear program whose weights are fitted by a formula.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ludus.learn.gammon import GammonNetwork, play_native_games
from ludus.reproduce import (
    Conclusion,
    Context,
    Figure,
    Measurement,
    Table,
    compute_difference_interval,
)

from .linear_program import fit_linear_program
from .networks import Curve, get_trained_network, make_config

PROGRAMS = ("tool", "linear program")

MAX_SMALL_EFFECT = 5.0
"""Percentage points; the paper calls effects of one to three of them only a few."""


@dataclass(frozen=True)
class RowResults:
    """Percentages of one row of the table, one value for each training."""

    curve: Curve
    """Of the first training."""

    agreement: list[float]
    won: dict[str, list[float]]
    """Games won, by opponent."""

    points: dict[str, float]
    """Points a game, by opponent."""


def run(context: Context) -> Iterator[Any]:
    rows = {row["row"]: row.extra for row in context.published.rows if "hidden" in row.extra}
    found: dict[str, RowResults] = {}
    for number, (name, row) in enumerate(rows.items()):
        context.progress(number, len(rows) + 1, f"row {name}")
        found[name] = _measure_row(context, name, row)
        yield Measurement.mean(f"{name}: test positions", found[name].agreement, unit="%")
        for program in PROGRAMS:
            yield Measurement.mean(
                f"{name}: games against {program}", found[name].won[program], unit="%"
            )
    context.progress(len(rows), len(rows) + 1, "alternatives compared")
    compared = _measure_row(context, "comparison", rows["a"], error="comparison")
    yield Measurement.mean("a, alternatives compared: test positions", compared.agreement, unit="%")
    for program in PROGRAMS:
        yield Measurement.mean(
            f"a, alternatives compared: games against {program}", compared.won[program], unit="%"
        )
    for program in PROGRAMS:
        won = {name: Measurement.mean(name, each.won[program]) for name, each in found.items()}
        yield from draw_conclusions(won, program)
    yield _make_games_table({**found, "a, alternatives compared": compared})
    curves = {name: each.curve for name, each in found.items()}
    yield Figure("Agreement with the expert", draw_curves, curves, CAPTION)


def _measure_row(context: Context, name: str, row: Mapping[str, Any], **more: Any) -> RowResults:
    """Train a row several times and play both programs with each network."""
    seeds = context.setting("seeds")
    curves: list[Curve] = []
    won: dict[str, list[float]] = {program: [] for program in PROGRAMS}
    points: dict[str, list[float]] = {program: [] for program in PROGRAMS}
    for seed in range(seeds):
        settings = make_config(row, context.seed + seed, **more)
        file, curve = get_trained_network(context, name, settings)
        curves.append(curve)
        for program in PROGRAMS:

            def play(seed: int = seed, file: Any = file, program: str = program) -> list[float]:
                games = context.setting("games") // seeds
                dice = context.seed_for(name, seed)
                opponent = program if program == "tool" else fit_linear_program()
                result = play_native_games(
                    GammonNetwork.load(file), opponent, games, dice, context.jobs
                )
                return [100 * sum(result.wins) / result.games, result.points_per_game]

            share, mean = context.cached(f"games of {name} {settings} against {program}", play)
            won[program].append(share)
            points[program].append(mean)
    return RowResults(
        curves[0],
        [100 * curve[-1][1] for curve in curves],
        won,
        {program: sum(values) / len(values) for program, values in points.items()},
    )


def draw_conclusions(won: Mapping[str, Measurement], program: str) -> Iterator[Conclusion]:
    """The paper's conclusions from its table, by percentages of games won against a program.

    The percentages are means over trainings, by the letter of the row.
    """

    def compare(first: str, second: str) -> tuple[float, float, float]:
        ours, theirs = won[first], won[second]
        low, high = compute_difference_interval(
            ours.value, _get_interval(ours), theirs.value, _get_interval(theirs)
        )
        return ours.value - theirs.value, low, high

    def decide(text: str, pairs: Sequence[tuple[str, str]]) -> Conclusion:
        """Decide whether the first row of each pair wins more games than the second."""
        found = {pair: compare(*pair) for pair in pairs}
        is_refuted = any(high < 0 for *_, high in found.values())
        holds = True if all(low > 0 for _, low, _ in found.values()) else None
        return Conclusion(
            f"against {program}: {text}",
            False if is_refuted else holds,
            _format_differences(found),
        )

    yield decide("features matter most: (h) wins less than (g)", [("g", "h")])
    yield decide("noise comes second: (g) wins less than (f)", [("f", "g")])
    yield decide(
        "hidden units come third: (f) wins less than (b), (c), (d)",
        [("b", "f"), ("c", "f"), ("d", "f")],
    )
    small = [("a", "b"), ("b", "c"), ("b", "d")]
    ends = {pair: compare(*pair) for pair in small}
    yield Conclusion(
        f"against {program}: layers, positions and the number of hidden units matter by less than"
        f" {MAX_SMALL_EFFECT:.0f} points",
        decide_small([(low, high) for _, low, high in ends.values()]),
        _format_differences(ends),
    )
    if program == "tool":
        ours = won["e"]
        low, high = _get_interval(ours)
        yield Conclusion(
            "a network with the program's own terms, trained on the expert, wins against it",
            True if low > 50 else False if high < 50 else None,
            f"(e) wins {ours.value:.1f}% ({low:.1f} to {high:.1f})",
        )


def decide_small(intervals: Sequence[tuple[float, float]]) -> bool | None:
    """Decide whether all effects are small; None if an interval reaches across the limit."""
    limit = MAX_SMALL_EFFECT
    if any(low > limit or high < -limit for low, high in intervals):
        return False
    return True if all(-limit < low and high < limit for low, high in intervals) else None


def _format_differences(
    found: Mapping[tuple[str, str], tuple[float, float, float]],
) -> str:
    return ", ".join(
        f"{first} − {second} = {middle:+.1f} ({low:+.1f} to {high:+.1f})"
        for (first, second), (middle, low, high) in found.items()
    )


def _get_interval(measurement: Measurement) -> tuple[float, float]:
    """The interval over trainings; a single training may be off by any amount."""
    if measurement.low is None or measurement.high is None:
        return -float("inf"), float("inf")
    return measurement.low, measurement.high


def _make_games_table(found: Mapping[str, RowResults]) -> Table:
    rows: list[list[Any]] = []
    for name, each in found.items():
        line: list[Any] = [name]
        for program in PROGRAMS:
            values = each.won[program]
            mean = sum(values) / len(values)
            spread = (sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)) ** 0.5
            line += [mean, spread, each.points[program]]
        rows.append(line)
    return Table(
        "Games of each row",
        (
            "row",
            *(
                f"{what}, {program}"
                for program in PROGRAMS
                for what in ("won, %", "deviation between trainings", "points a game")
            ),
        ),
        rows,
    )


CAPTION = (
    "Share of positions in which the network plays the expert's move, on the positions it learns "
    "from (dashed) and on the test positions."
)


def draw_curves(axes: Any, data: dict[str, Curve]) -> None:
    for name, curve in data.items():
        cycles = range(1, len(curve) + 1)
        (line,) = axes.plot(cycles, [test for _, test in curve], label=name)
        axes.plot(cycles, [learned for learned, _ in curve], "--", color=line.get_color())
    axes.set_xlabel("training cycles")
    axes.set_ylabel("agreement with the expert")
    axes.legend(ncols=2)
