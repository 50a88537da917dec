"""The legality test of chapter 6: whole moves against the readable rules, parts by example."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.datasets import parse_lines
from ludus.datasets.morris.statistics import CHOICES
from ludus.datasets.morris.validation import validate_moves
from ludus.games.nine_mens_morris.batch import MoveBatch, PositionBatch
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.nnmm.evaluate import LEGALITY_STANDARDS, check_legality, compute_legality
from ludus.learn.nnmm.parts import POINT_OF_CLASS, points_to_classes
from support.facilities import external
from support.legality_positions import (
    as_move,
    authors_moves,
    positions_with_moves,
)
from support.morris import GOOD_MOVES
from support.repetition import repeat

several = st.lists(positions_with_moves(), min_size=1, max_size=20)


def check_found(found, judge):
    predicted = np.array([classes for _, classes in found], dtype=np.int8)
    return check_legality(
        PositionBatch.from_positions(position for position, _ in found), predicted, judge
    )


@settings(max_examples=repeat(100, 300))
@given(several)
def test_a_move_is_legal_if_and_only_if_the_game_lists_it(found):
    wanted = [as_move(classes) in position.legal_moves() for position, classes in found]
    assert check_found(found, "rules").whole_move.tolist() == wanted


@settings(max_examples=repeat(100, 300))
@given(several)
def test_the_authors_check_is_the_rules_less_men_in_mills(found):
    wanted = [as_move(classes) in authors_moves(position) for position, classes in found]
    assert check_found(found, "author").whole_move.tolist() == wanted


MILL = "MMOOEEOOOOOOOOOOOOOOOOOE7623"
"""White places: g7 closes the top row; Black's three men are loose."""

ALL_IN_MILLS = "MMOEEEOOOOOOOOOOOOOOOOOO7623"
STEPS = "MMOOMOOMOEOOOOEOOOOOOEOO0043"
FLIES = "MMOOMOOOOEOOOOEOOOOOOEOO0033"
LONELY = "MMOOOOOOOOOOOOOOOOOOOOOO7920"

FAILS = [
    # state, TO FROM REMOVE, what fails by the rules, and what fails by the author's check
    (MILL, "g7 none d6", "", ""),
    (MILL, "d5 none none", "", ""),
    (MILL, "a7 none none", "to_self", "to_self"),
    (MILL, "none none none", "to_self", "to_self"),
    (MILL, "g7 none none", "remove_from_to", "remove_from_to"),
    (MILL, "d5 none d6", "remove_from_to", "remove_from_to"),
    (MILL, "g7 none a1", "remove_self", "remove_self"),
    (MILL, "g7 none a7", "remove_self", "remove_self"),
    # Men are being placed: the rules ask nothing of FROM but that there is none.
    (MILL, "d5 a7 none", "from_self", "from_self from_to"),
    (MILL, "d5 c5 none", "from_self", "from_self"),
    (ALL_IN_MILLS, "g7 none d6", "", "remove_self"),
    (f"{ALL_IN_MILLS[:23]}E7524", "g7 none d6", "remove_self", "remove_self"),
    (f"{ALL_IN_MILLS[:23]}E7524", "g7 none g1", "", ""),
    # Nobody can be taken, so nobody need be.
    (LONELY, "g7 none none", "", "remove_from_to"),
    (STEPS, "f6 d6 none", "", ""),
    (STEPS, "g7 d6 a4", "from_to", "from_to"),
    (STEPS, "f6 none none", "from_self", "from_self"),
    (STEPS, "d2 d5 none", "to_self from_to", "to_self from_to"),
    (STEPS, "f6 e4 none", "from_self from_to", "from_self from_to"),
    (FLIES, "g7 d6 a4", "", ""),
    (FLIES, "d2 d6 none", "", ""),
    (FLIES, "d2 none none", "from_self", "from_self"),
    (FLIES, "g7 a7 none", "", ""),
]


