"""Experiments at a size that takes about a second: every row is measured, every figure drawn."""

import json
import re
import shutil

import numpy as np
import pytest

from ludus.cli.main import run
from ludus.games.backgammon import Backgammon
from ludus.learn.gammon import GammonNetwork, GammonTrainer, find_encoding
from ludus.reproduce import find_experiment
from support.facilities import external
from support.paths import EXPERIMENTS

SMALLER = {
    "tesauro-codings": {"positions": 40, "tested": 20, "games": 4},
    "tesauro-receptive-fields": {"positions": 10, "games": 4},
    "tesauro-hidden-units": {"positions": 20, "tested": 10},
    "vrajitoru-person": {"match_games": 3, "own": 2, "games": 10},
    "vrajitoru-improving": {"games": 1},
    "galassi-situations": {"states": 1},
}
"""Settings of the size `quick` that are smaller here."""

WITH_GNUBG = {
    "tesauro-data-base": {"positions": 10, "cycles": 1, "games": 4},
    "tesauro-repairs": {"tool_games": 4, "expert_games": 2},
    "tesauro-expert-match": {"long_games": 2},
}

WITH_TORCH = {"galassi-own-games": {"games": 60, "tested": 4, "match_games": 1}}

WITH_DATA = {
    "galassi-colours": {"openings": 0},
    "galassi-ablation": {"entries": 160, "epochs": 1, "seeds": 1},
    "galassi-orders": {"positions": 50},
    "galassi-retraining": {"entries": 60, "epochs": 1, "seeds": 1},
    "galassi-joined": {"positions": 20},
    "galassi-teacher": {"trials": "[{ seconds = 0.01, positions = 3 }]"},
}


@pytest.fixture
def reproduce_small(tmp_path, capsys):
    """Run an experiment with these settings of its size `quick`; return what is printed."""

    def call(identity, settings):
        authors = identity.partition("-")[0]
        folder = tmp_path / "experiments"
        shutil.copytree(EXPERIMENTS / authors, folder / authors)
        file = find_experiment(identity, folder).path.with_suffix(".toml")
        head, quick, rest = file.read_text().partition("[sizes.quick]")
        size, end, others = rest.partition("[sizes.")
        for name, value in settings.items():
            size, count = re.subn(rf"^{name} = .*$", f"{name} = {value}", size, flags=re.MULTILINE)
            assert count == 1, name
        file.write_text(head + quick + size + end + others)
        arguments = ["reproduce", identity, "--size", "quick", "--jobs", "1", "--json"]
        where = ["--experiments", str(folder), "--out", str(tmp_path / "out")]
        assert run([*arguments, *where]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return call


def check(found, identity):
    """All rows that this size measures have a value, and stored conclusions are the same ones."""
    measured = {row["name"] for row in found["rows"] if row["ours"] is not None}
    assert measured
    stored = json.loads(find_experiment(identity, EXPERIMENTS).results.read_text())
    texts = [each["text"] for each in found["conclusions"]]
    if len(stored["conclusions"]) == len(texts):
        assert [each["text"] for each in stored["conclusions"]] == texts


@pytest.mark.parametrize("identity", SMALLER)
def test_small_runs(reproduce_small, identity):
    check(reproduce_small(identity, SMALLER[identity]), identity)


@pytest.mark.needs_debian("gnubg")
@pytest.mark.parametrize("identity", WITH_GNUBG)
def test_small_runs_with_gnu_backgammon(reproduce_small, identity):
    check(reproduce_small(identity, WITH_GNUBG[identity]), identity)


@pytest.mark.slow
@pytest.mark.parametrize("identity", WITH_TORCH)
def test_small_runs_that_train(reproduce_small, identity):
    check(reproduce_small(identity, WITH_TORCH[identity]), identity)


@pytest.mark.external("nnmm")
@pytest.mark.parametrize("identity", WITH_DATA)
def test_small_runs_on_the_authors_data(reproduce_small, identity, monkeypatch):
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(external("nnmm")))
    if identity == "galassi-retraining":
        external("nnmm", "dataset_gaming.txt")
    if identity == "galassi-orders":
        external("nnmm", "npz/TEST-rawest-FTR_TO.npz")
    check(reproduce_small(identity, WITH_DATA[identity]), identity)


def test_training_without_a_mask_is_the_compiled_one():
    """Receptive fields are trained in numpy; with all connections that is back-propagation."""
    fields = find_experiment("tesauro-receptive-fields", EXPERIMENTS).module()
    settings = fields.GammonTrainingConfig(hidden=(24,), cycles=1, positions=8)
    trained = fields.train_masked(settings, fields.connect_all())
    examples, _ = fields.encode_positions(settings.coding, settings.positions)
    rng = np.random.default_rng(settings.seed)
    begin = GammonNetwork.initialise(find_encoding("features"), settings.hidden, rng)
    (*_, last) = GammonTrainer(examples, begin, settings).run()
    for ours, theirs in zip(trained.layers, last.network.layers, strict=True):
        assert np.allclose(ours[0], theirs[0], atol=1e-4)
        assert np.allclose(ours[1], theirs[1], atol=1e-4)


def test_masked_connections_stay_zero():
    fields = find_experiment("tesauro-receptive-fields", EXPERIMENTS).module()
    settings = fields.GammonTrainingConfig(hidden=(24,), cycles=1, positions=4)
    mask = fields.connect_window(6)
    assert mask.sum(axis=0).tolist() == [459 - 18 * 15] * 24
    weights = fields.train_masked(settings, mask).layers[0][0]
    assert (weights[mask == 0] == 0).all()
    assert (weights[mask == 1] != 0).any()


def test_a_stack_is_a_fourth_man_on_a_point():
    codings = find_experiment("tesauro-codings", EXPERIMENTS).module()
    position = Backgammon().parse(codings.FIGURE_2)
    moves = {str(move): move for move in position.legal_moves()}
    assert codings.is_stacking(position, moves[codings.STACKING_MOVE])
    assert not codings.is_stacking(position, moves[codings.SPREAD_MOVE])
