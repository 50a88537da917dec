"""The scholar learns: four men a side are solved in a moment, and a small network learns them."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from ludus.core.errors import BadSpec
from ludus.games.nine_mens_morris.batch import DRAW, MoveBatch, classify, unpack_moves
from ludus.learn.scholar.chain_trainer import ChainTrainer, make_chain_examples
from ludus.learn.scholar.config import (
    BankConfig,
    ChainConfig,
    DataMixture,
    ScorerConfig,
    SelfPlayConfig,
)
from ludus.learn.scholar.data import (
    NO_ERROR,
    SelfPlay,
    compute_subspace_weights,
    select_moves,
)
from ludus.learn.scholar.encoding import FIRST_MOVING_EXPERT, NUM_EXPERTS, expert_table
from ludus.learn.scholar.evaluate import EvaluationSet, find_first_errors, summarize_errors
from ludus.learn.scholar.sampling import ParallelGamesOptions
from ludus.learn.scholar.scorer_trainer import (
    VALUED_POSITION_TYPES,
    ExactTrainer,
    ImitationTrainer,
    ValuedPositions,
)
from ludus.learn.scholar.trainer import make_replay_buffer
from support.repetition import repeat
from support.scholar import FOUR, source_of

CPU = torch.device("cpu")
FEW = DataMixture(
    random_positions=1000,
    noisy_games=replace(DataMixture().noisy_games, games=100),
    perfect_games=replace(DataMixture().perfect_games, games=100),
)


def test_replay_buffer_forgets_the_oldest():
    buffer = make_replay_buffer(ValuedPositions, VALUED_POSITION_TYPES, 3, CPU, 2)
    for number in range(5):
        one = torch.tensor([number])
        buffer.add(ValuedPositions(one, one, one, one, one), torch.tensor([0]))
    other = torch.tensor([9])
    buffer.add(ValuedPositions(other, other, other, other, other), torch.tensor([1]))
    taken = buffer.sample(200)
    assert set(taken.own[0].tolist()) == {2, 3, 4}
    assert set(taken.value[1].tolist()) == {9}
    assert buffer.num_added.tolist() == [5, 1]
    assert buffer.sample(4, slice(1, 2)).own.shape == (1, 4)


def test_many_examples_are_stored_at_once():
    torch.manual_seed(1)
    buffer = make_replay_buffer(ValuedPositions, VALUED_POSITION_TYPES, 100, CPU, 5)
    expert = torch.randint(5, (200,))
    number = torch.arange(200)
    buffer.add(ValuedPositions(number, number, number, number, number), expert)
    for kind in range(5):
        kept = buffer.columns.own.view(5, 100)[kind, : buffer.num_added[kind]]
        assert set(kept.tolist()) == set(number[expert == kind].tolist())


def test_pairs_are_good_and_bad_moves():
    source = source_of(FOUR)
    found = source.examples(source.sample_positions(500, 3))
    critical = torch.as_tensor(found.is_critical)
    row, column = select_moves(
        found, torch.full((500,), NO_ERROR), DataMixture(uncritical=0.0, moves=3)
    )
    keeps = torch.as_tensor(found.keeps_value)[row, column]
    assert torch.as_tensor(found.children.is_move)[row, column].all()
    for each in critical.nonzero()[:, 0].tolist():
        assert sorted(keeps[row == each].tolist()) == 3 * [False] + 3 * [True]
    assert set(row.tolist()) == set(critical.nonzero()[:, 0].tolist())


def test_errors_are_sampled_more_often():
    source = source_of(FOUR)
    found = source.examples(source.sample_positions(500, 3))
    keeps, is_move = torch.as_tensor(found.keeps_value), torch.as_tensor(found.children.is_move)
    wrong = (is_move & ~keeps).int().argmax(1)
    critical = torch.as_tensor(found.is_critical)
    row, column = select_moves(
        found, torch.where(critical, wrong, NO_ERROR), DataMixture(uncritical=0.0, moves=2)
    )
    for each in critical.nonzero()[:5, 0].tolist():
        trained = column[row == each]
        assert (trained == wrong[each]).sum() == 4
        assert keeps[each, trained].sum() == 4


def test_kinds_of_positions_are_drawn_alike():
    spaces = source_of(FOUR).subspaces
    weights = np.array(compute_subspace_weights(spaces, DataMixture(capture_factor=0.5)))
    kinds = np.array([expert_table()[s.mover_hand, s.other_hand, s.mover, s.other] for s in spaces])
    totals = np.bincount(kinds, weights)
    np.testing.assert_allclose(totals[np.unique(kinds)], 1)


def test_results_of_values():
    values = torch.tensor([0, 1, 2, 7, 255], dtype=torch.uint8)
    assert classify(values).tolist() == [0, 2, 0, 2, 1]


@pytest.fixture(scope="module")
def trained():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the matrices are small
    course = ScorerConfig(
        banks=(
            BankConfig(FIRST_MOVING_EXPERT, 6, 64, blocks=1),
            BankConfig(NUM_EXPERTS, 8, 64, blocks=1),
        ),
        buffer_size=4096,
        rounds_ahead=4,
        steps_a_round=2,
        mixture=FEW,
    )
    training = ExactTrainer(source_of(FOUR), course, CPU)
    for _ in range(repeat(40, 80)):
        training.step(4e-3)
    yield training
    torch.set_num_threads(threads)


def test_a_scorer_learns_to_keep_the_value(trained):
    source = source_of(FOUR)
    measured = EvaluationSet.from_positions(source, source.sample_positions(3000, 77))
    assert len(measured) > 500
    moves = torch.as_tensor(measured.examples.children.is_move).sum(1)
    by_chance = (torch.as_tensor(measured.examples.keeps_value).sum(1) / moves).mean()
    kept = measured.is_kept(trained.choose(measured.examples)).float().mean()
    assert kept > 0.5 * (1 + by_chance)  # more than half of what chance gives away


def test_experts_evaluate_their_own_positions(trained):
    source = source_of(FOUR)
    drawn = source.sample_positions(400, 5)
    positions = drawn.map(torch.as_tensor)
    kinds = trained.encoder.select_experts(positions)
    assert kinds.max() < NUM_EXPERTS
    scores = trained.score(positions)
    for kind in kinds.unique().tolist():
        which = kinds == kind
        alone = trained.score(positions[which])
        torch.testing.assert_close(alone, scores[which])


def test_own_games_find_errors(trained):
    oracle, noisy, perfect = trained.generator.games
    assert len(oracle.play.errors) == 0, "the scholar is not asked there"
    assert len(noisy.play.errors) > 0
    assert len(perfect.play.errors) > 0


def test_perfect_games_keep_their_value():
    """Whatever the scholar chooses, and it chooses the worst, its errors are not played."""
    source = source_of(FOUR)

    def worst(found):
        values = np.where(found.children.is_move, found.keeps_value, 2)
        return torch.as_tensor(values.argmin(1))

    sort = SelfPlayConfig(200, ParallelGamesOptions(0.0, 30, 1.0, 0.0), own=1.0)
    party = SelfPlay(
        source,
        sort,
        worst,
        lambda found, error: None,
        compute_subspace_weights(source.subspaces, FEW),
        3,
    )
    assert set(party.play.examples.value.tolist()) == {DRAW}
    for _ in range(12):
        party.play_policy_ply()
        assert set(party.play.examples.value.tolist()) == {DRAW}
    assert len(party.play.errors) > 0


def test_banks_of_experts_are_all_there_are():
    for ends in ([5], [5, 5, NUM_EXPERTS], [9, 5, NUM_EXPERTS], [NUM_EXPERTS + 1]):
        with pytest.raises(BadSpec, match="banks"):
            ScorerConfig(banks=tuple(BankConfig(end, 8, 8) for end in ends)).experts()


@pytest.mark.slow
def test_a_chain_learns_moves_that_are_legal_and_good():
    torch.set_num_threads(1)
    course = ChainConfig(
        channels=(8, 8, 8),
        blocks=(1, 1, 1),
        batch=64,
        buffer_size=4096,
        rounds_ahead=4,
        mixture=FEW,
    )
    source = source_of(FOUR)
    training = ChainTrainer(source, course, CPU)
    losses = torch.stack([training.step(8e-3) for _ in range(repeat(20, 80))]).sum(1)
    assert losses[-5:].mean() < 0.7 * losses[0]
    measured = EvaluationSet.from_positions(source, source.sample_positions(1000, 77)).examples
    is_chosen = training.is_chosen(measured)
    assert is_chosen.any(1).float().mean() > 0.5  # legal, though nobody told the rules


def test_sets_of_good_choices_are_those_of_the_good_moves():
    source = source_of(FOUR)
    found = source.examples(source.sample_positions(300, 8))
    trained = make_chain_examples(found[found.is_critical], uncritical=0.0)
    for number, (move, *sets) in enumerate(
        zip(trained.move.tolist(), *(each.tolist() for each in trained[5:]), strict=True)
    ):
        chosen = [move >> 8 * part & 0xFF for part in range(3)]
        assert all(good >> choice & 1 for good, choice in zip(sets, chosen, strict=True))
        examples = found[found.is_critical]
        moves = examples.children.move[number][examples.keeps_value[number]].tolist()
        points = [[one >> 8 * part & 0xFF for part in range(3)] for one in moves]
        for part in range(3):
            fitting = {one[part] for one in points if one[:part] == chosen[:part]}
            assert {point for point in range(25) if sets[part] >> point & 1} == fitting


@pytest.mark.slow
def test_a_teacher_is_followed():
    """He makes the last of the good moves, in no position another one."""
    torch.set_num_threads(1)
    source = source_of(FOUR)
    found = source.examples(source.sample_positions(300, 5))
    number = found.keeps_value.shape[1] - 1 - found.keeps_value[:, ::-1].argmax(1)
    rows = np.flatnonzero(found.children.is_move[np.arange(300), number])
    move = found.children.move[rows, number[rows]]
    entries = MoveBatch.from_points(found.positions[rows], unpack_moves(move))
    banks = (BankConfig(NUM_EXPERTS, 8, 1, blocks=1),)
    training = ImitationTrainer(source, ScorerConfig(banks=banks, averaging=0.5), CPU, entries, 64)
    assert len(training.targets) == len(rows)

    def share():
        chosen = training.choose(training.examples)
        return (chosen == training.targets).float().mean()

    before = share()
    for _ in range(40):
        training.step(8e-3)
    assert share() > 0.3 * (1 + before)


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
