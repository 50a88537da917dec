"""The scholar learns: four men a side are solved in a moment, and a small network learns them."""

import numpy as np
import pytest
import torch
from scholar_games import FOUR, source_of

from ludus.learn.scholar.critical import Exam
from ludus.learn.scholar.experts import NUM_EXPERTS, table
from ludus.learn.scholar.lessons import expert_numbers, pairs
from ludus.learn.scholar.mixture import Mixture, shares
from ludus.learn.scholar.scorer_training import Course, ScorerTraining, results
from ludus.learn.scholar.shelves import Judged, Shelves

CPU = torch.device("cpu")


def test_shelves_forget_the_oldest():
    shelves = Shelves(2, 3, CPU)
    for number in range(5):
        one = torch.tensor([number])
        shelves.add(torch.tensor([0]), Judged(one, one, one, one, one))
    other = torch.tensor([9])
    shelves.add(torch.tensor([1]), Judged(other, other, other, other, other))
    taken = shelves.take(200)
    assert set(taken.own[0].tolist()) == {2, 3, 4}
    assert set(taken.value[1].tolist()) == {9}
    assert shelves.put.tolist() == [5, 1]
    assert shelves.take(4, slice(1, 2)).own.shape == (1, 4)


def test_many_examples_find_their_shelves_at_once():
    torch.manual_seed(1)
    shelves = Shelves(5, 100, CPU)
    expert = torch.randint(5, (200,))
    number = torch.arange(200)
    shelves.add(expert, Judged(number, number, number, number, number))
    for shelf in range(5):
        kept = shelves.columns.own.view(5, 100)[shelf, : shelves.put[shelf]]
        assert set(kept.tolist()) == set(number[expert == shelf].tolist())


def test_pairs_are_one_good_and_one_bad_move():
    source = source_of(FOUR)
    found = source.examples(source.draw(500, 3))
    critical = torch.as_tensor(found.is_critical)
    row, column = pairs(found, torch.full((500,), -1), calm=0.0)
    keeps = torch.as_tensor(found.keeps)[row, column]
    assert torch.as_tensor(found.children.is_move)[row, column].all()
    for each in critical.nonzero()[:, 0].tolist():
        assert sorted(keeps[row == each].tolist()) == [False, True]
    assert set(row.tolist()) == set(critical.nonzero()[:, 0].tolist())


def test_errors_are_taught_more_often():
    source = source_of(FOUR)
    found = source.examples(source.draw(500, 3))
    keeps, is_move = torch.as_tensor(found.keeps), torch.as_tensor(found.children.is_move)
    wrong = (is_move & ~keeps).int().argmax(1)
    critical = torch.as_tensor(found.is_critical)
    row, column = pairs(found, torch.where(critical, wrong, -1), calm=0.0)
    for each in critical.nonzero()[:5, 0].tolist():
        taught = column[row == each]
        assert (taught == wrong[each]).sum() == 4
        assert keeps[each, taught].sum() == 4


def test_kinds_of_positions_are_drawn_alike():
    spaces = source_of(FOUR).subspaces
    weights = np.array(shares(spaces, Mixture(losses=0.5)))
    kinds = np.array([table()[s.mover_hand, s.other_hand, s.mover, s.other] for s in spaces])
    totals = np.bincount(kinds, weights)
    np.testing.assert_allclose(totals[np.unique(kinds)], 1)


def test_results_of_values():
    values = torch.tensor([0, 1, 2, 7, 255], dtype=torch.uint8)
    assert results(values).tolist() == [0, 2, 0, 2, 1]


@pytest.fixture(scope="module")
def taught():
    course = Course(
        channels=(8, 8),
        blocks=1,
        batch=(64, 64),
        shelf=4096,
        rounds_ahead=4,
        warmup=5,
        mixture=Mixture(drawn=2000, games=200),
    )
    # Four men a side have no positions for most experts; theirs learn nothing from empty shelves.
    training = ScorerTraining(source_of(FOUR), course, CPU)
    training.prepare()
    for _ in range(120):
        training.step(4e-3)
    return training


def test_a_scorer_learns_to_keep_the_value(taught):
    source = source_of(FOUR)
    exam = Exam.of(source, source.draw(3000, 77))
    assert len(exam) > 500
    moves = torch.as_tensor(exam.found.children.is_move).sum(1)
    by_chance = (torch.as_tensor(exam.found.keeps).sum(1) / moves).mean()
    kept = exam.is_kept(taught.score).float().mean()
    assert kept > 0.5 * (1 + by_chance)  # more than half of what chance gives away


def test_experts_are_asked_for_their_own_positions(taught):
    source = source_of(FOUR)
    drawn = source.draw(400, 5)
    columns = [torch.as_tensor(column) for column in drawn.columns]
    kinds = expert_numbers(columns, taught.on)
    assert kinds.max() < NUM_EXPERTS
    scores = taught.score(columns)
    for kind in kinds.unique().tolist():
        which = kinds == kind
        alone = taught.score([column[which] for column in columns])
        torch.testing.assert_close(alone, scores[which])


def test_own_games_find_errors(taught):
    assert taught.steps > 10 * taught.course.warmup
    assert len(taught.lessons.play._errors) > 0
