"""References: numbers to compare with that are no published items."""

import pytest

from ludus.reproduce import Measurement, PublishedRow, read_published
from ludus.reproduce.findings import Conclusion, Findings
from ludus.reproduce.report import format_comparison
from ludus.reproduce.results import ExperimentResults, list_items

TOML = """\
id = "smith-table-1"
title = "Won games"
source = "Smith 1900"
[sizes.quick]
cost = "1 s"
[[rows]]
name = "won"
published = 40
unit = "%"
[[rows]]
name = "wanted"
reference = 60.0
reference_source = "our aim"
unit = "%"
[[reasons]]
rows = ["*"]
text = "Smith drew moves from a hat."
"""


@pytest.fixture
def results(tmp_path):
    file = tmp_path / "table_1.toml"
    file.write_text(TOML)
    found = Findings()
    found.add(Measurement("won", 41.0, 38.0, 44.0, note="by chance"))
    found.add(Measurement("wanted", 55.0, note="after training"))
    found.add(Conclusion("the first player is ahead", None, "41% of 100"))
    return ExperimentResults(read_published(file, "smith-table-1"), "quick", 0, found)


def test_a_reference_is_no_item_of_the_paper(results):
    items = list(list_items(results))
    assert [item.name for item in items] == ["won", "the first player is ahead"]


def test_evidence_and_reason_are_sentences(results):
    assert list(list_items(results))[1].reason == "41% of 100. Smith drew moves from a hat."


def test_a_reference_has_a_column_of_its_own_in_reports(results):
    headings, rows = format_comparison(results.rows)
    assert headings[:4] == ["", "published", "reference", "ours"]
    assert rows[0][:4] == ["won", "40 %", "–", "41 %"]
    assert rows[1][:4] == ["wanted", "–", "60 % (our aim)", "55 %"]
    assert [row[-1] for row in rows] == ["by chance", "after training"]
    without, _ = format_comparison(results.rows[:1])
    assert "reference" not in without


def test_a_reference_is_stored_beside_the_published_number(results):
    first, second = (row.as_json() for row in results.rows)
    assert "reference" not in first
    assert (second["published"], second["reference"]) == (None, 60.0)
    assert second["reference_source"] == "our aim"
    assert second["difference"] is None


@pytest.mark.parametrize("fields", [{"reference": 1.0}, {"reference_source": "our aim"}])
def test_a_reference_has_a_source(fields):
    with pytest.raises(ValueError, match="reference_source"):
        PublishedRow.model_validate({"name": "won", **fields})
