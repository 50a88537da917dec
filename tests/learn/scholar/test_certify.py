"""Certificates: visits compared with a plain one, exceptions in files, and the player with them."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
import torch

import ludus
from ludus.cli.main import run
from ludus.core.errors import LudusError
from ludus.games.nine_mens_morris.batch import DRAW, PositionBatch, keeps_value, moves_to_points
from ludus.games.nine_mens_morris.batch import pack_moves as pack
from ludus.games.nine_mens_morris.bitboards import transform_boards
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.learn.common.checkpoint import BadCheckpoint
from ludus.learn.common.weights import BadWeights
from ludus.learn.scholar.bounded_scores import BoundedScores, NumpyScores, TorchScores
from ludus.learn.scholar.certify import (
    CertificateConfig,
    Certification,
    make_roots,
)
from ludus.learn.scholar.exceptions import (
    NO_EXCEPTION,
    Exceptions,
    is_covered,
    load_exceptions,
    load_mistakes,
    save_exceptions,
)
from ludus.learn.scholar.inference import MIN_WINNING_SCORE, Scorer
from ludus.learn.scholar.visit import ANY_NUMBER, KeySet, Visit, group_by_opponent
from ludus.learn.scholar.weights import save_weights
from support.full_disk import limit_file_size
from support.scholar_games import FOUR, oracle_of, source_of
from support.scholar_weights import GAME, made, random_weights

CPU = torch.device("cpu")
CARE = 400.0
TOLERANCE = 1e-4


class HashScores:
    """Scores that depend on the canonical position alone."""

    def __call__(self, positions):
        keys = positions.find_canonical()[0]
        mixed = (keys * 6364136223846793005 + 1442695040888963407) >> 33 & 0x3FF
        score = (mixed.float() - 512) / 512
        return BoundedScores(score, torch.full_like(score, TOLERANCE))


def drawn_endings(number):
    """Drawn positions with three men a side."""
    source = source_of(FOUR)
    (three,) = [each for each in source.subspaces if tuple(each) == (3, 3, 0, 0)]
    positions = source.sample_positions(20_000, 5, [three])
    return positions[source.label(positions) == DRAW][:number]


def plain_visit(evaluate, roots, steps, errors=0):
    """The same visit in plain Python, one position at a time; keys and stored moves."""
    game, oracle = ludus.game("nine_mens_morris", FOUR), oracle_of(FOUR)
    visited, stored = set(), {}

    def canonical(position):
        return int(PositionBatch.from_positions([position]).find_canonical()[0][0])

    def value(positions):
        return oracle.lookup(PositionBatch.from_positions(positions))

    def expand(key):
        (position,) = PositionBatch.from_keys(np.array([key])).to_positions(game)
        moves = position.legal_moves()
        children = [position.play(move) for move in moves]
        values = value(children)
        keeps = keeps_value(value([position])[0], values)
        return position, moves, children, values, keeps

    frontier = {(key, errors) for key in map(canonical, roots.to_positions(game))}
    seen = set(frontier)
    for _ in range(steps):
        after = set()
        for key, left in frontier:
            visited.add((key, left))
            position, moves, children, values, keeps = expand(key)
            given = PositionBatch.from_positions(children).map(torch.as_tensor)
            is_won = torch.as_tensor(values == 0)
            bounded = evaluate(given)
            score = torch.where(is_won, 1.0, bounded.score)
            tolerance = torch.where(is_won, 0.0, bounded.tolerance)
            scores, highest = score.tolist(), (score + tolerance).tolist()
            lowest = [
                min(low, 0)
                if move.take is None
                and not position.hands[position.mover]
                and value > 0
                and max(highest) > MIN_WINNING_SCORE
                else low
                for low, move, value in zip(
                    (score - tolerance).tolist(), moves, values, strict=True
                )
            ]
            playable = [number for number in range(len(moves)) if highest[number] >= max(lowest)]
            if not all(keeps[number] for number in playable):
                best = max(np.flatnonzero(keeps), key=lambda number: scores[number])
                stored[key] = int(pack(moves_to_points([moves[best]]))[0])
                playable = [best]
            after |= {(canonical(children[n]), left) for n in playable if values[n] != 0}
        reached = set()
        for key, left in after:
            _, _, children, _, keeps = expand(key)
            for child, is_kept in zip(children, keeps, strict=True):
                if is_kept or left:
                    reached.add((canonical(child), left - (not is_kept)))
        frontier = reached - seen
        seen |= frontier
    return visited, stored


def keys_of(visit):
    return {
        (key & (1 << 56) - 1, key >> 56) for run in visit.known.runs for key in run.tolist()
    } - {(key & (1 << 56) - 1, key >> 56) for key in visit.frontier.tolist()}


def check_against_plain_visit(evaluate, roots, steps, errors=0):
    visit = Visit(source_of(FOUR), evaluate, roots, errors, batch=7)
    (*_, counts) = visit.run(own_moves=steps)
    visited, stored = plain_visit(evaluate, roots, steps, errors)
    assert keys_of(visit) == visited
    assert counts.visited == len(visited)
    assert dict(zip(visit.stored.keys.tolist(), visit.stored.moves.tolist(), strict=True)) == stored
    assert counts.lost == 0
    return visit


def test_a_visit_of_endings_is_the_plain_one_and_closes():
    evaluate = NumpyScores(Scorer(random_weights("scorer")), CARE)
    visit = check_against_plain_visit(evaluate, drawn_endings(3), 20)
    assert visit.is_complete
    assert len(visit.stored.keys) > 3


@pytest.mark.parametrize("errors", [0, 1])
def test_a_visit_from_the_start_is_the_plain_one(errors):
    roots = make_roots(source_of(FOUR), ("white", "black"))
    assert len(roots) == 25
    check_against_plain_visit(HashScores(), roots[:2], 2, errors)


def test_a_visit_of_a_crowded_board_is_the_plain_one():
    """All slides may repeat a position, so that scores above 0 may count as 0."""
    source = source_of(FOUR)
    (four,) = [each for each in source.subspaces if tuple(each) == (4, 4, 0, 0)]
    positions = source.sample_positions(50, 3, [four])
    roots = positions[source.label(positions) == DRAW][:4]
    visit = check_against_plain_visit(HashScores(), roots, 2)
    assert visit.counts.ambiguous > 0


def test_errors_of_the_opponent_widen_the_visit():
    visited = []
    for errors in (0, 1, ANY_NUMBER):
        visit = Visit(source_of(FOUR), HashScores(), drawn_endings(1), errors)
        (*_, counts) = visit.run(own_moves=2)
        visited.append(counts.visited)
        assert counts.lost == 0
    assert visited[0] < visited[1]
    assert visited[0] < visited[2]


def test_positions_with_the_same_men_of_the_opponent_come_together():
    positions = source_of(FOUR).sample_positions(500, 2).map(torch.as_tensor)
    keys = positions.find_canonical()[0].unique()
    grouped = group_by_opponent(keys)
    assert grouped.sort().values.tolist() == keys.tolist()
    other = PositionBatch.from_keys(grouped.numpy()).other
    images = np.array([transform_boards(other, image) for image in SYMMETRIES]).min(axis=0)
    assert (np.diff(images) >= 0).all()


def test_a_set_of_keys_grows_in_sorted_runs():
    source = random.Random(1)
    keys, found = KeySet(), set()
    for number in (1, 5, 2, 40, 3, 3, 100, 1):
        new = {source.getrandbits(50) for _ in range(number)} - found
        assert not keys.contains(torch.tensor(sorted(new))).any()
        keys.add(torch.tensor(sorted(new)))
        found |= new
        assert keys.contains(torch.tensor(sorted(found))).all()
        assert len(keys) == len(found)
        assert all((run.diff() > 0).all() for run in keys.runs)


def certification(roots, known=None, **config):
    weights = random_weights("scorer")
    return Certification(source_of(FOUR), weights, CertificateConfig(**config), CPU, roots, known)


@pytest.fixture(scope="module")
def found():
    whole = certification(drawn_endings(3))
    list(whole.run(1e9, 99))
    return whole.exceptions()


def test_a_visit_is_resumed_and_has_the_same_digest(tmp_path, found):
    roots = drawn_endings(3)
    first = certification(roots)
    assert [counts.own_moves for counts in first.run(1e9, 2)] == [1, 2]
    assert not first.exceptions().facts["complete"]
    first.save(tmp_path / "state")
    second = certification(roots)
    second.restore(tmp_path / "state")
    list(second.run(1e9, 99))
    again = second.exceptions()
    assert again.facts == found.facts
    assert again.facts["complete"]
    assert again.digest() == found.digest()
    with pytest.raises(BadCheckpoint, match="another"):
        certification(roots, opponent_errors=1).restore(tmp_path / "state")


def test_with_its_exceptions_no_further_one_is_found(found):
    again = certification(drawn_endings(3), found)
    list(again.run(1e9, 99))
    checked = again.exceptions()
    assert checked.digest() == found.digest()
    assert checked.facts["visited"] == found.facts["visited"]
    wrong = Exceptions(found.keys, np.roll(found.moves, 1), found.weights, CARE, {})
    with pytest.raises(LudusError, match="stored move"):
        list(certification(drawn_endings(3), wrong).run(1e9, 99))


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
    np.testing.assert_array_equal(load_mistakes(tmp_path / "x"), keys)


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
    save_weights(path, random_weights("scorer"))
    save_exceptions(path.with_suffix(".exceptions"), found)
    return path


def test_the_player_plays_stored_moves(certified, found):
    player, bare = made(certified), made(certified, exceptions="off")
    other_care = made(certified, care=40)
    positions = PositionBatch.from_keys(found.keys).to_positions(GAME)
    choices = player.choose_many(positions)
    assert pack(moves_to_points(each.move for each in choices)).tolist() == found.moves.tolist()
    own = bare.choose_many(positions)
    assert [each.move for each in own] != [each.move for each in choices]
    assert any("stored move" in each.comment for each in choices)
    assert not any("stored move" in each.comment for each in own)
    assert [each.scores for each in own] == [each.scores for each in choices]
    assert not any("stored" in each.comment for each in other_care.choose_many(positions))


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
    save_weights(other, random_weights("scorer", seed=1))
    beside.rename(other.with_suffix(".exceptions"))
    with pytest.raises(BadWeights, match="other weights") as error:
        made(other)
    assert "\n" not in str(error.value)
    with pytest.raises(LudusError, match="no exceptions"):
        made(tmp_path / "x", way="chain", exceptions="off")


def test_torch_and_numpy_agree():
    weights = random_weights("scorer")
    positions = source_of(FOUR).sample_positions(300, 9)
    given = positions.map(torch.as_tensor)
    exact = NumpyScores(Scorer(weights), CARE)(given).score
    torch.testing.assert_close(
        TorchScores(weights, CARE, CPU)(given).score, exact, atol=1e-5, rtol=0
    )


@pytest.mark.parametrize(
    "config", [{"colours": ()}, {"colours": ("red",)}, {"opponent_errors": 16}]
)
def test_certificates_of_nothing_are_refused(config):
    with pytest.raises(LudusError):
        CertificateConfig(**config)


@pytest.fixture
def endings(tmp_path):
    """A file of drawn endings, and weights to be certified."""
    positions = drawn_endings(2).to_positions(GAME)
    (tmp_path / "endings.txt").write_text("".join(f"{position}\n" for position in positions))
    save_weights(tmp_path / "scorer.safetensors", random_weights("scorer"))
    return tmp_path


def test_one_command_from_weights_to_a_certified_player(endings, capsys):
    weights, out = endings / "scorer.safetensors", endings / "scorer.exceptions"
    command = ["scholar", "certify", "--weights", str(weights), "--device", "cpu", "--json"]
    command += ["--positions", str(endings / "endings.txt")]
    assert run([*command, "--moves", "1"]) == 0
    begun = json.loads(capsys.readouterr().out)
    assert not begun["complete"]
    assert (endings / "scorer.exceptions.visit").exists()
    assert run(command) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["complete"]
    assert report["visited"] > begun["visited"]
    assert not (endings / "scorer.exceptions.visit").exists()
    stored = load_exceptions(out, random_weights("scorer").digest()).unpack()
    assert len(stored) == report["exceptions"] > 0
    assert stored.facts["digest"] == report["digest"]
    assert run(command) == 2
    assert "exists" in capsys.readouterr().err
    assert run([*command, "--check"]) == 0
    assert json.loads(capsys.readouterr().out)["missing"] == 0
    fewer = Exceptions(stored.keys[1:], stored.moves[1:], stored.weights, CARE, {})
    save_exceptions(out, fewer)
    assert run([*command, "--check"]) == 1
    assert json.loads(capsys.readouterr().out)["missing"] == 1


def test_a_check_leaves_an_unfinished_certificate_alone(endings, capsys):
    weights, state = endings / "scorer.safetensors", endings / "scorer.exceptions.visit"
    command = ["scholar", "certify", "--weights", str(weights), "--device", "cpu"]
    command += ["--positions", str(endings / "endings.txt")]
    assert run([*command, "--moves", "1"]) == 0
    unfinished = state.read_bytes()
    capsys.readouterr()
    assert run([*command, "--check"]) == 1
    assert "exceptions are missing in" in capsys.readouterr().out
    assert state.read_bytes() == unfinished
    assert not (endings / "scorer.exceptions.check").exists()


def test_a_full_disk_at_the_end_keeps_the_unfinished_certificate(endings, capsys):
    weights, state = endings / "scorer.safetensors", endings / "scorer.exceptions.visit"
    command = ["scholar", "certify", "--weights", str(weights), "--device", "cpu"]
    command += ["--positions", str(endings / "endings.txt")]
    assert run([*command, "--moves", "1"]) == 0
    unfinished = state.read_bytes()
    with limit_file_size(100):
        assert run(command) == 2
    assert "cannot write" in capsys.readouterr().err.splitlines()[-1]
    assert state.read_bytes() == unfinished
    assert run(command) == 0
    assert not state.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--errors", "few"], "number or any"),
        (["--errors", "9" * 5000], "number or any"),
        (["--colour", "red"], "white or black"),
        (["--size", "huge"], "no scorer of size"),
        (["--device", "cpu"], "whole game"),
        (["--positions", "nowhere.txt", "--device", "cpu"], "cannot read"),
    ],
)
def test_certificates_that_cannot_be_made_are_refused_in_one_line(
    endings, capsys, arguments, words
):
    weights = [] if "--size" in arguments else ["--weights", str(endings / "scorer.safetensors")]
    out = str(endings / "x.exceptions")
    assert run(["scholar", "certify", "--out", out, *weights, *arguments]) == 2
    *notes, error = capsys.readouterr().err.strip().splitlines()
    assert words in error
    assert all("note" in line for line in notes)


def test_a_game_that_is_over_has_no_certificate(endings, capsys):
    (endings / "over.txt").write_text("ww./b../.../....../..b/.../..b w 0 0\n")
    command = ["scholar", "certify", "--weights", str(endings / "scorer.safetensors")]
    assert run([*command, "--device", "cpu", "--positions", str(endings / "over.txt")]) == 2
    assert "the game is over" in capsys.readouterr().err


def test_a_chain_has_no_certificate(tmp_path, capsys):
    save_weights(tmp_path / "chain.safetensors", random_weights("chain"))
    assert run(["scholar", "certify", "--weights", str(tmp_path / "chain.safetensors")]) == 2
    assert "only scorers" in capsys.readouterr().err
