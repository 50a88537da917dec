"""All published items with their status: agrees, differs, or not reproduced."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ludus.core.statistics import Interval
from ludus.reproduce.experiment import Experiment
from ludus.reproduce.findings import ComparedRow, Conclusion
from ludus.reproduce.report import MISSING_CELL, format_number
from ludus.reproduce.results import ExperimentResults, read_results

Status = Literal["agrees", "differs", "not reproduced"]


@dataclass(frozen=True, slots=True)
class Item:
    """A published number or conclusion, what we found, and how the two compare."""

    experiment: str
    """The id of the experiment."""

    name: str
    status: Status
    published: float | None = None
    """None for a conclusion."""

    ours: float | None = None
    interval: Interval | None = None
    unit: str = ""
    reason: str = ""
    """Why it differs or is missing; for a conclusion also our numbers."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


ITEM_HEADINGS = ("experiment", "item", "published", "ours", "95% interval", "result", "reason")


def format_item(item: Item) -> tuple[str, ...]:
    """Format an item under ITEM_HEADINGS."""
    unit = f" {item.unit}" if item.unit else ""
    numbers = [
        MISSING_CELL if number is None else format_number(number) + unit
        for number in (item.published, item.ours)
    ]
    ends = MISSING_CELL if item.interval is None else " … ".join(map(format_number, item.interval))
    return (item.experiment, item.name, *numbers, ends, item.status, item.reason)


def classify_row(row: ComparedRow) -> Status:
    """Compare a row: by the intervals, or if there are none by the digits that are published."""
    published = row.published_row.published
    if row.ours is None or published is None:
        return "not reproduced"
    agrees = row.agrees
    if agrees is None:
        agrees = abs(row.ours.value - published) <= _get_rounding_error(published)
    return "agrees" if agrees else "differs"


def _get_rounding_error(number: float) -> float:
    """Return half a unit of the last printed digit, and a little for the binary rounding."""
    _, _, decimals = repr(float(number)).partition(".")
    num_decimals = 0 if decimals == "0" else len(decimals)
    return 0.5 * float(10**-num_decimals) * (1 + 1e-6)


CONCLUSION_STATUS: dict[bool | None, Status] = {
    True: "agrees",
    False: "differs",
    None: "not reproduced",
}


def list_items(results: ExperimentResults) -> Iterator[Item]:
    """Generate the published rows and the conclusions of an experiment."""
    published = results.published
    for row in results.rows:
        if row.published_row.published is None:
            continue
        status = classify_row(row)
        yield Item(
            published.id,
            row.name,
            status,
            row.published_row.published,
            None if row.ours is None else row.ours.value,
            row.interval,
            row.unit,
            "" if status == "agrees" else published.find_reason(row.name),
        )
    for conclusion in results.findings.conclusions:
        yield _make_conclusion_item(results, conclusion)


def _make_conclusion_item(results: ExperimentResults, conclusion: Conclusion) -> Item:
    status = CONCLUSION_STATUS[conclusion.holds]
    evidence, reason = conclusion.evidence, results.published.find_reason(conclusion.text)
    if status == "agrees":
        reason = evidence
    elif evidence and reason:
        reason = f"{evidence.removesuffix('.')}. {reason}"
    else:
        reason = evidence or reason
    return Item(results.published.id, conclusion.text, status, reason=reason)


def list_stored_items(experiment: Experiment) -> Iterator[Item]:
    """Generate the items of an experiment; rows without stored results are not reproduced."""
    if experiment.results.is_file():
        yield from list_items(read_results(experiment, has_figures=False))
        return
    reason = "there are no stored results; run it with --save"
    for row in experiment.published().rows:
        if row.published is not None:
            numbers = row.published, None, None
            yield Item(experiment.id, row.name, "not reproduced", *numbers, row.unit, reason)


def count_items(items: Iterable[Item]) -> str:
    """Say how many items have which status."""
    counts = Counter(item.status for item in items)
    return (
        f"{counts.total()} items: {counts['agrees']} agree, {counts['differs']} differ,"
        f" {counts['not reproduced']} are not reproduced"
    )


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
