"""The search finds what plain negamax finds, whatever it leaves out on the way."""

import pytest

from ludus._native.search import DECIDED, WIN, Search
from ludus.games.nine_mens_morris import PRESETS
from ludus.games.nine_mens_morris.board import Move
from support.plain_negamax import Negamax, morris, ongoing, run, shuffled

UNUSUAL = [
    "men=5,flying=no,repetition=3",
    "lasker,diagonals=yes,take_from_mills=always,quiet_plies=12",
    "vrajitoru,quiet_plies=6,men=6",
    "morabaraba,blocked=passes,repetition=4,quiet_plies=8",
    "men=12,place_or_move=yes,take_from_mills=never,full_board=draws,lose_below=1",
]
PLAIN = {"extends": False, "reduces": False, "uses_table": False}


def depth_for(position):
    """Return a depth that Python searches quickly."""
    moves = len(position.legal_moves())
    return 4 if moves <= 6 else 3 if moves <= 14 else 2


@pytest.mark.parametrize("rules", [*PRESETS, *UNUSUAL])
def test_scores_are_those_of_negamax(rules):
    search = Search(morris(rules).rules)
    negamax = Negamax(search)
    for position in ongoing(rules, 40, seed=1):
        depth = depth_for(position)
        result = run(search, position, depth=depth, **PLAIN)
        score, line = result["lines"][0]
        assert score == negamax.score(position, depth), str(position)
        assert result["depth"] == depth or abs(score) >= DECIDED
        if result["depth"] == depth and len(position.legal_moves()) > 1:
            after = position.play(Move(*line[0]))
            assert -negamax.score(after, depth - 1, 1) == score
    # Under the paper's rules a side loses only with its last man, far beyond these depths.
    assert negamax.reasons or rules == "vrajitoru"


@pytest.mark.parametrize("rules", ["standard", "repetition=3", "flying=no,repetition=2,men=6"])
def test_positions_of_the_game_so_far_come_again(rules):
    search = Search(morris(rules).rules)
    negamax = Negamax(search)
    for position in shuffled(rules, 40, seed=2):
        depth = depth_for(position)
        score = run(search, position, depth=depth, **PLAIN)["lines"][0][0]
        assert score == negamax.score(position, depth), str(position)
    assert "repetition" in negamax.reasons


def test_without_repetition_nothing_is_drawn_by_it():
    search = Search(morris("repetition=0").rules)
    negamax = Negamax(search)
    for position in shuffled("repetition=0", 20, seed=2):
        depth = depth_for(position)
        score = run(search, position, depth=depth, **PLAIN)["lines"][0][0]
        assert score == negamax.score(position, depth)
    assert "repetition" not in negamax.reasons


@pytest.mark.parametrize("rules", ["standard", "vrajitoru", "morabaraba"])
def test_the_table_changes_no_score_while_men_are_placed(rules):
    """Hands tell the plies apart, so no entry is of another depth than is asked for."""
    search = Search(morris(rules).rules)
    for position in ongoing(rules, 40, seed=3, plies=10):
        plain = run(search, position, depth=4, **PLAIN)
        with_table = run(search, position, depth=4, extends=False, reduces=False)
        assert with_table["lines"][0][0] == plain["lines"][0][0]
        assert with_table["nodes"] <= plain["nodes"]


def test_every_line_has_its_own_score():
    search = Search(morris().rules)
    negamax = Negamax(search)
    for position in ongoing("standard", 12, seed=4):
        moves = position.legal_moves()
        if len(moves) > 14:
            continue
        lines = run(search, position, depth=2, lines=len(moves), **PLAIN)["lines"]
        report = {Move(*line[0]): score for score, line in lines}
        assert report == {move: -negamax.score(position.play(move), 1, 1) for move in moves}
        assert list(report.values()) == sorted(report.values(), reverse=True)


def test_the_expected_moves_can_be_played():
    search = Search(morris().rules)
    for position in ongoing("standard", 20, seed=5):
        for _, line in run(search, position, depth=5, lines=2)["lines"]:
            place = position
            for parts in line:
                assert Move(*parts) in place.legal_moves()
                place = place.play(Move(*parts))


def test_a_blocked_side_loses_or_passes():
    """White steps from f6 to d6, the last free point beside Black's men."""
    text = "BBW/W.W/.../BBW.../.../W../W.. w 0 0"
    game = morris("standard")
    position = game.parse(text)
    loses = run(Search(game.rules), position, depth=3)["lines"][0]
    passing = morris("blocked=passes")
    goes_on = run(Search(passing.rules), passing.parse(text), depth=3)["lines"][0]
    assert loses[0] == WIN - 1
    assert str(Move(*loses[1][0])) == "f6-d6"
    assert goes_on[0] < DECIDED


def test_a_win_at_once_is_a_ply_away():
    game = morris()
    position = game.parse("W.W/.../.../W...../.B./.../B.B w 0 0")
    result = run(Search(game.rules), position)
    assert result["lines"][0][0] == WIN - 1
    assert result["depth"] == 1
