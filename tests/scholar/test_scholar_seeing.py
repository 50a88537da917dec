"""Positions in parts, each for one expert, and work that a GPU repeats."""

import pytest
import torch
from scholar_games import FOUR, source_of

from ludus.learn.scholar.experts import FIRST_FLYING, FIRST_MOVING, NUM_EXPERTS
from ludus.learn.scholar.recorded import WARM_UP, Recorded
from ludus.learn.scholar.seeing import Sight

CPU = torch.device("cpu")
BANKS = [range(FIRST_MOVING), range(FIRST_MOVING, FIRST_FLYING), range(FIRST_FLYING, NUM_EXPERTS)]


@pytest.fixture(scope="module")
def positions():
    return [torch.as_tensor(column) for column in source_of(FOUR).draw(1000, 4).columns]


def test_every_position_is_in_one_part(positions):
    sight = Sight(CPU)
    rows = torch.cat([part.rows.flatten() for part in sight.parts(positions, BANKS)])
    assert sorted(rows[rows < 1000].tolist()) == list(range(1000))
    assert (rows[rows >= 1000] == 1000).all(), "filling has the number after the last"


def test_parts_are_for_the_experts_that_they_name(positions):
    sight = Sight(CPU)
    kinds = sight.experts(positions)
    for part in sight.parts(positions, BANKS):
        for number, rows in zip(part.experts.tolist(), part.rows, strict=True):
            own = rows[rows < 1000]
            assert len(own) > 0
            assert set(kinds[own].tolist()) == {BANKS[part.bank][number]}


def test_parts_show_what_the_positions_look_like(positions):
    sight = Sight(CPU)
    seen = sight.columns(positions)
    for part in sight.parts(positions, BANKS):
        is_own = part.rows < 1000
        torch.testing.assert_close(part.things[is_own], seen[part.rows[is_own]])


def test_no_positions_have_no_parts(positions):
    assert list(Sight(CPU).parts([column[:0] for column in positions], BANKS)) == []


def test_elsewhere_than_on_a_gpu_recorded_work_is_just_done():
    done = []
    work = Recorded(lambda: torch.tensor(float(len(done.append(1) or done))), CPU)
    assert [float(work()) for _ in range(WARM_UP + 3)] == list(range(1, WARM_UP + 4))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_gpu_repeats_work_on_what_is_there_now():
    gpu = torch.device("cuda")
    given, weight = torch.zeros((), device=gpu), torch.ones((), device=gpu, requires_grad=True)

    def slope():
        weight.grad = None
        found = given * weight**2
        found.backward()
        return found.detach()

    work = Recorded(slope, gpu)
    for number in range(WARM_UP + 5):
        given.fill_(number)
        assert float(work()) == number
        assert float(weight.grad) == 2 * number
