"""The training runs behind all figures, each cached when it ends, and curves of their regret.

Start boards are sampled, or `authors`: those of the authors' run of the same number, from their
published input files; or `authors_first`: only the board number 0 of that file, for all games. The
latter is what the authors' `her.pl` does: it asks for `board(K,B)` with K unbound, which Prolog
always answers by the first board of the file.

Curves are ours over the published ones. The authors' curves are read from the folder that
LUDUS_MIGO_DATA names when they are drawn; where they are absent, ours are drawn alone.
"""

import csv
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from ludus.learn import RunConfig, RunResult, run_trainings
from ludus.learn.migo import Program, parse_program
from ludus.reproduce import Context, Measurement, PublishedRow

from .significance_tests import summarize

VARIABLE = "LUDUS_MIGO_DATA"
DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "migo"
"""Where the curves are looked for if the variable is not set."""
COLOURS = ("#1b6ca8", "#d1495b", "#2e8b57", "#b8860b", "#7b4ea3", "#444444", "#e07b39", "#3aa6a6")

BLOCK = 20
"""Runs that are kept together: a killed experiment loses no more."""


def collect_runs(
    context: Context, course: Mapping[str, Any], runs: int, label: str
) -> list[RunResult]:
    """Run a config this number of times; equal run numbers have equal start boards."""
    found: list[RunResult] = []
    for first in range(0, runs, BLOCK):
        context.progress(first, runs, label)
        numbers = range(first, min(first + BLOCK, runs))
        courses = [make_run_config(course, context.seed, number) for number in numbers]
        key = f"{label} {asdict(courses[0])} and {len(courses) - 1} more"

        def compute(courses: list[RunConfig] = courses) -> list[Any]:
            # Times are rounded to microseconds.
            return [
                {**asdict(each), "seconds": [round(number, 6) for number in each.seconds]}
                for each in run_trainings(courses, context.pool)
            ]

        found += [RunResult(**each) for each in context.cached(key, compute)]
    return found


def make_run_config(fields: Mapping[str, Any], seed: int, number: int) -> RunConfig:
    """Return the config of a training run from a row of a TOML file and the number of the run."""
    earlier = fields.get("after")
    draw = fields.get("draw", "uniform")
    starts = list_authors_boards(fields["game"], number) if draw in AUTHORS_DRAWS else ()
    return RunConfig(
        learner=fields["learner"],
        game=add_preset(fields["game"], fields.get("preset", "")),
        games=fields["games_a_run"],
        seed=100_000 * seed + number,
        draw="listed" if starts else draw,
        starts=starts[-1:] if draw == "authors_first" else starts,
        after=None if earlier is None else make_run_config(earlier, seed, number),
    )


def add_preset(game: str, preset: str) -> str:
    """The spec of a game with rules of a preset."""
    name, _, options = game.partition(":")
    rules = ",".join(filter(None, (preset, options)))
    return f"{name}:{rules}" if rules else name


AUTHORS_DRAWS = ("authors", "authors_first")


def list_authors_boards(game: str, number: int) -> tuple[str, ...]:
    """The start boards of one of the authors' runs in the order of play; runs repeat themselves."""
    facts = _read_authors_boards()[game.partition(":")[0]]
    runs = facts["runs"]
    return tuple(facts["boards"][ord(letter) - ord("a")] for letter in runs[number % len(runs)])


@cache
def _read_authors_boards() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("authors_boards.toml").read_text("utf-8"))


def make_program(rules: Sequence[str]) -> Program:
    """Return a program from clauses in the form of `RunResult.learned`."""
    return parse_program("\n".join(("% ludus migo 1", *rules))).program


def accumulate_regret(marks: RunResult) -> list[int]:
    """The regret of all games up to each one."""
    return list(accumulate(marks.regret))


def get_final_regrets(found: list[RunResult]) -> list[int]:
    """The cumulative regret at the end of each run."""
    return [sum(each.regret) for each in found]


def measure_regret(row: PublishedRow, found: list[RunResult]) -> Measurement:
    """The mean cumulative regret of a row, with the standard deviations."""
    values = get_final_regrets(found)
    note = f"standard deviation {summarize(values).deviation:.2f}"
    if "deviation" in row.extra:
        note += f", published {row['deviation']:.2f}"
    return Measurement.mean(row.name, values, note, "regret")


def read_published_curves() -> dict[tuple[str, str], list[float]]:
    """Game and system to the mean cumulative regret after each game; empty if there is no file."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in _read_authors_rows("migo_published_curves.csv"):
        curve = found.setdefault((row["game"], row["system"]), [])
        curve.append(float(row["mean_cumulative_regret"]))
    return found


def read_published_runs(system: str) -> list[int]:
    """The final regret of each of the authors' runs of hexapawn 4; empty if there is no file."""
    totals: dict[str, int] = {}
    for row in _read_authors_rows("migo_published_h4_transfer_per_run.csv"):
        if row["system"] == system:
            totals[row["run"]] = totals.get(row["run"], 0) + int(row["regret"])
    return list(totals.values())


def _read_authors_rows(name: str) -> Iterator[dict[str, str]]:
    file = Path(os.environ.get(VARIABLE) or DEFAULT_FOLDER) / name
    if file.is_file():
        with file.open(newline="", encoding="utf-8") as lines:
            yield from csv.DictReader(lines)


def list_curve_points(games: int) -> list[int]:
    """The games at which a curve is kept: all at first, then every fifth."""
    return [game for game in range(1, games + 1) if game <= 20 or game % 5 == 0]


def make_curve(
    label: str, found: Sequence[RunResult], game: str = "", system: str = ""
) -> dict[str, Any]:
    """A curve for `draw_curves`; game and system name the published one that belongs to it."""
    sums = [accumulate_regret(each) for each in found]
    games = len(sums[0])
    means = [sum(run[point - 1] for run in sums) / len(sums) for point in list_curve_points(games)]
    return {
        "label": label,
        "games": games,
        "ours": [round(mean, 2) for mean in means],
        "published": [game, system],
    }


def draw_curves(axes: Any, data: Any) -> None:
    """Ours as thin lines over the published ones, which are broad and pale."""
    published = read_published_curves()
    for number, each in enumerate(data):
        colour = COLOURS[number % len(COLOURS)]
        theirs = published.get(tuple(each["published"]))
        if theirs is not None:
            axes.plot(range(1, len(theirs) + 1), theirs, color=colour, linewidth=6, alpha=0.28)
        style = "-" if each["published"][1] else "--"
        axes.plot(
            list_curve_points(each["games"]), each["ours"], style, color=colour, linewidth=1.5,
            label=each["label"],
        )  # fmt: skip
    axes.set_xlabel("games")
    axes.set_ylabel("mean cumulative minimax regret")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=7)
