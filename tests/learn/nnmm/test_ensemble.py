"""Members that differ, and networks one after another: torch and numpy choose alike."""

from functools import cache

import numpy as np
import pytest
import torch

from ludus.core.errors import LudusError
from ludus.datasets.morris.augmentation import augment
from ludus.learn.nnmm.chain import NetworkChain
from ludus.learn.nnmm.chain_trainer import (
    NetworkChainTrainer,
    compute_boosting_weights,
    predict_classes,
    sample_member_examples,
)
from ludus.learn.nnmm.config import Hyperparameters, NetworkConfig, Preset
from ludus.learn.nnmm.data import EncodedEntries, group_symmetric_entries, split_entries
from ludus.learn.nnmm.network_trainer import NetworkTrainer
from ludus.learn.nnmm.parts import points_to_classes
from ludus.learn.nnmm.weights import load_weights, save_weights
from support.nnmm import CPU, examples, teacher_moves

ENTRIES = augment(teacher_moves(), "published")
EXAMPLES = examples(ENTRIES)
SMALL = NetworkConfig(architecture="residual", first=24, units=24, blocks=1)
QUICK = Hyperparameters(annealing="cosine", learning_rate=0.01, batch=250, epochs=2)


def trained(preset: Preset, parts: tuple[str, ...] = ()) -> NetworkChainTrainer:
    run = NetworkChainTrainer(
        preset, split_entries(teacher_moves(), "entries", "published"), CPU, parts
    )
    for _ in run.epochs():
        pass
    return run


@cache
def make_network(seed: int) -> torch.nn.Module:
    """Return a network trained for one epoch."""
    training = NetworkTrainer(SMALL, QUICK.replace(seed=seed), EXAMPLES, EXAMPLES)
    next(training.epochs())
    return training.best_network()


def test_a_bag_holds_all_images_of_an_entry_or_none():
    numbered = type(EXAMPLES)(torch.arange(len(ENTRIES))[:, None], EXAMPLES.targets, None)
    bag = sample_member_examples("bagging", numbered, ENTRIES, [], seed=3)
    times = np.bincount(bag.inputs[:, 0], minlength=len(ENTRIES))
    group, number = group_symmetric_entries(ENTRIES)
    of_group = np.zeros(number, dtype=int)
    of_group[group] = times
    assert np.array_equal(of_group[group], times)
    assert of_group.sum() == number
    # Drawing with replacement leaves out about 1/e of them.
    assert (of_group == 0).mean() == pytest.approx(np.exp(-1), abs=0.06)
    other = sample_member_examples("bagging", numbered, ENTRIES, [make_network(1)], seed=3)
    assert not torch.equal(bag.inputs[:1000], other.inputs[:1000])


def test_after_boosting_a_member_is_as_good_as_guessing():
    """What SAMME is made for: by the new weights the member is right once in 25 times."""
    for network in (make_network(1), make_network(2)):
        weights = compute_boosting_weights(EXAMPLES, [network])
        assert weights.sum().item() == pytest.approx(1)
        is_right = network(EXAMPLES.inputs.float()).argmax(dim=1) == EXAMPLES.targets
        assert weights[is_right].sum().item() == pytest.approx(1 / 25, abs=1e-3)


def test_boosting_shows_more_of_what_went_wrong():
    drawn = sample_member_examples("boosting", EXAMPLES, ENTRIES, [make_network(1)], seed=1)
    assert len(drawn) == len(EXAMPLES)
    is_right = make_network(1)(drawn.inputs.float()).argmax(dim=1) == drawn.targets
    assert is_right.float().mean().item() == pytest.approx(1 / 25, abs=0.01)
    assert sample_member_examples("boosting", EXAMPLES, ENTRIES, [], seed=1) is EXAMPLES


def test_other_seeds_see_the_same():
    assert sample_member_examples("seeds", EXAMPLES, ENTRIES, [make_network(1)], seed=1) is EXAMPLES


