"""Positions and moves in columns: the same moves as the readable rules, and codes both ways."""

import random

import numpy as np
import pytest
import torch

import ludus
from ludus.games.nine_mens_morris.batch import (
    DRAW,
    DRAWN,
    LOSS,
    LOST,
    MAX_MOVES,
    NO_POINT,
    NO_VALUE,
    RESULT_NAMES,
    UNKNOWN,
    WIN,
    ChildBatch,
    MoveBatch,
    PositionBatch,
    classify,
    count_moves,
    expand,
    generate_moves,
    keeps_value,
    moves_to_points,
    pack_moves,
    points_to_moves,
    unpack_moves,
)
from ludus.games.nine_mens_morris.bitboards import (
    count_men,
    find_phases,
    neighbour_masks,
    point_bits,
)
from ludus.games.nine_mens_morris.board import PASS, Move
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.games.nine_mens_morris.rules import PRESETS, Rules

RULES = {
    **PRESETS,
    "slow": Rules(flying=False),
    "greedy": Rules(take_from_mills="always"),
    "safe": Rules(take_from_mills="never"),
    "odd": Rules(men=5, diagonals=True, place_or_move=True, lose_below=1, blocked="passes"),
    "last man": Rules(men=6, lose_below=2, full_board="draws"),
}


def game_of(rules):
    return ludus.game("nine_mens_morris", rules, "python")


def played(rules, games=4, plies=60, seed=1):
    """Positions of random games by the readable rules, their ends included."""
    source, game, found = random.Random(seed), game_of(rules), []
    for _ in range(games):
        position = game.start()
        for _ in range(plies):
            found.append(position)
            if position.outcome() is not None:
                break
            position = position.play(source.choice(position.legal_moves()))
    return found


def scattered(rules, count=150, seed=2):
    """Random positions with any numbers of men, few of which occur in games."""
    source, game, found = random.Random(seed), game_of(rules), []
    while len(found) < count:
        own, other = (source.randint(0, rules.men) for _ in range(2))
        points = source.sample(range(24), own + other)
        men = frozenset(points[:own]), frozenset(points[own:])
        spare = rules.men - own, rules.men - other
        hands = tuple(source.choice([0, source.randint(0, most)]) for most in spare)
        found.append(game.position(PositionFields(men, hands, 0)))
    return found


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES.keys())
@pytest.mark.parametrize("kind", [played, scattered])
def test_the_generator_lists_the_moves_of_the_readable_rules(rules, kind):
    found = kind(rules)
    owner, moves = generate_moves(PositionBatch.from_positions(found), rules)
    # Repetition and quiet plies need a history, which a batch does not have; a pass is not listed.
    game = game_of(rules)
    fresh = [
        game.position(PositionFields(each.men, each.hands, each.mover)).legal_moves()
        for each in found
    ]
    wanted = [(n, move) for n, each in enumerate(fresh) for move in each if move != PASS]
    assert list(zip(owner.tolist(), moves.to_moves(), strict=True)) == wanted
    counts = np.bincount(owner, minlength=len(found))
    assert (count_moves(PositionBatch.from_positions(found), rules) == counts).all()
    assert len(wanted) > 500
    assert any(move.take is not None for _, move in wanted)
    for n, position in enumerate(PositionBatch.from_positions(found)[owner].columns):
        assert (position == moves.position_columns[n]).all()


def test_more_moves_than_a_row_holds():
    """Men that are placed or moved close mills in many ways, each taking any of ten men."""
    rules = PRESETS["lasker"]
    game = game_of(rules)
    own, other = {0, 1, 3, 5, 7, 8, 10, 14, 23}, {2, 4, 11, 12, 13, 17, 18, 19, 21, 22}
    many = game.position(PositionFields((frozenset(own), frozenset(other)), (1, 0), 0))
    wanted = many.legal_moves()
    assert len(wanted) == 96 > MAX_MOVES
    positions = PositionBatch.from_positions([game.start(), many, game.start()])
    owner, moves = generate_moves(positions, rules)
    assert moves[owner == 1].to_moves() == wanted
    assert np.bincount(owner).tolist() == [24, 96, 24]
    children = expand(positions, rules)
    assert children.count.tolist() == [24, 96, 24]
    assert children.is_move.sum(axis=1).tolist() == [24, MAX_MOVES, 24]
    shown = points_to_moves(unpack_moves(children.move[1]))
    assert len(set(shown)) == MAX_MOVES
    assert set(shown) < set(wanted)


