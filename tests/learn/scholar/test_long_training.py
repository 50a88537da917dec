"""Training over several sessions: dead experts, deeper networks, hard examples, distillation."""

import json
import threading
from dataclasses import replace

import numpy as np
import pytest
import torch

from ludus.cli.main import run
from ludus.core.errors import LudusError
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.common.checkpoint import load_checkpoint, optimizer_tensors
from ludus.learn.common.weights import BadWeights
from ludus.learn.scholar import scorer_training
from ludus.learn.scholar.chain_training import ChainConfig, ChainTraining
from ludus.learn.scholar.encoding import NUM_EXPERTS
from ludus.learn.scholar.exceptions import Exceptions, save_exceptions
from ludus.learn.scholar.revival import find_dead_experts, revive_experts
from ludus.learn.scholar.scorer_training import (
    DistillationTraining,
    ExpertBank,
    ScorerConfig,
    ScorerTraining,
)
from ludus.learn.scholar.train import (
    Trainer,
    TrainingSchedule,
    export_weights,
    load_initial_weights,
    load_scorer_preset,
)
from ludus.learn.scholar.training_data import NO_ERROR, DataMixture, find_errors
from support.scholar_games import FOUR, source_of
from support.scholar_weights import random_weights

CPU = torch.device("cpu")
FEW = DataMixture(
    drawn=300,
    free=replace(DataMixture().free, games=60),
    wild=replace(DataMixture().wild, games=30),
    sound=replace(DataMixture().sound, games=30),
)
SMALL = {"buffer_size": 1024, "rounds_ahead": 2, "steps_a_round": 4, "mixture": FEW}


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def scorer_config(blocks=1, **changes):
    banks = (ExpertBank(13, 4, 16, blocks), ExpertBank(NUM_EXPERTS, 6, 16, blocks))
    return ScorerConfig(banks=banks, **{**SMALL, **changes})


def make_scorer(blocks=1, **changes):
    return ScorerTraining(source_of(FOUR), scorer_config(blocks, **changes), CPU)


def kill(network, expert):
    """Give an expert biases that leave none of its units positive."""
    with torch.no_grad():
        network.first_bias[expert] = -1000.0


def test_a_dead_expert_of_a_chain_learns_again():
    """Its gradients are zero, so without help it would predict the same for ever."""
    config = ChainConfig(channels=(4, 4, 4), blocks=(1, 1, 1), batch=16, **SMALL)
    training = ChainTraining(source_of(FOUR), config, CPU)
    training.step(1e-3)
    take = list(training.optimizer.model.children())[2]
    kill(take, 10)
    training.step(1e-3)
    assert take.blocks[0].layer1.grad[10].abs().max() == 0
    assert take.blocks[0].layer2.grad[9].abs().max() > 0
    training.revive_dead_experts()
    assert (2, "take", 10, 9) in training.revived
    for name, parameter in take.named_parameters():
        torch.testing.assert_close(parameter[10], parameter[9], msg=name)
    averaged = list(training.optimizer.ema_model.children())[2]
    torch.testing.assert_close(averaged.first_bias[10], averaged.first_bias[9])
    training.step(1e-3)
    assert take.blocks[0].layer2.grad[10].abs().max() > 0


@pytest.mark.parametrize("optimizer", ["adam", "muon"])
def test_dead_experts_are_found_while_training(monkeypatch, optimizer):
    monkeypatch.setattr(scorer_training, "CHECK_INTERVAL", 3)
    training = make_scorer(optimizer=optimizer)
    kill(list(training.optimizer.model.children())[1], 4)
    for _ in range(2):
        training.step(1e-3)
    assert not training.revived
    training.step(1e-3)
    assert (2, 13 + 4) in [revived[:2] for revived in training.revived]
    batch = training.replay_buffer.sample(32, slice(13, NUM_EXPERTS))
    features = training.encoder.encode(PositionBatch(*batch[:4]))
    assert find_dead_experts(list(training.optimizer.model.children())[1], features) == []


def test_if_all_experts_are_dead_none_is_copied():
    training = make_scorer()
    assert revive_experts(training.optimizer, 0, list(range(13))) == []


