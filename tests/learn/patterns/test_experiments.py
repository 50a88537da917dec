"""The experiments on the Fuzzy player: what was published, and a small run of each kind."""

import json
import sys

import pytest

from ludus.cli.main import run
from ludus.learn.patterns.inference import parse_options
from ludus.reproduce import MatchTally, find_experiment, list_experiments
from ludus.reproduce.results import read_results
from support.paths import EXPERIMENTS

TABLES = [f"vrajitoru-table-{number}" for number in (2, 3, 4, 5)]
OTHERS = [
    "vrajitoru-tuned",
    "vrajitoru-parameters",
    "vrajitoru-learning-curve",
    "vrajitoru-adaptive",
    "vrajitoru-regret",
    "vrajitoru-readings",
]


def published(identity):
    """Condition to the three published percentages."""
    found = {}
    for row in find_experiment(identity, EXPERIMENTS).published().rows:
        found.setdefault((row["opponent"], row["options"]), []).append(int(row.published))
    return found


@pytest.mark.parametrize(("identity", "settings"), list(zip(TABLES, (2, 6, 4, 4), strict=True)))
def test_published_counts_add_up_where_the_paper_does(identity, settings):
    """Three rows of the paper do not: two in Table 4, and one of them again in Table 5."""
    found = published(identity)
    assert len(found) == 3 * settings
    wrong = {condition: sum(counts) for condition, counts in found.items() if sum(counts) != 100}
    assert wrong == {
        "vrajitoru-table-4": {("newbie", "wT=0.33"): 96, ("newbie", "wT=0.4"): 83},
        "vrajitoru-table-5": {("newbie", "wT=0.33,wL=10"): 96},
    }.get(identity, {})


def test_the_same_setting_has_the_same_counts_in_three_tables():
    third, fourth, fifth = map(published, TABLES[1:])
    for opponent in ("basic", "focused"):
        counts = third[opponent, "k=4,mutual=0.2"]
        assert counts == fourth[opponent, "wT=0.33"] == fifth[opponent, "wT=0.33,wL=10"]


def reproduced(identity, out, capsys, *more):
    status = run(["reproduce", identity, "--out", str(out), "--json", *more])
    assert status == 0
    return json.loads(capsys.readouterr().out)


def test_regret_without_an_oracle_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("LUDUS_ORACLE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    result = reproduced("vrajitoru-regret", tmp_path, capsys, "--size", "quick")
    assert result["rows"] == []
    assert "Nothing was judged" in (tmp_path / "vrajitoru-regret" / "report.html").read_text()


@pytest.mark.parametrize(
    "identity",
    [
        TABLES[0],
        *[pytest.param(each, marks=pytest.mark.slow) for each in (*TABLES[1:], *OTHERS[1:])],
        OTHERS[0],
    ],
)
def test_kept_results_can_be_reported(identity, tmp_path, capsys):
    result = reproduced(identity, tmp_path, capsys, "--from-results")
    assert result["size"] == "certain"
    assert identity in {experiment.id for experiment in list_experiments(EXPERIMENTS)}


def test_what_must_show(tmp_path, capsys):
    """The strength of the presets `seed` and `tuned`, by the kept results of 2,000 games each."""
    rows = {
        row["name"]: row
        for row in reproduced("vrajitoru-tuned", tmp_path, capsys, "--from-results")["rows"]
    }
    for opponent in ("newbie", "basic"):
        assert rows[f"{opponent}: preset seed, wL=15"]["ours"] > 50
    assert rows["focused: tuned fuzzy wins"]["interval"][0] > 60
    assert all(row["count"] == 2000 for row in rows.values())


def test_the_preset_paper_is_the_likeliest_reading():
    experiment = find_experiment("vrajitoru-readings", EXPERIMENTS)
    results = read_results(experiment, has_figures=False)
    readings = next(t for t in results.findings.tables if t.name == "Readings of the paper")
    questions = experiment.published()["questions"]
    assert max(row[-1] for row in readings.rows) == readings.rows[0][-1]
    answers = dict(zip(readings.headings, readings.rows[0], strict=True))
    options = ",".join(filter(None, (questions[name][answers[name]] for name in questions)))
    assert parse_options("preset=paper").to_settings() == parse_options(options).to_settings()


def test_a_setting_that_three_tables_repeat_counts_once():
    module = find_experiment("vrajitoru-readings", EXPERIMENTS).module()
    counts = module.list_published_counts()
    assert len(counts) == 42
    assert ("focused", "wT=0.33") not in counts
    assert counts["focused", "k=4,mutual=0.2"] == [46, 54, 0]


def test_conclusions_are_decided_by_intervals():
    module = find_experiment(TABLES[1], EXPERIMENTS).module()
    draw = sys.modules[f"{module.__package__}.fuzzy_tables"].draw_conclusions

    def decide(claim, **wins):
        tallies = {
            ("focused", options): MatchTally(1000, (count, 1000 - count), 0, {})
            for options, count in wins.items()
        }
        (found,) = draw([{"text": "x", "opponents": ["focused"], **claim}], tallies, "preset paper")
        return found.holds

    better = {"better": "a", "than": ["b"]}
    assert decide(better, a=600, b=400) is True
    assert decide(better, a=400, b=600) is False
    assert decide(better, a=505, b=500) is None
    assert decide({"settings": ["a"], "above": 50}, a=600) is True
    assert decide({"settings": ["a"], "above": 50}, a=505) is None
    assert decide({"settings": ["a"], "above": 50}, a=300) is False


@pytest.mark.parametrize(
    ("by_stage", "holds"),
    [
        ([[1.0, 1.1, 0.9], [2.0, 2.2, 2.1], [3.0, 3.1, 3.3]], True),
        ([[1.0, 1.1, 0.9], [2.0, 2.2, 2.1], [1.0, 1.1, 1.2]], False),
        ([[1.0, 1.1, 0.9], [0.9, 1.3, 1.0]], None),
        ([[1.0], [2.0]], None),
    ],
)
def test_a_rising_level_is_decided_by_steps_within_runs(by_stage, holds):
    module = find_experiment("vrajitoru-improving", EXPERIMENTS).module()
    assert module.conclude_rising(by_stage).holds is holds
