"""The search for strong settings: it goes on where it stopped, and finds what it should."""

import pytest

from ludus.learn.patterns.inference import PRESETS, FuzzySettings
from ludus.learn.patterns.network_file import load_network
from ludus.learn.patterns.tuning import (
    SEARCHED_PARAMETERS,
    PatternSearchConfig,
    measure_win_rate,
    search_settings,
)
from support.morris import morris
from support.repetition import repeat

pytest.importorskip("optuna")

pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_search_finds_a_setting_that_beats_the_papers(tmp_path, monkeypatch):
    from ludus.learn.patterns import tuning

    monkeypatch.setattr(tuning, "NUM_FINAL_GAMES", repeat(200, 2000))
    monkeypatch.setattr(tuning, "NUM_FINALISTS", 3)
    result = []
    trials = repeat(4, 12)
    plan = PatternSearchConfig(trials=trials, games=repeat(20, 200))
    file = tmp_path / "study.sqlite"
    found = search_settings(morris(), plan, file, lambda done, best: result.append((done, best)))
    assert [done for done, _ in result] == list(range(1, trials + 1))
    assert result[-1][1] == max(best for _, best in result)
    assert found.games == repeat(200, 2000)
    assert found.settings.network == "long"
    again = []
    search_settings(morris(), plan, file, lambda done, best: again.append(done))
    assert again == [], "all trials are there"


def test_the_paper_is_the_first_trial():
    """So whatever is found is at least as good."""
    assert {"k", "mutual", "wL", "wT", "wF", "wM", "rateThr", "moveThr"} < set(SEARCHED_PARAMETERS)
    assert all(hasattr(FuzzySettings(), name) for name in SEARCHED_PARAMETERS)


def test_the_tuned_setting_is_better_than_the_papers():
    known = load_network("long")
    shares = [
        measure_win_rate(morris(), known, PRESETS[name], "focused", 2000, 77, 2)
        for name in ("seed", "tuned")
    ]
    assert shares[1] > 0.6
    assert shares[1] > shares[0] + 0.08
