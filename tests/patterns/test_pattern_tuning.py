"""The search for strong settings: it goes on where it stopped, and finds what it should."""

import pytest
from odd_morris import morris

from ludus.learn.patterns.settings import PRESETS, Settings
from ludus.learn.patterns.shipped import network
from ludus.learn.patterns.tuning import SEARCHED, Search, search, share_of_wins

pytest.importorskip("optuna")

pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_search_finds_a_setting_that_beats_the_papers(tmp_path, monkeypatch):
    from ludus.learn.patterns import tuning

    monkeypatch.setattr(tuning, "FINAL_GAMES", 2000)
    monkeypatch.setattr(tuning, "FINALISTS", 3)
    told = []
    plan = Search(trials=12, games=200)
    file = tmp_path / "study.sqlite"
    found = search(morris(), plan, file, lambda done, best: told.append((done, best)))
    assert [done for done, _ in told] == list(range(1, 13))
    assert told[-1][1] == max(best for _, best in told)
    assert found.games == 2000
    assert found.settings.network == "long"
    again = []
    search(morris(), plan, file, lambda done, best: again.append(done))
    assert again == [], "all trials are there"


def test_the_paper_is_the_first_trial():
    """So whatever is found is at least as good."""
    assert {"k", "mutual", "wL", "wT", "wF", "wM", "rateThr", "moveThr"} < set(SEARCHED)
    assert all(hasattr(Settings(), name) for name in SEARCHED)


def test_the_tuned_setting_is_better_than_the_papers():
    known = network("long")
    shares = [
        share_of_wins(morris(), known, PRESETS[name], "focused", 2000, 77, 2)
        for name in ("seed", "tuned")
    ]
    assert shares[1] > 0.6
    assert shares[1] > shares[0] + 0.08
