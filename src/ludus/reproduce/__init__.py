"""The harness that reproduces published tables and figures: the API that experiments use.

An experiment is a Python file with a function `run(context)` that yields its findings, and a TOML
file of the same name with the published numbers. docs/experiments.md explains an example.
"""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.core.errors import quote
    from ludus.core.files import write_bytes
    from ludus.core.match import MatchTally
    from ludus.core.statistics import Proportion, compare_wins, compute_difference_interval
    from ludus.reproduce.context import Context, RunOptions, make_context
    from ludus.reproduce.experiment import (
        Experiment,
        find_experiment,
        find_experiments_folder,
        list_experiments,
    )
    from ludus.reproduce.findings import Conclusion, Figure, Finding, Measurement, Remark, Table
    from ludus.reproduce.matches import MatchStarter, play_compiled_games
    from ludus.reproduce.published import (
        BadExperiment,
        PublishedRow,
        PublishedTable,
        read_published,
    )

__all__ = [
    "BadExperiment",
    "Conclusion",
    "Context",
    "Experiment",
    "Figure",
    "Finding",
    "MatchStarter",
    "MatchTally",
    "Measurement",
    "Proportion",
    "PublishedRow",
    "PublishedTable",
    "Remark",
    "RunOptions",
    "Table",
    "compare_wins",
    "compute_difference_interval",
    "find_experiment",
    "find_experiments_folder",
    "list_experiments",
    "make_context",
    "play_compiled_games",
    "quote",
    "read_published",
    "write_bytes",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
