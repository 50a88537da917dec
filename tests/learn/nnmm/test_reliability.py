"""The reliability test of the published program, against its definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.nnmm.evaluate import NUM_RECALL_LEVELS, compute_curve, compute_reliability
from support.legality_positions import CLASS, authors_moves, positions

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
