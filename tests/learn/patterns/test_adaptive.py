"""The adaptive player: how it hears of results, where its level goes, and what it keeps."""

import json

import pytest

import ludus
from ludus.core.errors import BadSpec, LudusError
from ludus.core.player import Limit
from ludus.learn.patterns.adaptive import (
    LEVEL_PLAYERS,
    MAX_LEVEL,
    AdaptiveOptions,
    AdaptivePlayer,
    AdaptiveState,
    infer_result,
    load_state,
    save_state,
)
from support.morris import morris


def play(adaptive, opponent, games, rules="vrajitoru", seed=0):
    """The points of some games; both begin in turn."""
    game = morris(rules)
    other = ludus.player(opponent, game)
    found = []
    for number in range(games):
        side = number % 2
        players = (adaptive, other) if side == 0 else (other, adaptive)
        match = ludus.play_game(game, players, seed=1000 * seed + number)
        winner = match.outcome.winner
        found.append(0.5 if winner is None else float(winner == side))
    return found


class Untold(AdaptivePlayer):
    """A player that is never given the result of a game."""

    def finish_game(self, outcome):
        pass


@pytest.mark.parametrize("rules", ["standard", "vrajitoru", "morabaraba"])
def test_results_are_inferred_without_a_report(rules):
    """What the player thinks each game brought, against what it did."""
    game = morris(rules)
    adaptive = Untold(game, AdaptiveOptions(level=4, gain=0.01), "adaptive")
    report = play(adaptive, "focused", 40, rules)
    adaptive.start_game(0)
    known = adaptive.state.recent
    assert adaptive.state.games >= 39, "a game by nobody's last move may be missed"
    assert known == tuple(report[-len(known) :])
    assert {0.0, 1.0} <= set(report)


@pytest.mark.parametrize("rules", ["standard", "lasker"])
def test_results_that_are_reported_count_once_and_none_is_missed(rules):
    adaptive = ludus.player("adaptive:level=4,gain=0.01", morris(rules))
    report = play(adaptive, "focused", 20, rules)
    assert (adaptive.state.games, adaptive.state.recent) == (20, tuple(report))
    adaptive.start_game(0)
    assert adaptive.state.games == 20


def test_one_that_is_shown_a_game_counts_it_once():
    """It sees positions in which it could win at once, and then receives the result."""
    game = morris("standard")
    can_win = game.parse("WW./.../.../W.B.B./.../.../..B w 0 0")
    adaptive = ludus.player(f"adaptive:level={MAX_LEVEL}", game)
    adaptive.start_game(1)
    for _ in range(3):
        end = can_win.play(adaptive.choose(can_win, Limit(depth=2)).move)
        assert end.outcome().winner == 0
    adaptive.finish_game(end.outcome())
    assert (adaptive.state.games, adaptive.state.recent) == (1, (1.0,))


def test_it_can_be_followed_by_another_at_its_level():
    adaptive = ludus.player("adaptive:target=0.4", morris())
    play(adaptive, "newbie", 7)
    heir = ludus.player(adaptive.next_spec, morris())
    assert heir.state.level == pytest.approx(adaptive.state.level, abs=1e-4)
    assert heir.settings.target == 0.4
    assert ludus.player("adaptive", morris()).next_spec == "adaptive"


def test_an_unfinished_game_counts_for_nothing():
    game = morris()
    adaptive = ludus.player("adaptive", game)
    adaptive.start_game(1)
    adaptive.choose(game.start())
    adaptive.start_game(2)
    assert adaptive.state == AdaptiveState(AdaptivePlayer.options.level)


def test_points_of_positions_where_a_game_can_end():
    game = morris("standard")
    # Black, with three men, is to move and loses none by it; White cannot have won or lost.
    open_game = game.parse("WWW/.../.../....B./B../.W./..B b 0 0")
    assert infer_result(open_game) is None
    # Black closes d7-d6-d5 and takes the third of White's last men.
    lost = game.parse(".B./.B./..B/....../W../.W./..W b 0 0")
    assert infer_result(lost) == 0.0


@pytest.mark.parametrize(
    ("target", "results", "level"),
    [(0.5, (1.0,), 4.75), (0.5, (0.0,), 5.25), (0.5, (0.5,), 5.0), (0.8, (1.0, 0.0), 5.3)],
)
def test_the_level_moves_by_what_the_target_was_missed_by(target, results, level):
    adaptive = ludus.player(f"adaptive:target={target}", morris())
    for result in results:
        adaptive._move_level(result)
    assert adaptive.state.level == pytest.approx(level)
    assert f"level {level:.1f} of {MAX_LEVEL}" in adaptive.name


def test_the_level_stays_on_the_ladder():
    adaptive = ludus.player("adaptive:level=0.1", morris())
    adaptive._move_level(1.0)
    assert adaptive.state.level == 0.0
    strong = ludus.player(f"adaptive:level={MAX_LEVEL}", morris())
    strong._move_level(0.0)
    assert strong.state.level == MAX_LEVEL


def test_every_level_can_play():
    game = morris()
    for rung in range(len(LEVEL_PLAYERS)):
        adaptive = ludus.player(f"adaptive:level={rung}", game)
        adaptive.start_game(1)
        choice = adaptive.choose(game.parse("WWB/.../.../....../.B./.W./..B w 6 6"))
        assert f"level {rung} of {MAX_LEVEL}: " in choice.comment


