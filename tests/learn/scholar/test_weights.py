"""From a training to a file to a player, and what becomes of files that are none."""

import dataclasses
import json

import numpy as np
import pytest
import torch
from safetensors.numpy import save as as_safetensors

import ludus
from ludus.cli.main import run
from ludus.core.errors import BadSpec, LudusWarning
from ludus.games.nine_mens_morris.batch import DRAW
from ludus.learn import fit
from ludus.learn.equivariant.group import GROUP_ORDER
from ludus.learn.scholar.chain_trainer import ChainTrainer
from ludus.learn.scholar.config import (
    BankConfig,
    DataMixture,
    ScholarConfig,
    ScorerConfig,
    load_preset,
)
from ludus.learn.scholar.encoding import FIRST_FLYING_EXPERT, NUM_EXPERTS
from ludus.learn.scholar.inference import (
    LONG_GAME_LOG2,
    OUTPUT_NAMES,
    Chain,
    Scorer,
    utility,
)
from ludus.learn.scholar.network import fit_ply_regression
from ludus.learn.scholar.player import ScholarOptions, ScholarPlayer
from ludus.learn.scholar.scorer_trainer import ExactTrainer
from ludus.learn.scholar.train import ScholarTraining
from ludus.learn.scholar.weights import (
    dequantize,
    load_weights,
    quantize,
    quantize_kernel,
)
from ludus.learn.weights import BadWeights
from support.repetition import repeat
from support.scholar import FOUR, random_weights, source_of

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def training():
    torch.set_num_threads(1)
    made = ExactTrainer(source_of(FOUR), load_preset("scorer", "tiny"), CPU)
    for _ in range(20):
        made.step(4e-3)
    return made


@pytest.fixture(scope="module")
def file(training, tmp_path_factory):
    path = tmp_path_factory.mktemp("scholar") / "scorer.safetensors"
    training.export({"size": "tiny"}).save(path)
    return path


@pytest.mark.parametrize("size", ["full", "small", "tiny"])
def test_presets_are_complete(size):
    scorer, chain = (load_preset(kind, size, seed=3) for kind in ("scorer", "chain"))
    assert scorer.experts()[-1].stop == NUM_EXPERTS
    assert FIRST_FLYING_EXPERT in {bank.upto for bank in scorer.banks}
    assert len(chain.channels) == len(chain.blocks) == 3
    for config in (scorer, chain):
        assert config.seed == 3
        assert config.mixture.oracle_games.play == DataMixture().oracle_games.play
        assert config.mixture.oracle_games.games >= config.mixture.noisy_games.games


@pytest.mark.parametrize("size", [1e3, 1, 1e-3, 1e-5, 1e-6])
def test_bytes_are_as_good_as_floats(size):
    """Also for weights so small that their scale has few bits in half precision."""
    weights = size * np.random.default_rng(1).normal(size=(3, 5, 64)).astype(np.float32)
    whole, scale = quantize(weights)
    error = np.abs(dequantize(whole, scale) - weights)
    steps = 250 if size > 1e-4 else 50
    assert (error <= np.abs(weights).max(axis=-1, keepdims=True) / steps).all()
    zeros, scale = quantize(np.zeros((2, 3), np.float32))
    assert not dequantize(zeros, scale).any()


def test_sums_over_the_group_survive_rounding():
    source = np.random.default_rng(2)
    kernel = source.normal(size=(16, 12, 10)).astype(np.float32)
    plain, kept = (dequantize(*rounding(kernel)) for rounding in (quantize, quantize_kernel))
    step = np.abs(kernel).max(axis=-1, keepdims=True) / 127
    assert (np.abs(kept - kernel) <= 1.01 * step).all()  # one of both neighbours
    before, after = (np.abs((each - kernel).sum(axis=0)).mean() for each in (plain, kept))
    assert after < before / 5
    assert np.std(kept - kernel) < 1.2 * np.std(plain - kernel)
    assert not quantize_kernel(np.zeros((16, 2, 3), np.float32))[0].any()


