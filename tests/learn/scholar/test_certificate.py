"""Certificates: exceptions of a scorer, their files, and the player that plays them."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import ludus
from ludus.core.errors import LudusError
from ludus.games.nine_mens_morris.batch import (
    DRAWN,
    PositionBatch,
    keeps_value,
    moves_to_points,
)
from ludus.games.nine_mens_morris.batch import pack_moves as pack
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.learn.checkpoint import BadCheckpoint
from ludus.learn.scholar import inference
from ludus.learn.scholar.bounded_scores import (
    CachedScores,
    NumpyScores,
    TorchScores,
    multiply_exact_inputs,
    split_bfloat16,
)
from ludus.learn.scholar.certificate import (
    CertificateConfig,
    Certification,
)
from ludus.learn.scholar.certificate_checks import (
    DecisionComparison,
    compare_in_numpy,
    load_certified_choice,
    measure_rounding,
    play_certified_games,
    score_on_device,
)
from ludus.learn.scholar.encoding import encode
from ludus.learn.scholar.exceptions import (
    NO_EXCEPTION,
    Exceptions,
    is_covered,
    load_exceptions,
    save_exceptions,
)
from ludus.learn.scholar.inference import NUM_RESULTS, Scorer
from ludus.learn.scholar.weights import load_weights, pack_weights
from ludus.learn.weights import BadWeights
from support.scholar import FOUR, GAME, drawn_endings, made, oracle_of, random_weights, source_of
from support.waiting import PATIENCE

CPU = torch.device("cpu")
CARE = 400.0


def certification(roots, known=None, **config):
    weights = random_weights("scorer")
    return Certification(source_of(FOUR), weights, CertificateConfig(**config), CPU, roots, known)


@pytest.fixture(scope="module")
def found():
    whole = certification(drawn_endings(3))
    list(whole.visit.run(1e9, 99))
    return whole.exceptions()


def test_a_visit_is_resumed_and_has_the_same_digest(tmp_path, found):
    roots = drawn_endings(3)
    first = certification(roots)
    steps = []
    first.run(tmp_path / "state", 1e9, 2, lambda counts: steps.append(counts.own_moves))
    assert steps == [1, 2]
    assert not first.exceptions().facts["complete"]
    # What a step that was broken off has written counts for nothing.
    with (tmp_path / "state.keys").open("ab") as keys:
        keys.write(b"12345678")
    second = certification(roots)
    second.run(tmp_path / "state", 1e9, 99, lambda counts: None)
    again = second.exceptions()
    assert again.facts == found.facts
    assert again.facts["complete"]
    assert again.digest() == found.digest()
    with pytest.raises(BadCheckpoint, match="another"):
        certification(roots, opponent_errors=1).restore(tmp_path / "state")
    content = bytearray((tmp_path / "state.keys").read_bytes())
    content[20] ^= 1
    (tmp_path / "state.keys").write_bytes(content)
    with pytest.raises(BadCheckpoint, match="damaged"):
        certification(roots).restore(tmp_path / "state")


def test_with_its_exceptions_no_further_one_is_found(found):
    again = certification(drawn_endings(3), found)
    list(again.visit.run(1e9, 99))
    checked = again.exceptions()
    assert checked.digest() == found.digest()
    assert checked.facts["visited"] == found.facts["visited"]
    wrong = Exceptions(found.keys, np.roll(found.moves, 1), found.weights, CARE, {})
    with pytest.raises(LudusError, match="stored move"):
        list(certification(drawn_endings(3), wrong).visit.run(1e9, 99))


def test_exceptions_are_stored_in_a_few_bytes(tmp_path):
    source = np.random.default_rng(1)
    keys = np.unique(source.integers(1 << 56, size=5000))
    moves = source.integers(25, size=(len(keys), 3)).astype(np.int8)
    stored = Exceptions(keys, pack(moves), "abc", CARE, {"complete": True})
    save_exceptions(tmp_path / "x", stored)
    packed = load_exceptions(tmp_path / "x", "abc")
    assert len(packed) == len(keys)
    again = packed.unpack()
    assert again.digest() == stored.digest()
    np.testing.assert_array_equal(again.keys, keys)
    np.testing.assert_array_equal(again.moves, stored.moves)
    assert (again.loss_aversion, again.facts) == (CARE, {"complete": True})
    np.testing.assert_array_equal(load_exceptions(tmp_path / "x", None).unpack().keys, keys)


def test_exceptions_are_found_across_blocks(tmp_path, monkeypatch, found):
    monkeypatch.setattr("ludus.learn.scholar.exceptions.BLOCK_ENTRIES", 3)
    save_exceptions(tmp_path / "x", found)
    packed = load_exceptions(tmp_path / "x", found.weights)
    assert len(packed.blocks) == -(-len(found) // 3) > 1
    np.testing.assert_array_equal(packed.find(PositionBatch.from_keys(found.keys)), found.moves)
    others = np.setdiff1d(np.arange(1, 400) << 32 | 7 << 8, found.keys)
    assert (packed.find(PositionBatch.from_keys(others)) == NO_EXCEPTION).all()
    nothing = Exceptions(found.keys[:0], found.moves[:0], found.weights, CARE, {})
    save_exceptions(tmp_path / "y", nothing)
    empty = load_exceptions(tmp_path / "y", found.weights)
    assert len(empty) == len(empty.unpack()) == 0
    assert (empty.find(PositionBatch.from_keys(found.keys)) == NO_EXCEPTION).all()


def test_stored_moves_are_found_in_all_images(tmp_path, found):
    assert len(found) > 3
    save_exceptions(tmp_path / "x", found)
    packed = load_exceptions(tmp_path / "x", found.weights)
    canonical = PositionBatch.from_keys(found.keys)
    for image in SYMMETRIES:
        moves = packed.find(canonical.transform(image))
        back = np.argsort([*image, 24])
        points = np.array([[move >> 8 * part & 0xFF for part in range(3)] for move in moves])
        # A symmetric position has several images of its move, with the same position after it.
        children = [
            PositionBatch.from_positions(
                position.play(ludus.games.nine_mens_morris.board.Move(frm, to, take))
                for position, (to, frm, take) in zip(
                    canonical.to_positions(GAME), rows, strict=True
                )
            ).canonical_keys()
            for rows in (named(back[points]), named(unpacked(found.moves)))
        ]
        np.testing.assert_array_equal(*children)
    assert (packed.find(drawn_endings(3).map(lambda column: column * 0)) == NO_EXCEPTION).all()


def unpacked(moves):
    return np.array([[move >> 8 * part & 0xFF for part in range(3)] for move in moves])


def named(points):
    return [[None if point == 24 else int(point) for point in row] for row in points]


@pytest.fixture
def certified(tmp_path, found):
    """A file of weights with its exceptions beside it."""
    path = tmp_path / "scorer.safetensors"
    random_weights("scorer").save(path)
    save_exceptions(path.with_suffix(".exceptions"), found)
    return path


def test_the_player_plays_stored_moves(certified, found):
    player, bare = made(certified), made(certified, exceptions="off")
    other_care = made(certified, loss_aversion=40)
    positions = PositionBatch.from_keys(found.keys).to_positions(GAME)
    choices = player.choose_many(positions)
    assert pack(moves_to_points(each.move for each in choices)).tolist() == found.moves.tolist()
    own = bare.choose_many(positions)
    assert [each.move for each in own] != [each.move for each in choices]
    assert any("stored move" in each.comment for each in choices)
    assert not any("stored move" in each.comment for each in own)
    assert [each.scores for each in own] == [each.scores for each in choices]
    assert not any("stored" in each.comment for each in other_care.choose_many(positions))


def test_a_device_chooses_stored_moves(certified, found):
    source = source_of(FOUR)
    examples = source.examples(PositionBatch.from_keys(found.keys))
    chosen = load_certified_choice(certified, CPU)(examples)
    moves = torch.as_tensor(examples.children.move).gather(1, chosen[:, None])[:, 0]
    assert moves.tolist() == found.moves.tolist()
    summary = play_certified_games(source, load_certified_choice(certified, CPU), 5, seed=1)
    assert summary["games"] == 5
    assert sum(summary["plies"]) == summary["lost_as_white"] + summary["lost_as_black"]


def test_the_certified_player_never_loses_to_perfect_play(certified):
    """The bare networks, which are random, do."""
    lost = {}
    for exceptions in ("on", "off"):
        player = made(certified, exceptions=exceptions)
        lost[exceptions] = sum(
            loses(player, position, seed)
            for position in drawn_endings(3).to_positions(GAME)
            for seed in range(3)
        )
    assert lost["on"] == 0
    assert lost["off"] > 0


def loses(player, position, seed):
    """Play on against random moves that keep the value."""
    source, oracle, mine = random.Random(seed), oracle_of(FOUR), position.mover
    for _ in range(40):
        outcome = position.outcome()
        if outcome is not None:
            return outcome.winner == 1 - mine
        if position.mover == mine:
            move = player.choose(position).move
        else:
            moves = position.legal_moves()
            values = oracle.lookup(
                PositionBatch.from_positions([position, *map(position.play, moves)])
            )
            kept = keeps_value(values[0], values[1:])
            move = source.choice(
                [each for each, is_kept in zip(moves, kept, strict=True) if is_kept]
            )
        position = position.play(move)
    return False


def test_exceptions_hold_for_the_rules_of_the_solved_game():
    named = {name: ludus.game("nine_mens_morris", name).rules for name in ("standard", "lasker")}
    assert is_covered(named["standard"])
    assert not is_covered(named["lasker"])
    assert is_covered(ludus.game("nine_mens_morris", "repetition=3,quiet_plies=100").rules)
    assert not is_covered(ludus.game("nine_mens_morris", "flying=no").rules)


def corrupt(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 0x55
    path.write_bytes(content)


def test_damaged_and_foreign_exceptions_are_refused_in_one_line(certified, tmp_path):
    beside = certified.with_suffix(".exceptions")
    whole = beside.read_bytes()
    for place in (len(whole) - 1, len(whole) - 20, 30, 2):
        beside.write_bytes(whole)
        corrupt(beside, place)
        with pytest.raises(BadWeights) as error:
            made(certified)
        assert "\n" not in str(error.value)
        made(certified, exceptions="off")
    beside.write_bytes(whole)
    other = tmp_path / "other.safetensors"
    random_weights("scorer", seed=1).save(other)
    beside.rename(other.with_suffix(".exceptions"))
    with pytest.raises(BadWeights, match="other weights") as error:
        made(other)
    assert "\n" not in str(error.value)
    with pytest.raises(LudusError, match="no exceptions"):
        made(tmp_path / "x", kind="chain", exceptions="off")


@pytest.mark.slow
def test_torch_and_numpy_agree():
    weights = random_weights("scorer")
    positions = source_of(FOUR).sample_positions(300, 9)
    given = positions.map(torch.as_tensor)
    exact = NumpyScores(Scorer(weights), CARE)(given).score
    torch.testing.assert_close(
        TorchScores(weights, CARE, CPU)(given).score, exact, atol=1e-5, rtol=0
    )


@pytest.mark.parametrize(
    "config",
    [
        {"colours": ()},
        {"colours": ("red",)},
        {"opponent_errors": 16},
        {"loss_aversion": 0.5},
        {"loss_aversion": float("nan")},
    ],
)
def test_certificates_of_nothing_are_refused(config):
    with pytest.raises(LudusError):
        CertificateConfig(**config)


def test_large_units_of_the_opening_do_not_make_scores_inexact(monkeypatch):
    """With few men on the board nearly all is drawn, and nothing limits logits in training."""
    weights = random_weights("scorer")
    opening = weights.expert_weights(0)
    opening["first"] *= 30_000
    opening["last"][:NUM_RESULTS] = 1
    opening["last_bias"][0, DRAWN] = 15
    weights = replace(weights, experts=(pack_weights(opening), *weights.experts[1:]))
    positions = PositionBatch.from_positions(play_openings(100))
    assert measure_rounding(weights, positions).max() < 0.01
    # Both devices have the same precision.
    given = positions.map(torch.as_tensor)
    scores = NumpyScores(Scorer(weights), CARE)(given)
    difference = (TorchScores(weights, CARE, CPU)(given).score - scores.score).abs()
    assert (difference <= 0.01 * scores.tolerance).all()
    monkeypatch.setattr(inference, "DOUBLE_PRECISION_EXPERTS", frozenset())
    assert measure_rounding(weights, positions).max() > 0.1


def play_openings(number):
    """Positions after one to four random placements."""
    source = random.Random(3)
    for game in range(number):
        position = GAME.start()
        for _ in range(1 + game % 4):
            position = position.play(source.choice(position.legal_moves()))
        yield position


@pytest.mark.slow
def test_decisions_of_torch_and_numpy_are_compared(tmp_path):
    keys = torch.as_tensor(drawn_endings(30).find_canonical()[0])
    path = tmp_path / "scorer.safetensors"
    random_weights("scorer").save(path)
    scores = CachedScores(TorchScores(load_weights(path), CARE, CPU), CPU, 12)
    batch = score_on_device(source_of(FOUR), scores, keys)
    found = compare_in_numpy(str(path), batch)
    assert found["positions"] == 30
    assert found["moves"] > 500
    assert found["largest_difference"] < 1e-4
    assert found["disagreements"] == 0
    none = batch._replace(playable=batch.playable & False, is_exception=batch.is_exception & False)
    assert compare_in_numpy(str(path), none)["disagreements"] == 30
    in_workers = DecisionComparison(source_of(FOUR), path, keys).finish(PATIENCE)
    for name in ("positions", "moves", "disagreements"):
        assert in_workers[name] == found[name]


def test_features_times_parts_of_weights_are_as_exact_as_single_precision():
    """Bfloat16 holds every feature, and three of its numbers hold every weight."""
    features = torch.as_tensor(encode(source_of(FOUR).sample_positions(300, 4)))[None]
    assert torch.equal(features.bfloat16().float(), features)
    weights = torch.randn(1, features.shape[2], 40, generator=torch.Generator().manual_seed(1))
    parts = split_bfloat16(weights)
    assert parts.dtype == torch.bfloat16
    assert torch.equal(parts.float().view(1, 3, -1, 40).sum(1), weights)
    product = multiply_exact_inputs(features, parts)
    error = (product.double() - features.double() @ weights.double()).abs().max()
    assert error < 1e-5
