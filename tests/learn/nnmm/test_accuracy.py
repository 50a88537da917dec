"""The accuracy test of chapter 6, compared with counting one entry at a time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.position import Position
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.nnmm.evaluate import Hits, add_tables, compute_accuracy
from support.legality_positions import CLASS

PLACING = Position(Rules(), (frozenset({0, 1, 2}), frozenset({8, 9})), (6, 6))
STEPPING = Position(Rules(), (frozenset({0, 1, 2, 3}), frozenset({8, 9, 10})))
FLYING = Position(Rules(), (frozenset({0, 1, 3}), frozenset({8, 9, 10})))
PHASES = (PLACING, STEPPING, FLYING)

moves = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
cases = st.lists(st.tuples(st.sampled_from((0, 1, 2)), moves, moves), min_size=1, max_size=40)


def lines(found):
    entries = PositionBatch.from_positions(PHASES[phase] for phase, _, _ in found)
    predicted, true = (
        np.array([case[column] for case in found], dtype=np.int8) for column in (1, 2)
    )
    return compute_accuracy(entries, predicted, true)


def one_by_one(found):
    """Return hits and cases by line, by the definitions of section 6.3."""
    counts = {}

    def count(name, is_right):
        hits, of = counts.get(name, (0, 0))
        counts[name] = hits + is_right, of + 1

    for phase, predicted, true in found:
        for part, name in enumerate(("TO", "FROM", "REMOVE")):
            is_right = predicted[part] == true[part]
            count(name, is_right)
            if part:
                count(f"{name} not 0" if true[part] else f"{name} 0", is_right)
        count("whole move", predicted == true)
        count(f"whole move, phase {phase + 1}", predicted == true)
    return counts


@given(cases)
def test_every_line(found):
    counts = one_by_one(found)
    for name, share in lines(found).items():
        assert (share.hits, share.total) == counts.get(name, (0, 0)), name


@given(cases, cases)
def test_parts_of_a_dataset_add_up(first, second):
    assert add_tables([lines(first), lines(second)]) == lines(first + second)


def test_a_move_that_differs_in_one_part():
    """The man comes from the right point and goes to the right one, but the wrong man is taken."""
    true = tuple(CLASS[point] for point in (4, 3, 8))
    wrong = (*true[:2], CLASS[10])
    found = lines([(1, wrong, true)])
    assert {name: share.percent for name, share in found.items()} == {
        "TO": 100,
        "FROM": 100,
        "FROM not 0": 100,
        "FROM 0": None,
        "REMOVE": 0,
        "REMOVE not 0": 0,
        "REMOVE 0": None,
        "whole move": 0,
        "whole move, phase 1": None,
        "whole move, phase 2": 0,
        "whole move, phase 3": None,
    }


def test_a_share_of_nothing_is_unknown():
    assert Hits(0, 0).percent is None
