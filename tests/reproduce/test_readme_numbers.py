"""Every number in a table of results comes from the stored findings that its row is about.

`tests/data/table_sources.toml` names, for each row of a table on a page, the findings of stored
results that its numbers come from. A finding is a row of a results file, a line of one of its
tables, a conclusion, a remark or a setting; points of figures are none.
"""

import json
import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import takewhile
from typing import Any

import pytest

from ludus.reproduce import find_experiment
from support.paths import DATA, EXPERIMENTS, ROOT

SOURCES_FILE = DATA / "table_sources.toml"

TABLE = re.compile(r"(?:<!-- numbers of: (.+) -->\n\n)?((?:^\|.*\n)+)", re.MULTILINE)
IGNORED = re.compile(
    r"`[^`]*`|\]\([^)]*\)|\b(?:19|20)\d\d\b|Tables? \d[\d.]*|Fig\. [\d.]+|section \d"
)
"""Code, links, years, and the names of tables, figures and sections."""

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|\.\d+")
WRITTEN = re.compile(rf"(?:{NUMBER.pattern})(?: million)?")

NUM_NAMES = 2
"""Cells at the beginning of a table's line that name it, if they are texts."""

NUM_SHOWN = 6
"""Findings that are proposed for a number without a source."""

Findings = dict[str, list[float]]
"""Name of a finding, which begins with the experiment's, to its numbers."""


@dataclass(frozen=True)
class TableRow:
    """A row of a table of results."""

    page: str
    experiments: tuple[str, ...]
    cells: tuple[str, ...]

    @property
    def label(self) -> str:
        """The first cell without markup, by which its findings are found."""
        return re.sub(r"\]\([^)]*\)|[`*\[]", "", self.cells[0]).strip()

    @property
    def numbers(self) -> list[str]:
        """The numbers as they are written; those of a label in words belong to its words."""
        cells = self.cells[re.search("[A-Za-z]", self.label) is not None :]
        return [text for cell in cells for text in WRITTEN.findall(IGNORED.sub("", cell))]


def list_rows(page: str) -> Iterator[TableRow]:
    """The rows of all tables of a page that have a marker."""
    for experiments, table in TABLE.findall((ROOT / page).read_text(encoding="utf-8")):
        if experiments:
            for line in table.splitlines()[2:]:
                cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
                yield TableRow(page, tuple(experiments.split()), cells)


FIGURE = re.compile(rf"({NUMBER.pattern}) ?(%|million|minute|second|hour|game)")
"""A number with its unit, in a text."""


