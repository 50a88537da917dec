"""The searching player: its options, what it says, its levels, and whom it never loses to."""

import threading

import pytest

import ludus
from ludus.core.errors import BadSpec, LudusError, UnknownName
from ludus.games.nine_mens_morris import PRESETS
from ludus.players import negascout
from ludus.players.negascout import LEVELS
from support.waiting import PATIENCE


def morris(rules="standard", engine="native"):
    return ludus.game("nine_mens_morris", rules, engine)


def choose(options, text, game=None, limit=None, seed=1):
    game = game or morris()
    player = ludus.player(f"negascout:{options}", game)
    player.start_game(seed)
    return player.choose(game.parse(text), limit or ludus.Limit())


def test_a_win_is_reported_by_its_distance():
    found = choose("endings=no", "W.W/.../.../W...../.B./.../B.B w 0 0")
    assert str(found.move).startswith("a4-d7x")
    assert found.comment == f"wins in 1 move: {found.move}"
    assert found.scores == {found.move: pytest.approx(299.99)}


def test_a_threat_is_met():
    """Black would close a7-d7-g7 by placing on g7."""
    found = choose("depth=4", "BB./.../.../....../.W./.../... w 8 7")
    assert str(found.move) == "g7"
    score, line = found.comment.split(" men, looking 4 moves ahead: ")
    assert float(score) == found.scores[found.move]
    assert line.split()[0] == "g7"
    assert len(line.split()) >= 4


def test_several_moves_are_scored():
    found = choose("depth=3,multipv=4", "start")
    assert len(found.scores) == 4
    assert max(found.scores, key=found.scores.get) == found.move


def test_a_limit_of_the_match_binds_too():
    game = morris()
    player = ludus.player("negascout:depth=6", game)
    assert "2 moves ahead:" in player.choose(game.start(), ludus.Limit(depth=2)).comment
    assert "6 moves ahead:" in player.choose(game.start(), ludus.Limit(depth=9)).comment
    assert "0 moves ahead:" in player.choose(game.start(), ludus.Limit(nodes=1)).comment


def test_the_only_move_needs_no_search():
    game = morris("blocked=passes")
    position = game.parse("BBW/WWW/.../BBW.../.../W../W.. b 0 0")
    found = ludus.player("negascout", game).choose(position)
    assert (str(found.move), found.comment) == ("pass", "has no choice")


def test_a_repetition_is_a_draw_to_be_had():
    """Black is about to lose men, but can go back to where it has been."""
    native, python = morris(), morris(engine="python")
    text = "W.W/.../.../W..W../.B./..B/B.B w 0 0"
    for each in (native, python):
        position = each.parse(text)
        for move in ("g7-d7", "f2-f4", "d7-g7"):
            position = position.play(each.parse_move(move, position))
        player = ludus.player("negascout:depth=1,multipv=100,endings=no", each)
        scores = player.choose(position).scores
        back = each.parse_move("f4-f2", position)
        assert scores[back] == 0
        assert sum(score == 0 for score in scores.values()) < len(scores)


def test_both_engines_are_searched_alike():
    for rules in PRESETS:
        native, python = morris(rules), morris(rules, "python")
        players = [ludus.player("negascout:depth=4", game) for game in (native, python)]
        places = [native.start(), python.start()]
        for _ in range(12):
            one, two = (p.choose(at) for p, at in zip(players, places, strict=True))
            assert one == two
            places = [at.play(one.move) for at in places]


@pytest.mark.parametrize("rules", PRESETS)
def test_whole_games_under_all_rules(rules):
    """The same seed gives the same game, every move is legal, and there is an end or it is long."""
    game = morris(rules)
    players = ludus.player("negascout:nodes=300", game), ludus.player("focused", game)
    once, again = (ludus.play_game(game, players, seed=3, max_plies=200) for _ in range(2))
    assert [move.move for move in once.moves] == [move.move for move in again.moves]
    assert once.outcome.reason != "illegal"
    assert once.outcome.winner != 1


@pytest.mark.parametrize("colour", [0, 1])
def test_it_does_not_lose_to_the_focused_player(colour):
    game = morris()
    own, other = ludus.player("negascout:nodes=5000", game), ludus.player("focused", game)
    for seed in range(8):
        players = (own, other) if colour == 0 else (other, own)
        assert ludus.play_game(game, players, seed=seed).outcome.winner != 1 - colour


