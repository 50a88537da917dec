"""Examples say what the readable rules and the oracle say, and are drawn fairly."""

import ctypes

import numpy as np
import pytest

import ludus
from ludus._native import sampling as native
from ludus.games.nine_mens_morris.batch import DRAW, NO_VALUE, expand, keeps_value
from ludus.games.nine_mens_morris.rules import PRESETS, Rules
from ludus.learn.scholar import cuda
from ludus.learn.scholar.examples import ExampleBatch, OracleExampleSource
from ludus.oracles import Unsolved
from ludus.oracles import oracle as find_oracle
from ludus.oracles.morris.oracle import make_indexer
from ludus.oracles.morris.sectors import all_sectors, num_slots, orient, sides_to_move, subspace_of
from support import scholar_sample
from support.repetition import repeat
from support.scholar import (
    FOUR,
    ODD,
    SLOW,
    THREE,
    code,
    oracle_of,
    packed,
    readable,
    solver_of,
    source_of,
)


@pytest.mark.parametrize("rules", [THREE, FOUR, ODD, SLOW])
def test_moves_and_values_are_those_of_the_readable_rules(rules):
    source, oracle = source_of(rules), oracle_of(rules)
    drawn = source.sample_positions(repeat(60, 150), seed=1)
    examples = source.examples(drawn, max_moves=128)
    children = examples.children
    for i, position in enumerate(readable(rules, drawn)):
        assert examples.value[i] == code(oracle.value(position))
        moves = position.legal_moves()
        assert children.count[i] == len(moves) > 0, "no drawn position is over"
        assert children.move[i, : len(moves)].tolist() == [packed(move) for move in moves]
        after = [oracle.value(position.play(move)) for move in moves]
        assert children.value[i, : len(moves)].tolist() == [code(value) for value in after]
        assert (children.value[i, len(moves) :] == NO_VALUE).all()
        result = oracle.value(position).result
        kept = [result == opposite(value.result) for value in after]
        assert examples.keeps_value[i, : len(moves)].tolist() == kept
        assert examples.is_critical[i] == (any(kept) and not all(kept))
    assert len({oracle.value(position).result for position in readable(rules, drawn)}) >= 2
    assert examples.is_critical.any()
    assert not examples.is_critical.all()


def opposite(result):
    return {"win": "loss", "loss": "win"}.get(result, "draw")


@pytest.mark.parametrize("rules", [THREE, FOUR, ODD, SLOW])
def test_children_are_seen_by_the_side_that_is_to_move(rules):
    source = source_of(rules)
    children = source.expand(source.sample_positions(500, seed=2), max_moves=128)
    is_move = children.is_move
    assert is_move.sum() == children.count.sum()
    assert np.array_equal(source.label(children.positions[is_move]), children.value[is_move])
    for column in children.positions.columns:
        assert not column[~is_move].any()


@pytest.mark.parametrize("rules", [THREE, FOUR, ODD, SLOW])
def test_tables_side_by_side_say_what_the_oracle_says(rules):
    """The lookup that a GPU runs, and the one of the oracle."""
    tables, source = native.Tables(rules), source_of(rules)
    for sector in all_sectors(rules):
        for x_to_move in sides_to_move(rules, sector):
            values = solver_of(rules).values(sector, x_to_move)
            tables.add(tuple(subspace_of(sector, x_to_move)), values)
    drawn = source.sample_positions(30_000, seed=3)
    children = source.expand(drawn)
    for positions in (drawn, children.positions[children.is_move]):
        found = np.empty(len(positions), np.uint8)
        tables.label(tuple(map(np.ascontiguousarray, positions.columns)), found)
        assert np.array_equal(found, source.label(positions))


@pytest.mark.parametrize(
    ("men", "half"),
    [
        (9, (9, 2, 0, 0)),
        (9, (2, 9, 0, 0)),
        (9, (5, 4, 3, 4)),
        (12, (12, 1, 0, 3)),
        (9, (0, 1, 9, 8)),
    ],
)
def test_large_tables_are_read_at_the_right_places(men, half):
    """A table full of random bytes has no two regions alike."""
    sector, own_is_x = orient(*half)
    table = np.random.default_rng(1).integers(0, 250, num_slots(sector), np.uint8)
    rules = Rules(men=men, lose_below=1)
    tables = native.Tables(rules)
    tables.add(half, table)
    columns = tuple(np.empty(2000, kind) for kind in ("i4", "i4", "u1", "u1"))
    native.draw(rules, np.array(half, np.int32), np.array([2**32 - 1], np.uint32), 5, columns)
    boards = [column.astype(np.uint32) for column in columns[:2]]
    slots = make_indexer(men).slots(sector, *(boards if own_is_x else reversed(boards)))
    found = np.empty(2000, np.uint8)
    tables.label(columns, found)
    assert np.array_equal(found, table[slots])


