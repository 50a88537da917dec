"""Vrajitoru's Table 1: its shape with 10,000 games, the readings, and the stored results."""

import json
import math

import pytest

from ludus.cli.main import run
from ludus.core.statistics import compare_wins
from ludus.reproduce import Context, RunOptions, find_experiment
from ludus.reproduce.results import ResultCache, read_results
from support.paths import EXPERIMENTS

EXPERIMENT = find_experiment("vrajitoru-table-1", EXPERIMENTS)


@pytest.fixture
def context(tmp_path):
    options = RunOptions(size="certain", jobs=1)
    with Context(EXPERIMENT.published(), ResultCache(tmp_path), options) as made:
        yield made


def interpretations():
    import sys

    EXPERIMENT.module()
    return sys.modules["ludus_experiments.vrajitoru.interpretations"]


def test_the_table_holds_a_hundred_matches_of_each_kind():
    table = EXPERIMENT.published()
    for first in range(0, len(table.rows), 3):
        assert sum(row.published for row in table.rows[first : first + 3]) == 100
    assert len(table.rows) == 18


def test_the_shape_of_the_table_with_10000_games(context):
    """Focused beats basic in 80 to 92%, basic is a little ahead of newbie."""
    from scipy import stats

    module = EXPERIMENT.module()
    plain = interpretations().Interpretation(
        tuple(context.published["plain"][q] for q in module.QUESTIONS)
    )
    published = module.get_published_counts(context)
    found = {
        (pair[0], starter): module.play_matches(context, plain, pair, starter)
        for pair, cells in published.items()
        for starter in cells
    }
    assert all(tally.games == 10_000 for tally in found.values())
    assert 0.80 < found["focused", "alternate"].wins[0] / 10_000 < 0.92
    basic = found["basic", "alternate"]
    assert 0.50 < basic.wins[0] / 10_000 < 0.56
    assert compare_wins(*basic.wins).p_value < 0.05
    for pair, cells in published.items():
        for starter, counts in cells.items():
            ours = found[pair[0], starter]
            assert (counts[0] > counts[1]) == (ours.wins[0] > ours.wins[1])
            # The published counts are no surprise for games that end as ours do.
            share = ours.wins[0] / sum(ours.wins)
            test = stats.binomtest(counts[0], counts[0] + counts[1], share)
            assert test.pvalue > 0.05, (pair, starter)


def test_every_reading_is_of_rules_and_players_that_exist(context):
    every = list(interpretations().list_interpretations(context.published["grid"]))
    assert len(every) == len(set(every)) == 2**4 * 3**3 * 4
    plain = interpretations().Interpretation(tuple(context.published["plain"].values()))
    assert plain in every
    assert plain.player("newbie") == "newbie:taking=any,among=moves"
    from ludus.games import game
    from ludus.games.nine_mens_morris import PRESETS

    assert game("nine_mens_morris", plain.rules).rules == PRESETS["vrajitoru"]
    assert len({game("nine_mens_morris", reading.rules).rules for reading in every}) == 96


def test_the_likelihood_becomes_multinomial_with_many_games():
    from scipy import stats

    published, chances = (84, 15, 1), (0.8, 0.19, 0.01)
    ours = [round(share * 10**9) for share in chances]
    exact = stats.multinomial(100, chances).logpmf(published)
    assert interpretations().compute_log_likelihood(published, ours) == pytest.approx(
        exact, abs=1e-5
    )


def test_the_likelihoods_of_all_counts_add_up_to_one():
    ours = (7, 2, 0)
    every = [(a, b, 6 - a - b) for a in range(7) for b in range(7 - a)]
    assert sum(
        math.exp(interpretations().compute_log_likelihood(each, ours)) for each in every
    ) == pytest.approx(1)


def test_quick_size_has_the_table_the_tests_and_the_ranking(tmp_path, capsys):
    command = ["reproduce", "vrajitoru-table-1", "--size", "quick", "--json"]
    assert run([*command, "--out", str(tmp_path), "--seed", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(row["count"] == 100 and row["ours"] is not None for row in found["rows"])
    assert sum(row["agrees"] for row in found["rows"]) >= 14
    tests, questions, ranking = found["tables"]
    assert len(tests["rows"]) == 6
    weights = [row[-1] for row in questions["rows"]]
    assert sum(weights) == pytest.approx(8 * 100)
    scores = [row[9] for row in ranking["rows"]]
    assert scores == sorted(scores, reverse=True)
    assert "most probable" in found["remarks"][0]


def test_stored_results_are_of_the_thorough_run():
    results = read_results(EXPERIMENT)
    assert results.size == "certain"
    assert [row.ours.count for row in results.rows] == [10_000] * 18
    shares = {row.name: row.ours.value for row in results.rows}
    for first in range(0, 18, 3):
        assert sum([*shares.values()][first : first + 3]) == pytest.approx(100)
