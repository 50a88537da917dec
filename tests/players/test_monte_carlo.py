"""The player that tries each move in random games."""

import random

import pytest

import ludus
from ludus.core.errors import BadSpec
from ludus.players.random_play import play_random_game, play_random_games
from support.repetition import repeat

SPECS = [f"{name}:{preset}" for name in ludus.GAMES for preset in ludus.GAMES[name].presets]


def choice(spec, position, options="", limit=None, seed=1):
    game = ludus.game(spec)
    player = ludus.player(f"playouts{options}", game)
    player.start_game(seed)
    place = game.parse(position) if position else game.start()
    return player.choose(place, limit or ludus.Limit())


def test_a_win_is_taken_at_once():
    found = choice("noughts_and_crosses", "XX./OO./... x", ":games=1")
    assert str(found.move) == "c3"
    assert found.comment == "wins at once"
    assert found.scores == {found.move: 1.0}


def test_a_threat_is_met():
    found = choice("noughts_and_crosses", "XX./.O./... o", ":games=500")
    assert str(found.move) == "c3"
    assert max(found.scores, key=found.scores.get) == found.move
    assert len(found.scores) == 6
    assert all(-1 <= score <= 1 for score in found.scores.values())


def test_the_comment_tells_what_the_games_came_to():
    found = choice("nine_mens_morris", "", ":games=2400")
    wins, draws = (int(word.rstrip("%")) for word in found.comment.split() if "%" in word)
    assert found.comment.endswith("of 100 random games")
    lost = 100 - wins - draws
    assert found.scores[found.move] == pytest.approx((wins - lost) / 100)


def test_the_only_move_needs_no_search():
    found = choice("noughts_and_crosses", "XOX/XOO/OX. x", ":games=1")
    assert str(found.move) == "c1"
    assert found.comment == "has no choice"


def test_a_gammon_counts_twice():
    """Black's men stand as they began while White needs few rolls: gammons at least."""
    found = choice("backgammon", "4:2,3:2,off:11 24:2,13:5,8:3,6:5 0 21", ":games=60")
    assert max(found.scores.values()) > 2


@pytest.mark.parametrize("spec", SPECS)
def test_a_game_is_a_function_of_its_seed(spec):
    game = ludus.game(spec)
    players = ludus.player("playouts:games=20", game), ludus.player("random", game)
    games = [ludus.play_game(game, players, seed=seed, max_plies=60) for seed in (3, 3, 4)]
    once, again, other = ([(made.move, made.comment) for made in each.moves] for each in games)
    assert once == again
    assert once != other


def test_threads_do_not_change_the_choice():
    one, two = (choice("nine_mens_morris", "", f":games=60000,threads={n}") for n in (1, 2))
    assert one == two


def test_limits_bind():
    few = choice("nine_mens_morris", "", "", ludus.Limit(nodes=5))
    assert len(few.scores) == 5
    assert few.comment.endswith("of 1 random games")
    some = choice("hexapawn:five", "", ":games=10000000,plies=10000000", ludus.Limit(time=0.5))
    assert some.scores
    none = choice("hexapawn", "", "", ludus.Limit(time=1e-9))
    assert none.scores == {}
    assert none.comment == "had no time to think"


def test_games_in_python_are_bounded_by_their_plies():
    """Two hundred plies are far from enough for ten thousand games."""
    found = choice("noughts_and_crosses", "", ":games=10000,plies=200")
    assert int(found.comment.split()[-3]) < 20


@pytest.mark.parametrize("options", ["games=0", "games=-1", "games=x", "plies=0", "threads=257"])
def test_options_out_of_range(options):
    with pytest.raises(BadSpec):
        ludus.player(f"playouts:{options}", ludus.game("hexapawn"))


@pytest.mark.parametrize("spec", ["nine_mens_morris", "backgammon:hyper"])
def test_compiled_and_python_games_end_alike(spec):
    """Mean points of Python games lie within four standard errors of 4000 compiled ones."""
    native, python = ludus.game(spec), ludus.game(spec, engine="python")
    many = play_random_games(native, native.start(), 4000, random.Random(1))
    source = random.Random(2)
    num_games = repeat(20, 400)
    few = [play_random_game(python, python.start(), source)[0] for _ in range(num_games)]
    mean = sum(score * count for score, count in many.scores.items()) / 4000
    square = sum(score**2 * count for score, count in many.scores.items()) / 4000
    assert many.scores.total() == 4000
    assert many.num_python_plies == 0
    assert abs(sum(few) / num_games - mean) < 4 * (square / num_games + square / 4000) ** 0.5
