"""`--log DIR` of trainings: curves in one format, and a run that the page finds by itself."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ludus.core.files import make_folder
from ludus.core.runs import RunUpdater, announce_run
from ludus.learn.common.curves import CurveLog

LogOption = Annotated[
    Path | None,
    typer.Option("--log", metavar="DIR", help="Write curves here; the page shows them."),
]

MAX_POINTS = 400
"""Points of a curve with a value for each game; the page draws no more."""


class TrainingLog:
    """Curves and progress of one training; writes nothing without a folder."""

    def __init__(self, folder: Path | None, title: str, run: RunUpdater | None) -> None:
        self._folder, self._title, self._run = folder, title, run
        self._curves: CurveLog | None = None
        self._sums: dict[str, float] = {}
        self._num_added = 0

    def add(self, step: int, values: Mapping[str, float], total: int = 0) -> None:
        """Add a point to each of some curves, and note the progress."""
        if self._folder is None or self._run is None:
            return
        # A resumed training replaces what a killed one wrote from its first step on.
        self._curves = self._curves or CurveLog(self._folder, self._title, step)
        self._curves.add(step, values)
        self._run.update(step, total)

    def add_mean(self, step: int, values: Mapping[str, float], total: int) -> None:
        """Add values of every step; points are means, so that a curve has MAX_POINTS at most."""
        for name, value in values.items():
            self._sums[name] = self._sums.get(name, 0.0) + value
        self._num_added += 1
        if self._num_added >= total / MAX_POINTS or step == total:
            means = {name: value / self._num_added for name, value in self._sums.items()}
            self.add(step, means, total)
            self._sums, self._num_added = {}, 0


@contextmanager
def open_training_log(folder: Path | None, title: str) -> Iterator[TrainingLog]:
    """Open the log of a training, which the page finds while the block runs."""
    if folder is None:
        yield TrainingLog(None, title, None)
        return
    make_folder(folder)
    with announce_run("training", title, folder) as run:
        yield TrainingLog(folder, title, run)
