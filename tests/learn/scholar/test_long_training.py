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
from ludus.learn import fit
from ludus.learn.scholar import trainer
from ludus.learn.scholar.chain_trainer import ChainTrainer
from ludus.learn.scholar.config import (
    BankConfig,
    ChainConfig,
    DataMixture,
    ScholarConfig,
    ScorerConfig,
    load_preset,
)
from ludus.learn.scholar.data import NO_ERROR, find_errors
from ludus.learn.scholar.encoding import NUM_EXPERTS
from ludus.learn.scholar.exceptions import Exceptions, save_exceptions
from ludus.learn.scholar.inference import IntegerScorer, Scorer, group_by_expert
from ludus.learn.scholar.network import find_dead_experts, revive_experts
from ludus.learn.scholar.scorer_trainer import DistillationTrainer, ExactTrainer
from ludus.learn.scholar.train import ScholarTraining
from ludus.learn.weights import BadWeights
from support.scholar import FOUR, random_integers, random_weights, source_of

CPU = torch.device("cpu")
FEW = DataMixture(
    random_positions=300,
    oracle_games=replace(DataMixture().oracle_games, games=60),
    noisy_games=replace(DataMixture().noisy_games, games=30),
    perfect_games=replace(DataMixture().perfect_games, games=30),
)
SMALL = {"buffer_size": 1024, "rounds_ahead": 2, "steps_a_round": 4, "mixture": FEW}


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def scorer_config(blocks=1, **changes):
    banks = (BankConfig(13, 4, 16, blocks), BankConfig(NUM_EXPERTS, 6, 16, blocks))
    return ScorerConfig(banks=banks, **{**SMALL, **changes})


def make_scorer(blocks=1, **changes):
    return ExactTrainer(source_of(FOUR), scorer_config(blocks, **changes), CPU)


def kill(network, expert):
    """Give an expert biases that leave none of its units positive."""
    with torch.no_grad():
        network.first_bias[expert] = -1000.0


def test_a_dead_expert_of_a_chain_learns_again():
    """Its gradients are zero, so without help it would predict the same for ever."""
    config = ChainConfig(channels=(4, 4, 4), blocks=(1, 1, 1), batch=16, **SMALL)
    training = ChainTrainer(source_of(FOUR), config, CPU)
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
    monkeypatch.setattr(trainer, "CHECK_INTERVAL", 3)
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


def test_an_expert_that_jumps_gets_its_best_weights_back(monkeypatch):
    monkeypatch.setattr(trainer, "CHECK_INTERVAL", 2)
    training = make_scorer(integers=True, averaging=0.5)
    for _ in range(6):
        training.step(1e-3)
    assert not training.restored
    bank = list(training.optimizer.model.children())[1]
    averaged = list(training.optimizer.ema_model.children())[1]
    good = training._find_losses(1, averaged)
    with torch.no_grad():
        bank.last[4] = 50.0 * torch.randn_like(bank.last[4])
        bank.last[5] = torch.nan
    others = [each[:4].clone() for each in averaged.parameters()]
    training.step(0.0)
    training.restore_experts()
    assert {expert for _, expert in training.restored} == {13 + 4, 13 + 5}
    found = training._find_losses(1, averaged)
    assert (found[4:6] <= 1.01 * good[4:6]).all()
    for network in (bank, averaged):
        assert all(each.isfinite().all() for each in network.parameters())
    moved = zip(others, averaged.parameters(), strict=True)
    assert any(not torch.equal(one, other[:4]) for one, other in moved), "the others go on"


def test_if_all_experts_are_dead_none_is_copied():
    training = make_scorer()
    assert revive_experts(training.optimizer, 0, list(range(13))) == []


def test_a_deeper_network_begins_with_the_predictions_of_a_shallow_one():
    shallow = make_scorer()
    for _ in range(3):
        shallow.step(5e-3)
    weights = shallow.export({})
    again, deep = make_scorer(seed=2), make_scorer(blocks=3, seed=3)
    for training in (again, deep):
        training.init_from(weights)
    positions = source_of(FOUR).sample_positions(200, 3).map(torch.as_tensor)
    torch.testing.assert_close(deep.score(positions), again.score(positions))
    before = deep.score(positions)
    deep.step(5e-3)
    new = next(iter(deep.optimizer.model.children())).blocks[2]
    assert new.layer2.grad.abs().max() > 0
    assert (deep.score(positions) != before).any()
    with pytest.raises(BadWeights, match="larger"):
        make_scorer().init_from(deep.export({}))


def make_training(**options):
    config = ScholarConfig(**{"size": "tiny", "device": "cpu", "seed": 3, **options})
    return ScholarTraining(config, source_of(FOUR))


