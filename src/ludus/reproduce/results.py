"""Results of experiments: cached while one runs, stored, and item by item against the paper."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from ludus.core.files import make_folder, parse_json_object, quote_path, read_text, write_text
from ludus.core.statistics import Interval
from ludus.reproduce.experiment import (
    MAX_FILE_CHARACTERS,
    BadExperiment,
    Experiment,
    ItemKind,
    PublishedTable,
)
from ludus.reproduce.findings import (
    ComparedRow,
    Conclusion,
    Figure,
    Findings,
    Measurement,
    Remark,
    Table,
    compare_rows,
    make_slug,
)

T = TypeVar("T")


class ResultCache:
    """A folder with one JSON file for each computed value."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str, compute: Callable[[], T]) -> T:
        """Return the stored value of a key, or compute and store it.

        The value is always the one decoded from JSON, whether it was computed or read: tuples
        become lists, and numbers are as in later runs.
        """
        path = self._find_path(key)
        stored = _read_entry(path, key)
        if stored is None:
            text = json.dumps({"key": key, "value": compute()}, allow_nan=False)
            write_text(make_folder(path.parent) / path.name, text)
            stored = json.loads(text)
        value: T = stored["value"]
        return value

    def find(self, key: str) -> Any:
        """Return the stored value of a key, or None."""
        stored = _read_entry(self._find_path(key), key)
        return None if stored is None else stored["value"]

    def _find_path(self, key: str) -> Path:
        return self.folder / f"{make_file_name(key)}.json"

    def subfolder(self, key: str) -> Path:
        """Return a folder for this key, for checkpoints and other files."""
        return make_folder(self.folder / make_file_name(key))

    def clear(self) -> None:
        """Delete all entries."""
        shutil.rmtree(self.folder, ignore_errors=True)


