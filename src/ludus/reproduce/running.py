"""Run an experiment from the beginning, or from where it was interrupted."""

import hashlib
import json
from pathlib import Path

from ludus.core.errors import LudusError
from ludus.reproduce.cells import Cells
from ludus.reproduce.context import Context, Progress
from ludus.reproduce.errors import BadExperiment
from ludus.reproduce.experiment import Experiment
from ludus.reproduce.findings import Figure, Findings
from ludus.reproduce.published import Published
from ludus.reproduce.results import Results


def run_experiment(
    experiment: Experiment,
    memory: Path,
    *,
    size: str = "",
    seed: int = 0,
    jobs: int = 0,
    oracle: Path | None = None,
    is_fresh: bool = False,
    progress: Progress = lambda done, total, label: None,
) -> Results:
    """The results of an experiment; what it has to remember is kept under `memory`."""
    published = experiment.published()
    chosen = size or published.default_size
    cells = Cells(memory / _stamp(published, chosen, seed))
    if is_fresh:
        cells.clear()
    context = Context(
        published, cells, size=chosen, seed=seed, jobs=jobs, oracle=oracle, progress=progress
    )
    found = Findings()
    with context:
        try:
            for finding in experiment.run(context):
                found.add(finding)
                if isinstance(finding, Figure):
                    _check_drawer(experiment, finding)
        except BadExperiment as error:
            raise BadExperiment(f"{experiment.id}: {error}") from error
        except LudusError as error:
            raise LudusError(f"{experiment.id}: {error}") from error
        except (BrokenPipeError, MemoryError):
            raise
        except Exception as error:
            raise experiment.fault(error) from error
    return Results(published, chosen, seed, found)


def _check_drawer(experiment: Experiment, figure: Figure) -> None:
    """A figure must be drawn by a function that a later run finds by its name."""
    name = figure.draw.__name__
    if getattr(experiment.module(), name, None) is not figure.draw:
        raise BadExperiment(f"{name}, which draws {figure.name}, is not a top-level function")


def _stamp(published: Published, size: str, seed: int) -> str:
    """A folder's name for everything that all cells of a run depend on."""
    settings = {key: value for key, value in published.scale(size).items() if key != "cost"}
    text = json.dumps([size, seed, settings], sort_keys=True, default=str)
    digest = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
    return f"{published.id}-{size}-{seed}-{digest}"
