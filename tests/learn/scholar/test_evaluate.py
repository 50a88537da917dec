"""Games against perfect play: who never errs never loses, and errors are found where they are."""

import numpy as np
import torch

from ludus.learn.scholar.data import NO_ERROR
from ludus.learn.scholar.evaluate import find_first_errors, summarize_errors
from support.scholar import FOUR, source_of


def good(found):
    return torch.as_tensor(found.keeps_value.argmax(1))


def worst(found):
    return torch.as_tensor(np.where(found.children.is_move, found.keeps_value, 2).argmin(1))


def test_who_keeps_the_value_loses_no_game():
    first = find_first_errors(source_of(FOUR), good, 40, seed=1, max_plies=50)
    assert (first == NO_ERROR).all()
    assert summarize_errors(first) == {
        "games": 20,
        "lost_as_white": 0,
        "lost_as_black": 0,
        "plies": [],
    }


def test_who_plays_the_worst_loses_every_game_at_its_first_chance():
    first = find_first_errors(source_of(FOUR), worst, 40, seed=1, max_plies=200)
    white, black = first[0::2], first[1::2]
    assert (first != NO_ERROR).all()
    assert (white % 2 == 0).all()
    assert (black % 2 == 1).all()
    found = summarize_errors(first)
    assert found["lost_as_white"] == found["lost_as_black"] == 20
    assert sum(found["plies"]) == 40


def test_only_errors_of_the_scholar_count():
    """It errs in the first ten plies alone; whatever comes later is no error."""
    plies = iter(range(200))

    def early(found):
        return worst(found) if next(plies) < 10 else good(found)

    first = find_first_errors(source_of(FOUR), early, 40, seed=1, max_plies=50)
    late = find_first_errors(source_of(FOUR), worst, 40, seed=1, max_plies=10)
    assert first.tolist() == late.tolist()
    assert {NO_ERROR} < set(first.tolist())
