"""Positions in parts, each for one expert."""

import pytest
import torch

from ludus.learn.scholar.encoding import FIRST_FLYING_EXPERT, FIRST_MOVING_EXPERT, NUM_EXPERTS
from ludus.learn.scholar.network import TensorEncoder
from support.scholar import FOUR, source_of

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
