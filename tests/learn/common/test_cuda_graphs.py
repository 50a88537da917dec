"""Work that a GPU repeats."""

import pytest
import torch

from ludus.learn.common.optimizer import NUM_WARMUP_CALLS, GraphedCallable

CPU = torch.device("cpu")


def test_elsewhere_than_on_a_gpu_recorded_work_is_just_done():
    done = []
    work = GraphedCallable(lambda: torch.tensor(float(len(done.append(1) or done))), CPU)
    assert [float(work()) for _ in range(NUM_WARMUP_CALLS + 3)] == list(
        range(1, NUM_WARMUP_CALLS + 4)
    )


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_gpu_repeats_work_on_what_is_there_now():
    gpu = torch.device("cuda")
    given, weight = torch.zeros((), device=gpu), torch.ones((), device=gpu, requires_grad=True)

    def slope():
        weight.grad = None
        found = given * weight**2
        found.backward()
        return found.detach()

    work = GraphedCallable(slope, gpu)
    for number in range(NUM_WARMUP_CALLS + 5):
        given.fill_(number)
        assert float(work()) == number
        assert float(weight.grad) == 2 * number
