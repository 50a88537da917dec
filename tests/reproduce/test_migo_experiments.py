"""The experiments of Muggleton and Hocquette, at a size that takes seconds."""

import json
import re
import shutil
import sys
from random import Random

import pytest

from ludus.cli.main import run
from ludus.core.errors import LudusError
from ludus.core.executors import LocalProcesses
from ludus.games.hexapawn import Hexapawn
from ludus.learn.episodes import RunConfig, StartSampler, run_training, run_trainings
from ludus.reproduce import find_experiment
from ludus.reproduce.experiment import PublishedRow, find_experiments_folder
from ludus.reproduce.results import read_results
from support.facilities import external

FOLDER = find_experiments_folder()


def module(identity):
    return find_experiment(identity, FOLDER).module()


def significance_tests():
    """The file of the statistics, which all experiments of the folder share."""
    module("migo-figure-3")
    return sys.modules["ludus_experiments.migo.significance_tests"]


def test_the_start_boards_and_exact_regrets_to_four_decimals(capsys, tmp_path):
    arguments = ["reproduce", "migo-start-boards", "--out", str(tmp_path), "--json"]
    assert run([*arguments, "--size", "published", "--jobs", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["rows"]) == 22
    for row in found["rows"]:
        # The paper prints worst cases with two decimals.
        margin = 5.1e-3 if "worst case" in row["name"] else 5.1e-5
        known = row["published"] if row["published"] is not None else row["reference"]
        assert row["ours"] == pytest.approx(known, abs=margin), row["name"]
    assert sum("reference" in row for row in found["rows"]) == 8


@pytest.mark.parametrize(
    "identity",
    ["migo-start-boards", "migo-readings", "migo-figure-3", "migo-figure-4", "migo-figure-5"],
)
def test_stored_results_can_be_reported(capsys, tmp_path, identity):
    arguments = ["reproduce", identity, "--from-results", "--out", str(tmp_path), "--json"]
    assert run(arguments) == 0, capsys.readouterr().err
    found = json.loads(capsys.readouterr().out)
    assert {row.name for row in find_experiment(identity, FOLDER).published().rows} == {
        row["name"] for row in found["rows"]
    }
    assert (tmp_path / identity / "report.html").is_file()


def test_stored_means_of_migo_agree_with_the_published_ones():
    """Both variants in both games, and both transfers, each by 40 runs or more."""
    compared = [
        row
        for identity in ("migo-figure-3", "migo-figure-5")
        for row in read_results(find_experiment(identity, FOLDER)).rows
        if row.published_row.published is not None
        and row.published_row["learner"].startswith("migo")
    ]
    assert len(compared) == 8
    assert all(row.ours.count >= 40 for row in compared)
    assert [row.name for row in compared if not row.agrees] == []


def test_published_p_values_follow_from_the_published_means():
    """Figure 5a: 19.65 (4.07) with transfer, 48.8 (43.26) without, 20 runs each."""
    from scipy import stats

    summary, welch = significance_tests().Summary, significance_tests().welch_test
    t = (19.65 - 48.8) / ((4.07**2 + 43.26**2) / 19) ** 0.5
    p = welch(summary(19.65, 4.07, 20), summary(48.8, 43.26, 20))
    assert p == pytest.approx(stats.t.cdf(t, 19.3), rel=0.02)
    assert welch(summary(1, 0, 5), summary(2, 0, 5)) is None


def test_statistics_of_runs():
    p, lower = significance_tests().mann_whitney_test([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
    assert lower == 1
    assert p < 0.01
    assert significance_tests().mann_whitney_test([1, 2], [1, 2])[1] == 0.5
    assert significance_tests().adjust_holm([0.01, 0.04, 0.02]) == pytest.approx([0.03, 0.04, 0.04])
    slow = [1] * 50 + [0] * 50
    assert significance_tests().count_games_to_converge(slow, 1.0) == 45
    assert significance_tests().count_games_to_converge([1] * 100, 1.0) == 100


def test_rules_are_the_same_if_they_hold_for_the_same_moves():
    figure = module("migo-figure-4")
    published = ["win_1(A,B) :- move(A,B), won(B)."]
    twice = ["w(A,B) :- move(A,B), won(B).", "win_1(A,B) :- w(A,B), won(B)."]
    other = ["win_1(A,B) :- move(A,B), drawn(B)."]
    fields = {"predicate": "win_1", "game": "hexapawn", "rules": published}
    row = PublishedRow.model_validate({"name": "win_1", **fields})
    assert figure.has_rule(row, twice)
    assert not figure.has_rule(row, other)
    assert not figure.has_rule(row, [])
    assert figure.unfold_clauses(twice)["win_1"] == [frozenset({"won"})]
    with pytest.raises(LudusError, match="no clause"):
        figure.unfold_clauses(["nonsense"])


def test_courses_do_not_depend_on_the_processes():
    courses = [RunConfig("menace", "noughts_and_crosses", 10, seed) for seed in range(3)]
    with LocalProcesses(1) as one, LocalProcesses(2) as two:
        alone, together = (list(run_trainings(courses, each)) for each in (one, two))
    assert [marks.regret for marks in alone] == [marks.regret for marks in together]
    assert alone[0].regret != alone[1].regret


def test_what_was_learned_goes_along():
    """After hexapawn a learner wins at once where it can, from its first game on."""
    before = RunConfig("migo", "hexapawn", 60, 1)
    with_it = run_training(RunConfig("migo", "noughts_and_crosses", 1, 1, after=before))
    without = run_training(RunConfig("migo", "noughts_and_crosses", 1, 1))
    assert any(rule.startswith("win_1(") for rule in with_it.learned)
    assert not any(rule.startswith("win_1(") for rule in without.learned)


def test_boards_of_the_authors_runs():
    """MENACE's runs begin with 5 to 11 different boards; HER has one board for all games."""
    module("migo-figure-3")
    runs = sys.modules["ludus_experiments.migo.runs"]
    boards = [runs.list_authors_boards("noughts_and_crosses", number) for number in range(20)]
    assert {len(each) for each in boards} == {200}
    distinct = [len(set(each[:12])) for each in boards]
    assert (min(distinct), max(distinct)) == (5, 11)
    assert runs.list_authors_boards("hexapawn:migo", 41) == runs.list_authors_boards("hexapawn", 1)
    row = {"learner": "her", "game": "hexapawn", "preset": "migo", "games_a_run": 3}
    config = runs.make_run_config({**row, "draw": "authors_first"}, 0, 7)
    assert config.game == "hexapawn:migo"
    assert config.starts == runs.list_authors_boards("hexapawn", 7)[-1:]
    config = runs.make_run_config({**row, "draw": "authors"}, 0, 7)
    assert (config.draw, len(config.starts)) == ("listed", 100)
    starts = [Hexapawn().parse(text) for text in config.starts]
    assert set(starts) <= set(Hexapawn().training_starts())
    sampler = StartSampler(starts, "listed", Random(0))
    chosen = [start for _ in range(101) for start in sampler.next_choices()]
    assert chosen == [*starts, starts[0]]


def test_null_hypothesis_1_needs_every_comparison():
    figure = module("migo-figure-3")
    tests = [["Hexapawn 3", "MIGO mixed", "HER", 0.01, 1e-6, 1e-5, 0.9, 0, 6, 0.1]]
    assert figure.conclude_null_hypothesis("Hexapawn 3", tests).holds is True
    tests.append(["Hexapawn 3", "MIGO separated", "HER", 0.03, 0.15, 0.15, 0.5, 5, 6, 0.8])
    found = figure.conclude_null_hypothesis("Hexapawn 3", tests)
    assert found.holds is None
    assert found.evidence.endswith("not for MIGO separated against HER p = 0.15")
    tests.append(["Hexapawn 3", "MIGO separated", "other", 0.03, 0.99, 0.99, 0.1, 5, 6, 0.8])
    assert figure.conclude_null_hypothesis("Hexapawn 3", tests).holds is False


def test_similar_transfers_help_and_differ_by_little():
    similar = module("migo-figure-5").conclude_similar
    without = [80, 90, 70, 85, 95, 60, 75, 88]
    one, other = [27, 28, 26, 29, 27, 28, 26, 27], [28, 27, 27, 26, 29, 28, 27, 26]
    assert similar("", one, other, without).holds is True
    assert similar("", one, [each + 20 for each in other], without).holds is False
    assert similar("", without, without, without).holds is None
    assert similar("", [27], [27], [80]).holds is None


def curves():
    """The module of the experiments that reads and draws the curves."""
    module("migo-figure-3")
    return sys.modules["ludus_experiments.migo.runs"]


CURVES = """\
game,system,iteration,mean_cumulative_regret,std
hexapawn3,ours,1,0.5,0.1
hexapawn3,ours,2,0.75,0.1
hexapawn3,theirs,1,2,0
"""

RUNS = """\
game,system,run,iteration,regret
hexapawn4,ours,0,1,2
hexapawn4,ours,0,2,1
hexapawn4,ours,1,1,0
hexapawn4,theirs,0,1,9
"""


def test_curves_are_read_from_files(tmp_path, monkeypatch):
    """In the columns of the authors' files; the numbers are made up."""
    monkeypatch.setenv("LUDUS_MIGO_DATA", str(tmp_path))
    assert curves().read_published_curves() == {}
    assert curves().read_published_runs("ours") == []
    other = tmp_path / "other"
    other.mkdir()
    (other / "migo_published_curves.csv").write_text(CURVES)
    (other / "migo_published_h4_transfer_per_run.csv").write_text(RUNS)
    monkeypatch.setenv("LUDUS_MIGO_DATA", str(other))
    found = curves().read_published_curves()
    assert found == {("hexapawn3", "ours"): [0.5, 0.75], ("hexapawn3", "theirs"): [2.0]}
    assert curves().read_published_runs("ours") == [3, 0]


@pytest.mark.external("migo")
def test_the_published_rows_are_the_ends_of_the_authors_curves(monkeypatch):
    """The rows stand in `experiments/migo/figure_3.toml`, with their source."""
    monkeypatch.setenv("LUDUS_MIGO_DATA", str(external("migo")))
    found = curves().read_published_curves()
    names = {"noughts_and_crosses": "noughts_and_crosses", "hexapawn": "hexapawn3"}
    for row in find_experiment("migo-figure-3", FOLDER).published().rows:
        if row.published is not None:
            curve = found[names[row["game"]], row["system"]]
            assert curve[-1] == row.published
            assert len(curve) == row["games_a_run"]


IDLE_PROGRAM = """
:- dynamic(episode/4), dynamic(win/2).
update_exs(_, _, _, _).
update_draw_moves(_, _).
dependent_learning([], []).
prog_equivalent(_, _, 1).
update_counter(_, _).
assert_prog_and_prims(_). retract_prog_and_prims(_).
assert_win. assert_draw. retract_win. retract_draw.
execute_strategy(_, _, _) :- fail.
"""
"""Has the predicates of the authors' program that are called, and learns nothing."""


@pytest.mark.needs_debian("swi-prolog-nox")
def test_a_program_that_learns_nothing_differs_from_ours(monkeypatch, tmp_path, capsys):
    program = tmp_path / "program"
    for name in ("MIGO/migo.pl", "MIGO/metagol.pl", "noughts&Crosses/playox.pl"):
        (program / name).parent.mkdir(parents=True, exist_ok=True)
        (program / name).write_text(IDLE_PROGRAM if "migo" in name else "")
    (program / "hexapawn").mkdir()
    (program / "hexapawn" / "hexapawn.pl").write_text("next_mark(w, b). next_mark(b, w).")
    folder = tmp_path / "experiments"
    shutil.copytree(FOLDER / "migo", folder / "migo", ignore=shutil.ignore_patterns("results"))
    table = folder / "migo" / "metagol.toml"
    table.write_text(re.sub("games_a_run = .*", "games_a_run = 20", table.read_text()))
    monkeypatch.setenv("LUDUS_MIGO_PROGRAM", str(program))
    arguments = ["reproduce", "migo-metagol", "--size", "quick", "--out", str(tmp_path / "out")]
    assert run([*arguments, "--experiments", str(folder), "--json"]) == 0, capsys.readouterr().err
    found = json.loads(capsys.readouterr().out)
    assert [each["holds"] for each in found["conclusions"]] == [False] * 3
    shares = {row["name"].partition(": ")[2].split()[0]: row["ours"] for row in found["rows"]}
    assert shares["clauses"] == 0
    assert shares["moves"] < 100
    (table,) = found["tables"]
    assert {row[3] for row in table["rows"]} == {""}  # only ours has clauses
    assert all("win_1" in row[4] or "draw_1" in row[4] for row in table["rows"])


def test_the_authors_program_must_be_named(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("LUDUS_MIGO_PROGRAM", raising=False)
    arguments = ["reproduce", "migo-metagol", "--size", "quick", "--out", str(tmp_path)]
    assert run(arguments) != 0
    assert "LUDUS_MIGO_PROGRAM" in capsys.readouterr().err
