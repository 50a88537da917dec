"""Every number in a table of results comes from the stored findings that its row is about."""

import random
from dataclasses import replace

import pytest

from support.paths import ROOT
from support.table_sources import (
    TABLE,
    TableRow,
    find_missing_numbers,
    find_patterns,
    find_source_key,
    is_among,
    list_paragraphs,
    list_rows,
    read_sources,
    select_numbers,
)

PAGES = (
    "README.md",
    *(
        f"docs/{name}.md"
        for name in ("backgammon", "experiments", "migo", "nnmm", "patterns", "scholar", "tabular")
    ),
)
"""Pages with tables of results; other tables of the README have no numbers."""

README_TEXT = "README.md, text"
"""The section of the file of sources for figures outside tables."""

MAX_SLIPS = 0.05
"""Proportion of wrong numbers that may pass because a finding of the row happens to have them."""

NUM_TRIALS = 40


@pytest.mark.parametrize("page", PAGES)
def test_pages_have_tables_of_results(page):
    found = TABLE.findall((ROOT / page).read_text(encoding="utf-8"))
    assert any(experiments for experiments, _ in found)


def test_all_pages_with_sources_are_checked():
    folder = (ROOT / "docs").rglob("*.md")
    marked = {f"{path.relative_to(ROOT)}" for path in folder if "numbers of:" in path.read_text()}
    assert marked | {"README.md"} == set(PAGES)


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
    """The figures of the README's table are such numbers."""
    source, passed, tried = random.Random(1), 0, 0
    for row in list_rows("README.md"):
        known = select_numbers(find_patterns(row))
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