def test_the_player_judges_as_the_training_did(training, file):
    drawn = source_of(FOUR).sample_positions(500, 9)
    found = load_weights(file)
    assert found.trained == {"size": "tiny"}
    assert len(found.experts) == NUM_EXPERTS
    output = utility(Scorer(found).evaluate(drawn).probabilities, training.config.loss_aversion)
    expected = training.score(drawn.map(torch.as_tensor)).numpy()
    np.testing.assert_allclose(output, expected, atol=0.05)  # rounded to bytes
    assert np.std(output) > 0.05


def test_how_far_off_the_end_is_can_be_read_off_the_last_units():
    source = torch.Generator().manual_seed(1)
    seen = torch.rand(4000, GROUP_ORDER, 5, generator=source).mean(1)
    wanted = torch.tensor([[2.0, 0, -1, 0, 3], [0, 2.0, 0, 1, -1]])
    plies = 3 + seen @ wanted.T  # as logarithms, of losses and of wins
    is_win = torch.arange(4000) % 2
    values = 2 * (2 ** plies.gather(1, is_win[:, None])[:, 0] / 2).round() + is_win
    values[::10] = DRAW
    rows = fit_ply_regression(seen, values.to(torch.uint8))
    for result in (0, 1):
        output = seen.double() @ rows.weights[result] + rows.bias[result]
        error = (output - plies[:, result]).std()
        assert error < 0.3 * plies[:, result].std()


def test_the_file_says_how_far_off_the_end_is(training, file):
    """As the expert that has seen most of all would, to about a byte's precision."""
    expert = int(training.replay_buffer.num_added.argmax())
    rows = training.fit_plies(expert)
    kept = load_weights(file).expert_weights(expert)
    assert kept["last"].shape[0] == len(OUTPUT_NAMES)
    np.testing.assert_allclose(kept["last"][3:], rows.weights, atol=0.01 * rows.weights.abs().max())


def test_an_expert_that_has_seen_nothing_thinks_that_it_takes_long(training):
    rows = training.fit_plies(0)
    assert rows.bias.tolist() == [LONG_GAME_LOG2, LONG_GAME_LOG2]
    assert not rows.weights.any()


def test_banks_of_different_size_and_depth_become_one_player():
    """The first experts go through their blocks twice, the last ones are narrower."""
    torch.set_num_threads(1)
    banks = BankConfig(FIRST_FLYING_EXPERT, 8, 64, 1, repeats=2), BankConfig(NUM_EXPERTS, 6, 32, 1)
    course = dataclasses.replace(load_preset("scorer", "tiny"), banks=banks)
    training = ExactTrainer(source_of(FOUR), course, CPU)
    for _ in range(15):
        training.step(8e-3)
    weights = training.export({})
    seen = source_of(FOUR).sample_positions(300, 9)
    expected = training.score(seen.map(torch.as_tensor)).numpy()
    aversion = training.config.loss_aversion
    np.testing.assert_allclose(
        utility(Scorer(weights).evaluate(seen).probabilities, aversion), expected, atol=0.02
    )
    once = dataclasses.replace(weights, repeats=(1,) * NUM_EXPERTS)
    assert (
        np.abs(utility(Scorer(once).evaluate(seen).probabilities, aversion) - expected).max() > 0.05
    )


def _with(**metadata):
    return as_safetensors({"0/first": np.zeros((2, 3), np.float16)}, metadata)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 100,
        b"\xff" * 100,
        _with(),
        _with(ludus="no json"),
        _with(ludus="[]"),
        _with(ludus='{"format": 2}'),
        _with(ludus='{"format": 1}'),
        _with(ludus='{"format": 1, "kind": "nnmm"}'),
        as_safetensors(
            {"99/first": np.zeros(3, np.float16)},
            {"ludus": '{"format": 1, "kind": "scholar-scorer"}'},
        ),
        as_safetensors(
            {"0/first": np.zeros(3, np.int8)},
            {"ludus": '{"format": 1, "kind": "scholar-scorer"}'},
        ),
        as_safetensors(
            {"0/first": np.full(3, np.nan, np.float16)},
            {"ludus": '{"format": 1, "kind": "scholar-scorer"}'},
        ),
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path, content):
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(BadWeights) as error:
        load_weights(path)
    assert "\n" not in str(error.value)