@pytest.mark.parametrize("diagonals", [False, True])
def test_random_positions_with_more_moves_than_a_row_holds(diagonals):
    rules = Rules(men=12, place_or_move=True, diagonals=diagonals, full_board="draws")
    source, game, found = random.Random(3), game_of(rules), []
    while len(found) < 20:
        points = source.sample(range(24), 18)
        men = frozenset(points[:10]), frozenset(points[10:])
        position = game.position(PositionFields(men, (2, 0), 0))
        if len(position.legal_moves()) > MAX_MOVES:
            found.append(position)
    owner, moves = generate_moves(PositionBatch.from_positions(found), rules)
    for number, position in enumerate(found):
        assert moves[owner == number].to_moves() == position.legal_moves()


def test_many_batches_are_one(monkeypatch):
    positions = PositionBatch.from_positions(played(Rules()))
    whole = generate_moves(positions, Rules())
    monkeypatch.setattr("ludus.games.nine_mens_morris.batch.GENERATION_BATCH", 7)
    parts = generate_moves(positions, Rules())
    assert (whole[0] == parts[0]).all()
    assert (whole[1].pack() == parts[1].pack()).all()
    assert len(generate_moves(positions[:0], Rules())[1]) == 0


@pytest.mark.parametrize("rules", [Rules(), RULES["odd"]], ids=["standard", "odd"])
def test_without_compiled_modules_the_moves_are_the_same(rules, monkeypatch):
    positions = PositionBatch.from_positions(played(rules, games=2) + scattered(rules, count=60))
    native = generate_moves(positions, rules)

    def fail(*arguments):
        raise ImportError

    monkeypatch.setattr("ludus.games.nine_mens_morris.batch.expand", fail)
    python = generate_moves(positions, rules)
    assert (native[0] == python[0]).all()
    assert (native[1].pack() == python[1].pack()).all()


def test_more_men_than_the_rules_give_move_as_others_do():
    """A line of a dataset may hold any numbers; validation reports them elsewhere."""
    men = [0b111, 0b111 << 8]
    usual, more = (PositionBatch.from_columns([men[0]], [men[1]], hand, 5) for hand in (6, 9))
    assert more.has_too_many_men(Rules()).all()
    assert not usual.has_too_many_men(Rules()).any()
    wanted, found = (generate_moves(each, Rules())[1] for each in (usual, more))
    assert (wanted.pack() == found.pack()).all()
    assert (found.own_hand == 9).all()
    with pytest.raises(ValueError, match="men"):
        expand(more, Rules())


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES.keys())
def test_children_are_the_positions_after_the_moves(rules):
    positions = PositionBatch.from_positions(played(rules))
    owner, moves = generate_moves(positions, rules)
    after, children = moves.play(), expand(positions, rules, 300)
    shown = children.positions[children.is_move]
    for ours, theirs in zip(after.columns, shown.columns, strict=True):
        assert ours.dtype == theirs.dtype
        assert (ours == theirs).all()
    assert (children.move[children.is_move] == moves.pack()).all()
    assert (children.value == NO_VALUE).all()
    some = np.arange(0, len(owner), 97)
    before = positions[owner[some]].to_positions(game_of(rules))
    pairs = zip(before, moves[some].to_moves(), strict=True)
    again = PositionBatch.from_positions(position.play(move) for position, move in pairs)
    assert [c.tolist() for c in again.columns] == [c.tolist() for c in after[some].columns]


def test_a_pass_changes_sides_and_nothing_else():
    positions = PositionBatch.from_columns([0b11], [0b1100], [3], [2])
    after = MoveBatch.from_points(positions, moves_to_points([PASS])).play()
    assert [column.tolist() for column in after.columns] == [[0b1100], [0b11], [2], [3]]


