"""Benchmarks that no other test runs, made small."""

import json
import runpy

import pytest

from support.paths import ROOT


def test_learning_of_endings(capsys):
    module = runpy.run_path(str(ROOT / "benchmarks" / "scholar_endings.py"))
    small = ["--channels", "4", "--batch", "16", "--positions", "200", "--rounds", "4"]
    found = []
    for steps in (1, 40):
        module["main"](["--steps", str(steps), "--rate", "0.02", "--weight-decay", "0.1", *small])
        found.append(json.loads(capsys.readouterr().out))
    before, after = found
    assert before["critical"] == after["critical"] > 50
    assert after["loss"] < 1.1  # that of a guess
    assert after["size of weights"] > before["size of weights"]
    assert abs(after["kept"] - after["kept, rounded"]) < 0.1


def test_rounding_with_sums_kept_moves_predictions_less(capsys):
    module = runpy.run_path(str(ROOT / "benchmarks" / "scholar_rounding.py"))
    module["main"](["--games", "60", "--experts", "8", "15"])
    found = json.loads(capsys.readouterr().out)
    assert found.pop("file") == "scorer-full.safetensors"
    for errors in found.values():
        (nearest, _), (kept, _) = errors["to the nearest"], errors["with sums over the group kept"]
        assert 0 < kept < nearest < 0.2


@pytest.mark.slow
def test_training_steps_are_timed(capsys):
    """Of this version beside itself."""
    module = runpy.run_path(str(ROOT / "benchmarks" / "training_steps.py"))
    module["main"](["--steps", "1", "--rounds", "2"])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["learner"] for each in found] == list(module["LEARNERS"])
    assert all(each["seconds"] > 0 and each["ratio"] > 0 for each in found)


def test_equal_moves_have_equal_digests(capsys):
    module = runpy.run_path(str(ROOT / "benchmarks" / "player_moves.py"))
    runs = []
    for positions in ("10", "10", "11"):
        module["main"](["--positions", positions, "--only", "hexapawn", "--json"])
        runs.append(json.loads(capsys.readouterr().out)["players"])
    first, second, longer = runs
    assert first == second
    assert {each["player"] for each in first} >= {"random", "perfect", "migo", "deepq"}
    assert all(
        one["moves"] != other["moves"] for one, other in zip(first[:2], longer, strict=False)
    )
