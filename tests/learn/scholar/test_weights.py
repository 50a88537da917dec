"""From a training to a file to a player, and what becomes of files that are none."""

import dataclasses
import json

import numpy as np
import pytest
import torch
from safetensors.numpy import save as as_safetensors

import ludus
from ludus.cli.main import run
from ludus.games.nine_mens_morris.batch import DRAW
from ludus.learn.common.checkpoint import BadCheckpoint
from ludus.learn.common.weights import BadWeights
from ludus.learn.equivariant.group import GROUP_ORDER
from ludus.learn.scholar import model
from ludus.learn.scholar.chain_training import ChainTraining
from ludus.learn.scholar.encoding import FIRST_FLYING_EXPERT, NUM_EXPERTS
from ludus.learn.scholar.inference import (
    LONG_GAME_LOG2,
    OUTPUT_NAMES,
    Chain,
    Scorer,
    utility,
)
from ludus.learn.scholar.player import ScholarOptions, ScholarPlayer
from ludus.learn.scholar.scorer_training import ExpertBank, ScorerConfig, ScorerTraining
from ludus.learn.scholar.train import (
    Trainer,
    TrainingSchedule,
    export_weights,
    load_chain_preset,
    load_initial_weights,
    load_scorer_preset,
)
from ludus.learn.scholar.training_data import DataMixture
from ludus.learn.scholar.weights import (
    dequantize,
    load_weights,
    quantize,
    quantize_kernel,
    save_weights,
)
from support.repetition import repeat
from support.scholar_games import FOUR, source_of
from support.scholar_weights import random_weights

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def training():
    torch.set_num_threads(1)
    made = ScorerTraining(source_of(FOUR), load_scorer_preset("tiny", 1), CPU)
    for _ in range(20):
        made.step(4e-3)
    return made


@pytest.fixture(scope="module")
def file(training, tmp_path_factory):
    path = tmp_path_factory.mktemp("scholar") / "scorer.safetensors"
    save_weights(path, export_weights(training, {"size": "tiny"}))
    return path


@pytest.mark.parametrize("size", ["full", "small", "tiny"])
def test_presets_are_complete(size):
    scorer, chain = load_scorer_preset(size, 3), load_chain_preset(size, 3)
    assert scorer.experts()[-1].stop == NUM_EXPERTS
    assert FIRST_FLYING_EXPERT in {bank.upto for bank in scorer.banks}
    assert len(chain.channels) == len(chain.blocks) == 3
    for config in (scorer, chain):
        assert config.seed == 3
        assert config.mixture.free.max_plies == DataMixture().free.max_plies
        assert config.mixture.free.games >= config.mixture.wild.games


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
    output = utility(Scorer(found).evaluate(drawn).probabilities, training.config.care)
    expected = training.score(drawn.map(torch.as_tensor)).numpy()
    np.testing.assert_allclose(output, expected, atol=0.05)  # rounded to bytes
    assert np.std(output) > 0.05


def test_how_far_off_the_end_is_can_be_read_off_the_last_units():
    source = torch.Generator().manual_seed(1)
    units = torch.rand(4000, GROUP_ORDER * 5, generator=source)
    seen = units.reshape(4000, GROUP_ORDER, 5).mean(1)
    wanted = torch.tensor([[2.0, 0, -1, 0, 3], [0, 2.0, 0, 1, -1]])
    plies = 3 + seen @ wanted.T  # as logarithms, of losses and of wins
    is_win = torch.arange(4000) % 2
    values = 2 * (2 ** plies.gather(1, is_win[:, None])[:, 0] / 2).round() + is_win
    values[::10] = DRAW
    rows = model.fit_ply_regression(units, values.to(torch.uint8))
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
    banks = ExpertBank(FIRST_FLYING_EXPERT, 8, 64, 1, repeats=2), ExpertBank(NUM_EXPERTS, 6, 32, 1)
    course = dataclasses.replace(load_scorer_preset("tiny", 1), banks=banks)
    training = ScorerTraining(source_of(FOUR), course, CPU)
    for _ in range(15):
        training.step(8e-3)
    weights = export_weights(training, {})
    seen = source_of(FOUR).sample_positions(300, 9)
    expected = training.score(seen.map(torch.as_tensor)).numpy()
    care = training.config.care
    np.testing.assert_allclose(
        utility(Scorer(weights).evaluate(seen).probabilities, care), expected, atol=0.02
    )
    once = dataclasses.replace(weights, repeats=(1,) * NUM_EXPERTS)
    assert np.abs(utility(Scorer(once).evaluate(seen).probabilities, care) - expected).max() > 0.05


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


@pytest.mark.parametrize(
    ("kind", "load_preset"),
    [(ScorerTraining, load_scorer_preset), (ChainTraining, load_chain_preset)],
)
def test_a_training_begins_with_the_networks_of_a_file(tmp_path, kind, load_preset):
    torch.set_num_threads(1)
    source, file = source_of(FOUR), tmp_path / "x.safetensors"
    before = kind(source, load_preset("tiny", 1), CPU)
    for _ in range(10):
        before.step(4e-3)
    save_weights(file, export_weights(before, {}))
    after = kind(source, load_preset("tiny", 2), CPU)
    load_initial_weights(after, load_weights(file))
    for networks in (after.optimizer.model, after.optimizer.ema_model):
        for ours, theirs in zip(
            networks.parameters(), before.optimizer.ema_model.parameters(), strict=True
        ):
            torch.testing.assert_close(ours, theirs, atol=0.02, rtol=0.02)  # rounded to bytes
    with pytest.raises(BadWeights):
        load_initial_weights(kind(source, _wider(load_preset("tiny", 1)), CPU), load_weights(file))


