"""The papers at a glance: their items counted by kind, what differs and why, as text and HTML."""

import math
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from ludus.core.errors import LudusError
from ludus.core.files import quote_path, read_text
from ludus.reproduce.experiment import (
    MAX_FILE_CHARACTERS,
    BadExperiment,
    Experiment,
    ItemKind,
    Text,
)
from ludus.reproduce.report import (
    ITEM_HEADINGS,
    MISSING_CELL,
    ReportTable,
    draw_svg,
    format_html_page,
    format_html_table,
    format_item,
)
from ludus.reproduce.results import (
    STATUSES,
    Item,
    Status,
    list_stored_items,
    read_results,
)

FACTS_FILE = "paper.toml"
"""Title and main figures of a paper, beside its experiments."""

KIND_LABELS: Mapping[ItemKind, str] = {
    "evaluated": "numbers computed from the authors' own weights or boards",
    "retrained": "numbers of players and networks made anew",
    "substitute": "numbers with a substitute for what is not available",
    "statement": "statements",
}

EXPLANATIONS: Mapping[Status, str] = {
    "agrees": "the difference can be chance, or the numbers print alike",
    "differs": "by more than chance",
    "undecided": "our results allow both",
    "no result": "it was run without giving one",
    "not run": "nothing is stored that could decide",
}