def wins(low, high, games, seed=0):
    """How often each of two levels wins, colours taking turns."""
    game = morris()
    players = [ludus.player(f"negascout:level={level}", game) for level in (low, high)]
    won = [0, 0]
    for number in range(games):
        order = (players[0], players[1]) if number % 2 else (players[1], players[0])
        match = ludus.play_game(game, order, seed=seed + number, max_plies=300)
        if match.outcome.winner is not None:
            won[players.index(order[match.outcome.winner])] += 1
    return won


@pytest.mark.parametrize(("low", "high", "games"), [(1, 4, 16), (4, 8, 8)])
def test_a_higher_level_is_stronger(low, high, games):
    lower, higher = wins(low, high, games)
    assert higher > games / 2
    assert lower < higher / 2


def test_a_weak_level_does_not_give_men_away():
    """At level 1 most games against random play are won: it overlooks, but it is not silly."""
    game = morris()
    players = ludus.player("negascout:level=1", game), ludus.player("random", game)
    ends = [ludus.play_game(game, players, seed=seed).outcome.winner for seed in range(20)]
    assert ends.count(0) > 2 * ends.count(1) + 5


def test_a_level_overlooks_by_its_seed():
    """A mill that can be closed is missed sometimes, and never by the highest level."""
    text = "WW./.../.../....../.B./..B/... w 7 7"
    weak = [str(choose("level=1", text, seed=seed).move) for seed in range(40)]
    closed = sum("x" in move for move in weak)
    assert 5 < closed < 35
    assert weak == [str(choose("level=1", text, seed=seed).move) for seed in range(40)]
    assert all("x" in str(choose("depth=2", text, seed=seed).move) for seed in range(5))


def test_levels_are_ten():
    assert len(LEVELS) == 10
    assert LEVELS[-1].depth is LEVELS[-1].nodes is None


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ("dept=3", UnknownName, "did you mean depth?"),
        ("level=0", BadSpec, "level=0 must be from 1 to 10"),
        ("level=11", BadSpec, "from 1 to 10"),
        ("depth=0", BadSpec, "depth=0 must be from 1 to 100"),
        ("depth=101", BadSpec, "from 1 to 100"),
        ("nodes=-5", BadSpec, "nodes=-5 must be from 1"),
        ("nodes=many", BadSpec, "must be a whole number"),
        ("nodes=٤٠", BadSpec, "must be a whole number"),
        ("nodes=1_000", BadSpec, "must be a whole number"),
        ("time=0", BadSpec, "more than 0"),
        ("time=nan", BadSpec, "must be finite"),
        ("threads=257", BadSpec, "from 1 to 256"),
        ("multipv=0", BadSpec, "from 1 to 1000"),
        ("memory=0", BadSpec, "from 1 to 65536"),
        ("fast", BadSpec, "is not key=value"),
    ],
)
def test_bad_options(options, error, words):
    with pytest.raises(error, match=words.replace("?", r"\?")):
        ludus.player(f"negascout:{options}", morris())


def test_it_plays_morris_alone():
    with pytest.raises(LudusError, match="does not play backgammon"):
        ludus.player("negascout", ludus.game("backgammon"))


def test_it_can_be_stopped():
    game = morris()
    player = ludus.player("negascout:time=600", game)
    player.choose(game.start(), ludus.Limit(depth=1))
    is_over = threading.Event()

    def stop():
        """Again and again: a stop that comes before the search has begun is not for it."""
        while not is_over.wait(0.1):
            player.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    found = player.choose(game.start())
    is_over.set()
    thread.join()
    assert found.move in game.start().legal_moves()


def test_a_stop_makes_no_second_search(monkeypatch):
    """A stop that comes while the search is made: the next stop must reach the search that runs."""
    player = ludus.player("negascout:nodes=2000", morris())
    num_made, make = 0, negascout.native.Search

    def make_after_a_stop(*args):
        nonlocal num_made
        num_made += 1
        if num_made == 1:
            thread = threading.Thread(target=player.stop, daemon=True)
            thread.start()
            thread.join(PATIENCE)
            assert not thread.is_alive()
        return make(*args)

    monkeypatch.setattr(negascout.native, "Search", make_after_a_stop)
    player.choose(morris().start())
    assert num_made == 1
