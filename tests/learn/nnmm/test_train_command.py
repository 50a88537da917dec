"""Training of all networks, by `ludus.train` and by the command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ludus
from ludus.cli.main import run
from ludus.core.errors import LudusError
from ludus.datasets import default_folder
from ludus.learn.checkpoint import BadCheckpoint
from ludus.learn.nnmm.chain import NetworkChain
from ludus.learn.nnmm.config import NnmmConfig
from ludus.learn.nnmm.data import read_entries, split_entries
from ludus.learn.nnmm.network_trainer import NetworkTrainer
from ludus.learn.nnmm.train import NnmmTraining
from ludus.learn.nnmm.weights import load_weights
from ludus.learn.training import fit
from ludus.learn.weights import BadWeights
from ludus.web.worker import load_curves
from support.nnmm import examples, write_teacher_moves
from support.waiting import PATIENCE

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


SMALL_OPTIONS = [
    *("--first", "24", "--units", "24", "--blocks", "1"),
    *("--batch", "250", "--learning-rate", "0.01", "--device", "cpu", "--threads", "1"),
]


def train(folder: Path, *more: str, epochs: int = 2) -> int:
    file = write_teacher_moves(folder)
    command = ["train", "nnmm", "--data", str(file), "--preset", "quick", "--split", "entries"]
    return run([*command, *SMALL_OPTIONS, "--epochs", str(epochs), *more])


def test_it_writes_a_chain_and_tells_how_good_it_is(tmp_path, capsys):
    out = tmp_path / "mine.safetensors"
    assert train(tmp_path, "--out", str(out), "--order", "FTR", "--seed", "5", "--json") == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert [network["part"] for network in result["networks"]] == ["FROM", "TO", "REMOVE"]
    assert set(result["test"]) == {"TO", "FROM", "REMOVE", "move"}
    assert 0 <= result["test"]["move"] <= result["test"]["TO"] <= 1
    assert sum(result["examples"]) > 10_000
    weights = load_weights(out)
    assert str(weights.order) == "FTR"
    assert weights.trained["training"]["seed"] == 5
    assert weights.trained["test"] == result["test"]
    assert list(tmp_path.glob("*.training")) == []


def test_without_json_there_is_a_table(tmp_path, capsys):
    assert train(tmp_path, "--part", "TO") == 0
    *table, last = capsys.readouterr().out.splitlines()
    assert last.startswith("there is no network for FROM, REMOVE;")
    assert table[0].split() == ["network", "epochs", "best", "seconds", "validation", "test"]
    assert table[1].startswith("TO 1 ")
    assert len(table) == 2


def test_networks_trained_one_by_one_become_a_chain(tmp_path, capsys):
    """Those that are not trained are taken from the file that training begins with."""
    files = [tmp_path / f"{part}.safetensors" for part in ("TO", "FROM", "REMOVE")]
    for number, file in enumerate(files):
        begin = ["--init-from", str(files[number - 1])] if number else []
        assert train(tmp_path, "--out", str(file), "--part", file.stem, *begin) == 0
        if number < 2:
            with pytest.raises(BadWeights, match="no network"):
                NetworkChain.load(file)
    found, one = load_weights(files[-1]), load_weights(files[0])
    assert NetworkChain.load(files[-1]).num_members == 1
    for name, array in one.members[0][0].items():
        assert np.array_equal(array, found.members[0][0][name])
    capsys.readouterr()
    assert train(tmp_path, "--out", str(tmp_path / "all"), "--json") == 0
    whole = load_weights(tmp_path / "all")
    for name, array in whole.members[0][0].items():
        assert np.array_equal(array, one.members[0][0][name])


def test_a_training_goes_on_with_existing_networks(tmp_path, capsys):
    file, more = tmp_path / "first.safetensors", tmp_path / "more.safetensors"
    assert train(tmp_path, "--out", str(file), "--json") == 0
    before = json.loads(capsys.readouterr().out)
    begin = ["--init-from", str(file), "--learning-rate", "1e-9", "--seed", "2", "--json"]
    assert train(tmp_path, "--out", str(more), *begin, epochs=1) == 0
    after = json.loads(capsys.readouterr().out)
    for one, other in zip(before["networks"], after["networks"], strict=True):
        assert other["epochs"] == 1
        assert other["validation"] == pytest.approx(one["validation"], abs=0.1)
    for options in (["--first", "25"], ["--inputs", "raw"], ["--order", "FTR"], ["--members", "2"]):
        refused = [*options, "--out", str(tmp_path / "refused")]
        assert train(tmp_path, "--init-from", str(file), *refused) == 2
        assert capsys.readouterr().err.count("\n") == 1


BARE = """
import importlib.abc, sys
MISSING = {"backports", "scipy", "fastapi", "uvicorn", "websockets", "optuna", "tensorboard"}
class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING or name.startswith("ludus._native."):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from ludus.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.slow
def test_it_needs_nothing_compiled(tmp_path):
    """A machine with a GPU may have torch and numpy and little else."""
    moves = write_teacher_moves(tmp_path)
    moves.write_text("".join(moves.read_text().splitlines(keepends=True)[::4]))
    arguments = ["train", "nnmm", "--data", str(moves), "--preset", "quick", *SMALL_OPTIONS]
    arguments += ["--epochs", "1", "--legality", "1", "--inputs", "features"]
    arguments += ["--out", str(tmp_path / "x.safetensors")]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(
        [sys.executable, "-c", BARE, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "in pipeline, on the test part" in done.stdout
    assert (tmp_path / "x.safetensors").exists()


def test_a_result_is_never_overwritten(tmp_path, capsys):
    out = tmp_path / "mine.safetensors"
    out.write_bytes(b"precious")
    assert train(tmp_path, "--out", str(out)) == 2
    assert "exists; name another file" in capsys.readouterr().err
    assert out.read_bytes() == b"precious"


@pytest.mark.parametrize("change", [{"epochs": 3}, {"inputs": "raw"}, {"limit_entries": 900}])
def test_a_training_that_was_begun_differently_is_refused(tmp_path, change):
    options = {"data": write_teacher_moves(tmp_path), "preset": "quick", "epochs": 2}
    fit(make_training(options), checkpoint=tmp_path / "state", steps=1)
    with pytest.raises(BadCheckpoint, match="another training"):
        fit(make_training({**options, **change}), checkpoint=tmp_path / "state")
    write_teacher_moves(tmp_path).write_text(options["data"].read_text() * 2)
    with pytest.raises(BadCheckpoint, match="another training"):
        fit(make_training(options), checkpoint=tmp_path / "state")


def make_training(options):
    return NnmmTraining(NnmmConfig.parse({**options, "device": "cpu", "threads": 1}))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--preset", "thesiss"], "did you mean thesis?"),
        (["--order", "TTT"], "there is no order"),
        (["--inputs", "pixels"], "there is no input model"),
        (["--members", "0"], "members=0"),
        (["--ensemble", "choir"], "ensemble='choir' must be one of seeds"),
        (["--part", "FROM?"], "there is no network"),
        (["--seconds-per-network", "-1"], "seconds_per_network=-1"),
        (["--seed", "-1"], "seed=-1"),
        (["--folds", "1"], "folds=1"),
        (["--device", "tpu"], "there is no device"),
        (["--limit-entries", "10"], "too few"),
        (["--init-from", "/nowhere"], "no such file"),
        (["--units", "3/4", "--blocks", "x"], "blocks"),
        (["--presets", "/nowhere/x.toml"], "cannot read presets"),
        (["--out", "/nowhere/deep/x.safetensors"], "cannot"),
    ],
    ids=str,
)
def test_bad_input_is_one_clear_line(arguments, complaint, tmp_path, capsys):
    file = write_teacher_moves(tmp_path)
    base = ["train", "nnmm", "--data", str(file), "--preset", "quick", "--device", "cpu"]
    base += ["--out", str(tmp_path / "mine.safetensors")]
    if arguments[0] == "--out":
        arguments = ["--out", str(file / "x.safetensors")]
    assert run([*base, "--threads", "1", *arguments]) == 2
    result = capsys.readouterr().err
    assert complaint in result
    assert result.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"\x00\xff\n" * 50, b"O" * 5_000_000, b"hello\n" * 99])