def test_positions_there_and_back():
    found = [each for each in played(Rules(men=4)) if each.mover == 0]
    batch = PositionBatch.from_positions(found)
    assert [column.dtype for column in batch.columns] == [np.int32, np.int32, np.uint8, np.uint8]
    again = batch.to_positions(game_of(Rules(men=4)))
    assert [(each.men, each.hands) for each in again] == [(each.men, each.hands) for each in found]
    fields = [PositionFields(each.men[::-1], each.hands[::-1], 1) for each in found]
    as_black = [game_of(Rules(men=4)).position(each) for each in fields]
    mirrored = PositionBatch.from_positions(as_black)
    assert (mirrored.keys() == batch.keys()).all()


def test_moves_there_and_back():
    moves = [Move(9, 17, 22), Move(None, 0, None), Move(3, 4, None), Move(None, 23, 0), PASS]
    points = moves_to_points(moves)
    assert points.dtype == np.int8
    assert points[0].tolist() == [17, 9, 22], "TO, FROM, REMOVE"
    assert points[4].tolist() == [NO_POINT] * 3
    assert points_to_moves(points) == moves
    assert pack_moves(points)[0] == 17 | 9 << 8 | 22 << 16
    assert (unpack_moves(pack_moves(points)) == points).all()
    assert moves_to_points([]).shape == (0, 3)


def test_no_point_has_no_bit_and_no_neighbours():
    assert point_bits(np.array([0, 23, NO_POINT])).tolist() == [1, 1 << 23, 0]
    for diagonals in (False, True):
        assert neighbour_masks(diagonals)[NO_POINT] == 0
        assert len(neighbour_masks(diagonals)) == 25


CODES = [LOST, 1, 2, 7, 252, 253, NO_VALUE, DRAW]
RESULTS = [LOSS, WIN, LOSS, WIN, LOSS, WIN, UNKNOWN, DRAWN]


@pytest.mark.parametrize("as_array", [np.array, torch.tensor], ids=["numpy", "torch"])
def test_results_of_codes(as_array):
    kind = np.uint8 if as_array is np.array else torch.uint8
    assert classify(as_array(CODES, dtype=kind)).tolist() == RESULTS
    assert [classify(code) for code in CODES] == RESULTS
    assert RESULT_NAMES[classify(DRAW)] == "draw"


@pytest.mark.parametrize("as_array", [np.array, torch.tensor], ids=["numpy", "torch"])
def test_only_known_values_are_kept(as_array):
    kind = np.uint8 if as_array is np.array else torch.uint8
    values = as_array([[7], [DRAW], [8], [NO_VALUE]], dtype=kind)
    after = as_array([[6, DRAW, 9, NO_VALUE]], dtype=kind)
    assert keeps_value(values, after).tolist() == [
        [True, False, False, False],
        [False, True, False, False],
        [False, False, True, False],
        [False, False, False, False],
    ]


def test_torch_and_numpy_columns_say_the_same():
    positions = PositionBatch.from_positions(played(Rules()))
    tensors = positions.map(torch.as_tensor)
    for ours, theirs in zip(positions.counts, tensors.counts, strict=True):
        assert ours.tolist() == theirs.tolist()
    assert [each.tolist() for each in positions.totals] == [e.tolist() for e in tensors.totals]
    children = expand(positions, Rules())
    there = ChildBatch(
        torch.as_tensor(children.count),
        children.positions.map(torch.as_tensor),
        torch.as_tensor(children.value),
        torch.as_tensor(children.move),
    )
    assert there.is_move.tolist() == children.is_move.tolist()
    joined = PositionBatch.concatenate([tensors, tensors[:2]], torch.cat)
    assert len(joined) == len(positions) + 2
    assert joined.own.dtype == torch.int32


def test_men_are_counted_on_the_board_only():
    boards = np.array([0, 1, (1 << 24) - 1, 1 << 24, -1], dtype=np.int32)
    assert count_men(boards).tolist() == [0, 1, 24, 0, 24]
    assert find_phases(np.array([0b111, 0b1111, 1]), np.array([0, 0, 1])).tolist() == [3, 2, 1]