def test_between_two_levels_chance_decides():
    adaptive = ludus.player("adaptive:level=3.25", morris())
    drawn = [adaptive._sample_level_index() for _ in range(2000)]
    assert set(drawn) == {3, 4}
    assert 400 < drawn.count(4) < 600


@pytest.mark.parametrize(("opponent", "target"), [("newbie", 0.5), ("focused", 0.4)])
def test_it_holds_its_target(opponent, target):
    """What it may be off by is known: the levels it climbed, divided by games times gain."""
    adaptive = ludus.player(f"adaptive:target={target}", morris())
    found = play(adaptive, opponent, 120)
    adaptive.start_game(0)
    climbed = adaptive.state.level - AdaptivePlayer.options.level
    missed = target - sum(found) / len(found)
    assert missed == pytest.approx(climbed / (0.5 * len(found)))
    assert abs(missed) < 0.15


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["standard", "vrajitoru"])
@pytest.mark.parametrize("opponent", ["newbie", "focused", "negascout:level=3"])
def test_300_games_within_15_points(opponent, rules):
    adaptive = ludus.player("adaptive", morris(rules))
    found = play(adaptive, opponent, 300, rules)
    assert abs(sum(found) / 300 - 0.5) < 0.15


def test_what_it_knows_is_kept_from_day_to_day(tmp_path):
    """One game a day, each with a new player: every result counts, also that of a lost game."""
    path = tmp_path / "me.json"
    spec = f"adaptive:level=3,state={path}"
    report = [play(ludus.player(spec, morris()), "newbie", 1, seed=day)[0] for day in range(12)]
    last = ludus.player(spec, morris())
    last.start_game(0)
    assert set(report) == {0.0, 1.0}
    assert last.state == load_state(path)
    assert last.state.recent == tuple(report)
    assert last.state.level == pytest.approx(3 + sum(0.25 - result / 2 for result in report))
    assert [each.name for each in tmp_path.iterdir()] == ["me.json"]


def test_what_is_left_of_a_game_with_other_rules_is_no_result(tmp_path):
    path = tmp_path / "me.json"
    lasker = morris("lasker")
    first = ludus.player(f"adaptive:state={path}", lasker)
    first.choose(lasker.start())
    assert load_state(path).waiting
    second = ludus.player(f"adaptive:state={path}", morris("men=3"))
    second.start_game(0)
    assert second.state.games == 0


def test_a_win_counts_at_once():
    game = morris()
    adaptive = ludus.player("adaptive:level=0", game)
    for seed in range(40):
        match = ludus.play_game(game, (adaptive, ludus.player("random", game)), seed=seed)
        if match.outcome.winner == 0 and match.moves[-1].mover == 0:
            assert adaptive.state.recent[-1] == 1.0
            return
    pytest.fail("it never won")


def test_only_the_last_results_are_kept(tmp_path):
    state = AdaptiveState(3.0)
    for number in range(30):
        state = state.after(3.0 + number / 10, number % 2)
    assert (state.games, len(state.recent)) == (30, 20)
    save_state(state, tmp_path / "s.json")
    assert load_state(tmp_path / "s.json") == state
    assert load_state(tmp_path / "none.json") is None


GOOD = {"format": "ludus-adaptive", "version": 1, "level": 3, "games": 2, "recent": [1, 0.5]}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is not the state"),
        (b"\0\xff\xfe", "is not the state"),
        (b"[" * 50_000, "is not the state"),
        (b" " * 200_000, "is longer than 100000 bytes"),
        (b"[1, 2]", "is not the state"),
        ({"format": "other"}, "is not the state"),
        ({"version": 9}, "version '9'"),
        ({"level": -1}, "damaged"),
        ({"level": MAX_LEVEL + 1}, "damaged"),
        ({"level": float("nan")}, "damaged"),
        ({"level": "3"}, "damaged"),
        ({"level": True}, "damaged"),
        ({"games": 1.5}, "damaged"),
        ({"recent": [2]}, "damaged"),
        ({"recent": [0] * 21}, "damaged"),
        ({"recent": ["0"]}, "damaged"),
        ({"recent": None}, "damaged"),
        ({"waiting": 3}, "damaged"),
    ],
)
def test_a_state_that_cannot_be_is_refused(content, complaint, tmp_path):
    path = tmp_path / "odd.json"
    data = content if isinstance(content, bytes) else json.dumps({**GOOD, **content}).encode()
    path.write_bytes(data)
    with pytest.raises(LudusError, match=complaint) as error:
        ludus.player(f"adaptive:state={path}", morris())
    assert "\n" not in str(error.value)


def test_the_good_state_is_accepted(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps(GOOD))
    assert load_state(tmp_path / "s.json") == AdaptiveState(3.0, 2, (1.0, 0.5))


@pytest.mark.parametrize("options", ["target=0", "target=1", "level=-1", "level=99", "gain=0"])
def test_options_that_cannot_be(options):
    with pytest.raises(BadSpec, match="must be from"):
        ludus.player(f"adaptive:{options}", morris())


@pytest.mark.parametrize("name", ["no/such/folder/a", "\0", "x" * 900, "/"])
def test_a_state_that_cannot_be_written(name):
    from pathlib import Path

    with pytest.raises(LudusError, match="cannot write"):
        save_state(AdaptiveState(1.0), Path(name))
