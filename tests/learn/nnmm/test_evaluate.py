"""The tests of chapter 6: accuracy, legality and reliability, each against its definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.datasets import parse_lines
from ludus.datasets.morris.statistics import CHOICES
from ludus.datasets.morris.validation import validate_moves
from ludus.games.nine_mens_morris.batch import MoveBatch, PositionBatch
from ludus.games.nine_mens_morris.position import Position
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.nnmm.evaluate import (
    LEGALITY_STANDARDS,
    NUM_RECALL_LEVELS,
    Hits,
    add_tables,
    check_legality,
    compute_accuracy,
    compute_curve,
    compute_legality,
    compute_reliability,
)
from ludus.learn.nnmm.parts import POINT_OF_CLASS, points_to_classes
from support.facilities import external
from support.legality_positions import (
    CLASS,
    as_move,
    authors_moves,
    positions,
    positions_with_moves,
)
from support.morris import GOOD_MOVES
from support.repetition import repeat

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


ORDERS = ((0, 1, 2), (1, 0, 2), (2, 1, 0))


def ranked_by_hand(distribution, legal):
    """Precision at 4, 8, …, 100% recall for one position; None if it does not count."""
    ranking = sorted(range(25), key=lambda choice: (-distribution[choice], choice))
    if not legal or ranking[0] == 0:
        return None
    precisions, hits = [], 0
    for seen, choice in enumerate(ranking, 1):
        if choice in legal:
            hits += 1
            precisions.append((hits / len(legal), hits / seen))
    return [
        next(precision for recall, precision in precisions if recall >= level / NUM_RECALL_LEVELS)
        for level in range(1, NUM_RECALL_LEVELS + 1)
    ]


@settings(max_examples=60)
@given(
    st.lists(positions(), min_size=1, max_size=5),
    st.sampled_from(ORDERS),
    st.sampled_from(("rules", "author")),
    st.integers(0, 2**32 - 1),
)
def test_by_hand(found, order, judge, seed):
    rng = np.random.default_rng(seed)
    distributions = rng.random((3, len(found), 25))
    # Half of the choices are parts of legal moves, so that there is something left to rank.
    legal = [authors_moves(each) if judge == "author" else each.legal_moves() for each in found]
    classes = [
        [tuple(CLASS[part] for part in (move.to, move.frm, move.take)) for move in moves]
        for moves in legal
    ]
    chosen = rng.integers(0, 25, (len(found), 3)).astype(np.int8)
    for number, moves in enumerate(classes):
        if moves and rng.random() < 0.7:
            chosen[number] = moves[rng.integers(len(moves))]
    result = compute_reliability(
        PositionBatch.from_positions(found), order, chosen, distributions, judge
    )
    for step, part in enumerate(order):
        curves = []
        for number, moves in enumerate(classes):
            before = order[:step]
            fitting = {
                move[part]
                for move in moves
                if all(move[each] == chosen[number, each] for each in before)
            }
            curves.append(ranked_by_hand(distributions[step][number].tolist(), fitting))
        counted = [each for each in curves if each is not None]
        assert result[step].positions == len(counted)
        if counted:
            assert result[step].percent == pytest.approx(100 * np.mean(counted, axis=0))
        else:
            assert result[step].percent == []


def test_two_legal_choices_of_which_one_ranks_third():
    """First comes a legal one, then an illegal one, then the other legal one."""
    distribution = np.zeros((1, 25))
    distribution[0, [4, 9, 7]] = 0.5, 0.3, 0.2
    is_legal = np.zeros((1, 25), dtype=bool)
    is_legal[0, [4, 7]] = True
    found = compute_curve(distribution, is_legal).percent
    assert found[:12] == [100] * 12
    assert found[12:] == pytest.approx([200 / 3] * 13)


def test_none_as_first_choice_does_not_count():
    is_legal = np.ones((1, 25), dtype=bool)
    assert compute_curve(np.eye(25)[:1], is_legal).positions == 0
    assert compute_curve(np.eye(25)[1:2], is_legal).percent == [100] * 25


def test_curves_add_up():
    rng = np.random.default_rng(3)
    distribution, is_legal = rng.random((40, 25)), rng.random((40, 25)) < 0.3
    first, second = (
        compute_curve(distribution[part], is_legal[part]) for part in (slice(15), slice(15, 40))
    )
    assert (first + second).percent == pytest.approx(compute_curve(distribution, is_legal).percent)
