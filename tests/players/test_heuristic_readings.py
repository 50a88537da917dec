"""What the paper leaves open about its players: each reading by itself, and the compiled twin."""

from collections import Counter

import pytest
from test_heuristics import UNUSUAL, candidates, morris, odd_positions, texts

import ludus
from ludus.core.errors import BadSpec, UnknownName
from ludus.games.nine_mens_morris import PRESETS

SPECS = (
    "newbie:taking=first",
    "newbie:taking=threat,among=men",
    "newbie:among=first",
    "basic:opening=any",
    "basic:opening=any,taking=threat,among=first",
    "focused:taking=threat",
    "focused:taking=first,among=first",
)


def test_a_bold_player_opens_a_mill_beside_an_enemy():
    """White's mill d7-d6-d5; the black man on b6 could step on d6."""
    text = ".W./BW./.W./....../B.B/W../..B w 0 0"
    safe = {"d7-a7", "d7-g7", "d5-c5", "d5-e5"}
    assert candidates("basic", text) == (safe, "opens a mill")
    assert candidates("basic:opening=any", text) == (safe | {"d6-f6"}, "opens a mill")


def test_the_man_that_is_taken():
    """White closes a7-d7-g7 with g7. Black threatens one mill, a1-d1-g1 with a1 and d1."""
    text = "WW./.../.../...B../.../..B/BB. w 7 5"
    assert candidates("newbie", text)[0] == {"g7xe4", "g7xf2", "g7xa1", "g7xd1"}
    assert candidates("newbie:taking=threat", text)[0] == {"g7xa1", "g7xd1"}
    assert len(candidates("newbie:taking=first", text)[0]) == 1


def test_a_man_is_taken_though_there_is_no_threat():
    text = "WW./.../.../....../.B./..B/... w 7 7"
    assert candidates("newbie:taking=threat", text)[0] == {"g7xd3", "g7xf2"}


def test_the_first_wanted_move_is_the_only_one():
    """Two points close a mill; a move without a purpose is any move all the same."""
    text = "WW./.../.../....../.../.../WWB w 5 8"
    both = candidates("newbie", "WW./.../.../....../.../.../.WW w 5 8", "vrajitoru")[0]
    assert len(both) == 2
    assert len(candidates("newbie:among=first", text)[0]) == 1
    nothing = "W../.../.../....../.../.../..B w 8 8"
    assert candidates("newbie:among=first", nothing) == candidates("newbie", nothing)


def test_a_man_drawn_first_is_any_man_whatever_its_moves():
    """White's a7 has one move and d6 has four."""
    game = morris()
    position = game.parse("WB./.W./.../....../B.B/..B/W.W w 0 0")
    counts = {}
    for spec in ("newbie", "newbie:among=men"):
        player = ludus.player(spec, game)
        player.start_game(1)
        moves = [player.choose(position).move for _ in range(4000)]
        assert {str(move) for move in moves} == texts(player.candidates(position)[0])
        counts[spec] = Counter(move.frm for move in moves)
    legal = Counter(move.frm for move in position.legal_moves())
    total = sum(legal.values())
    for man, num_moves in legal.items():
        share = num_moves / total
        assert counts["newbie"][man] / 4000 == pytest.approx(share, abs=0.035)
        assert counts["newbie:among=men"][man] / 4000 == pytest.approx(1 / len(legal), abs=0.035)


def test_compiled_players_draw_a_man_first_too():
    """Of White's men, with 2, 2 and 4 moves, one can win at once by shutting Black in."""
    game = morris("flying=no,lose_below=1,men=3")
    position = game.parse("B.W/.../.../W...W./.../.../... w 0 0")
    ends = {str(m): position.play(m).outcome() for m in position.legal_moves()}
    won = [move for move, end in ends.items() if end is not None and end.winner == 0]
    assert won == ["g7-d7"]
    assert len(ends) == 8
    for spec, share in (("newbie", 1 / 8), ("newbie:among=men", 1 / 3 * 1 / 2)):
        found = position.heuristic_games(spec, "newbie", 20_000, seed=3, max_plies=2)
        assert found["wins"][0] / 20_000 == pytest.approx(share, abs=0.012)


@pytest.mark.parametrize("rules", [*PRESETS, *UNUSUAL])
def test_compiled_readings_want_the_same_moves(rules):
    game = morris(rules)
    players = {spec: ludus.player(spec, game) for spec in SPECS}
    plain = {name: ludus.player(name, game) for name in ("newbie", "basic", "focused")}
    differing = set()
    for position in odd_positions(game, 300, seed=6):
        if position.outcome() is not None:
            continue
        for spec, player in players.items():
            wanted, _ = player.candidates(position)
            assert position.heuristic_moves(spec) == wanted, (spec, str(position))
            if wanted != plain[spec.partition(":")[0]].candidates(position)[0]:
                differing.add(spec)
    assert differing == set(SPECS)


def test_bad_readings_are_refused():
    game = morris()
    with pytest.raises(BadSpec, match="must be one of any, first, threat"):
        ludus.player("newbie:taking=best", game)
    with pytest.raises(UnknownName, match="newbie has no option 'opening'"):
        ludus.player("newbie:opening=any", game)
