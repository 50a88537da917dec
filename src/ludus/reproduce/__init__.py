"""The harness that reproduces published tables and figures: the API that experiments use.

An experiment is a Python file with a function `run(context)` that yields its findings, and a TOML
file of the same name with the published numbers. docs/experiments.md explains an example.
"""

from ludus.core.match import MatchTally
from ludus.reproduce.context import Context
from ludus.reproduce.experiment import Experiment, find_experiment, list_experiments
from ludus.reproduce.findings import Figure, Finding, Measurement, Remark, Table
from ludus.reproduce.matches import MatchStarter
from ludus.reproduce.published import BadExperiment, PublishedRow, PublishedTable

__all__ = [
    "BadExperiment",
    "Context",
    "Experiment",
    "Figure",
    "Finding",
    "MatchStarter",
    "MatchTally",
    "Measurement",
    "PublishedRow",
    "PublishedTable",
    "Remark",
    "Table",
    "find_experiment",
    "list_experiments",
]
