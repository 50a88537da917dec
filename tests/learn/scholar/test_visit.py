"""Visits of all positions that can arise: compared with plain Python, and their stored moves."""

import random

import numpy as np
import pytest
import torch

import ludus
import ludus.learn.scholar.visit as visit_module
from ludus.games.nine_mens_morris.batch import DRAW, PositionBatch, keeps_value, moves_to_points
from ludus.games.nine_mens_morris.batch import pack_moves as pack
from ludus.games.nine_mens_morris.bitboards import transform_boards
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.learn.scholar.bounded_scores import BoundedScores, ExactBounds, NumpyScores
from ludus.learn.scholar.certificate import (
    make_roots,
)
from ludus.learn.scholar.certificate_checks import make_choice, sample_visited
from ludus.learn.scholar.data import NO_ERROR
from ludus.learn.scholar.evaluate import find_first_errors
from ludus.learn.scholar.inference import MIN_WINNING_SCORE, Scorer
from ludus.learn.scholar.visit import (
    ANY_NUMBER,
    KeyCollector,
    KeySet,
    StoredMoves,
    Visit,
    group_by_opponent,
)
from support.scholar import (
    FOUR,
    THREE,
    drawn_endings,
    oracle_of,
    random_integers,
    random_weights,
    source_of,
)

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


def plain_visit(evaluate, roots, steps, errors=0, prevented="errors"):
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

    frontier = {(key, max(errors, 0)) for key in map(canonical, roots.to_positions(game))}
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
            lowest = (score - tolerance).tolist()
            # Those that the history of the game can rule out, if the player expects to win.
            is_quiet = [
                move.take is None and not position.hands[position.mover] and bool(value)
                for move, value in zip(moves, values, strict=True)
            ]
            firm = [low for low, quiet in zip(lowest, is_quiet, strict=True) if not quiet]
            limit = max([-2.0, *sorted(lowest)[:-2][-1:], *firm])
            playable = [
                number
                for number, high in enumerate(highest)
                if high >= max(lowest) or (high >= limit and high > MIN_WINNING_SCORE)
            ]
            allowed = list(keeps)
            if prevented == "losses":
                # Odd numbers of plies to the end are wins of the opponent, which moves next.
                allowed = [
                    kept or result == DRAW or result % 2 == 0
                    for kept, result in zip(keeps, values.tolist(), strict=True)
                ]
            if not all(allowed[number] for number in playable):
                best = max(np.flatnonzero(allowed), key=lambda number: scores[number])
                stored[key] = int(pack(moves_to_points([moves[best]]))[0])
                playable = [best]
            after |= {(canonical(children[n]), left) for n in playable if values[n] != 0}
        reached = set()
        for key, left in after:
            _, _, children, _, keeps = expand(key)
            for child, is_kept in zip(children, keeps, strict=True):
                if is_kept or left or errors == ANY_NUMBER:
                    reached.add((canonical(child), left - (not is_kept and errors > 0)))
        frontier = reached - seen
        seen |= frontier
    return visited, stored


def keys_of(visit):
    return {
        (key & (1 << 56) - 1, key >> 56) for run in visit.known.runs for key in run.tolist()
    } - {(key & (1 << 56) - 1, key >> 56) for key in visit.frontier.tolist()}


def check_against_plain_visit(evaluate, roots, steps, errors=0, prevented="errors"):
    visit = Visit(source_of(FOUR), evaluate, roots, errors, batch=7, prevented=prevented)
    (*_, counts) = visit.run(own_moves=steps)
    visited, stored = plain_visit(evaluate, roots, steps, errors, prevented)
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


@pytest.mark.parametrize("seed", range(2))
def test_a_visit_against_any_opponent_prevents_losses_alone(seed):
    """Whole numbers have no tolerance; from the start and from endings."""
    evaluate = ExactBounds(random_integers(seed), CARE, CPU)
    roots = make_roots(source_of(FOUR), ("white", "black"))
    check_against_plain_visit(evaluate, roots[:1], 2, ANY_NUMBER, "losses")
    visit = check_against_plain_visit(evaluate, drawn_endings(1), 1, ANY_NUMBER, "losses")
    assert visit.counts.exceptions > 0