def test_what_has_no_value_says_so():
    tables, found = native.Tables(THREE), np.empty(3, np.uint8)
    boards = np.array([0b111, 0b11, 0b111], np.int32), np.array([0, 0b111000, 0b11000], np.int32)
    hands = np.array([0, 0, 0], np.uint8), np.array([3, 0, 0], np.uint8)
    tables.label((*boards, *hands), found)
    assert found.tolist() == [NO_VALUE, 0, NO_VALUE], "no table; two men left; the other has two"


def test_the_sample_of_the_whole_game():
    """Made from the full database: every value follows from those of the moves."""
    sample = scholar_sample.read()
    assert len(sample.positions) == 343
    ends = np.cumsum(sample.count)
    for value, first, last in zip(sample.value, ends - sample.count, ends, strict=True):
        after = sample.child_value[first:last].tolist()
        lost, won = [v for v in after if v % 2 == 0], [v for v in after if v % 2 and v != DRAW]
        expected = 1 + min(lost) if lost else DRAW if DRAW in after else 1 + max(won)
        assert value == expected
    kinds = {(v != DRAW) * (1 + v % 2) for v in sample.value.tolist()}
    assert kinds == {0, 1, 2}


def test_moves_of_the_sample():
    sample, rules = scholar_sample.read(), PRESETS["standard"]
    moves = [
        packed(move)
        for position in readable(rules, sample.positions)
        for move in position.legal_moves()
    ]
    assert sample.move.tolist() == moves
    children = rows_of(sample, rules)
    assert np.array_equal(children.count, sample.count)
    assert np.array_equal(children.move[children.is_move], moves)


def rows_of(sample, rules):
    """The sample in rows: the positions from the rules, their values from the file."""
    children = expand(sample.positions, rules, scholar_sample.MAX_MOVES)
    children.value[children.is_move] = sample.child_value
    return children


def test_seeds_still_give_what_they_gave_when_the_sample_was_made():
    sample, rules = scholar_sample.read(), PRESETS["standard"]
    source = OracleExampleSource(find_oracle(ludus.game("nine_mens_morris")))
    subspaces = sorted(
        subspace_of(s, side) for s in all_sectors(rules) for side in sides_to_move(rules, s)
    )
    drawn = source.sample_positions(scholar_sample.NUM_DRAWN, scholar_sample.DRAW_SEED, subspaces)
    examples = ExampleBatch(sample.positions, sample.value, rows_of(sample, rules))
    after = scholar_sample.one_ply(source, examples, drawn)
    for ours, kept in ((drawn, sample.drawn), (after.positions, sample.after.positions)):
        for column, kept_column in zip(ours.columns, kept.columns, strict=True):
            assert np.array_equal(column, kept_column)
    assert np.array_equal(after.plies, sample.after.plies)
    assert set(after.plies.tolist()) == {0, 1, 2, 3, 4}


def test_values_of_the_sample_where_they_are_solved_at_once():
    sample = scholar_sample.read()
    source = OracleExampleSource(find_oracle(ludus.game("nine_mens_morris")))
    men = [
        [value.bit_count() for value in column.tolist()] if i < 2 else column.tolist()
        for i, column in enumerate(sample.positions.columns)
    ]
    is_small = np.array([half in source.subspaces for half in zip(*men, strict=True)])
    assert is_small.sum() == 4, "three and four men a side"
    ours = source.examples(sample.positions[is_small], scholar_sample.MAX_MOVES)
    belongs = np.repeat(is_small, sample.count)
    assert np.array_equal(ours.value, sample.value[is_small])
    assert np.array_equal(ours.children.value[ours.children.is_move], sample.child_value[belongs])
    with pytest.raises(Unsolved):
        source.label(sample.positions)


def test_keeping_a_value():
    values = np.array([[DRAW], [7], [8]], np.uint8)
    after = np.array([[DRAW, 4, 5]], np.uint8)
    assert keeps_value(values, after).tolist() == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]


def test_structs_are_as_long_as_those_of_the_compiled_code():
    structs = (
        cuda.PositionsStruct,
        cuda.RowsStruct,
        cuda.SubspacesStruct,
        cuda.PliesStruct,
    )
    assert tuple(map(ctypes.sizeof, structs)) == native.SIZES
    assert native.NO_VALUE == NO_VALUE


def test_columns_that_would_have_to_be_converted_are_refused():
    drawn = source_of(THREE).sample_positions(5, 1)
    with pytest.raises(TypeError):
        native.Tables(THREE).label(drawn.columns, np.empty(5, np.int32))
