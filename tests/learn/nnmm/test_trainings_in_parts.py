"""Trainings of the thesis's networks in parts (`on_gpu.py`), and the reports that read them."""

import importlib
import json

import pytest

from ludus.cli.main import run
from ludus.learn.nnmm import load_weights
from ludus.reproduce import find_experiment
from ludus.reproduce.context import RunOptions, make_context
from support.nnmm import (
    EXPERIMENTS,
    TRAINING_MARGIN,
    read_stored_rows,
    write_data,
    write_experiments,
)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A folder with small data, also without regular games, and experiments of small size."""
    folder = tmp_path_factory.mktemp("galassi")
    data = write_data(folder / "data")
    write_experiments(folder / "experiments")
    lines = (data / "dataset.txt").read_text().splitlines()
    (folder / "dataset_gaming.txt").write_text("\n".join(lines[5:]) + "\n")
    return folder


def load_script(folder):
    package = find_experiment("galassi-whole", folder).module().__package__
    return importlib.import_module(f"{package}.on_gpu")


def test_rows_that_are_trained_in_parts(small, tmp_path, monkeypatch, capsys):
    """Without time nothing is trained; rows of the file count as done, in both experiments."""
    monkeypatch.setenv("LUDUS_NNMM_DATA", "")
    script = load_script(small / "experiments")
    file = tmp_path / "rows.json"
    options = ["--size", "quick", "--device", "cpu", "--rows", str(file)]
    where = ["--data", str(small / "data"), "--out", str(tmp_path / "out")]
    script.main([*options, *where, "--minutes", "0", "--only", *script.SINGLE])
    missing = "dataset_gaming.txt is not in the folder of the data\n"
    assert capsys.readouterr().out == f"{missing}not done; run the same command again\n"
    rows = json.loads(file.read_text())
    assert rows == {identity: {} for identity in script.TRAINED}
    script.main([*options, *where, "--list"])
    *before, last = capsys.readouterr().out.splitlines()
    assert not any(line.endswith("done") for line in before)
    assert last.endswith("s are left")
    key = next(line for line in before if "table-6.8-1 TO" in line and "recipes" not in line)
    contexts = {
        "galassi-whole": script.make_context(
            find_experiment("galassi-whole", small / "experiments"),
            tmp_path / "out" / "cells",
            script.RunOptions(size="quick"),
        )
    }
    name = next(key for key in script.list_keys(contexts["galassi-whole"]) if "6.8-1" in key)
    rows["galassi-whole"][name] = {"accuracy": [1.0], "error": [3.0], "seconds": [1.0]}
    file.write_text(json.dumps(rows))
    script.main([*options, *where, "--list"])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.endswith("done")] == [f"{key.rstrip()}  done"]
    assert contexts["galassi-whole"].find_cached(name)["accuracy"] == [1.0]


@pytest.mark.parametrize(
    "name", ["partial", "whole", "retraining", "recipes", "ablation", "changes"]
)
def test_stored_rows_are_those_of_todays_settings(name, tmp_path):
    """A row whose key no longer fits a preset would be left out of the report unnoticed."""
    experiment = find_experiment(f"galassi-{name}", EXPERIMENTS)
    package = experiment.module().__package__
    script, stored = (
        importlib.import_module(f"{package}.{each}") for each in ("on_gpu", "stored_rows")
    )
    rows = stored.load_rows().get(experiment.id, {})
    context = make_context(experiment, tmp_path, RunOptions(size="published"))
    assert set(rows) <= set(script.list_keys(context))
    for row in rows.values():
        if name not in ("ablation", "changes"):
            assert len(row["accuracy"]) == len(row["error"]) == len(row["seconds"])
            assert 20 < max(row["accuracy"]) < 95
            assert row["seconds"] == sorted(row["seconds"])


def test_reports_of_published_size_train_nothing_and_need_no_data(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(tmp_path))
    out = ["--size", "published", "--out", str(tmp_path / "out"), "--json"]
    assert run(["reproduce", "galassi-whole", *out]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    kept_rows = read_stored_rows("whole")
    assert {row["name"]: row["ours"] for row in rows} == {
        name: row["ours"] for name, row in kept_rows.items()
    }
    assert kept_rows["TO 1, best validation accuracy"]["ours"] == pytest.approx(54.32, abs=0.005)


def test_a_network_that_is_not_trained_yet_is_named(tmp_path, monkeypatch, capsys):
    """The rows that are stored are reported; nothing is concluded about the others."""
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(tmp_path))
    experiment = find_experiment("galassi-retraining", EXPERIMENTS)
    stored = importlib.import_module(f"{experiment.module().__package__}.stored_rows")
    out = ["--size", "published", "--out", str(tmp_path / "out"), "--json"]
    assert run(["reproduce", "galassi-retraining", *out]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = stored.load_rows()["galassi-retraining"]
    assert len(found["rows"]) == len(rows)
    is_complete = len(rows) == 6
    assert ("Not trained yet" in "".join(found["remarks"])) != is_complete
    assert any(each["holds"] is None for each in found["conclusions"]) != is_complete
    for row in found["rows"]:
        low, high = row["interval"]
        assert high - low == pytest.approx(2 * TRAINING_MARGIN, abs=1e-6)


def run_script(small, out, *options):
    """Run the script on a CPU at a small size; its rows and weights are in the folder `out`."""
    script = load_script(small / "experiments")
    places = {"data": small / "data", "out": out, "rows": out / "rows.json", "weights": out}
    words = [word for name, place in places.items() for word in (f"--{name}", str(place))]
    script.main([*words, "--size", "quick", "--device", "cpu", *options])
    return script


def test_the_retrained_set_is_kept(small, tmp_path, monkeypatch):
    """Without its checkpoints rows that are done give no weights."""
    monkeypatch.setenv("LUDUS_NNMM_DATA", "")
    gaming = small / "data" / "dataset_gaming.txt"
    gaming.write_bytes((small / "dataset_gaming.txt").read_bytes())
    try:
        run_script(small, tmp_path, "--only", "galassi-retraining", "--presets", "quick")
    finally:
        gaming.unlink()
    weights = load_weights(tmp_path / "retrained.safetensors")
    assert str(weights.order) == "TFR"
    assert weights.trained["data"] == "dataset_gaming.txt"
    stored = json.loads((tmp_path / "rows.json").read_text())["galassi-retraining"]
    curves = [row for key, row in stored.items() if "gaming" in key and "seed=0" in key]
    assert [max(curve["accuracy"]) for curve in curves] == pytest.approx(
        [100 * each for each in weights.trained["validation"]], abs=1e-4
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "rows.json").write_bytes((tmp_path / "rows.json").read_bytes())
    gaming.write_bytes((small / "dataset_gaming.txt").read_bytes())
    try:
        run_script(small, elsewhere, "--only", "galassi-retraining", "--presets", "quick")
    finally:
        gaming.unlink()
    assert not (elsewhere / "retrained.safetensors").exists()


def test_whole_sets_are_trained_and_kept(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LUDUS_NNMM_DATA", "")
    monkeypatch.setattr(load_script(small / "experiments"), "CHAINS", ("quick",))
    run_script(small, tmp_path, "--only", "sets", "--minutes", "0")
    run_script(small, tmp_path, "--only", "sets", "--presets", "other")
    assert "not done" in capsys.readouterr().out
    assert not (tmp_path / "quick.safetensors").exists()
    run_script(small, tmp_path, "--only", "sets")
    assert "all rows are done" in capsys.readouterr().out
    weights = load_weights(tmp_path / "quick.safetensors")
    assert weights.trained["preset"] == "quick"
    assert {each["part"] for each in weights.trained["networks"]} == {"TO", "FROM", "REMOVE"}


def test_whole_sets_need_a_folder(small, capsys):
    with pytest.raises(SystemExit):
        load_script(small / "experiments").main(["--only", "sets"])
    assert "--weights" in capsys.readouterr().err
