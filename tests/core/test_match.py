"""core.match: the tally of several games."""

from dataclasses import asdict

from ludus.core.match import MatchTally


def test_games_are_counted_by_player():
    tally = MatchTally()
    for winner, reason in ((0, "men"), (1, "blocked"), (None, "length"), (1, "blocked")):
        tally.add(winner, reason, plies=10)
    assert tally.counts == (1, 2, 1)
    assert (tally.games, tally.plies) == (4, 40)
    assert list(tally.rank_reasons()) == ["blocked", "men", "length"]
    assert MatchTally(**asdict(tally)) == tally


def test_compiled_games_are_counted_from_the_side_that_a_player_had():
    found = {"games": 6, "plies": 60, "wins": (3, 1), "draws": 2, "reasons": {"men": 6}}
    both = MatchTally.from_compiled(found, False) + MatchTally.from_compiled(found, True)
    assert both.counts == (4, 4, 4)
    assert (both.games, both.plies, both.reasons) == (12, 120, {"men": 12})