def list_paragraphs(page: str) -> Iterator[TableRow]:
    """The paragraphs of a page that have figures with a unit, as rows with these as cells."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|^(?:    |\|)[^\n]*$", "", text, flags=re.MULTILINE | re.DOTALL)
    for paragraph in text.split("\n\n"):
        plain = re.sub(r"\]\([^)]*\)|[*\[]", "", IGNORED.sub("", paragraph)).strip()
        if figures := [" ".join(found) for found in FIGURE.findall(plain)]:
            yield TableRow(page, (), (plain, *figures))


def collect_numbers(value: Any) -> list[float]:
    """All numbers of a JSON or TOML value, those within texts, too."""
    if isinstance(value, dict):
        return [number for each in value.values() for number in collect_numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in collect_numbers(each)]
    if isinstance(value, str):
        return [float(text.replace(",", "")) for text in NUMBER.findall(value)]
    return [float(value)] if isinstance(value, int | float) else []


@lru_cache(maxsize=64)
def read_findings(identity: str) -> Findings:
    """All findings of the stored results of an experiment, with its published rows.

    Of another JSON file, named by its path, each entry is a finding.
    """
    if identity.endswith(".json"):
        entries = json.loads((ROOT / identity).read_text(encoding="utf-8"))
        return {f"{identity}: {key}": collect_numbers(each) for key, each in entries.items()}
    experiment = find_experiment(identity, EXPERIMENTS)
    stored = json.loads(experiment.results.read_text(encoding="utf-8"))
    toml = tomllib.loads(experiment.path.with_suffix(".toml").read_text(encoding="utf-8"))
    found: Findings = {}

    def add(name: str, value: Any) -> None:
        found.setdefault(f"{identity}: {name}", []).extend(collect_numbers(value))

    for row in [*stored["rows"], *toml.pop("rows", [])]:
        add(row["name"], row)
        if row.get("interval"):
            low, high = row["interval"]
            add(row["name"], (high - low) / 2)
        if row.get("unit") == "%" and row.get("games") and row.get("published") is not None:
            # The paper counts, or we do, so that both have the same unit.
            add(row["name"], row["published"] * row["games"] / 100)
    for conclusion in stored["conclusions"]:
        add(conclusion["text"], conclusion)
    for table in stored["tables"]:
        for line in table["rows"]:
            words = (
                list(takewhile(lambda cell: isinstance(cell, str), line[:NUM_NAMES])) or line[:1]
            )
            add(f"{table['name']} / {', '.join(map(str, words))}", line)
    for remark in stored["remarks"]:
        add(f"remark / {remark}", remark)
    for key, value in toml.items():
        if isinstance(value, dict):
            for name, inner in value.items():
                add(f"{key} / {name}", inner)
        elif key == "differences":
            for text in value:
                add(f"{key} / {text}", text)
        elif key not in ("id", "title", "source", "reasons"):
            add(key, value)
    return found


@lru_cache(maxsize=1)
def read_sources() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Page to beginning of a row's label to patterns of findings."""
    return tomllib.loads(SOURCES_FILE.read_text(encoding="utf-8"))


MIN_BEGINNING = 12
"""Shorter keys are whole labels: `a` is no beginning of `against`."""


def find_source_key(section: str, label: str) -> str | None:
    """The key of a section that is a label, or else the longest that it begins with."""
    keys = read_sources()[section]
    if label in keys:
        return label
    found = [key for key in keys if len(key) >= MIN_BEGINNING and label.startswith(key)]
    return max(found, key=len, default=None)


def find_patterns(row: TableRow, section: str = "") -> Sequence[str]:
    """The findings of a row: those of the file, or the one that its label is the name of."""
    key = find_source_key(section or row.page, row.label)
    if key is not None:
        return read_sources()[section or row.page][key]
    names = [f"{identity}: {row.label}" for identity in row.experiments]
    return [name for name in names if name in read_findings(name.partition(": ")[0])]


def select_numbers(patterns: Sequence[str]) -> list[float]:
    """The numbers of the findings that patterns name; each must name one."""
    known: list[float] = []
    for pattern in patterns:
        findings = read_findings(pattern.partition(": ")[0])
        names = [name for name in findings if name == pattern or fnmatchcase(name, pattern)]
        assert names, f"no finding is called {pattern!r}"
        known += [number for name in names for number in findings[name]]
    return known


def is_among(text: str, known: Sequence[float]) -> bool:
    """Whether a number as it is written is one of these, rounded."""
    digits, _, million = text.partition(" ")
    value = float(digits.replace(",", ""))
    margin = 0.5 * 10 ** -len(digits.partition(".")[2]) * (1 + 1e-6)
    # Texts also have numbers of millions.
    scales = (1, 1_000_000) if million else (1,)
    return any(
        abs(value * scale - abs(each)) <= margin * scale for each in known for scale in scales
    )


def find_missing_numbers(row: TableRow, patterns: Sequence[str]) -> list[str]:
    """The numbers of a row that are in none of its findings, with findings that have them."""
    known = select_numbers(patterns)
    return [
        f"{text} in {row.label!r}: {propose_findings(text, row)}"
        for text in row.numbers
        if not is_among(text, known)
    ]


def propose_findings(text: str, row: TableRow) -> list[str]:
    """Names of findings of the row's experiments that have a number."""
    return [
        name
        for identity in row.experiments
        for name, numbers in read_findings(identity).items()
        if is_among(text, numbers)
    ][:NUM_SHOWN]