def test_a_deeper_network_begins_with_the_predictions_of_a_shallow_one():
    shallow = make_scorer()
    for _ in range(3):
        shallow.step(5e-3)
    weights = export_weights(shallow, {})
    again, deep = make_scorer(seed=2), make_scorer(blocks=3, seed=3)
    for training in (again, deep):
        load_initial_weights(training, weights)
    positions = source_of(FOUR).sample_positions(200, 3).map(torch.as_tensor)
    torch.testing.assert_close(deep.score(positions), again.score(positions))
    before = deep.score(positions)
    deep.step(5e-3)
    new = next(iter(deep.optimizer.model.children())).blocks[2]
    assert new.layer2.grad.abs().max() > 0
    assert (deep.score(positions) != before).any()
    with pytest.raises(BadWeights, match="larger"):
        load_initial_weights(make_scorer(), export_weights(deep, {}))


def test_a_compact_checkpoint_goes_on_in_another_session(tmp_path):
    file, schedule = tmp_path / "state", TrainingSchedule(1e9, 5e-3, warmup=2)
    first = Trainer(make_scorer(), schedule, is_compact=True)
    for _ in range(3):
        first.training.step(5e-3)
    first.seconds, first.history = 7.0, [{"seconds": 7.0}]
    first.save_checkpoint(file)
    about, parts = load_checkpoint(file)
    assert about["steps"] == 3
    assert {str(each.dtype) for part in parts.values() for each in part.values()} == {
        "torch.float16"
    }
    second = Trainer(make_scorer(), schedule, file, is_compact=True)
    assert (second.seconds, second.history) == (7.0, [{"seconds": 7.0}])
    assert second.training.optimizer.steps == second.warm_since == 3
    assert second.training.generator.rounds > first.training.generator.rounds
    for old, new, averaged in zip(
        first.training.optimizer.ema_model.parameters(),
        second.training.optimizer.model.parameters(),
        second.training.optimizer.ema_model.parameters(),
        strict=True,
    ):
        torch.testing.assert_close(new, old.half().float())
        torch.testing.assert_close(averaged, new)


def test_a_session_ends_before_the_schedule_does():
    trainer = Trainer(make_scorer(), TrainingSchedule(1e9, report_seconds=1e9))
    assert list(trainer.run(seconds=1e-6)) == []
    assert 0 < trainer.seconds < 1e9
    assert trainer.training.optimizer.steps == 1


def test_mined_positions_are_trained_on():
    training = make_scorer()
    source, added = source_of(FOUR), []
    training.generator.mined = source.sample_positions(5, 8)
    training.generator.add_examples = lambda examples, error: added.append(examples)
    training.generator.generate(self_play=True)
    assert [len(examples) for examples in added] == [300, 18]
    assert set(added[1].positions.keys()) <= set(training.generator.mined.keys())
    examples = source.examples(source.sample_positions(100, 9))
    errors = find_errors(examples, training.choose(examples))
    keeps = examples.keeps_value[np.arange(100), errors.clamp(min=0)]
    assert not keeps[errors.numpy() != NO_ERROR].any()
    made, experts = training.make_examples(examples, errors)
    assert len(made.own) == len(experts) > 0


def test_rounds_that_a_thread_generates_are_those_of_the_training_without_one():
    """The thread begins after some steps, and rounds that nobody needs are dropped at the end."""

    def run(is_threaded):
        training = make_scorer(steps_a_round=2)
        generator = training.generator
        generator.is_threaded = is_threaded
        # Random numbers are drawn by both threads, so the networks' choices are left out here.
        generator.generate = lambda self_play: rounds.append(self_play) or []
        rounds = []
        names = set()
        for steps in range(2 * 8):
            generator.prepare_step(steps)
            names |= {thread.name for thread in threading.enumerate()}
        generator.close()
        assert "prefetch" not in {thread.name for thread in threading.enumerate()}
        assert ("prefetch" in names) == is_threaded
        return rounds

    alone, ahead = run(False), run(True)
    assert alone == [True, False] * 4
    assert ahead[:8] == alone
    assert len(ahead) > 8


def test_training_with_a_thread_learns_and_goes_on_after_a_pause():
    training = make_scorer()
    training.generator.is_threaded = True
    generate, names = training.generator.generate, set()

    def note_thread(self_play):
        names.add(threading.current_thread().name)
        return generate(self_play)

    training.generator.generate = note_thread
    before = int(training.replay_buffer.num_added.sum())
    trainer = Trainer(training, TrainingSchedule(1e9, report_seconds=1e9))
    for _ in range(2):
        while training.optimizer.steps < 16:
            list(trainer.run(seconds=0.05))
        training.optimizer.steps = 0
    assert int(training.replay_buffer.num_added.sum()) > before
    assert "prefetch" in names
    assert "prefetch" not in {thread.name for thread in threading.enumerate()}