def _wider(course):
    if isinstance(course, ScorerConfig):
        wider = tuple(dataclasses.replace(bank, channels=9) for bank in course.banks)
        return dataclasses.replace(course, banks=wider)
    return dataclasses.replace(course, channels=tuple(9 for _ in course.channels))


@pytest.mark.parametrize(
    ("kind", "load_preset"),
    [(ScorerTraining, load_scorer_preset), (ChainTraining, load_chain_preset)],
)
def test_a_training_goes_on_where_it_stopped(tmp_path, kind, load_preset):
    torch.set_num_threads(1)
    file = tmp_path / "state"
    first = Trainer(
        kind(source_of(FOUR), load_preset("tiny", 1), CPU),
        TrainingSchedule(0.5, checkpoint_seconds=0.1),
        file,
    )
    list(first.run())
    first.log({"seconds": 0.2})
    first.save_checkpoint(file)
    again = Trainer(kind(source_of(FOUR), load_preset("tiny", 1), CPU), TrainingSchedule(0.5), file)
    assert again.seconds == first.seconds
    assert again.history == [{"seconds": 0.2}]
    assert again.training.optimizer.steps == first.training.optimizer.steps > 0
    for ours, theirs in zip(
        again.training.optimizer.ema_model.parameters(),
        first.training.optimizer.ema_model.parameters(),
        strict=True,
    ):
        assert torch.equal(ours, theirs)
    assert list(again.run()) == []  # the term is over
    with pytest.raises(BadCheckpoint):
        Trainer(kind(source_of(FOUR), load_preset("tiny", 2), CPU), TrainingSchedule(1), file)


def test_the_rate_rises_and_falls():
    term = TrainingSchedule(100, learning_rate=1.0, warmup=10)
    assert term.learning_rate_at(0, 0) == pytest.approx(0.1)
    assert term.learning_rate_at(0, 10) == pytest.approx(1.0)
    assert term.learning_rate_at(50, 500) == pytest.approx(0.5)
    assert term.learning_rate_at(100, 900) == pytest.approx(0.0)


def test_one_command_from_values_to_a_player(tmp_path, capsys):
    """Of the built-in endings alone: up to four men a side."""
    out, exam = tmp_path / "s.safetensors", tmp_path / "exam.txt"
    exam.write_text("MMMOOOOOOOOOOOOOOOOOOEEE0033\nMMOOMOOOOOOOOOOOOOOEOOEE0033\n")
    command = ["train", "scholar", "--size", "tiny", "--minutes", "0.02", "--out", str(out)]
    assert run([*command, "--exam", str(exam), "--json", "--device", "cpu"]) == 0
    printed = capsys.readouterr()
    assert "examples are endings alone" in printed.err
    report = json.loads(printed.out)
    assert report["steps"] > 0
    assert report["exams"]["exam"]["critical"] <= 2
    assert set(report["rounded"]) == {"exam"}
    assert load_weights(out).trained["steps"] == report["steps"]
    assert run(command) == 2  # never overwritten
    other = ["train", "scholar", "--out", str(tmp_path / "y")]
    assert run([*other, "--way", "x"]) == 2
    assert run([*other, "--way", "chain", "--teacher", str(exam)]) == 2
    assert run([*other, "--games", "5", "--device", "cpu", "--size", "tiny"]) == 2
    assert "whole game" in capsys.readouterr().err


def test_an_exam_without_critical_positions_is_shown(tmp_path, capsys):
    exam = tmp_path / "exam.txt"
    exam.write_text("OOEOMOOEMMOMEOOOOOOOOOEO0044\n")  # every move draws
    command = ["train", "scholar", "--size", "tiny", "--minutes", "0.02", "--device", "cpu"]
    assert run([*command, "--exam", str(exam), "--out", str(tmp_path / "s.safetensors")]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["exam", "0"]


@pytest.mark.parametrize(
    ("option", "value"), [("--seed", "-1"), ("--seed", "9" * 30), ("--rate", "inf")]
)
def test_numbers_that_no_training_can_use_are_refused(tmp_path, capsys, option, value):
    out = tmp_path / "scholar.safetensors"
    assert run(["train", "scholar", "--out", str(out), option, value]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"ludus: Invalid value for '{option}'")
    assert message.count("\n") == 1


def test_only_scorers_are_distilled(tmp_path, capsys):
    chain, out = tmp_path / "chain.safetensors", tmp_path / "scholar.safetensors"
    save_weights(chain, random_weights("chain"))
    assert run(["train", "scholar", "--out", str(out), "--distil", str(chain)]) == 2
    assert "holds no scorer" in capsys.readouterr().err


def test_the_chain_in_numpy_chooses_as_the_training_does(tmp_path):
    torch.set_num_threads(1)
    training = ChainTraining(source_of(FOUR), load_chain_preset("tiny", 1), CPU)
    for _ in range(repeat(4, 40)):
        training.step(8e-3)
    path = tmp_path / "chain.safetensors"
    save_weights(path, export_weights(training, {}))
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