def test_what_is_no_dataset_is_one_clear_line(content, tmp_path, capsys):
    file = tmp_path / "data.txt"
    file.write_bytes(content)
    command = ["train", "nnmm", "--data", str(file), "--preset", "quick"]
    assert run([*command, "--out", str(tmp_path / "mine.safetensors")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_folds_give_a_mean_and_a_deviation(tmp_path, capsys):
    assert train(tmp_path, "--folds", "3", "--part", "REMOVE", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    found = result["networks"]["REMOVE"]
    assert len(found["folds"]) == 3
    assert found["mean"] == pytest.approx(sum(found["folds"]) / 3)
    assert found["deviation"] == pytest.approx(np.std(found["folds"], ddof=1))
    assert train(tmp_path, "--folds", "2", "--part", "REMOVE", epochs=1) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("REMOVE")


def test_curves_are_there_for_tensorboard(tmp_path):
    pytest.importorskip("tensorboard", reason="left out: needs tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    assert train(tmp_path, "--part", "TO", "--log", str(tmp_path / "log"), epochs=3) == 0
    curves = load_curves({"folder": str(tmp_path / "log")})["curves"]
    assert {tuple(curve["steps"]) for curve in curves} == {(1, 2, 3)}, "the page shows them"
    events = EventAccumulator(str(tmp_path / "log" / "TO-1-1"))
    events.Reload()
    assert "learning rate" in events.Tags()["scalars"]
    curve = events.Scalars("accuracy/validation")
    assert [point.step for point in curve] == [1, 2, 3]
    best = events.Scalars("accuracy/best")
    assert best[-1].value == pytest.approx(max(point.value for point in curve))


def test_without_data_the_downloaded_dataset_is_taken(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))
    assert run(["train", "nnmm", "--preset", "quick"]) == 2
    assert "`ludus dataset fetch nnmm` downloads a dataset" in capsys.readouterr().err
    default_folder("nnmm").mkdir()
    write_teacher_moves(tmp_path).rename(default_folder("nnmm") / "dataset.txt")
    config = NnmmConfig(**SMALL, epochs=1, part=("TO",))
    assert len(NnmmTraining(config).entries) > 0


def test_the_error_for_a_wrong_preset_names_ours_first(capsys):
    assert run(["train", "nnmm", "--preset", "quikc"]) == 2
    shown = capsys.readouterr().err
    assert shown.index("thesis") < shown.index("cpu") < shown.index("table-6")
