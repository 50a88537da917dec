"""`ludus.train("nnmm")`: what a library user sees of a training of all networks."""

import json

import numpy as np
import pytest

import ludus
from ludus.core.errors import LudusError
from ludus.learn.nnmm.data import read_entries, split_entries
from ludus.learn.nnmm.network_trainer import NetworkTrainer
from support.nnmm import examples, write_teacher_moves

SMALL = {
    "preset": "quick",
    "first": 12,
    "units": 12,
    "blocks": 1,
    "batch": 500,
    "split": "entries",
    "learning_rate": 0.01,
    "device": "cpu",
    "threads": 1,
}


def test_networks_are_trained_one_after_another(tmp_path):
    shown = []
    found = ludus.train(
        "nnmm",
        data=write_teacher_moves(tmp_path),
        **SMALL,
        epochs=3,
        part=("TO", "REMOVE"),
        members=2,
        on_progress=shown.append,
    )
    names = ["TO 1/2", "TO 2/2", "REMOVE 1/2", "REMOVE 2/2"]
    assert [each.run_name for each in shown] == [name for name in names for _ in range(3)]
    assert [each.fraction for each in shown] == pytest.approx(np.arange(1, 13) / 12)
    assert found.report["steps"] == 12
    assert found.report["test"] is None
    assert [len(step) > 0 for step in found.weights.members[0]] == [True, False, True]


def test_a_network_of_a_chain_is_what_its_trainer_makes(tmp_path):
    file = write_teacher_moves(tmp_path)
    found = ludus.train("nnmm", data=file, **SMALL, epochs=2, part=("TO",))
    config = ludus.learn.nnmm.NnmmConfig(data=file, **SMALL, epochs=2).make_preset()
    parts = split_entries(read_entries(file), "entries", config.training.expansion)
    step = config.steps[0]
    learned, validation, _ = (examples(part) for part in parts)
    trainer = NetworkTrainer(
        config.design_for(step), config.training_for(step), learned, validation, "TO 1/1"
    )
    list(trainer.epochs())
    for name, array in trainer.weights.items():
        assert np.array_equal(found.weights.members[0][0][name], array)


def test_patience_ends_one_network_and_the_next_one_begins(tmp_path):
    options = {**SMALL, "learning_rate": 1e-9, "epochs": 1000, "patience": 2}
    found = ludus.train("nnmm", data=write_teacher_moves(tmp_path), **options, part=("TO", "FROM"))
    epochs = [network["epochs"] for network in found.report["networks"]]
    assert epochs == [each["best_epoch"] + 2 for each in found.report["networks"]]
    assert found.run.is_finished
    assert found.run.steps == sum(epochs) < 1000


def test_accuracies_of_folds_are_kept_in_a_file(tmp_path):
    out = tmp_path / "folds.json"
    found = ludus.train(
        "nnmm",
        data=write_teacher_moves(tmp_path),
        **SMALL,
        epochs=1,
        part=("REMOVE",),
        folds=3,
        out=out,
    )
    assert json.loads(out.read_text())["networks"] == found.report["networks"]
    assert len(found.report["networks"]["REMOVE"]["folds"]) == 3
    with pytest.raises(LudusError, match="folds=1"):
        ludus.train("nnmm", data=write_teacher_moves(tmp_path), folds=1)
