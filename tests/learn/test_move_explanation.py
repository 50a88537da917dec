"""Explanations of moves chosen part by part, as text and as drawings."""

import numpy as np
import pytest

from ludus.games.nine_mens_morris.board import POINTS, Move
from ludus.learn.move_explanation import MoveDecision, select_by_parts

PLACED, MOVED = Move(None, 3, None), Move(5, 3, 7)


def distributions():
    found = np.full((3, 25), 0.01)
    found[0, 3], found[1, 24], found[1, 5], found[2, 24] = 0.6, 0.7, 0.2, 0.9
    return found


def test_absent_parts_have_names():
    decision = MoveDecision.from_distributions(PLACED, distributions())
    assert decision.describe() == f"TO {POINTS[3]} 60%, FROM the hand 70%, REMOVE nobody 90%"
    assert decision.scores == {}


def test_what_the_legality_check_has_changed_is_reported():
    decision = MoveDecision.from_distributions(MOVED, distributions(), (1, 2))
    assert decision.describe() == (
        f"TO {POINTS[3]} 60%, FROM {POINTS[5]} 20%, REMOVE {POINTS[7]} 1%; "
        "the legality check has changed FROM and REMOVE"
    )


def test_a_part_is_drawn_with_the_probability_of_each_point():
    decision = MoveDecision.from_distributions(MOVED, distributions(), (1,))
    to, frm, _ = map(decision.draw_part, range(3))
    assert to.title == "TO: where a man goes"
    assert to.text == f"It chooses {POINTS[3]}."
    assert frm.text == f"It chooses {POINTS[5]}, as the legality check demands. For the hand: 70%."
    assert frm.marks.heat == pytest.approx(dict(zip(POINTS, distributions()[1], strict=False)))


def test_parts_are_chosen_among_the_moves_that_are_left():
    moves = np.array([[1, 0, 9], [2, 0, 9], [2, 4, 9], [2, 4, 8]])
    seen = []

    def choose(part, left):
        seen.append((part, left.tolist()))
        return moves[left[-1], part]

    assert select_by_parts(moves, (1, 0, 2), choose) == 3
    assert seen == [(1, [0, 1, 2, 3]), (0, [2, 3]), (2, [2, 3])]
    assert select_by_parts(moves, (0, 1, 2), lambda part, left: moves[left[0], part]) == 0