@pytest.mark.parametrize(
    ("order", "inputs"),
    [
        pytest.param("TFR", "rawest", marks=pytest.mark.slow),
        pytest.param("TFR", "integer", marks=pytest.mark.slow),
        pytest.param("RFT5", "rawest", marks=pytest.mark.slow),
        ("RFT5", "integer"),
    ],
)
def test_torch_chooses_what_numpy_chooses(order, inputs, tmp_path):
    preset = Preset(order=order, inputs=inputs, members=2, design=SMALL, training=QUICK)
    run = trained(preset)
    save_weights(tmp_path / "x.safetensors", run.build_weights({}))
    positions = ENTRIES[::7]
    members = [
        [run.results[step.name, member].network for step in preset.steps] for member in range(2)
    ]
    ours = predict_classes(members, EncodedEntries.encode(positions, preset.model), run.order, CPU)
    theirs = NetworkChain.load(tmp_path / "x.safetensors").predict(positions).classes
    assert (ours == theirs).all(axis=1).mean() > 0.999  # but for ties by rounding
    assert (ours[:, 0] != 0).any()


@pytest.mark.parametrize("ensemble", ["seeds", "bagging", "boosting"])
def test_members_differ(ensemble):
    preset = Preset(members=2, ensemble=ensemble, design=SMALL, training=QUICK)
    run = trained(preset, ("REMOVE",))
    first, second = (run.results["REMOVE", member] for member in range(2))
    assert not np.array_equal(first.weights["first.weight"], second.weights["first.weight"])
    assert min(first.validation, second.validation) > 0.1
    assert not run.is_complete


def test_accuracy_in_pipeline_is_what_the_chain_gets_right(tmp_path):
    run = trained(Preset(design=SMALL, training=QUICK))
    save_weights(tmp_path / "x.safetensors", run.build_weights({"seed": 0}))
    found = NetworkChain.load(tmp_path / "x.safetensors").predict(run.split.test).classes
    is_right = found == points_to_classes(run.split.test.points)
    accuracy = run.compute_accuracy()
    assert accuracy["move"] == pytest.approx(is_right.all(axis=1).mean(), abs=0.002)
    assert accuracy["FROM"] == pytest.approx(is_right[:, 1].mean(), abs=0.002)
    # The first network is by itself what it is in pipeline.
    assert accuracy["TO"] == pytest.approx(run.results["TO", 0].test, abs=0.002)
    assert load_weights(tmp_path / "x.safetensors").trained == {"seed": 0}


def test_where_presence_is_a_class_the_point_is_learned_from_moves_that_have_one():
    preset = Preset(order="TFR5", design=SMALL, training=QUICK)
    coded = EncodedEntries.encode(ENTRIES, preset.model)
    for step in preset.steps:
        found = coded.build_examples(step, True, CPU)
        true = points_to_classes(ENTRIES.points)[:, step.part]
        if step.predicts_presence:
            assert found.targets.tolist() == (true != 0).tolist()
        elif step.name != "TO":
            assert found.targets.tolist() == true[true != 0].tolist()


def test_the_legality_term_makes_networks_lawful():
    """After the same number of epochs less probability is on what the rules forbid."""
    masses = []
    for legality in (0.0, 10.0):
        settings = Hyperparameters(batch=250, epochs=2, legality=legality)
        run = trained(Preset(design=SMALL, training=settings), ("TO",))
        coded = EncodedEntries.encode(run.split.validation, run.preset.model, run.order)
        tested = coded.build_examples(run.preset.steps[0], False, CPU)
        scores = run.results["TO", 0].network(tested.inputs.float())
        legal = tested.legal[:, None] >> torch.arange(25) & 1
        masses.append((scores.softmax(dim=1) * (1 - legal)).sum(dim=1).mean().item())
    assert masses[1] < masses[0]


def test_an_unknown_part_is_refused():
    parts = split_entries(teacher_moves(), "entries", "published")
    with pytest.raises(LudusError, match="there is no network 'FROM\\?'"):
        NetworkChainTrainer(Preset(), parts, CPU, ["FROM?"])
