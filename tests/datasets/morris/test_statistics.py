"""Statistics of datasets, and their picture."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from ludus.datasets import augment, format_lines, parse_lines, read_chunks, read_dataset
from ludus.datasets.morris.files import Chunk
from ludus.datasets.morris.statistics import (
    DatasetStatistics,
    add_counts,
    compute_statistics,
    draw_statistics,
)
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.rules import Rules
from support.facilities import external
from support.morris import GOOD_MOVES

LINES = [
    "OOOOOOOOOOOOOOOOOOOOOOOO9900-d6",
    "MMOOEEOOOOOOOOOOOOOOOOOE7623-g7d6",
    "MMOOMOOOOEOOOOEOOOOOOEOO0033-d6g7a4",
    "not a line",
    "MMOOMOOMOEOOOOEOOOOOOEOO0043-d5c5",
    "OOOOOOOOOOOOOOOOOOOOOOOO9900-f4",
    "OMOOEEOOOOOOOOOOOOOOOOME7623-a7d6",
    "OMMEEOOOOOOOOOOOOOOOOEOO7623-a7d6",
    "MMOOEEOOOOOOOOOOOOOOOOOE7623-g7",
    "MMMOOOOOOEOEOOOEOOOOOOOO6633",
]
"""Line 4 is bad, 6 repeats the state of 1, 8 mirrors 2, 9 repeats it and spares a man."""


@pytest.fixture(scope="module")
def found():
    parts = [
        parse_lines("\n".join(LINES[:4]).encode()),
        parse_lines("\n".join(LINES[4:]).encode(), 5),
    ]
    return compute_statistics(parts, Rules())


def test_counts(found):
    assert (found.entries, found.with_move) == (9, 8)
    assert found.phases.tolist() == [0, 7, 1, 1]
    counts = found.as_json()["classes"]
    assert {name: n for name, n in counts["TO"].items() if n} == {
        "d6": 1,
        "g7": 3,
        "c5": 1,
        "f4": 1,
        "a7": 2,
    }
    assert {name: n for name, n in counts["FROM"].items() if n} == {"none": 6, "d6": 1, "d5": 1}
    assert {name: n for name, n in counts["REMOVE"].items() if n} == {"none": 4, "d6": 3, "a4": 1}


def test_entropies(found):
    """Shares of 1/2, 3/8 and 1/8; and of 3/4 and twice 1/8."""
    assert found.entropy(2) == pytest.approx(0.5 + 3 / 8 * 1.4150375 + 3 / 8)
    assert found.entropy(1) == pytest.approx(0.75 * 0.4150375 + 2 * 3 / 8)
    assert str(compute_statistics([], Rules()).entropy(0)) == "0.0"


def test_lines_that_are_wrong_or_repeat_others(found):
    assert [line.number for line in found.bad_lines] == [4]
    assert found.illegal == {
        "a mill is closed but no man is taken": [9],
        "a man is taken but no mill is closed": [7],
    }
    assert found.impossible == {"a side has a mill and has taken nothing": [10]}
    assert found.duplicates == [(6, 1), (9, 2)]
    assert found.symmetric == [(8, 2)]
    assert not found.is_valid


def test_the_picture_shows_every_point_three_times(found):
    document = ElementTree.fromstring(draw_statistics(found, "<&> data"))
    places = [node.get("data-place") for node in document.iter() if node.get("data-place")]
    assert sorted(places) == sorted(3 * POINTS)
    text = draw_statistics(found, "<&> data")
    assert "FROM, in 25.0% of 8 moves" in text
    assert "g7: 37.50%" in text
    assert "&lt;&amp;&gt; data" in text
    assert "moves" in draw_statistics(compute_statistics([], Rules()), "nothing")


def test_a_generated_dataset():
    """Phases are counted from the text: men in hand, then three men on the board, then the rest."""
    found = compute_statistics(read_chunks(GOOD_MOVES), Rules())
    states = [line.partition("-")[0] for line in GOOD_MOVES.read_text().splitlines()]
    placing = sum(state[24] != "0" for state in states)
    flying = sum(state[24] == "0" and state.count("M") == 3 for state in states)
    assert placing > 0
    assert flying > 0
    assert found.phases.tolist() == [0, placing, len(states) - placing - flying, flying]
    assert (found.entries, found.with_move, found.bad_lines) == (len(states), len(states), [])
    assert (found.illegal, found.impossible) == ({}, {})
    assert (found.duplicates, found.symmetric) == ([], [])
    assert found.is_valid


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_file_is_written_as_it_is_read(tmp_path, end):
    content = GOOD_MOVES.read_bytes().replace(b"\n", end)
    (tmp_path / "dataset.txt").write_bytes(content)
    assert format_lines(read_dataset(tmp_path / "dataset.txt"), end) == content


@pytest.mark.external("nnmm")
def test_the_authors_dataset():
    """The figures of sections 5.3 and 5.3.2 of the thesis, and what else is known of the data."""
    found = compute_statistics(read_chunks(external("nnmm", "dataset.txt")), Rules())
    assert (found.entries, found.with_move, found.bad_lines) == (100_154, 100_154, [])
    assert found.phases[1:].tolist() == [18_399, 65_466, 16_289]
    assert {reason: len(lines) for reason, lines in found.illegal.items()} == {
        "the game is over: a side has too few men": 7
    }
    assert sorted(map(len, found.impossible.values())) == [135, 798, 1518]
    assert (found.duplicates, found.symmetric) == ([], [])


@pytest.mark.external("nnmm")
def test_the_published_expansion():
    entries = read_dataset(external("nnmm", "dataset.txt"))
    expanded = augment(entries, "published")
    assert len(expanded) == 1_628_673
    assert len(augment(entries, "symmetries")) == 1_592_239
    found = DatasetStatistics()
    add_counts(found, Chunk(expanded, np.arange(len(expanded)), []))
    assert found.phases[1:].tolist() == [302_429, 1_043_644, 282_600]
    assert [round(found.entropy(part), 3) for part in range(3)] == [4.533, 4.406, 1.999]
    none = [found.proportions(part)["none"] for part in range(3)]
    assert [round(1 - each, 4) for each in none] == [1, 0.8143, 0.2590]


@pytest.mark.external("nnmm")
@pytest.mark.parametrize("name", ["dataset.txt", "dataset_gaming.txt", "states.txt"])
def test_the_authors_files_are_written_as_they_are_read(name):
    path = external("nnmm", name)
    assert format_lines(read_dataset(path), b"\r\n") == path.read_bytes()
