"""`ludus train nnmm`: networks from a dataset, also after kill -9 and without anything compiled."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ludus.cli.main import run
from ludus.learn.nnmm.weights import load_weights
from ludus.web.worker import load_curves
from support.teacher_dataset import write_teacher_moves
from support.waiting import PATIENCE, wait_until

EPOCHS = 12
SMALL = "first=24,units=24,blocks=1,batch=250,learning_rate=0.01"


def train(folder: Path, *more: str, options: str = "epochs=2") -> int:
    file = write_teacher_moves(folder)
    settings = f"{SMALL},split=entries,{options}"
    command = ["train", "nnmm", "--data", str(file), "--preset", "quick", "--set", settings]
    return run([*command, "--device", "cpu", "--threads", "1", *more])


def test_it_writes_a_chain_and_tells_how_good_it_is(tmp_path, capsys):
    out = tmp_path / "mine.safetensors"
    assert train(tmp_path, "--out", str(out), "--order", "FTR", "--seed", "5", "--json") == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert [network["part"] for network in result["networks"]] == ["FROM", "TO", "REMOVE"]
    assert set(result["test"]) == {"TO", "FROM", "REMOVE", "move"}
    assert 0 <= result["test"]["move"] <= result["test"]["TO"] <= 1
    assert sum(result["examples"]) > 10_000
    assert "REMOVE 1/1  epoch 2" in captured.err
    weights = load_weights(out)
    assert str(weights.order) == "FTR"
    assert weights.trained["training"]["seed"] == 5
    assert weights.trained["test"] == result["test"]
    assert list(tmp_path.glob("*.training")) == []


def test_without_json_there_is_a_table(tmp_path, capsys):
    assert train(tmp_path, "--part", "TO") == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split() == ["network", "epochs", "best", "seconds", "validation", "test"]
    assert table[1].startswith("TO 1 ")
    assert len(table) == 2


def test_networks_trained_one_by_one_become_a_chain(tmp_path, capsys):
    out = tmp_path / "mine.safetensors"
    for part in ("TO", "FROM"):
        assert train(tmp_path, "--out", str(out), "--part", part) == 0
        assert not out.exists()
    before = (tmp_path / "mine.safetensors.training" / "0-0.safetensors").read_bytes()
    capsys.readouterr()
    assert train(tmp_path, "--out", str(out)) == 0
    assert "TO" not in capsys.readouterr().err  # it was over already
    found = load_weights(out).members[0][0]["first.weight"]
    assert np.isfinite(found).all()
    assert found.astype("<f4").tobytes() in before


@pytest.mark.slow
def test_after_kill_9_it_ends_with_the_same_networks(tmp_path):
    """A whole process is killed in the middle; what it ends with later is what it would have."""
    arguments = ["train", "nnmm", "--data", str(write_teacher_moves(tmp_path)), "--preset", "quick"]
    arguments += ["--set", f"{SMALL},split=entries,epochs={EPOCHS},averaging=0.95", "--part", "TO"]
    arguments += ["--device", "cpu", "--threads", "1", "--out"]
    killed, whole = tmp_path / "killed.safetensors", tmp_path / "whole.safetensors"
    state = Path(f"{killed}.training") / "0-0.safetensors"
    process = subprocess.Popen(
        [sys.executable, "-m", "ludus.cli", *arguments, str(killed)], stderr=subprocess.DEVNULL
    )
    wait_until(state.exists, "an epoch is over", process, 0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    # On a busy machine it may have ended before it was killed.
    assert 1 <= _epochs(state) <= EPOCHS
    for out in (killed, whole):
        assert run([*arguments, str(out)]) == 0
    assert _epochs(state) == EPOCHS
    ends = [_best(Path(f"{out}.training") / "0-0.safetensors") for out in (killed, whole)]
    assert ends[0].keys() == ends[1].keys()
    for name in ends[0]:
        assert np.array_equal(ends[0][name], ends[1][name])


def _epochs(state: Path) -> int:
    from ludus.learn.common.checkpoint import load_checkpoint

    return len(load_checkpoint(state)[0]["history"])


def _best(state: Path) -> dict[str, np.ndarray]:
    from ludus.learn.common.checkpoint import load_checkpoint

    return {name: tensor.numpy() for name, tensor in load_checkpoint(state)[1]["best"].items()}


BARE = """
import importlib.abc, sys
MISSING = {"zstandard", "scipy", "fastapi", "uvicorn", "websockets", "optuna", "tensorboard"}
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
    arguments = ["train", "nnmm", "--data", str(moves), "--preset", "quick"]
    arguments += ["--set", f"{SMALL},epochs=1,legality=1", "--inputs", "features"]
    arguments += ["--device", "cpu", "--threads", "1", "--out", str(tmp_path / "x.safetensors")]
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


def test_a_training_that_was_begun_differently_is_refused(tmp_path, capsys):
    out = tmp_path / "mine.safetensors"
    assert train(tmp_path, "--out", str(out), "--part", "TO") == 0
    assert train(tmp_path, "--out", str(out), options="epochs=3") == 2
    assert "another training" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--preset", "thesiss"], "did you mean thesis?"),
        (["--order", "TTT"], "there is no order"),
        (["--inputs", "pixels"], "there is no input model"),
        (["--members", "0"], "members=0"),
        (["--ensemble", "choir"], "there is no ensemble"),
        (["--part", "FROM?"], "there is no network"),
        (["--seconds-per-network", "-1"], "seconds=-1"),
        (["--seed", "-1"], "seed=-1"),
        (["--folds", "1"], "folds=1"),
        (["--device", "tpu"], "there is no device"),
        (["--set", "speed=3"], "no option 'speed'"),
        (["--limit-entries", "10"], "too few"),
        (["--presets", "/nowhere/x.toml"], "cannot read presets"),
        (["--out", "/nowhere/deep/x.safetensors"], "cannot"),
    ],
    ids=str,
)
def test_bad_input_is_one_clear_line(arguments, complaint, tmp_path, capsys):
    file = write_teacher_moves(tmp_path)
    base = ["train", "nnmm", "--data", str(file), "--preset", "quick", "--device", "cpu"]
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
    assert run(["train", "nnmm", "--data", str(file), "--preset", "quick"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_folds_give_a_mean_and_a_deviation(tmp_path, capsys):
    assert train(tmp_path, "--folds", "3", "--part", "REMOVE", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    found = result["networks"]["REMOVE"]
    assert len(found["folds"]) == 3
    assert found["mean"] == pytest.approx(sum(found["folds"]) / 3)
    assert found["deviation"] == pytest.approx(np.std(found["folds"], ddof=1))
    assert train(tmp_path, "--folds", "2", "--part", "REMOVE", options="epochs=1") == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("REMOVE")


def test_curves_are_there_for_tensorboard(tmp_path):
    pytest.importorskip("tensorboard", reason="left out: needs tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    assert train(tmp_path, "--part", "TO", "--log", str(tmp_path / "log"), options="epochs=3") == 0
    curves = load_curves({"folder": str(tmp_path / "log")})["curves"]
    assert {tuple(curve["steps"]) for curve in curves} == {(1, 2, 3)}, "the page shows them"
    events = EventAccumulator(str(tmp_path / "log" / "TO-1-of-1"))
    events.Reload()
    assert "learning rate" in events.Tags()["scalars"]
    curve = events.Scalars("accuracy/validation")
    assert [point.step for point in curve] == [1, 2, 3]
    best = events.Scalars("accuracy/best")
    assert best[-1].value == pytest.approx(max(point.value for point in curve))
