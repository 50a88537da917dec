"""Curves of mean cumulative regret, ours over the published ones.

The authors' curves are read from the folder that LUDUS_MIGO_DATA names when they are drawn; where
they are absent, ours are drawn alone.
"""

import csv
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ludus.learn import RunResult

from .runs import accumulate_regret

VARIABLE = "LUDUS_MIGO_DATA"
DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "migo"
"""Where the curves are looked for if the variable is not set."""
COLOURS = ("#1b6ca8", "#d1495b", "#2e8b57", "#b8860b", "#7b4ea3", "#444444", "#e07b39", "#3aa6a6")


def find_data_folder() -> Path:
    """Return the folder of the authors' files, if there is one."""
    return Path(os.environ.get(VARIABLE) or DEFAULT_FOLDER)


def read_published_curves() -> dict[tuple[str, str], list[float]]:
    """Game and system to the mean cumulative regret after each game; empty if there is no file."""
    return _read_curves(find_data_folder() / "migo_published_curves.csv")


@cache
def _read_curves(file: Path) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {}
    if file.is_file():
        with file.open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                curve = found.setdefault((row["game"], row["system"]), [])
                curve.append(float(row["mean_cumulative_regret"]))
    return found


def read_published_runs(system: str) -> list[int]:
    """The final regret of each of the authors' runs of hexapawn 4; empty if there is no file."""
    file = find_data_folder() / "migo_published_h4_transfer_per_run.csv"
    totals: dict[str, int] = {}
    if file.is_file():
        with file.open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                if row["system"] == system:
                    totals[row["run"]] = totals.get(row["run"], 0) + int(row["regret"])
    return list(totals.values())


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
    for number, each in enumerate(data):
        colour = COLOURS[number % len(COLOURS)]
        theirs = read_published_curves().get(tuple(each["published"]))
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
