"""`ludus tune nnmm`: a search that can be interrupted, on this machine or on a cluster."""

import json
import sqlite3
import sys
import tomllib
from contextlib import closing

import pytest

from ludus.cli.main import run
from ludus.core.errors import LudusError
from ludus.learn.nnmm.config import Preset, build_preset, load_preset, read_preset_tables
from ludus.learn.nnmm.data import split_entries
from ludus.learn.nnmm.tuning import (
    NUMERIC_RANGES,
    LocalTrialRunner,
    SearchConfig,
    search,
    suggest_preset,
)
from support.morris import GOOD_MOVES
from support.nnmm import teacher_moves, write_teacher_moves

optuna = pytest.importorskip("optuna", reason="left out: needs optuna")

BASE = load_preset("quick").with_changes(first=50, units=50, batch=500, epochs=1)


def plan(**fields: object) -> SearchConfig:
    return SearchConfig.parse({"data": GOOD_MOVES, "seed": 1, **fields})


class Made:
    """Workers that train nothing: wide networks are good, and every third trial is hopeless."""

    max_parallel = 2

    def __init__(self) -> None:
        self.given: list[Preset] = []
        self._waiting: list[tuple[int, float | None]] = []

    def submit(self, number: int, given: Preset, trial: object) -> None:
        self.given.append(given)
        accuracy = given.design.first / 1000
        self._waiting.append((number, None if number % 3 == 2 else accuracy))

    def next_result(self) -> tuple[int, float | None]:
        return self._waiting.pop()  # the last one first, as on a cluster


def test_the_search_begins_with_the_base_and_finds_what_is_better():
    workers = Made()
    found = search(plan(trials=12), BASE, workers)
    first = workers.given[0]
    assert (first.design.first, first.training.batch) == (50, 500)
    assert len(workers.given) == found.trials == 12
    kept = [given.design.first for number, given in enumerate(workers.given) if number % 3 != 2]
    assert found.accuracy == max(kept) / 1000
    assert found.preset.design.first == max(kept)
    assert found.preset.training.epochs == BASE.training.epochs


def test_a_search_goes_on_where_it_stopped(tmp_path):
    file = tmp_path / "study.db"
    search(plan(trials=4), BASE, Made(), file, "data")
    more, other = Made(), Made()
    assert search(plan(trials=6), BASE, more, file, "data").trials == 6
    assert len(more.given) == 2
    search(plan(trials=3), BASE, other, file, "other data")
    assert len(other.given) == 3


def test_every_suggestion_can_be_trained():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    names = plan().architectures
    seen = set()
    for _ in range(40):
        found = suggest_preset(study.ask(), BASE, names)
        seen.add(found.design.architecture)
        assert found.design_for(found.steps[0]).outputs == 25
    assert seen == {"residual", "dense", "feedforward"}
    sampler = optuna.samplers.RandomSampler(seed=1)
    fresh = optuna.create_study(sampler=sampler)
    assert suggest_preset(fresh.ask(), BASE, ["symmetric"]).design.architecture == "symmetric"


@pytest.mark.parametrize("name", NUMERIC_RANGES)
def test_rounding_leaves_numbers_in_their_span(name):
    span = NUMERIC_RANGES[name]
    for end in (span.low, span.high, span.low + 0.9996 * (span.high - span.low)):
        number = round(end) if span.step else end
        if number in span:
            assert span.suggest(optuna.trial.FixedTrial({name: number}), name) in span


def test_a_hopeless_training_is_broken_off():
    class Severe:
        def report(self, accuracy: float, epoch: int) -> None:
            self.seen = (accuracy, epoch)

        def should_prune(self) -> bool:
            return True

    workers, trial = (
        LocalTrialRunner("TO", split_entries(teacher_moves(), "entries", "published"), "cpu"),
        Severe(),
    )
    workers.submit(7, BASE.with_changes(epochs=100), trial)
    assert workers.next_result() == (7, None)
    assert trial.seen[1] == 1


@pytest.mark.parametrize(
    "fields", [{"part": "TOO"}, {"trials": 0}, {"architectures": ("x",)}, {"architectures": ()}]
)
def test_what_cannot_be_searched_is_refused(fields):
    with pytest.raises(LudusError):
        search(plan(**fields), BASE, Made())


@pytest.mark.slow
def test_what_is_found_can_be_trained(tmp_path, capsys):
    out = tmp_path / "tuned.toml"
    command = ["tune", "nnmm", "--data", str(write_teacher_moves(tmp_path)), "--preset", "quick"]
    command += ["--set", "epochs=1,first=50,units=50", "--trials", "2", "--part", "REMOVE"]
    command += [
        "--architecture",
        "feedforward",
        "--device",
        "cpu",
        "--threads",
        "1",
        "--out",
        str(out),
    ]
    assert run([*command, "--study", str(tmp_path / "study.db"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["trials"] == 2
    assert 0 < result["accuracy"] <= 1
    found = build_preset("tuned", read_preset_tables(out))
    assert found.design.architecture == "feedforward"
    assert found.design.model_dump(mode="json") == result["design"]
    assert run([*command, "--study", str(tmp_path / "study.db"), "--force"]) == 0
    printed = capsys.readouterr().out
    assert tomllib.loads(printed)["tuned"]["design"]["architecture"] == "feedforward"
    assert f"{result['accuracy']:.2%}" in printed


def test_a_file_that_is_no_study_is_one_clear_line(tmp_path, capsys):
    study = tmp_path / "study.db"
    study.write_bytes(b"\x00hello" * 1000)
    command = ["tune", "nnmm", "--data", str(write_teacher_moves(tmp_path)), "--trials", "1"]
    for file in (study, tmp_path / "nowhere" / "study.db"):
        assert run([*command, "--study", str(file)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_database_of_another_program_is_left_alone(tmp_path, capsys):
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as connection:
        connection.execute("CREATE TABLE game (record TEXT)")
    before = (tmp_path / "results.sqlite").read_bytes()
    data = ["--data", str(GOOD_MOVES), "--limit-entries", "200", "--device", "cpu"]
    study = ["--trials", "1", "--study", str(tmp_path / "results.sqlite")]
    assert run(["tune", "nnmm", *data, *study]) == 2
    assert "is a database of another program" in capsys.readouterr().err
    assert (tmp_path / "results.sqlite").read_bytes() == before


def test_without_ray_there_is_one_clear_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    data = str(write_teacher_moves(tmp_path))
    assert run(["tune", "nnmm", "--data", data, "--cluster", "auto"]) == 2
    line = "ludus: a cluster needs ray: pip install 'ludus-games[cluster]'\n"
    assert capsys.readouterr().err == line