class PaperFacts(BaseModel):
    """What the file of a paper says."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    title: Text
    main: list[Text] = []
    """Its main items, as `experiment: name`."""


@dataclass(frozen=True)
class Paper:
    """The experiments of one folder and what came of every published item."""

    name: str
    """The folder, which is how experiments of the paper begin."""

    title: str
    experiments: Sequence[Experiment]
    items: Sequence[Item]
    main: Sequence[Item] = ()
    errors: Mapping[str, str] = field(default_factory=dict)
    """Errors of experiments that cannot be read, by id."""

    def count(self, kind: ItemKind | None = None) -> Counter[Status]:
        """Count the items of a kind, None for all of them, by status."""
        return Counter(item.status for item in self.items if kind in (None, item.kind))

    def list_unmet(self) -> Iterator[tuple[Status, list[tuple[str, list[Item]]]]]:
        """Yield the statuses but `agrees`, each with its items by reason, in their order."""
        for status in STATUSES[1:]:
            found = [item for item in self.items if item.status == status]
            if found:
                groups = groupby(found, key=lambda item: item.reason)
                yield status, [(reason, list(items)) for reason, items in groups]


def list_papers(experiments: Iterable[Experiment]) -> list[Paper]:
    """Return the papers of experiments that have published items, by name of their folder."""
    papers = []
    for folder, group in groupby(experiments, key=lambda each: each.path.parent):
        members = list(group)
        items: list[Item] = []
        errors: dict[str, str] = {}
        for experiment in members:
            try:
                items += list_stored_items(experiment)
            except LudusError as error:
                errors[experiment.id] = str(error)
        if items or errors:
            facts = _read_facts(folder)
            by_name = {f"{item.experiment}: {item.name}": item for item in items}
            main = [by_name[name] for name in facts.main if name in by_name]
            papers.append(Paper(folder.name, facts.title, members, items, main, errors))
    return papers


def _read_facts(folder: Path) -> PaperFacts:
    path = folder / FACTS_FILE
    if not path.is_file():
        return PaperFacts(title=folder.name)
    try:
        fields = tomllib.loads(read_text(path, MAX_FILE_CHARACTERS, BadExperiment))
        return PaperFacts.model_validate(fields)
    except (ValueError, ValidationError) as error:
        raise BadExperiment(f"{quote_path(path)}: {str(error).splitlines()[0]}") from error


def make_count_table(paper: Paper) -> ReportTable:
    """Return how many items of each kind have which status."""
    rows = []
    kinds = [kind for kind in get_args(ItemKind) if paper.count(kind)]
    for label, kind in [*((KIND_LABELS[kind], kind) for kind in kinds), ("all", None)]:
        counts = paper.count(kind)
        cells = [str(counts[status] or MISSING_CELL) for status in STATUSES]
        rows.append([label, str(counts.total()), *cells])
    headings = ("", "items", *STATUSES)
    return ReportTable(paper.title, headings, rows, [False, *[True] * (len(headings) - 1)])


MAIN_HEADINGS = ("experiment", "main items", "published", "ours", "95% interval", "result")


def make_main_table(paper: Paper) -> ReportTable:
    """Return the main items of a paper; none if its file names none."""
    rows = [format_item(item)[:6] for item in paper.main]
    return ReportTable("", MAIN_HEADINGS, rows, [False, False, True, True, True, False])


def make_item_table(paper: Paper) -> ReportTable:
    """Return all items of a paper."""
    rows = [format_item(item) for item in paper.items]
    return ReportTable("", ITEM_HEADINGS, rows, [False, False, True, True, True, False, False])


NEAR = 2e-4
"""Numbers that are as near as this in proportion are shown with more digits."""


def format_unmet_item(item: Item) -> str:
    """Return an item that does not agree in one line.

    >>> item = Item("id", "games won", "retrained", "differs", 40, 35.25, (30, 38), "%")
    >>> format_unmet_item(item)
    'games won: published 40 %, ours 35.25 % (30 … 38)'
    """
    if item.published is None:
        return item.name
    _, name, published, ours, ends, *_ = format_item(item)
    if item.ours is not None and math.isclose(item.ours, item.published, rel_tol=NEAR):
        unit = f" {item.unit}" if item.unit else ""
        published, ours = (f"{each:.6g}{unit}" for each in (item.published, item.ours))
    interval = "" if item.interval is None else f" ({ends})"
    return f"{name}: published {published}, ours {ours}{interval}"


def as_json(paper: Paper) -> dict[str, object]:
    """Return the counts of a paper by kind and status."""
    kinds = {kind: dict(paper.count(kind)) for kind in KIND_LABELS if paper.count(kind)}
    return {"id": paper.name, "title": paper.title, "counts": kinds}


def iterate_html(
    papers: Sequence[Paper], progress: Callable[[int, int, str], None]
) -> Iterator[str]:
    """Yield one self-contained page: counts, what differs, figures and all items of each paper."""
    title = "Published and ours"
    yield from format_html_page(title)
    yield f"<h1>{title}</h1>"
    explained = "; ".join(f"<em>{status}</em>: {text}" for status, text in EXPLANATIONS.items())
    yield f"<p>{explained}.</p>"
    for paper in papers:
        yield from format_html_table(make_count_table(paper))
        if paper.main:
            yield from format_html_table(make_main_table(paper))
        for status, groups in paper.list_unmet():
            yield f"<h3>{status}</h3><ul>"
            for reason, items in groups:
                names = "<br>".join(escape(format_unmet_item(item)) for item in items)
                yield f"<li>{names}<br><small>{escape(reason)}</small></li>"
            yield "</ul>"
        yield f"<details><summary>figures of {escape(paper.title)}</summary>"
        yield from _draw_figures(paper, progress)
        yield f"</details><details><summary>all {len(paper.items)} items</summary>"
        yield from format_html_table(make_item_table(paper))
        yield "</details>"
    yield "</body>\n</html>\n"


def _draw_figures(paper: Paper, progress: Callable[[int, int, str], None]) -> Iterator[str]:
    """Yield the figures of the stored results of a paper's experiments."""
    stored = [each for each in paper.experiments if each.results.is_file()]
    for number, experiment in enumerate(stored):
        progress(number, len(stored), experiment.id)
        for place, figure in enumerate(read_results(experiment).findings.figures):
            # Ids within drawings come from the name, and experiments share names.
            drawing = draw_svg(replace(figure, name=f"{place} {experiment.id}"))
            caption = escape(f"{experiment.id}, {figure.name}. {figure.caption}")
            yield f"<figure>{drawing}<figcaption>{caption}</figcaption></figure>"
