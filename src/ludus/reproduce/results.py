"""The results of a run as a value and as JSON. From either the report can be written."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ludus.reproduce.comparison import Compared, compared
from ludus.reproduce.errors import BadExperiment, shown
from ludus.reproduce.experiment import Experiment
from ludus.reproduce.findings import Figure, Findings, Measured, Remark, Table
from ludus.reproduce.published import Published, read_text

NUMBERS = re.compile(r"\[\n[-+.\deE,\s]*\]")
"""A list of nothing but numbers, which fills a line and not a page; no text has a line end."""


@dataclass(frozen=True, slots=True)
class Results:
    """What a run of an experiment came to."""

    published: Published
    size: str
    seed: int
    findings: Findings

    @property
    def rows(self) -> list[Compared]:
        """Published and ours."""
        return compared(self.published, self.findings.measured)

    def as_json(self) -> dict[str, Any]:
        """All of it, without dates or anything of this machine."""
        found = self.findings
        return {
            "id": self.published.id,
            "title": self.published.title,
            "size": self.size,
            "seed": self.seed,
            "rows": [row.as_json() for row in self.rows],
            "remarks": list(found.remarks),
            "tables": [
                {
                    "name": table.name,
                    "headings": list(table.headings),
                    "rows": [list(row) for row in table.rows],
                    "caption": table.caption,
                }
                for table in found.tables
            ],
            "figures": [
                {
                    "name": figure.name,
                    "draw": figure.draw.__name__,
                    "data": figure.data,
                    "caption": figure.caption,
                    "size": list(figure.size),
                }
                for figure in found.figures
            ],
        }

    def text(self) -> str:
        """The JSON as a file, one that shows well what has changed."""
        try:
            text = json.dumps(self.as_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        except (TypeError, ValueError) as error:
            raise BadExperiment(f"{self.published.id}: JSON cannot hold it: {error}") from error
        return NUMBERS.sub(lambda found: " ".join(found[0].split()), text)


def read_results(experiment: Experiment) -> Results:
    """The results that are kept beside an experiment."""
    path = experiment.results
    if not path.is_file():
        raise BadExperiment(f"there are no stored results {shown(path)}; run it with --save first")
    try:
        fields = json.loads(read_text(path))
        return _results(fields, experiment)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        what = f"{type(error).__name__}: {error}"
        raise BadExperiment(f"{shown(path)} is no file of results: {what}") from error


def _results(fields: Mapping[str, Any], experiment: Experiment) -> Results:
    if fields["id"] != experiment.id:
        raise BadExperiment(
            f"{shown(experiment.results)} holds the results of {fields['id']!r:.60}"
        )
    found = Findings()
    for row in fields["rows"]:
        if row["ours"] is not None:
            low, high = row["interval"] or (None, None)
            found.add(
                Measured(
                    row["name"], row["ours"], low, high, row["count"], row["note"], row["unit"]
                )
            )
    for text in fields["remarks"]:
        found.add(Remark(str(text)))
    for table in fields["tables"]:
        found.add(Table(table["name"], table["headings"], table["rows"], table["caption"]))
    for figure in fields["figures"]:
        width, height = figure["size"]
        found.add(
            Figure(
                figure["name"],
                _drawer(experiment, str(figure["draw"])),
                figure["data"],
                figure["caption"],
                (float(width), float(height)),
            )
        )
    return Results(experiment.published(), str(fields["size"]), int(fields["seed"]), found)


def _drawer(experiment: Experiment, name: str) -> Callable[[Any, Any], None]:
    draw = getattr(experiment.module(), name, None)
    if not callable(draw):
        raise BadExperiment(f"{shown(experiment.path)} has no function {name}, which drew a figure")
    found: Callable[[Any, Any], None] = draw
    return found