def test_an_expert_that_is_no_network_is_refused(tmp_path):
    path = tmp_path / "x.safetensors"
    described = {"ludus": '{"format": 1, "kind": "scholar-scorer"}'}
    path.write_bytes(as_safetensors({"0/first": np.zeros((2, 3), np.float16)}, described))
    with pytest.raises(BadWeights):
        ScholarPlayer(ludus.game("nine_mens_morris"), ScholarOptions(weights=str(path)), "scholar")


@pytest.mark.parametrize("kind", ["scorer", "chain"])
def test_a_training_begins_with_the_networks_of_a_file(tmp_path, kind):
    torch.set_num_threads(1)
    source, file = source_of(FOUR), tmp_path / "x.safetensors"
    trainer = {"scorer": ExactTrainer, "chain": ChainTrainer}[kind]
    before = trainer(source, load_preset(kind, "tiny", seed=1), CPU)
    for _ in range(10):
        before.step(4e-3)
    before.export({}).save(file)
    config = ScholarConfig(kind=kind, size="tiny", seed=2, device="cpu")
    after = ScholarTraining(config, source)
    after.init_from(file)
    for networks in (after.trainer.optimizer.model, after.trainer.optimizer.ema_model):
        for ours, theirs in zip(
            networks.parameters(), before.optimizer.ema_model.parameters(), strict=True
        ):
            torch.testing.assert_close(ours, theirs, atol=0.02, rtol=0.02)  # rounded to bytes
    wider = trainer(source, _wider(load_preset(kind, "tiny")), CPU)
    with pytest.raises(BadWeights, match="of another size"):
        wider.init_from(load_weights(file))


def _wider(course):
    if isinstance(course, ScorerConfig):
        wider = tuple(dataclasses.replace(bank, channels=9) for bank in course.banks)
        return dataclasses.replace(course, banks=wider)
    return dataclasses.replace(course, channels=tuple(9 for _ in course.channels))


def test_other_networks_are_no_beginning(tmp_path):
    file = tmp_path / "chain.safetensors"
    random_weights("chain").save(file)
    with pytest.raises(BadWeights, match="scholar-chain, not a scholar-scorer"):
        ScholarTraining(ScholarConfig(size="tiny", device="cpu"), source_of(FOUR)).init_from(file)


@pytest.mark.parametrize("limit", [{"steps": 1000}, {"minutes": 1000 / 60}])
def test_the_rate_rises_and_falls(limit):
    config = ScholarConfig(size="tiny", rate=1.0, device="cpu", **limit)
    training = ScholarTraining(config, source_of(FOUR))
    rates = {}
    for steps in (0, 149, 500, 1000):
        training.trainer.optimizer.steps = steps
        rates[steps] = training.find_rate(seconds=float(steps))
    assert rates[0] == pytest.approx(1 / 300)
    assert rates[149] == pytest.approx(0.5, abs=0.05)
    assert rates[500] == pytest.approx(0.5)
    assert rates[1000] == pytest.approx(0.0)


ENDINGS = pytest.mark.filterwarnings("ignore:examples are endings alone")