PAGES = tuple(
    str(path.relative_to(ROOT))
    for path in sorted([*(ROOT / "docs").rglob("*.md"), *EXPERIMENTS.glob("*/README.md")])
    if "<!-- numbers of:" in path.read_text(encoding="utf-8")
)
"""Pages with tables of results."""

README_TEXT = "README.md, text"
"""The section of the file of sources for figures outside tables."""

MAX_SLIPS = 0.05
"""Proportion of wrong numbers that may pass because a finding of the row happens to have them."""

NUM_TRIALS = 40


def test_all_sections_of_sources_are_pages_with_results():
    assert set(read_sources()) == {*PAGES, README_TEXT}


@pytest.mark.parametrize("page", PAGES)
def test_numbers_of_tables_have_a_source(page):
    rows = list_rows(page)
    assert [text for row in rows for text in find_missing_numbers(row, find_patterns(row))] == []


def test_figures_in_the_text_of_the_readme_have_a_source():
    rows = list(list_paragraphs("README.md"))
    assert {find_source_key(README_TEXT, row.label) for row in rows} == set(
        read_sources()[README_TEXT]
    )
    for row in rows:
        assert find_missing_numbers(row, find_patterns(row, README_TEXT)) == []


@pytest.mark.parametrize("page", PAGES)
def test_sources_are_of_rows_that_are_there_and_of_their_experiments(page):
    """A source that no row needs would let numbers pass that nobody has checked."""
    experiments = {}
    for row in list_rows(page):
        key = find_source_key(page, row.label) if row.numbers else None
        if key is not None:
            experiments.setdefault(key, set()).update(row.experiments)
    assert set(experiments) == set(read_sources()[page])
    for key, patterns in read_sources()[page].items():
        assert {pattern.partition(": ")[0] for pattern in patterns} <= experiments[key], key


def test_random_numbers_have_no_source():
    """Each number with a decimal is replaced by others of its size; hardly any of them passes."""
    source, passed, tried = random.Random(1), 0, 0
    for page in PAGES:
        for row in list_rows(page):
            known = select_numbers(find_patterns(row))
            for text in row.numbers:
                decimals = len(text.partition(".")[2])
                if not decimals:
                    continue
                value = float(text.replace(",", ""))
                for _ in range(NUM_TRIALS):
                    other = f"{source.uniform(value / 2, 1.5 * value):.{decimals}f}"
                    if other != text:
                        tried += 1
                        passed += is_among(other, known)
    assert tried > 10_000
    assert passed / tried < MAX_SLIPS


def test_one_decimal_between_20_and_70_has_no_source():
    """The figures of the README are such numbers."""
    source, passed, tried = random.Random(1), 0, 0
    for row in list_paragraphs("README.md"):
        known = select_numbers(find_patterns(row, README_TEXT))
        for _ in range(NUM_TRIALS if row.numbers else 0):
            tried += 1
            passed += is_among(f"{source.uniform(20, 70):.1f}", known)
    assert tried
    assert passed / tried < MAX_SLIPS


ROW = TableRow(
    "x.md",
    ("vrajitoru-table-3",),
    ("focused, 2 weights", "46.51% of 120,000, `k=99`, Table 12, 2015"),
)
FINDING = "vrajitoru-table-3: Wins of the Fuzzy player with two presets / focused, k=4,mutual=0.1"


def test_a_number_without_a_source_is_found():
    assert ROW.numbers == ["46.51", "120,000"]
    patterns = [FINDING, "vrajitoru-table-3: focused, k=4, mutualWeight=0.1: fuzzy wins"]
    assert find_missing_numbers(ROW, patterns) == []
    wrong = replace(ROW, cells=("focused", "46.57%"))
    (report,) = find_missing_numbers(wrong, patterns)
    assert report.startswith("46.57 in 'focused': ")
    (report,) = find_missing_numbers(replace(ROW, cells=("focused", "46.51%")), [])
    assert FINDING in report, "a source is proposed"


def test_a_source_that_is_not_there_is_an_error():
    with pytest.raises(AssertionError, match="no finding is called"):
        select_numbers(["vrajitoru-table-3: nothing of this name"])
