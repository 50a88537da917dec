"""The three players of Vrajitoru's paper: what they look for, in Python and compiled."""

from collections import Counter
from itertools import islice

import pytest

import ludus
from ludus.core.errors import BadSpec, LudusError, UnknownName
from ludus.games.nine_mens_morris import PRESETS
from ludus.players.morris_heuristics import (
    find_blocking_moves,
    find_closing_moves,
    find_opening_moves,
)
from support.games import check_like_matches
from support.morris import UNUSUAL, random_boards

NAMES = ("newbie", "basic", "focused")


def morris(rules="standard"):
    return ludus.game("nine_mens_morris", rules)


def texts(moves):
    return {str(move) for move in moves}


def candidates(name, text, rules="standard"):
    game = morris(rules)
    moves, why = ludus.player(name, game).candidates(game.parse(text))
    return texts(moves), why


def test_a_closing_move_is_any_that_makes_a_mill_with_any_man_taken():
    game = morris()
    position = game.parse("WW./.../.../....../.B./..B/... w 7 7")
    assert texts(find_closing_moves(position, position.legal_moves())) == {"g7xd3", "g7xf2"}
    for name in NAMES:
        found, why = candidates(name, "WW./.../.../....../.B./..B/... w 7 7")
        assert why == "closes a mill"
        assert found == {"g7xd3", "g7xf2"}


def test_a_mill_that_takes_nobody_is_closed_all_the_same():
    """All of Black's men stand in a mill, and there they are safe."""
    text = "WW./.../.../....../.../.../BBB w 7 6"
    found, why = candidates("newbie", text, "vrajitoru")
    assert found == {"g7"}
    assert why == "closes a mill"


def test_only_the_focused_player_blocks():
    text = "BB./.../.../....../.W./.../... w 8 7"
    found, why = candidates("focused", text)
    assert found == {"g7"}
    assert why == "blocks a mill"
    for name in ("newbie", "basic"):
        found, why = candidates(name, text)
        assert len(found) == 21
        assert why == ""


def test_a_mill_that_cannot_be_reached_is_not_blocked():
    """Black has nothing left to place, and no man beside g7 but those of the line."""
    game = morris()
    far = game.parse("BB./.../..B/W...../.W./.W./B.. w 1 0")
    assert find_blocking_moves(far, far.legal_moves()) == []
    near = game.parse("BB./.../.../W....B/.W./.W./... w 1 0")
    assert texts(find_blocking_moves(near, near.legal_moves())) == {"g7"}


def test_an_opening_move_leaves_a_gap_nobody_else_can_step_into():
    """White's mill a7-d7-g7: beside g7 stands a black man, beside a7 and d7 none."""
    text = "WWW/.../.../.....B/B.B/W../..B w 0 0"
    found, why = candidates("basic", text)
    assert found == {"a7-a4", "d7-d6"}
    assert why == "opens a mill"
    assert candidates("focused", text) == (found, why)
    assert candidates("newbie", text)[1] == ""


def test_no_mill_is_opened_to_a_side_that_flies():
    game = morris()
    position = game.parse("WWW/.../.../....../B.B/W../..B w 0 0")
    assert find_opening_moves(position, position.legal_moves()) == []
    grounded = ludus.game("nine_mens_morris", "flying=no").parse(str(position))
    assert texts(find_opening_moves(grounded, grounded.legal_moves())) == {
        "a7-a4",
        "d7-d6",
        "g7-g4",
    }


@pytest.mark.parametrize("rules", [*PRESETS, *UNUSUAL])
def test_compiled_heuristics_want_the_same_moves(rules):
    game = morris(rules)
    players = {name: ludus.player(name, game) for name in NAMES}
    reasons = set()
    for position in islice(random_boards(game, seed=5), 400):
        if position.outcome() is not None:
            assert position.heuristic_moves("focused") == []
            continue
        for name, player in players.items():
            wanted, why = player.candidates(position)
            assert position.heuristic_moves(name) == wanted, (name, str(position))
            reasons.add(why)
    assert reasons == {"", "closes a mill", "opens a mill", "blocks a mill"}


@pytest.mark.parametrize("names", [("newbie", "basic"), ("focused", "newbie")])
def test_compiled_games_end_like_games_of_the_players(names):
    """Shares of wins and the mean length of 300 matches within four standard errors."""
    game = morris("vrajitoru")
    many = game.start().heuristic_games(*names, 20_000, seed=1, threads=2)
    players = tuple(ludus.player(name, game) for name in names)
    few = [ludus.play_game(game, players, seed=seed) for seed in range(300)]
    check_like_matches(many, few)


def test_compiled_games_depend_on_the_seed_alone():
    start = morris().start()
    once = start.heuristic_games("basic", "focused", 5000, seed=7, threads=1)
    assert once == start.heuristic_games("basic", "focused", 5000, seed=7, threads=2)
    assert once != start.heuristic_games("basic", "focused", 5000, seed=8)
    assert once["games"] == 5000
    assert sum(once["reasons"].values()) == 5000


def test_the_published_order_of_strength():
    """Table 1 of the paper: 62:38 and 42:56 for basic, 90:10 and 84:15 for focused."""
    start = morris("vrajitoru").start()
    games = 10_000
    published = (("basic", "newbie", 0.62, 0.42), ("focused", "basic", 0.9, 0.84))
    for strong, weak, first, second in published:
        starting = start.heuristic_games(strong, weak, games, seed=1, threads=2)["wins"][0]
        replying = start.heuristic_games(weak, strong, games, seed=2, threads=2)["wins"][1]
        assert abs(starting / games - first) < 0.1
        assert abs(replying / games - second) < 0.1
        assert starting + replying > games


@pytest.mark.parametrize("name", NAMES)
def test_they_play_morris_alone(name):
    with pytest.raises(LudusError, match="does not play hexapawn"):
        ludus.player(name, ludus.game("hexapawn"))
    with pytest.raises(UnknownName, match="no option 'depth'"):
        ludus.player(f"{name}:depth=3", morris())


def test_bad_arguments_of_compiled_games():
    start = morris().start()
    with pytest.raises(ValueError, match="newbie, basic and focused"):
        start.heuristic_games("newby", "basic", 1)
    with pytest.raises(ValueError, match="threads"):
        start.heuristic_games("newbie", "basic", 1, threads=0)
    with pytest.raises(ValueError, match="heuristics are"):
        start.heuristic_moves("")
    for spec in ("basic:depth=3", "newbie:opening=any", "basic:,", "basic:="):
        with pytest.raises(ValueError, match="options of heuristics"):
            start.heuristic_moves(spec)
    for spec in ("basic:taking=some", "basic:opening", "focused:among="):
        with pytest.raises(ValueError, match="no such value"):
            start.heuristic_moves(spec)


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
    for position in islice(random_boards(game, seed=6), 300):
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
