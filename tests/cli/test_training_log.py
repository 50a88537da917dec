"""`--log DIR`: every trainer writes curves in one format, and is found while it runs."""

import json

import pytest

from ludus.cli import training_log
from ludus.cli.training_log import open_training_log
from ludus.core.runs import list_runs

TRAINERS = {
    "menace": ("train", "menace", "--games", "30"),
    "her": ("train", "her", "--games", "30"),
    "qlearning": ("train", "qlearning", "hexapawn", "--games", "30"),
    "migo": ("migo", "learn", "hexapawn", "--games", "3"),
    "patterns": ("patterns", "train", "--own", "1", "--mixed", "1", "--strong", "0"),
    "gammon": ("train", "gammon", "--cycles", "2", "--positions", "20", "--games", "0"),
}


@pytest.mark.parametrize("name", TRAINERS)
def test_trainers_write_curves(name, tmp_path, ludus):
    out = ("--out", str(tmp_path / "network")) if name == "patterns" else ()
    done = ludus(*TRAINERS[name], *out, "--json", "--log", str(tmp_path / "log"))
    assert done.status == 0, done.err
    [file] = (tmp_path / "log").glob("*.jsonl")
    assert file.name.startswith(name)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert all(set(row) == {"step", "name", "value"} for row in rows)
    assert len({row["step"] for row in rows}) > 1


def test_curves_have_a_limited_number_of_points_and_resume(tmp_path, monkeypatch):
    monkeypatch.setattr(training_log, "MAX_POINTS", 2)
    with open_training_log(tmp_path, "some training") as log:
        for step in range(1, 11):
            log.add_mean(step, {"regret": step}, 10)
        [run] = list_runs()
        assert (run.title, run.path) == ("some training", str(tmp_path))
    [file] = tmp_path.glob("*.jsonl")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(row["step"], row["value"]) for row in rows] == [(5, 3.0), (10, 8.0)]
    with open_training_log(tmp_path, "some training") as log:
        log.add(10, {"regret": 1.0})
    assert [json.loads(line)["value"] for line in file.read_text().splitlines()] == [3.0, 1.0]
    assert list_runs() == []