def test_a_small_scorer_learns_from_a_large_one():
    """With the teacher's probabilities alone, the student predicts what the teacher does."""
    training = DistillationTraining(
        source_of(FOUR), scorer_config(averaging=0.5), CPU, random_weights("scorer")
    )
    losses = [float(training.step(1e-2).mean()) for _ in range(16)]
    assert np.mean(losses[-4:]) < 0.95 * np.mean(losses[:4])
    exported = export_weights(training, {})
    assert len(exported.experts[0]["first"]) == 4


@pytest.mark.parametrize(
    ("size", "megabytes"), [("full", 32), ("medium", 16), ("deep", 32), ("compact", 2)]
)
def test_sizes_of_scorers(size, megabytes):
    config = load_scorer_preset(size, 1)
    numbers = 0
    for bank, experts in zip(config.banks, config.experts(), strict=True):
        group = 16 * bank.channels * (bank.channels + 2)
        numbers += len(experts) * (bank.channels * 348 + 2 * bank.blocks * group)
    assert 0.5 * megabytes < numbers / 1e6 < megabytes


@pytest.mark.parametrize(
    ("optimizer", "more"),
    [("adam", []), ("muon", ["--ahead", "--weight-decay", "0.1"])],
    ids=["adam", "muon, ahead"],
)
def test_the_same_command_goes_on_where_a_session_ended(tmp_path, capsys, optimizer, more):
    """Of the built-in endings alone; the positions to train on more often are two of them."""
    out, mistakes = tmp_path / "s.safetensors", tmp_path / "m.exceptions"
    endings = source_of(FOUR).sample_positions(2, 1, [(3, 3, 0, 0)])
    keys = np.sort(endings.find_canonical()[0])
    save_exceptions(mistakes, Exceptions(keys, np.zeros(2, np.int32), "", 400.0, {}))
    command = ["train", "scholar", "--size", "tiny", "--session", "0.01", "--device", "cpu"]
    command += ["--out", str(out), "--mistakes", str(mistakes), "--compact", "--json"]
    command += ["--optimizer", optimizer, *more]
    assert run([*command, "--minutes", "999"]) == 0
    shown = capsys.readouterr()
    assert "goes on" in shown.err
    first = json.loads(shown.out)
    assert first["optimizer"] == optimizer
    assert not out.exists()
    assert first["out"] == f"{out}.unfinished"
    assert run([*command, "--minutes", "0.01"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert (second["steps"], second["seconds"]) == (first["steps"], first["seconds"])
    assert out.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--optimizer", "sgd"],
        ["--optimizer", "adam", "--weight-decay", "0.1"],
        ["--way", "chain", "--size", "deep"],
        ["--way", "chain", "--distil", "x"],
        ["--distil", "nowhere", "--size", "tiny"],
        ["--mistakes", "nowhere", "--size", "tiny"],
    ],
)
def test_trainings_that_cannot_be_are_refused(tmp_path, capsys, arguments):
    command = ["train", "scholar", "--device", "cpu", "--out", str(tmp_path / "x"), *arguments]
    assert run(command) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_checkpoints_name_the_optimizer_unless_it_is_adam(tmp_path):
    """Checkpoints from before there was a choice must resume, and only with Adam."""
    file, schedule = tmp_path / "state", TrainingSchedule(1.0)
    training = make_scorer()
    training.step(1e-3)
    Trainer(training, schedule).save_checkpoint(file)
    assert b"optimizer" not in file.read_bytes()
    Trainer(make_scorer(), schedule, file)
    with pytest.raises(LudusError, match="another training run"):
        Trainer(make_scorer(optimizer="muon"), schedule, file)


def test_training_with_muon_goes_on_exactly(tmp_path):
    file, schedule = tmp_path / "state", TrainingSchedule(1.0)
    training = make_scorer(optimizer="muon")
    training.step(1e-3)
    Trainer(training, schedule).save_checkpoint(file)
    resumed = make_scorer(optimizer="muon")
    Trainer(resumed, schedule, file)
    before, after = (optimizer_tensors(each.optimizer.adam) for each in (training, resumed))
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