def test_one_command_from_values_to_a_player(tmp_path, capsys):
    """Of the built-in endings alone: up to four men a side."""
    out, dataset = tmp_path / "s.safetensors", tmp_path / "states.txt"
    dataset.write_text("MMMOOOOOOOOOOOOOOOOOOEEE0033\nMMOOMOOOOOOOOOOOOOOEOOEE0033\n")
    command = ["train", "scholar", "--size", "tiny", "--steps", "3", "--out", str(out)]
    options = ["--evaluation-set", str(dataset), "--json", "--device", "cpu"]
    with pytest.warns(LudusWarning, match="examples are endings alone"):
        assert run([*command, *options]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["steps"] == 3
    assert report["exams"]["states"]["critical"] <= 2
    assert set(report["rounded"]) == {"states"}
    assert len(report["history"]) == 3
    assert report["history"][-1]["kept"].keys() == {"states"}
    assert load_weights(out).trained["steps"] == 3
    assert run(command) == 2  # never overwritten


@ENDINGS
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--kind", "x"], "scorer, chain"),
        (["--kind", "chain", "--teacher", "x"], "only a scorer"),
        (["--kind", "chain", "--distil", "x"], "only a scorer"),
        (["--teacher", "x", "--mistakes", "x"], "all that is learned"),
        (["--kind", "chain", "--size", "deep"], "no deep chain"),
        (["--optimizer", "sgd"], "adam, muon"),
        (["--weight-decay", "0.1"], "optimizer=muon"),
        (["--games", "5", "--size", "tiny"], "whole game"),
        (["--distil", "nowhere", "--size", "tiny"], "nowhere"),
        (["--mistakes", "nowhere", "--size", "tiny"], "nowhere"),
        (["--seed", "-1"], "seed"),
        (["--seed", "9" * 30], "seed"),
        (["--rate", "inf"], "rate"),
    ],
)
def test_trainings_that_cannot_be_are_refused(tmp_path, capsys, options, words):
    out = ["--out", str(tmp_path / "x"), "--device", "cpu"]
    assert run(["train", "scholar", *out, *options]) == 2
    (message,) = capsys.readouterr().err.strip().splitlines()
    assert words in message


def test_a_set_without_critical_positions_is_shown(tmp_path, capsys):
    dataset = tmp_path / "states.txt"
    dataset.write_text("OOEOMOOEMMOMEOOOOOOOOOEO0044\n")  # every move draws
    config = ScholarConfig(size="tiny", steps=1, device="cpu", evaluation_set=(dataset,))
    found = ScholarTraining(config, source_of(FOUR))
    fit(found)
    text = found.describe({**found.report(), "seconds": 1.0})
    assert "states: 0 critical positions" in text


def test_only_scorers_are_distilled(tmp_path):
    chain = tmp_path / "chain.safetensors"
    random_weights("chain").save(chain)
    with pytest.raises(BadSpec, match="holds no scorer"):
        ludus.train("scholar", distil=chain)


def test_the_chain_in_numpy_chooses_as_the_training_does(tmp_path):
    torch.set_num_threads(1)
    training = ChainTrainer(source_of(FOUR), load_preset("chain", "tiny"), CPU)
    for _ in range(repeat(4, 40)):
        training.step(8e-3)
    path = tmp_path / "chain.safetensors"
    training.export({}).save(path)
    chain = Chain(load_weights(path))
    positions = source_of(FOUR).sample_positions(repeat(60, 300), 9)
    chosen = chain.choose(positions)
    packed = (chosen.choices << np.array([0, 8, 16])).sum(axis=1)
    expected = training.moves(positions.map(torch.as_tensor)).numpy()
    assert (packed == expected).mean() > 0.9  # rounded to bytes, some choices are close calls
    output = chain.probabilities_along(positions, chosen.choices)
    np.testing.assert_allclose(output, chosen.probabilities, rtol=1e-4, atol=1e-6)
    ranked = chain.score_moves(positions, np.arange(len(positions)), chosen.choices)
    np.testing.assert_allclose(ranked.probabilities, chosen.probabilities.max(axis=2), rtol=1e-4)
    assert (ranked.best_choices == chosen.choices).all()
    with pytest.raises(BadWeights):
        Scorer(load_weights(path))
