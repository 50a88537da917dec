"""Features of positions, and the choice of their expert."""

import random

import numpy as np
import pytest
import torch

import ludus
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.board import POINT_NUMBERS, SYMMETRIES
from ludus.learn.scholar import cuda
from ludus.learn.scholar.encoding import (
    FEATURE_PERMUTATIONS,
    FIRST_FLYING_EXPERT,
    FIRST_MOVING_EXPERT,
    NUM_EXPERTS,
    NUM_FEATURES,
    encode,
    expert_table,
    select_expert,
    select_experts,
)
from ludus.learn.scholar.network import TensorEncoder
from support.cuda_on_cpu import compile_for_cpu, use_on_cpu
from support.scholar import FOUR, source_of

MORRIS = ludus.game("nine_mens_morris")
CLOSABLE = slice(48 + 160, 48 + 160 + 24)
FREE = slice(48 + 160 + 48, 48 + 160 + 72)


def played(seed, plies):
    """Positions of a random game."""
    chance, position = random.Random(seed), MORRIS.start()
    for _ in range(plies):
        if position.outcome() is not None:
            return
        yield position
        position = position.play(chance.choice(position.legal_moves()))


POSITIONS = [position for seed in range(30) for position in played(seed, 120)]


def test_all_of_a_game_is_seen():
    assert len(POSITIONS) > 1500
    assert {sum(position.hands) for position in POSITIONS} == set(range(19))
    assert min(min(men.bit_count() for men in each.bits) for each in POSITIONS[19:]) <= 3


def test_mills_that_can_be_closed_are_those_that_legal_moves_close():
    rows = encode(PositionBatch.from_positions(POSITIONS))
    for position, row in zip(POSITIONS, rows, strict=True):
        # A move that takes a man closes a mill, and there is always a man to take.
        closing = {move.to for move in position.legal_moves() if move.take is not None}
        assert set(np.flatnonzero(row[CLOSABLE])) == closing, str(position)


def test_room_to_move_is_the_number_of_walks():
    walking = [
        position
        for position in POSITIONS
        if position.hands[position.mover] == 0 and position.bits[position.mover].bit_count() > 3
    ]
    assert len(walking) > 300
    rows = encode(PositionBatch.from_positions(walking))
    for position, row in zip(walking, rows, strict=True):
        walks = {(move.frm, move.to) for move in position.legal_moves()}
        counts = [sum(frm == point for frm, _ in walks) for point in range(24)]
        assert (row[FREE] * 4).tolist() == counts


@pytest.mark.parametrize("g", range(16))
def test_columns_turn_with_the_board(g):
    positions = PositionBatch.from_positions(POSITIONS[::7])
    rows = encode(positions)
    seen = encode(positions.transform(SYMMETRIES[g]))
    expected = np.empty_like(rows)
    expected[:, FEATURE_PERMUTATIONS[g]] = rows
    np.testing.assert_array_equal(seen, expected)
    assert rows.shape[1] == NUM_FEATURES


def test_torch_sees_what_numpy_sees():
    seen = PositionBatch.from_positions(POSITIONS[::5])
    looked = TensorEncoder(torch.device("cpu")).encode(seen.map(torch.as_tensor))
    np.testing.assert_array_equal(looked.numpy(), encode(seen))


def test_a_line_counts_men():
    start = MORRIS.start()
    for name in ("a7", "b6", "d7"):
        start = start.play(next(m for m in start.legal_moves() if m.to == POINT_NUMBERS[name]))
    row = encode(PositionBatch.from_positions([start]))[0]
    top = row[48:58]  # the first line: a7 d7 g7; Black is to move and has none there
    assert np.flatnonzero(top).tolist() == [2]  # no man of its own, two of the other's


def test_every_kind_of_position_has_an_expert():
    assert set(expert_table().ravel().tolist()) == set(range(NUM_EXPERTS))
    assert select_expert(9, 9, 0, 0) == 0
    assert select_expert(0, 0, 9, 9) < FIRST_FLYING_EXPERT <= select_expert(0, 0, 3, 9)
    kinds = {
        select_expert(0, 0, own, other) for own, other in ((3, 3), (3, 4), (4, 3), (3, 9), (9, 3))
    }
    assert kinds == set(range(FIRST_FLYING_EXPERT, NUM_EXPERTS))
    nine, five, six = (1 << 9) - 1, (1 << 5) - 1, (1 << 6) - 1
    positions = PositionBatch.from_columns([nine, five], [nine << 9, six << 9], [0, 1])
    assert select_experts(positions, expert_table()).tolist() == [
        select_expert(0, 0, 9, 9),
        select_expert(1, 0, 5, 6),
    ]


def compare_kernel(device, dtype):
    """Compare the CUDA kernel with the readable encoding, on positions of all kinds."""
    positions = PositionBatch.from_positions(POSITIONS[::37])
    columns = PositionBatch(*(torch.as_tensor(each) for each in positions.position_columns))
    found = cuda.encode_positions(columns.map(lambda each: each.to(device)), dtype)
    assert np.array_equal(found.cpu().float().numpy(), encode(positions))


kernel_types = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])


@kernel_types
def test_the_kernel_encodes_alike_on_a_cpu(dtype, monkeypatch, tmp_path_factory):
    library = compile_for_cpu("scholar_features", tmp_path_factory.getbasetemp())
    use_on_cpu(monkeypatch, cuda, library)
    compare_kernel("cpu", dtype)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@kernel_types
def test_the_kernel_encodes_alike_on_a_gpu(dtype):
    compare_kernel("cuda", dtype)


CPU = torch.device("cpu")
BANKS = [
    range(FIRST_MOVING_EXPERT),
    range(FIRST_MOVING_EXPERT, FIRST_FLYING_EXPERT),
    range(FIRST_FLYING_EXPERT, NUM_EXPERTS),
]


@pytest.fixture(scope="module")
def positions():
    return source_of(FOUR).sample_positions(1000, 4).map(torch.as_tensor)


def test_every_position_is_in_one_part(positions):
    encoder = TensorEncoder(CPU)
    rows = torch.cat([part.rows.flatten() for part in encoder.group_by_expert(positions, BANKS)])
    assert sorted(rows[rows < 1000].tolist()) == list(range(1000))
    assert (rows[rows >= 1000] == 1000).all(), "filling has the number after the last"


def test_parts_are_for_the_experts_that_they_name(positions):
    encoder = TensorEncoder(CPU)
    kinds = encoder.select_experts(positions)
    for part in encoder.group_by_expert(positions, BANKS):
        for number, rows in zip(part.experts.tolist(), part.rows, strict=True):
            own = rows[rows < 1000]
            assert len(own) > 0
            assert set(kinds[own].tolist()) == {BANKS[part.bank][number]}


def test_parts_show_what_the_positions_look_like(positions):
    encoder = TensorEncoder(CPU)
    seen = encoder.encode(positions)
    for part in encoder.group_by_expert(positions, BANKS):
        is_own = part.rows < 1000
        torch.testing.assert_close(part.features[is_own], seen[part.rows[is_own]])


def test_no_positions_have_no_parts(positions):
    assert list(TensorEncoder(CPU).group_by_expert(positions[:0], BANKS)) == []
