"""Optimizer steps with averaged weights, their CUDA graphs and checkpoints, and schedules."""

import copy

import pytest
import torch
from torch import nn

from ludus.learn.checkpoint import load_checkpoint, save_checkpoint
from ludus.learn.optimizer import (
    NUM_WARMUP_CALLS,
    EmaOptimizer,
    GraphedCallable,
    cosine_decay,
    warm_up,
)

CPU = torch.device("cpu")
INPUTS = torch.tensor([[1.0, 2.0], [3.0, -1.0]])


def made(decay=0.5, has_ema=True, **options):
    torch.manual_seed(1)
    model = nn.Linear(2, 3)
    average = copy.deepcopy(model) if has_ema else model
    return EmaOptimizer(model, average, torch.optim.Adam(model.parameters()), decay, **options)


def step_of(optimizer, capture="nothing"):
    return optimizer.prepare_step(lambda: optimizer.model(INPUTS).square().mean(0), capture)


def weights(model):
    return model.weight.detach().clone()


@pytest.mark.parametrize("has_warmup", [False, True])
def test_the_average_follows_the_weights(has_warmup):
    optimizer = made(0.9, has_ema_warmup=has_warmup)
    step, expected = step_of(optimizer), weights(optimizer.model)
    for number in range(1, 6):
        step(0.1)
        decay = min(0.9, (1 + number) / (10 + number)) if has_warmup else 0.9
        expected = decay * expected + (1 - decay) * weights(optimizer.model)
        torch.testing.assert_close(weights(optimizer.ema_model), expected)
    assert optimizer.steps == 5


def test_losses_are_those_before_the_step():
    optimizer = made()
    before = optimizer.model(INPUTS).square().mean(0).detach()
    step = step_of(optimizer)
    assert torch.equal(step(0.1), before)
    assert (step(0.1).sum() < before.sum()).item()


def test_without_an_average_the_model_is_its_own():
    optimizer = made(has_ema=False)
    step_of(optimizer)(0.1)
    assert not optimizer.has_ema
    parts = {name.partition("/")[0] for name in optimizer.state().arrays}
    assert parts == {"model", "adam"}


@pytest.mark.parametrize("has_warmup", [False, True])
def test_what_is_captured_changes_no_numbers(has_warmup):
    plain, captured = (made(has_ema_warmup=has_warmup) for _ in range(2))
    for _ in range(5):
        step_of(plain)(0.1)
    step = step_of(captured, "step")
    for _ in range(5):
        step(0.1)
    assert torch.equal(weights(plain.ema_model), weights(captured.ema_model))


def test_long_gradients_are_cut():
    first, second = made(max_gradient_norm=1e-3), made()
    for optimizer in (first, second):
        step_of(optimizer)(0.1)
    norms = [
        torch.cat([each.grad.flatten() for each in optimizer.model.parameters()]).norm()
        for optimizer in (first, second)
    ]
    assert float(norms[0]) == pytest.approx(1e-3, rel=1e-3)
    assert norms[1] > 0.1


def test_a_restored_optimizer_goes_on_alike(tmp_path):
    first, second, file = made(), made(), tmp_path / "state"
    for _ in range(3):
        step_of(first)(0.1)
    save_checkpoint(file, {}, first.state())
    second.load(load_checkpoint(file, {}))
    for optimizer in (first, second):
        step_of(optimizer)(0.1)
    assert first.steps == second.steps
    assert torch.equal(weights(first.model), weights(second.model))
    assert torch.equal(weights(first.ema_model), weights(second.ema_model))


def test_weights_of_another_shape_are_refused():
    model = nn.Linear(2, 4)
    with pytest.raises(RuntimeError, match="size mismatch"):
        EmaOptimizer(model, nn.Linear(2, 4), torch.optim.Adam(model.parameters()), 0.5).load(
            made().state()
        )


def test_rates_rise_in_a_line_and_fall_along_a_cosine():
    assert [warm_up(0.5, done, 4) for done in (0, 1, 3, 4, 9)] == [0, 0.125, 0.375, 0.5, 0.5]
    assert warm_up(0.5, 0, 0) == 0.5
    assert [cosine_decay(2.0, progress) for progress in (0, 1, 5)] == [2, 0, 0]
    assert cosine_decay(2.0, 0.5) == pytest.approx(1)


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
