"""The training of one network: it learns, stops when it should, and goes on where it stopped."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from ludus.core.errors import LudusError
from ludus.datasets.morris.files import parse_lines
from ludus.games.nine_mens_morris import to_thesis, to_thesis_move
from ludus.learn.nnmm.config import ARCHITECTURES, Hyperparameters, NetworkConfig
from ludus.learn.nnmm.data import compute_legal_masks, split_entries
from ludus.learn.nnmm.encoding import InputColumns
from ludus.learn.nnmm.network import build_network
from ludus.learn.nnmm.network_trainer import (
    Loss,
    NetworkTrainer,
    compute_illegal_probability,
    evaluate_network,
    select_weights,
)
from ludus.learn.nnmm.parts import NUM_CLASSES, PartOrder, points_to_classes
from ludus.learn.training import Clock, Diverged
from support.morris import positions
from support.nnmm import examples, teacher_moves

NETWORK = build_network(
    NetworkConfig(first=8, units=6, blocks=2), InputColumns(10), torch.Generator().manual_seed(1)
)
SCORES = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
TARGETS = torch.tensor([2, 0])


def loss(legal: torch.Tensor | None = None, **settings: object) -> float:
    return Loss(select_weights(NETWORK), Hyperparameters(**settings))(SCORES, TARGETS, legal).item()  # type: ignore[arg-type]


def test_it_is_the_negative_log_likelihood():
    first = 3 - math.log(math.exp(1) + math.exp(2) + math.exp(3))
    assert loss() == pytest.approx(-(first + math.log(1 / 3)) / 2)


def test_norms_are_added():
    layers = [each for each in NETWORK.modules() if isinstance(each, torch.nn.Linear)]
    weights = np.concatenate([each.weight.detach().numpy().ravel() for each in layers])
    last = layers[-1].weight.detach().numpy()
    for penalty, norm in (("L1", np.abs), ("L2", np.square)):
        every = loss(penalty=penalty, penalty_weight=0.01) - loss()
        assert every == pytest.approx(0.01 * norm(weights).sum(), rel=1e-4)
        end = loss(penalty=penalty, penalty_weight=0.01, penalised="last") - loss()
        assert end == pytest.approx(0.01 * norm(last).sum(), rel=1e-4)


def test_what_lies_on_illegal_classes_is_added():
    legal = torch.tensor([0b110, 0b001], dtype=torch.int32)
    masses = compute_illegal_probability(SCORES, legal)
    first = math.exp(1) / (math.exp(1) + math.exp(2) + math.exp(3))
    assert masses.tolist() == pytest.approx([first, 2 / 3])
    assert loss(legal, legality=5.0) - loss() == pytest.approx(5 * (first + 2 / 3) / 2)
    everything = torch.tensor([0b111, 0b111], dtype=torch.int32)
    assert loss(everything, legality=5.0) == pytest.approx(loss())


def allowed(masks: np.ndarray) -> list[set[int]]:
    return [{number for number in range(NUM_CLASSES) if mask >> number & 1} for mask in masks]


@pytest.mark.parametrize("name", ["TFR", "RTF", "FTR5"])
def test_legal_classes_are_those_of_the_rules(name):
    """Legal moves that agree with the choices so far allow their class; nothing else does."""
    order = PartOrder.parse(name)
    for position in positions(1)[::3]:
        state = to_thesis(position)
        lines = [f"{state}-{to_thesis_move(move)}\n" for move in position.legal_moves()]
        entries = parse_lines("".join(lines).encode()).moves
        moves = points_to_classes(entries.points)
        for step, masks in zip(order.steps, compute_legal_masks(entries, order.steps), strict=True):
            after = list(step.parts_before)
            for true, found in zip(moves, allowed(masks), strict=True):
                fitting = moves[(moves[:, after] == true[after]).all(axis=1), step.part]
                answers = fitting != 0 if step.predicts_presence else fitting
                assert found == set(answers.astype(int).tolist())


def test_what_the_teacher_plays_is_legal():
    entries = teacher_moves()
    for step, masks in zip(
        PartOrder().steps, compute_legal_masks(entries, PartOrder().steps), strict=True
    ):
        assert (masks >> points_to_classes(entries.points)[:, step.part] & 1).all()


def test_without_any_legal_move_every_class_counts():
    lost = parse_lines(b"MMOOOOOOOOOOOOOOOOOOOEEE0023-a1a4\n").moves
    assert compute_legal_masks(lost, PartOrder().steps)[0].tolist() == [2**25 - 1]


SMALL = NetworkConfig(architecture="residual", first=32, units=32, blocks=1, dropout=0.05)
SHORT = Hyperparameters(annealing="cosine", learning_rate=0.01, batch=250, epochs=4, averaging=0.9)
DESIGNS = [
    SMALL,
    SMALL.replace(batch_normalisation=True, stochastic_depth=0.2, blocks=3),
    NetworkConfig(architecture="dense", first=32, units=16, blocks=2, batch_normalisation=True),
    NetworkConfig(architecture="feedforward", units=(48, 32), blocks=2, input_dropout=0.05),
    NetworkConfig(architecture="symmetric", first=4, blocks=1),
]
PARTS = split_entries(teacher_moves(), "entries", "published")
LEARNED, VALIDATION, _ = (examples(part) for part in PARTS)


def training(
    design: NetworkConfig = SMALL, settings: Hyperparameters = SHORT, **more: object
) -> NetworkTrainer:
    return NetworkTrainer(design, settings, LEARNED, VALIDATION, name="TO", **more)  # type: ignore[arg-type]


def trained(
    design: NetworkConfig = SMALL, settings: Hyperparameters = SHORT, **more: object
) -> NetworkTrainer:
    network = training(design, settings, **more)
    for _ in network.epochs():
        pass
    return network


def is_same(one: NetworkTrainer, other: NetworkTrainer) -> bool:
    return all(np.array_equal(one.weights[name], other.weights[name]) for name in one.weights)


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_every_architecture_learns(design):
    network = trained(design)
    most_frequent = np.bincount(VALIDATION.targets).max() / len(VALIDATION)
    assert network.best_accuracy > most_frequent + 0.1
    assert network.history[-1].loss < network.history[0].loss


def test_all_architectures_are_among_them():
    assert {design.architecture for design in DESIGNS} == set(ARCHITECTURES)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="left out: needs a CUDA device")
def test_a_recorded_step_is_the_step():
    """On a GPU, steps replayed from a graph lead to the weights that eager steps lead to."""
    gpu = torch.device("cuda")
    learned, order = examples(PARTS[0], device=gpu), torch.arange(5000, device=gpu)
    ends = []
    for capture in ("step", "nothing"):
        settings = SHORT.replace(precision="float32", clip=1.0)
        plain = SMALL.replace(dropout=0.0)
        network = NetworkTrainer(plain, settings, learned, learned)
        optimizer = network.optimizer
        optimizer._step = optimizer.prepare_step(optimizer._compute_loss, capture)
        optimizer.run_epoch(order, [0.001 * step for step in range(20)])
        ends.append(optimizer.evaluated_network().get_parameter("last.weight").detach())
    assert torch.allclose(*ends, atol=1e-4)


def test_a_seed_decides_everything():
    one, same = trained(), trained()
    assert [replace(epoch, seconds=0) for epoch in one.history] == [
        replace(epoch, seconds=0) for epoch in same.history
    ]
    assert is_same(one, same)
    assert not is_same(one, trained(settings=SHORT.replace(seed=1)))


def test_the_network_that_is_kept_is_the_best_one():
    network = trained(settings=SHORT.replace(learning_rate=0.05, annealing="none", epochs=6))
    accuracies = [epoch.accuracy for epoch in network.history]
    assert network.best_epoch == 1 + int(np.argmax(accuracies))
    found = evaluate_network(network.best_network(), VALIDATION)
    assert found.accuracy == pytest.approx(max(accuracies))


def test_it_stops_when_patience_ends():
    hopeless = SHORT.replace(learning_rate=1e-9, epochs=50, patience=3, averaging=0.0)
    network = trained(settings=hopeless)
    assert len(network.history) == network.best_epoch + 3 < 50


class TickingClock(Clock):
    """A clock that advances by a second with each reading."""

    def __init__(self) -> None:
        self.now = 0.0

    @property
    def seconds(self) -> float:
        self.now += 1
        return self.now


def test_it_stops_when_time_is_over():
    network = trained(settings=SHORT.replace(epochs=100_000, seconds=0.5))
    assert 1 <= len(network.history) < 100_000


def test_time_is_over_within_an_epoch_and_the_cosine_follows_it():
    """An epoch of 1,000 steps ends after a few of them if there is no more time."""
    network = training(settings=SHORT.replace(batch=1, epochs=2, seconds=8.0, averaging=0.0))
    network.train_epoch(TickingClock())
    assert network.is_finished
    assert len(network.history) == 1
    assert network.optimizer.steps == 7
    rates = [SHORT.learning_rate * (1 + np.cos(np.pi * step / 8)) / 2 for step in range(8)]
    assert network.history[0].rate == pytest.approx(rates[-1])


def test_with_limited_time_there_is_at_least_one_step():
    network = trained(settings=SHORT.replace(epochs=3, seconds=1e-9))
    assert (len(network.history), network.optimizer.steps) == (1, 1)


@pytest.mark.parametrize(("batch", "steps"), [(0, 1), (1, 300), (7, 42), (10_000, 1)])
def test_batches_may_be_all_or_one_or_some(batch, steps):
    few = LEARNED.select(torch.arange(300))
    network = NetworkTrainer(
        SMALL, SHORT.replace(batch=batch, epochs=1, averaging=0.0), few, VALIDATION
    )
    list(network.epochs())
    assert network.optimizer.steps == steps
    assert network.optimizer.adam.state_dict()["state"][0]["step"] == steps


def test_adam_is_given_its_parameters():
    settings = SHORT.replace(b1=0.5, b2=0.75, weight_decay=0.25, learning_rate=0.125, epochs=1)
    network = trained(settings=settings.replace(annealing="none"))
    matrices, others = network.optimizer.adam.param_groups
    assert matrices["betas"] == (0.5, 0.75)
    assert matrices["lr"] == others["lr"] == 0.125
    assert (matrices["weight_decay"], others["weight_decay"]) == (0.25, 0.0)
    assert all(each.dim() == 2 for each in matrices["params"])


def test_weights_are_averaged_over_steps():
    settings = SHORT.replace(averaging=0.5, annealing="none", epochs=1, batch=len(LEARNED))
    optimizer = training(settings=settings).optimizer
    order = torch.arange(len(LEARNED))

    def weights(network: torch.nn.Module) -> torch.Tensor:
        return network.get_parameter("last.weight").detach().clone()

    before = weights(optimizer.model)
    seen = []
    for _ in range(3):
        optimizer.run_epoch(order, [0.01])
        seen.append(weights(optimizer.model))
    expected = before / 8 + seen[0] / 8 + seen[1] / 4 + seen[2] / 2
    assert torch.allclose(weights(optimizer.evaluated_network()), expected, atol=1e-6)


def test_a_mean_of_less_than_it_should_hold_is_not_evaluated():
    optimizer = training(settings=SHORT.replace(averaging=0.9999)).optimizer
    optimizer.run_epoch(torch.arange(len(LEARNED)), [0.01, 0.01])
    latest, rated = (
        optimizer.model.state_dict(),
        optimizer.evaluated_network().state_dict(),
    )
    assert all(torch.equal(latest[name], rated[name]) for name in latest)


def test_a_penalty_makes_weights_small():
    def size(settings: Hyperparameters) -> float:
        return float(np.abs(trained(settings=settings).weights["last.weight"]).sum())

    plain = SHORT.replace(averaging=0.0)
    penalised = plain.replace(penalty="L1", penalty_weight=0.01, penalised="last")
    assert size(penalised) < 0.7 * size(plain)


def test_a_loss_that_is_no_number_is_an_error():
    network = training(settings=SHORT.replace(averaging=0.0))
    with torch.no_grad():
        network.optimizer.model.get_parameter("last.weight").fill_(3e38)
    with pytest.raises(Diverged, match="TO diverged in epoch 1"):
        next(network.epochs())


def test_a_training_goes_on_from_its_state():
    settings = SHORT.replace(epochs=5)
    design = SMALL.replace(batch_normalisation=True)
    stopped = training(design, settings)
    epochs = stopped.epochs()
    next(epochs)
    next(epochs)
    resumed = training(design, settings)
    resumed.load(stopped.state())
    assert [epoch.number for epoch in resumed.epochs()] == [3, 4, 5]
    assert is_same(resumed, trained(design, settings))
    again = training(design, settings)
    again.load(resumed.state())
    assert again.is_finished
    assert list(again.epochs()) == []
    assert is_same(again, resumed)


def test_a_training_begins_with_given_weights():
    design = SMALL.replace(batch_normalisation=True)
    first = trained(design)
    more = training(design, SHORT.replace(learning_rate=1e-9, epochs=1), initial=first.weights)
    next(more.epochs())
    assert more.best_accuracy == pytest.approx(first.best_accuracy, abs=0.02)
    assert first.best_accuracy > 2 * training(design).best_accuracy
    with pytest.raises(LudusError, match="another architecture"):
        training(SMALL, initial=first.weights)


def test_without_examples_there_is_no_training():
    nothing = LEARNED.select(torch.arange(0))
    with pytest.raises(LudusError, match="no examples for the network FROM"):
        NetworkTrainer(SMALL, SHORT, nothing, VALIDATION, name="FROM")
