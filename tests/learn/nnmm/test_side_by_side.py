"""Networks trained side by side are those trained one after another."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from ludus.learn.nnmm.config import Hyperparameters, NetworkConfig
from ludus.learn.nnmm.data import Examples
from ludus.learn.nnmm.network_trainer import NetworkTrainer
from ludus.learn.training import Diverged
from support.nnmm import load_module

module = load_module("side_by_side")
find_groups, train_side_by_side = module.find_groups, module.train_side_by_side
StackedNetworks = load_module("stacked").StackedNetworks

DESIGNS = {
    "residual": NetworkConfig(first=12, units=16, blocks=2),
    "residual with norms": NetworkConfig(first=12, units=16, blocks=2, batch_normalisation=True),
    "stochastic depth": NetworkConfig(first=12, units=16, blocks=2, stochastic_depth=0.4),
    "dense": NetworkConfig(architecture="dense", first=12, units=8, blocks=2),
    "feedforward": NetworkConfig(
        architecture="feedforward", units=(16, 8), blocks=2, batch_normalisation=True
    ),
}
CONFIG = Hyperparameters(learning_rate=0.01, batch=40, epochs=4, patience=0)


def make_examples(number: int, seed: int, is_legal: bool = False) -> Examples:
    generator = torch.Generator().manual_seed(seed)
    inputs = torch.randint(0, 2, (number, 30), generator=generator, dtype=torch.uint8)
    targets = (inputs[:, :5].sum(dim=1) % 7).long()
    legal = torch.randint(1, 2**25, (number,), generator=generator, dtype=torch.int32)
    return Examples(inputs, targets, legal if is_legal else None)


LEARNED, VALIDATION = make_examples(200, 1), make_examples(60, 2)


def make_trainers(
    design: NetworkConfig, configs: Sequence[Hyperparameters], **options
) -> list[NetworkTrainer]:
    return [
        NetworkTrainer(
            design.replace(**options.get("designs", [{}] * len(configs))[number]),
            config,
            options.get("learned", LEARNED),
            VALIDATION,
            name=f"network {number}",
        )
        for number, config in enumerate(configs)
    ]


def train_alone(trainers: Sequence[NetworkTrainer]) -> None:
    for trainer in trainers:
        list(trainer.epochs())


def assert_same(
    found: Sequence[NetworkTrainer], expected: Sequence[NetworkTrainer], has_norms: bool = False
) -> None:
    """Compare everything but what rounding decides.

    A bias before a norm has no effect and no gradient but rounding errors, which Adam scales up to
    whole steps. Running means follow it, and with them validation.
    """
    for one, other in zip(found, expected, strict=True):
        assert len(one.history) == len(other.history)
        for mine, its in zip(one.history, other.history, strict=True):
            assert (mine.number, mine.rate) == (its.number, its.rate)
            assert mine.loss == pytest.approx(its.loss, rel=1e-4)
            if not has_norms:
                assert mine.accuracy == pytest.approx(its.accuracy, abs=1e-6)
                assert mine.validation_loss == pytest.approx(its.validation_loss, rel=1e-4)
        if not has_norms:
            assert one.best_epoch == other.best_epoch
            for name, weights in one.weights.items():
                np.testing.assert_allclose(weights, other.weights[name], atol=1e-4, err_msg=name)
        states = one.optimizer.model.state_dict(), other.optimizer.model.state_dict()
        for name, mine in states[0].items():
            if not has_norms or not name.endswith(("bias", "running_mean")):
                assert torch.allclose(mine, states[1][name], atol=1e-4), name


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_a_group_learns_what_its_networks_learn_alone(design: NetworkConfig) -> None:
    """With their own dropout rates, penalties and seeds."""
    configs = [
        CONFIG.replace(seed=seed, penalty="L1", penalty_weight=weight, penalised="last")
        for seed, weight in ((0, 0.001), (1, 0.01), (2, 0.0))
    ]
    designs = [
        {"dropout": 0.0, "input_dropout": 0.2},
        {"dropout": 0.3},
        {"dropout": 0.1, "input_dropout": 0.1},
    ]
    alone = make_trainers(design, configs, designs=designs)
    together = make_trainers(design, configs, designs=designs)
    assert [len(group.trainers) for group in find_groups(together)] == [3]
    train_alone(alone)
    epochs = list(train_side_by_side(together))
    assert len(epochs) == 12
    assert_same(together, alone, design.batch_normalisation)


def test_averages_clipping_decay_smoothing_and_legality_are_those_of_each_network() -> None:
    config = CONFIG.replace(
        averaging=0.9,
        clip=0.5,
        weight_decay=0.05,
        label_smoothing=0.1,
        legality=1.0,
        annealing="cosine",
        warmup=0.1,
        penalty="L2",
    )
    configs = [config.replace(seed=seed) for seed in range(3)]
    learned = make_examples(200, 1, is_legal=True)
    alone = make_trainers(DESIGNS["residual"], configs, learned=learned)
    together = make_trainers(DESIGNS["residual"], configs, learned=learned)
    train_alone(alone)
    list(train_side_by_side(together))
    assert_same(together, alone)


def test_networks_end_by_their_own_patience_and_groups_have_one_shape() -> None:
    configs = [CONFIG.replace(seed=seed, epochs=30, patience=2) for seed in range(3)]
    alone = make_trainers(DESIGNS["residual"], configs)
    together = make_trainers(DESIGNS["residual"], configs)
    others = make_trainers(DESIGNS["dense"], [CONFIG])
    assert [len(group.trainers) for group in find_groups([*together, *others])] == [3, 1]
    train_alone(alone)
    list(train_side_by_side([*together, *others], max_streams=1))
    assert len({len(each.history) for each in alone}) > 1
    assert_same(together, alone)
    assert others[0].is_finished


def open_checkpoints(trainers: Sequence[NetworkTrainer], folder: Path) -> list[Any]:
    return [
        module.Checkpoint(each, folder / f"{number}.safetensors", "")
        for number, each in enumerate(trainers)
    ]


def test_training_ends_in_time_and_resumes(tmp_path: Path) -> None:
    """Networks that have come to different epochs join again."""
    configs = [CONFIG.replace(seed=seed, averaging=0.9) for seed in range(3)]
    alone = make_trainers(DESIGNS["residual"], configs)
    train_alone(alone)
    first = make_trainers(DESIGNS["residual"], configs)
    next(first[1].epochs())
    assert [len(group.trainers) for group in find_groups(first)] == [2]
    list(train_side_by_side(first[:1], end=time.monotonic()))
    assert not first[0].history
    for _, epoch in train_side_by_side(first, checkpoints=open_checkpoints(first, tmp_path)):
        if epoch.number == 3:
            break
    resumed = make_trainers(DESIGNS["residual"], configs)
    open_checkpoints(resumed, tmp_path)
    assert sum(len(each.history) for each in resumed) >= 3
    assert not any(each.is_finished for each in resumed)
    list(train_side_by_side(resumed))
    assert_same(resumed, alone)


def test_a_network_that_diverges_leaves_the_others_alone() -> None:
    configs = [CONFIG.replace(seed=seed) for seed in range(2)]
    alone = make_trainers(DESIGNS["residual"], configs)
    together = make_trainers(DESIGNS["residual"], configs)
    train_alone(alone)
    with torch.no_grad():
        together[0].optimizer.model.get_parameter("first.weight").fill_(float("inf"))
    with pytest.raises(Diverged, match="network 0"):
        list(train_side_by_side(together))
    assert_same(together[1:], alone[1:])


def test_a_symmetric_network_is_trained_by_itself() -> None:
    from ludus.learn.nnmm.encoding import INPUT_MODELS

    design = NetworkConfig(architecture="symmetric", first=2, blocks=1)
    columns = INPUT_MODELS["rawest"].columns(0)

    def examples(seed: int) -> Examples:
        generator = torch.Generator().manual_seed(seed)
        inputs = torch.randint(0, 2, (80, columns.width), generator=generator, dtype=torch.uint8)
        return Examples(inputs, inputs[:, :5].sum(dim=1).long(), None, columns.permutations)

    config = CONFIG.replace(epochs=2)
    runs = [NetworkTrainer(design, config, examples(1), examples(2), name="s") for _ in range(2)]
    list(runs[0].epochs())
    assert len(list(train_side_by_side([runs[1]]))) == 2
    assert runs[0].history[-1].loss == runs[1].history[-1].loss


def test_masks_of_dropout_are_on_the_device_of_the_networks() -> None:
    """Shown without a GPU on torch's device without memory."""
    networks = [
        nn.Sequential(nn.Linear(4, 3), nn.Dropout(rate), nn.Linear(3, 2)).to("meta")
        for rate in (0.1, 0.5)
    ]
    masks = StackedNetworks(networks).find_mask_shapes(torch.zeros(2, 5, 4, device="meta"))
    assert {name: (mask.device.type, mask.shape) for name, mask in masks.items()} == {
        "1.mask": ("meta", (2, 5, 3))
    }
