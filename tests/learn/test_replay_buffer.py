"""Sampling of tensors from rings, with and without replacement."""

from typing import NamedTuple

import pytest
import torch

from ludus.learn.replay_buffer import ReplayBuffer


class Numbers(NamedTuple):
    number: torch.Tensor


def fill(capacity, *counts):
    """Return rings of numbers: ring r holds 1000 * r, 1000 * r + 1, and so on."""
    buffer = ReplayBuffer(Numbers(torch.full((len(counts) * capacity,), -1)), len(counts))
    for ring, count in enumerate(counts):
        numbers = 1000 * ring + torch.arange(count)
        buffer.add(Numbers(numbers), torch.full_like(numbers, ring))
    return buffer


@pytest.mark.parametrize("capacity", [1, 2, 5, 30, 64, 96])
def test_each_row_is_taken_once_before_any_is_taken_again(capacity):
    buffer = fill(capacity, capacity)
    for _ in range(3):
        taken = torch.cat([buffer.sample_in_turn(1).number[0] for _ in range(capacity)])
        assert sorted(taken.tolist()) == list(range(capacity))


def test_samples_are_spread_over_the_ring():
    """A sample of a quarter of the rows has some in every eighth, whatever was taken before."""
    buffer = fill(64, 64)
    for _ in range(9):
        rows = buffer.sample_in_turn(16).number[0]
        assert torch.bincount(rows // 8, minlength=8).min() >= 1


def test_rings_that_are_not_full_give_what_they_hold():
    buffer = fill(64, 64, 7, 1)
    taken = buffer.sample_in_turn(64, slice(1, 3)).number
    assert taken.shape == (2, 64)
    assert set(taken[0].tolist()) == set(range(1000, 1007))
    assert set(taken[1].tolist()) == {2000}
    assert buffer.num_taken.tolist() == [0, 64, 64]


def test_samples_with_replacement_may_repeat():
    torch.manual_seed(1)
    drawn = fill(64, 64).sample(64).number[0]
    assert len(set(drawn.tolist())) < 64