def test_a_visit_of_a_crowded_board_is_the_plain_one():
    """All slides may repeat a position, so that scores above 0 may count as 0."""
    source = source_of(FOUR)
    (four,) = [each for each in source.subspaces if tuple(each) == (4, 4, 0, 0)]
    positions = source.sample_positions(50, 3, [four])
    roots = positions[source.label(positions) == DRAW][:4]
    visit = check_against_plain_visit(HashScores(), roots, 2)
    assert visit.counts.ambiguous > 0


def test_errors_of_the_opponent_widen_the_visit():
    """From a drawn position one error allows as much as any number: what is lost stays lost."""
    visited = []
    for errors in (0, 1, ANY_NUMBER):
        visit = Visit(source_of(FOUR), HashScores(), drawn_endings(1), errors)
        (*_, counts) = visit.run(own_moves=3)
        visited.append(counts.visited)
        assert counts.lost == 0
    assert visited[0] < visited[1] == visited[2]


def test_positions_with_the_same_men_of_the_opponent_come_together(monkeypatch):
    positions = source_of(FOUR).sample_positions(500, 2).map(torch.as_tensor)
    keys = positions.find_canonical()[0].unique()
    monkeypatch.setattr(visit_module, "GROUPED_AT_ONCE", 100)
    groups = list(group_by_opponent(keys))
    assert len(groups) > 3
    grouped = torch.cat(groups)
    assert grouped.sort().values.tolist() == keys.tolist()
    other = PositionBatch.from_keys(grouped.numpy()).other
    images = np.array([transform_boards(other, image) for image in SYMMETRIES]).min(axis=0)
    assert (np.diff(images) >= 0).all()


def find_new(keys, given):
    """Which of the given keys a set does not hold."""
    found = KeyCollector(keys, max_pending=10)
    for some in torch.split(given, 7):
        found.add(torch.cat([some, some.flip(0)]))
    parts = list(found.finish())
    assert all((part.diff() > 0).all() for part in parts)
    return set(torch.cat(parts).tolist())


def test_a_set_of_keys_grows_in_sorted_runs():
    source = random.Random(1)
    keys, found = KeySet(), set()
    for number in (1, 5, 2, 40, 3, 3, 100, 1):
        new = {source.getrandbits(50) for _ in range(number)} - found
        assert find_new(keys, torch.tensor(sorted(new | found))) == new
        keys.add(torch.tensor(sorted(new)))
        found |= new
        assert not find_new(keys, torch.tensor(sorted(found)))
        assert len(keys) == len(found)
        assert all((run.diff() > 0).all() for run in keys.runs)


@pytest.fixture(scope="module")
def visit_as_white():
    """A complete visit; three men a side are lost for Black, who has no value to lose."""
    source = source_of(THREE)
    visit = Visit(source, HashScores(), make_roots(source, ("white",)), batch=1 << 12)
    list(visit.run())
    assert visit.is_complete
    return visit


def test_games_with_stored_moves_lose_no_value(visit_as_white):
    visit = visit_as_white

    def count_errors(stored):
        choose = make_choice(HashScores(), stored, CPU)
        first = find_first_errors(visit.source, choose, 100, seed=1, max_plies=30)
        return int((first[0::2] != NO_ERROR).sum())

    assert count_errors(visit.stored) == 0
    none = StoredMoves(visit.stored.keys[:0], visit.stored.moves[:0])
    assert count_errors(none) > 25


def test_positions_of_games_are_among_those_of_the_visit(visit_as_white):
    visited = {key for key, _ in keys_of(visit_as_white)}
    choose = make_choice(HashScores(), visit_as_white.stored, CPU)
    sample = sample_visited(visit_as_white.source, choose, 300, seed=2, games=20)
    assert len(set(sample.tolist())) == len(sample) == 300
    # The player has both colours in the games, and White in the visit. While men are placed both
    # sides have as many in hand when White is to move.
    positions = PositionBatch.from_keys(sample)
    is_white = (positions.own_hand == positions.other_hand) & (positions.own_hand > 0)
    assert 0 < int(is_white.sum()) < 300
    assert set(sample[is_white].tolist()) <= visited
