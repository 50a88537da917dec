"""`--log DIR`: every trainer writes curves in one format, and is found while it runs."""

import json

import pytest

from ludus.learn.tabular.train import MenaceConfig, MenaceTraining
from ludus.learn.training import fit

TRAINERS = {
    "menace": ("train", "menace", "--games", "30"),
    "her": ("train", "her", "--games", "30"),
    "qlearning": ("train", "qlearning", "hexapawn", "--games", "30"),
    "migo": ("train", "migo", "hexapawn", "--games", "3"),
    "patterns": ("train", "patterns", "--own", "1", "--mixed", "1", "--strong", "0"),
    "gammon": ("train", "gammon", "--cycles", "2", "--positions", "20", "--games", "0"),
}


@pytest.mark.parametrize("name", TRAINERS)
def test_trainers_write_curves(name, tmp_path, ludus):
    done = ludus(*TRAINERS[name], "--json", "--log", str(tmp_path / "log"))
    assert done.status == 0, done.err
    [file] = (tmp_path / "log").glob("*.jsonl")
    assert file.name.startswith(name)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert all(set(row) == {"step", "name", "value"} for row in rows)
    assert len({row["step"] for row in rows}) > 1


def test_curves_have_a_limited_number_of_points_and_resume(tmp_path):
    config = MenaceConfig(games=2000)
    log = tmp_path / "log"
    for _ in range(2):
        fit(MenaceTraining(config), steps=1000, log=log, checkpoint=tmp_path / "checkpoint")
    [file] = log.glob("*.jsonl")
    steps = [json.loads(line)["step"] for line in file.read_text().splitlines()]
    assert steps == sorted(set(steps))
    assert MenaceTraining.num_points - 5 < len(steps) <= MenaceTraining.num_points
    assert steps[-1] == 2000
