"""The learner of the tutorial, and one of five lines, work with everything that ours do."""

import json
import os
import re

import pytest

import ludus
from ludus.learn import Training, TrainingConfig, fit
from support.command_line import process
from support.paths import ROOT


class Sum(Training[TrainingConfig]):
    """Adds the numbers from 1."""

    max_steps = 9

    def step(self, clock):
        self.learned["sum"] = self.learned.get("sum", 0) + self.run.steps + 1


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Environment variables with which Python finds the module of the tutorial."""
    text = (ROOT / "docs/tutorials/add_a_learner.md").read_text(encoding="utf-8")
    cells = re.findall(r"```\{code-cell\} ipython3\n(.*?)```", text, re.DOTALL)
    classes = [cell for cell in cells if "class " in cell]
    code = "\n\n".join(classes).partition("player = Averages")[0]
    folder = tmp_path_factory.mktemp("learner")
    (folder / "my_learners.py").write_text(f"import tempfile\nfrom pathlib import Path\n{code}")
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths)}


def test_what_is_learned_is_saved_as_json(tmp_path):
    found = ludus.train(Sum, out=tmp_path / "sum.json")
    assert found.report["finished"]
    assert json.loads((tmp_path / "sum.json").read_text()) == {"sum": 45}
    assert [each.name for each in tmp_path.iterdir()] == ["sum.json"]


def test_it_resumes(tmp_path):
    checkpoint = tmp_path / "sum.training"
    for _ in range(2):
        training = Sum(TrainingConfig())
        fit(training, checkpoint=checkpoint, steps=4)
    assert training.learned == {"sum": sum(range(1, 9))}
    assert training.run.resumed_after == 4
    with pytest.raises(ludus.LudusError, match="another training"):
        fit(Sum(TrainingConfig(seed=1)), checkpoint=checkpoint)


def test_the_command_trains_it_and_its_player_plays(environment, tmp_path):
    file = tmp_path / "averages.json"
    result = process("train", "my_learners:Averages", "--out", str(file), "--json", **environment)
    assert (result.status, result.err) == (0, "")
    assert json.loads(result.out)["steps"] == 1500
    player = f"my_learners:AveragesPlayer,file={file}"
    match = process("regret", "hexapawn", player, "--games", "10", "--json", **environment)
    assert (match.status, match.err) == (0, "")
    assert json.loads(match.out)["mean_regret"] < 0.2


def test_its_command_has_help(environment):
    result = process("train", "my_learners:Averages", "--help", **environment)
    assert result.status == 0
    assert "The mean result of each move of hexapawn." in result.out
    assert "--seed" in result.out


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("my_learners:Nothing", "the module my_learners has no 'Nothing'"),
        ("my_learners:AveragesPlayer", "is not a class of learners"),
        ("my_learner:Averages", "no module of this name"),
    ],
)
def test_what_is_no_learner_is_refused(environment, spec, message):
    result = process("train", spec, **environment)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1