def make_file_name(key: str) -> str:
    """Return a readable and unique file name for a key.

    >>> make_file_name("basic:newbie / first")
    'basic-newbie-first-01ffbe86'
    """
    digest = hashlib.blake2b(key.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()
    return f"{make_slug(key)}-{digest}"


def _read_entry(path: Path, key: str) -> dict[str, Any] | None:
    """Return the entry of a file; None if it is absent, damaged or of another key."""
    try:
        found = parse_json_object(path.read_bytes())
    except OSError:
        return None
    is_ours = found is not None and found.get("key") == key and "value" in found
    return found if is_ours else None


NUMBER_LIST_PATTERN = re.compile(r"\[\n[-+.\deE,\s]*\]")
"""A list of numbers only, to be joined on one line; no JSON text contains a line end."""


@dataclass(frozen=True, slots=True)
class ExperimentResults:
    """The results of a run of an experiment."""

    published: PublishedTable
    size: str
    seed: int
    findings: Findings
    saved_on: str = ""
    """The day of a stored run, as 2026-01-31; only `--save` writes it."""

    @property
    def rows(self) -> list[ComparedRow]:
        """Comparison of published and our numbers."""
        return compare_rows(self.published, self.findings.measured)

    def as_json(self) -> dict[str, Any]:
        """Return the results as a dictionary, without dates or properties of the machine."""
        found = self.findings
        return {
            "id": self.published.id,
            "title": self.published.title,
            "size": self.size,
            "seed": self.seed,
            "rows": [row.as_json() for row in self.rows],
            "remarks": list(found.remarks),
            "conclusions": [asdict(conclusion) for conclusion in found.conclusions],
            "tables": [asdict(table) for table in found.tables],
            "figures": [
                {
                    "name": figure.name,
                    "draw": figure.draw.__name__,
                    "data": figure.data,
                    "caption": figure.caption,
                    "size": [float(length) for length in figure.size],
                }
                for figure in found.figures
            ],
        }

    def text(self) -> str:
        """Return the JSON text of a results file, formatted for readable diffs."""
        try:
            text = json.dumps(self.as_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        except (TypeError, ValueError) as error:
            raise BadExperiment(f"{self.published.id}: JSON cannot hold it: {error}") from error
        return NUMBER_LIST_PATTERN.sub(lambda found: " ".join(found[0].split()), text)


def store_results(experiment: Experiment, results: ExperimentResults) -> None:
    """Store results beside the experiment, with the day of today."""
    make_folder(experiment.results.parent)
    day = json.dumps(str(date.today()))
    write_text(experiment.results, results.text().replace("\n", f'\n "date": {day},\n', 1))


def read_results(experiment: Experiment, *, has_figures: bool = True) -> ExperimentResults:
    """Read the stored results of an experiment; without figures its code is not imported."""
    path = experiment.results
    if not path.is_file():
        raise BadExperiment(
            f"there are no stored results {quote_path(path)}; run it with --save first"
        )
    try:
        fields = json.loads(read_text(path, MAX_FILE_CHARACTERS, BadExperiment))
        return _parse_results(fields, experiment, has_figures)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        what = f"{type(error).__name__}: {error}"
        raise BadExperiment(f"{quote_path(path)} is no file of results: {what}") from error


def _parse_results(
    fields: Mapping[str, Any], experiment: Experiment, has_figures: bool
) -> ExperimentResults:
    if fields["id"] != experiment.id:
        raise BadExperiment(
            f"{quote_path(experiment.results)} holds the results of {fields['id']!r:.60}"
        )
    found = Findings()
    for row in fields["rows"]:
        if row["ours"] is not None:
            low, high = row["interval"] or (None, None)
            found.add(
                Measurement(
                    row["name"], row["ours"], low, high, row["count"], row["note"], row["unit"]
                )
            )
    for text in fields["remarks"]:
        found.add(Remark(str(text)))
    for conclusion in fields["conclusions"]:
        found.add(Conclusion(conclusion["text"], conclusion["holds"], conclusion["evidence"]))
    for table in fields["tables"]:
        found.add(Table(table["name"], table["headings"], table["rows"], table["caption"]))
    for figure in fields["figures"] if has_figures else ():
        width, height = figure["size"]
        found.add(
            Figure(
                figure["name"],
                _find_draw_function(experiment, str(figure["draw"])),
                figure["data"],
                figure["caption"],
                (float(width), float(height)),
            )
        )
    return ExperimentResults(
        experiment.published(),
        str(fields["size"]),
        int(fields["seed"]),
        found,
        str(date.fromisoformat(fields["date"])),
    )


def _find_draw_function(experiment: Experiment, name: str) -> Callable[[Any, Any], None]:
    draw = getattr(experiment.module(), name, None)
    if not callable(draw):
        raise BadExperiment(
            f"{quote_path(experiment.path)} has no function {name}, which drew a figure"
        )
    found: Callable[[Any, Any], None] = draw
    return found


Status = Literal["agrees", "differs", "undecided", "no result", "not run"]
"""`undecided`: our results allow both; `no result`: it was run without giving one."""

STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Item:
    """A published number or conclusion, what we found, and how the two compare."""

    experiment: str
    """The id of the experiment."""

    name: str
    kind: ItemKind
    status: Status
    published: float | None = None
    """None for a statement."""

    ours: float | None = None
    interval: Interval | None = None
    unit: str = ""
    reason: str = ""
    """Why it differs or is missing; for a conclusion also our numbers."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def classify_row(row: ComparedRow) -> Status:
    """Compare a row: by the intervals, or if there are none by the digits that are published."""
    published = row.published_row.published
    if row.ours is None or published is None:
        return "no result"
    agrees = row.agrees
    if agrees is None:
        agrees = abs(row.ours.value - published) <= _get_rounding_error(published)
    return "agrees" if agrees else "differs"


def _get_rounding_error(number: float) -> float:
    """Return half a unit of the last printed digit, and a little for the binary rounding."""
    _, _, decimals = repr(float(number)).partition(".")
    num_decimals = 0 if decimals == "0" else len(decimals)
    return 0.5 * float(10**-num_decimals) * (1 + 1e-6)


def list_items(results: ExperimentResults) -> Iterator[Item]:
    """Generate the published rows and the conclusions of an experiment."""
    published = results.published
    for row in results.rows:
        if row.published_row.published is None or published.is_repeated(row.name):
            continue
        status = classify_row(row)
        yield Item(
            published.id,
            row.name,
            published.find_kind(row.name),
            status,
            row.published_row.published,
            None if row.ours is None else row.ours.value,
            row.interval,
            row.unit,
            "" if status == "agrees" else published.find_reason(row.name),
        )
    for conclusion in results.findings.conclusions:
        if not published.is_repeated(conclusion.text):
            yield _make_conclusion_item(results, conclusion)


def classify_conclusion(conclusion: Conclusion) -> Status:
    """Without evidence nothing was run that could decide."""
    if conclusion.holds is None:
        return "undecided" if conclusion.evidence else "not run"
    return "agrees" if conclusion.holds else "differs"


def _make_conclusion_item(results: ExperimentResults, conclusion: Conclusion) -> Item:
    status = classify_conclusion(conclusion)
    evidence, reason = conclusion.evidence, results.published.find_reason(conclusion.text)
    if status == "agrees":
        reason = evidence
    elif evidence and reason:
        reason = f"{evidence.removesuffix('.')}. {reason}"
    else:
        reason = evidence or reason
    return Item(results.published.id, conclusion.text, "statement", status, reason=reason)


def list_stored_items(experiment: Experiment) -> Iterator[Item]:
    """Generate the items of an experiment; without stored results none of them was run."""
    if experiment.results.is_file():
        yield from list_items(read_results(experiment, has_figures=False))
        return
    reason = "there are no stored results; run it with --save"
    published = experiment.published()
    for row in published.rows:
        if row.published is not None and not published.is_repeated(row.name):
            numbers = row.published, None, None
            kind = published.find_kind(row.name)
            yield Item(experiment.id, row.name, kind, "not run", *numbers, row.unit, reason)


def describe_experiment(experiment: Experiment) -> dict[str, Any]:
    """Return title, source, cost of each size and stored results of an experiment, for JSON."""
    published = experiment.published()
    stored = None
    if experiment.results.is_file():
        results = read_results(experiment, has_figures=False)
        stored = {"size": results.size, "date": results.saved_on, "rows": len(results.rows)}
    return {
        "id": published.id,
        "title": published.title,
        "source": published.source,
        "sizes": {size: settings["cost"] for size, settings in published.sizes.items()},
        "default_size": published.default_size,
        "stored": stored,
    }
