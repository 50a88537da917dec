"""Every number in a table of results comes from a stored result or a published figure."""

import json
import re
import tomllib

import pytest

from ludus.reproduce import find_experiment
from support.paths import EXPERIMENTS, ROOT

PAGES = (
    "README.md",
    *(
        f"docs/{name}.md"
        for name in ("backgammon", "migo", "nnmm", "patterns", "scholar", "tabular")
    ),
)
"""Pages with tables of results; other tables of the README have no numbers."""

TABLE = re.compile(r"(?:<!-- numbers of: (.+) -->\n\n)?((?:^\|.*\n)+)", re.MULTILINE)
IGNORED = re.compile(
    r"`[^`]*`|\]\([^)]*\)|\b(?:19|20)\d\d\b|Tables? \d[\d.]*|Fig\. [\d.]+|section \d"
)
"""Code, links, years, and the names of tables, figures and sections."""

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")


def collect_numbers(value):
    """All numbers of a JSON or TOML value, those within texts, too."""
    if isinstance(value, dict):
        return [number for each in value.values() for number in collect_numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in collect_numbers(each)]
    if isinstance(value, str):
        return [float(text.replace(",", "")) for text in NUMBER.findall(value)]
    return [float(value)] if isinstance(value, int | float) else []


def find_missing_numbers(table, sources):
    known = []
    for identity in sources:
        experiment = find_experiment(identity, EXPERIMENTS)
        known += collect_numbers(json.loads(experiment.results.read_text(encoding="utf-8")))
        toml = experiment.path.with_suffix(".toml").read_text(encoding="utf-8")
        known += collect_numbers(tomllib.loads(toml))
    missing = []
    for line in table.splitlines()[2:]:
        for text in NUMBER.findall(IGNORED.sub("", line)):
            decimals = len(text.partition(".")[2])
            margin = 0.5 * 10**-decimals * (1 + 1e-6)
            if not any(abs(float(text.replace(",", "")) - each) <= margin for each in known):
                missing.append((text, line))
    return missing


TABLES = [
    (sources, table)
    for page in PAGES
    for sources, table in TABLE.findall((ROOT / page).read_text(encoding="utf-8"))
    if sources or page == "README.md"
]


@pytest.mark.parametrize("page", PAGES)
def test_pages_have_tables_of_results(page):
    found = TABLE.findall((ROOT / page).read_text(encoding="utf-8"))
    assert any(sources for sources, _ in found)


@pytest.mark.parametrize(("sources", "table"), TABLES, ids=range(len(TABLES)))
def test_numbers_of_tables_have_a_source(sources, table):
    assert find_missing_numbers(table, sources.split()) == []


def test_a_number_without_a_source_is_found():
    table = "| a | b |\n|---|---|\n| won | 46.51% of 120,000, `k=99`, Table 12, 2015 |\n"
    assert find_missing_numbers(table, ["vrajitoru-table-3"]) == []
    assert find_missing_numbers(table.replace("46.51", "46.57"), ["vrajitoru-table-3"]) != []
    assert len(find_missing_numbers(table, [])) == 2