def test_a_compact_checkpoint_goes_on_with_the_averaged_weights(tmp_path):
    file = tmp_path / "state"
    first = make_training(steps=100, compact=True)
    fit(first, checkpoint=file, steps=3)
    full = tmp_path / "full"
    fit(make_training(steps=100), checkpoint=full, steps=1)
    assert file.stat().st_size < full.stat().st_size / 8
    second = make_training(steps=100, compact=True)
    assert fit(second, checkpoint=file, steps=0).resumed_after == 3
    assert second.trainer.optimizer.steps == 3
    assert second.find_rate(0) == pytest.approx(first.config.rate / 300, rel=0.01), "it warms up"
    generators = [each.trainer.generator.rounds for each in (first, second)]
    assert generators[1] > generators[0]
    optimizers = first.trainer.optimizer, second.trainer.optimizer
    for old, new, averaged in zip(
        optimizers[0].ema_model.parameters(),
        optimizers[1].model.parameters(),
        optimizers[1].ema_model.parameters(),
        strict=True,
    ):
        torch.testing.assert_close(new, old.half().float())
        torch.testing.assert_close(averaged, new)


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
        generator.fill()
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


def test_training_with_a_thread_learns_and_goes_on_after_a_pause(tmp_path):
    file, names = tmp_path / "state", set()
    for steps in (16, 32):
        training = make_training(steps=100, ahead=True)
        generator = training.trainer.generator
        generate = generator.generate

        def note_thread(self_play, generate=generate):
            names.add(threading.current_thread().name)
            return generate(self_play)

        generator.generate = note_thread
        assert fit(training, checkpoint=file, steps=16).steps == steps
        assert int(training.trainer.replay_buffer.num_added.sum()) > 0
        assert "prefetch" not in {thread.name for thread in threading.enumerate()}
    assert "prefetch" in names


def test_a_small_scorer_learns_from_a_large_one():
    """With the teacher's probabilities alone, the student predicts what the teacher does."""
    training = DistillationTrainer(
        source_of(FOUR), scorer_config(averaging=0.5), CPU, random_weights("scorer")
    )
    losses = [float(training.step(1e-2).mean()) for _ in range(16)]
    assert np.mean(losses[-4:]) < 0.95 * np.mean(losses[:4])
    exported = training.export({})
    assert len(exported.experts[0]["first"]) == 4


@pytest.mark.parametrize("kind", ["scorer", "integers"])
def test_a_teacher_is_the_scorer_that_plays(kind):
    weights = random_integers(1) if kind == "integers" else random_weights("scorer")
    training = DistillationTrainer(source_of(FOUR), scorer_config(), CPU, weights)
    positions = source_of(FOUR).sample_positions(200, 3)
    plays = (IntegerScorer if kind == "integers" else Scorer)(weights)
    for expert, rows, features in group_by_expert(positions):
        found = training.teacher[expert](torch.as_tensor(features)[None])[0, :, :3].softmax(1)
        expected = plays.evaluate(positions[rows]).probabilities
        np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(
    ("size", "megabytes"), [("full", 32), ("medium", 16), ("deep", 32), ("compact", 2)]
)
def test_sizes_of_scorers(size, megabytes):
    config = load_preset("scorer", size)
    numbers = 0
    for bank, experts in zip(config.banks, config.experts(), strict=True):
        group = 16 * bank.channels * (bank.channels + 2)
        numbers += len(experts) * (bank.channels * 348 + 2 * bank.blocks * group)
    assert 0.5 * megabytes < numbers / 1e6 < megabytes


@pytest.mark.filterwarnings("ignore:examples are endings alone")
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
    command = ["train", "scholar", "--size", "tiny", "--steps", "4", "--device", "cpu"]
    command += ["--out", str(out), "--mistakes", str(mistakes), "--compact", "--json"]
    command += ["--optimizer", optimizer, *more]
    assert run([*command, "--session", "0.01"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["optimizer"] == optimizer
    assert first["finished"] == out.exists() == (first["steps"] == 4)
    while not (found := first)["finished"]:
        assert run([*command, "--session", "0.01"]) == 0
        first = json.loads(capsys.readouterr().out)
        assert first["resumed_after"] == found["steps"]
    assert out.exists()


def test_a_checkpoint_is_of_one_training(tmp_path):
    file = tmp_path / "state"
    fit(make_training(steps=9), checkpoint=file, steps=1)
    for changes in ({"optimizer": "muon"}, {"kind": "chain"}, {"seed": 4}, {"compact": True}):
        with pytest.raises(LudusError, match="another training run"):
            fit(make_training(**{"steps": 9, **changes}), checkpoint=file)


def test_a_training_by_time_ends_at_its_time():
    training = make_training(minutes=0.01)
    run_of_it = fit(training)
    assert run_of_it.is_finished
    assert run_of_it.seconds >= 0.6
    assert training.find_rate(run_of_it.seconds) == 0


def test_the_first_examples_are_made_once_before_the_first_step():
    training = make_training(steps=9)
    buffer = training.trainer.replay_buffer
    assert int(buffer.num_added.sum()) == 0
    training.prepare()
    made = int(buffer.num_added.sum())
    assert made > 0
    fit(training, steps=0)
    assert int(buffer.num_added.sum()) == made
