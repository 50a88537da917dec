"""Published tables and figures, run again: what an experiment's file is written with.

An experiment is a Python file with a function `run(context)` that yields what it has found, and a
TOML file of the same name with what was published. docs/experiments.md walks through one.
"""

from ludus.reproduce.context import Context
from ludus.reproduce.errors import BadExperiment
from ludus.reproduce.experiment import Experiment, listed, named
from ludus.reproduce.findings import Figure, Finding, Measured, Remark, Table
from ludus.reproduce.matches import Starter, Tally
from ludus.reproduce.published import Published, Row

__all__ = [
    "BadExperiment",
    "Context",
    "Experiment",
    "Figure",
    "Finding",
    "Measured",
    "Published",
    "Remark",
    "Row",
    "Starter",
    "Table",
    "Tally",
    "listed",
    "named",
]