@pytest.mark.parametrize(("state", "move", "rules", "author"), FAILS)
def test_which_tests_a_move_fails(state, move, rules, author):
    entries = parse_lines(state.encode()).moves
    points = np.array([[CHOICES[part] for part in move.split()]], dtype=np.int8)
    predicted = points_to_classes(points)
    for judge_name, wanted in zip(LEGALITY_STANDARDS, (rules, author), strict=True):
        found = check_legality(entries, predicted, judge_name)
        fails = {name for name, passed in found._asdict().items() if not passed[0]}
        assert fails == set(wanted.split()), judge_name


@given(several)
def test_lines_count_what_the_tests_say(found):
    predicted = np.array([classes for _, classes in found], dtype=np.int8)
    entries = PositionBatch.from_positions(position for position, _ in found)
    result, tests = compute_legality(entries, predicted), check_legality(entries, predicted)
    assert result["whole move"].hits == np.count_nonzero(np.logical_and.reduce(tests))
    assert result["whole FROM"].hits == np.count_nonzero(
        tests.to_self & tests.from_self & tests.from_to
    )
    steps = [n for n, (each, _) in enumerate(found) if not each.hands[0] and len(each.men[0]) > 3]
    assert result["whole phase 2 FROM"].total == len(steps)
    assert result["whole phase 2 FROM"].hits == np.count_nonzero(tests.whole_from[steps])
    takes = [n for n, (_, classes) in enumerate(found) if classes[2]]
    assert result["whole chosen REMOVE"].total == len(takes)
    assert result["whole chosen REMOVE"].hits == np.count_nonzero(tests.whole_remove[takes])


def test_good_moves_are_legal():
    """To the author's check too, unless a man is taken out of a mill as the rules allow."""
    entries = parse_lines(GOOD_MOVES.read_bytes()).moves
    by_rules, by_author = (
        compute_legality(entries, points_to_classes(entries.points), judge)
        for judge in LEGALITY_STANDARDS
    )
    assert all(share.hits == share.total for share in by_rules.values())
    assert by_rules["whole move"].total == len(entries)
    assert by_author["REMOVE self"] == by_author["whole move"]


@pytest.mark.external("nnmm")
def test_the_authors_dataset_is_legal_but_not_to_its_own_check():
    """211 good moves take a man out of a mill, all of the enemy's men standing in mills."""
    entries = parse_lines(external("nnmm", "dataset.txt").read_bytes()).moves
    by_rules, by_author = (
        compute_legality(entries, points_to_classes(entries.points), judge)
        for judge in LEGALITY_STANDARDS
    )
    assert all(share.hits == share.total for share in by_rules.values())
    whole = by_author["whole move"]
    assert whole.total - whole.hits == 211
    assert by_author["REMOVE self"] == whole


def test_random_moves_are_evaluated_as_the_dataset_statistics_evaluate_them():
    """The verdicts of `ludus dataset stats`, which were written for another purpose."""
    entries = parse_lines(GOOD_MOVES.read_bytes()).moves
    check_random_moves(MoveBatch.concatenate([entries] * 40))


@pytest.mark.external("nnmm")
def test_random_moves_in_the_authors_states():
    check_random_moves(parse_lines(external("nnmm", "states.txt").read_bytes()).moves[:20000])


def check_random_moves(entries):
    rng = np.random.default_rng(1)
    predicted = rng.integers(0, 25, (len(entries), 3)).astype(np.int8)
    predicted[:, 0] = np.maximum(predicted[:, 0], 1)
    predicted[:, 1][entries.phases == 1] = 0
    predicted[:, 2][rng.random(len(entries)) < 0.7] = 0
    moves = with_moves(entries, predicted)
    wanted = (validate_moves(moves, Rules()) == 0) & (
        (predicted[:, 1] == 0) == (entries.phases == 1)
    )
    found = check_legality(entries, predicted).whole_move
    assert found.tolist() == wanted.tolist()
    assert 100 < found.sum() < len(found) - 100


def with_moves(entries, predicted):
    to, frm, take = POINT_OF_CLASS[predicted].T
    return replace(entries, to=to, frm=frm, take=take)
