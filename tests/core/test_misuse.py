"""Values from closed lists, seeds and texts are checked where they enter the library."""

import random

import pytest

import ludus

HEXAPAWN = ludus.game("hexapawn")
RANDOM = ludus.player("random", HEXAPAWN)
PAIR = ("random", "perfect")

MISTAKES = {
    "a preset": (lambda: ludus.game("hexapawn:chess"), "hexapawn has no preset 'chess'"),
    "an engine": (lambda: ludus.game("hexapawn", engine="rust"), "there is no engine 'rust'"),
    "rules": (lambda: ludus.game("hexapawn", ludus.game("backgammon").rules), "not rules of hex"),
    "rules of rules": (lambda: type(HEXAPAWN.rules)(no_pawns="waits"), "must be one of"),
    "a player": (lambda: ludus.player("nobody", HEXAPAWN), "there is no player 'nobody'"),
    "a player of others": (lambda: ludus.player("tool", "hexapawn"), "tool does not play hexapawn"),
    "a learner": (lambda: ludus.learner("nobody", HEXAPAWN), "there is no learner 'nobody'"),
    "a limit": (lambda: ludus.Limit(nodes=0), "limit nodes=0 must be greater than zero"),
    "a recipe": (
        lambda: ludus.augment(ludus.MoveBatch.concatenate([]), "cubes"),
        "there is no recipe 'cubes'",
    ),
    "rules for a game": (lambda: ludus.env(HEXAPAWN, "random", rules="size=4"), "with the spec of"),
    "a seed of a game": (lambda: ludus.play_game(HEXAPAWN, (RANDOM,) * 2, seed=None), "seed=None"),
    "a seed of a player": (lambda: RANDOM.start_game(0.5), "seed=0.5 must be a whole number"),
    "a seed of an env": (lambda: ludus.env("hexapawn").reset(seed="1"), "seed='1'"),
    "a seed of a match": (lambda: ludus.match("hexapawn", *PAIR, games=2, seed="a"), "seed='a'"),
    "a seed of regret": (lambda: ludus.regret("hexapawn", "random", seed="a"), "seed='a'"),
    "a seed of many": (lambda: ludus.tournament("hexapawn", PAIR, seed="a"), "seed='a'"),
    "a format": (
        lambda: ludus.tournament("hexapawn", PAIR, format="swiss"),
        "there is no format 'swiss'; there are round_robin, gauntlet",
    ),
    "a starter": (
        lambda: ludus.tournament("hexapawn", PAIR, starter="nobody"),
        "there is no starter 'nobody'; there are alternate, fixed",
    ),
    "one name as players": (lambda: ludus.tournament("hexapawn", "random"), "players is a list"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_reported_in_one_line(mistake):
    call, line = MISTAKES[mistake]
    with pytest.raises(ludus.LudusError) as raised:
        call()
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("name", [*ludus.GAMES, "backgammon:money"])
def test_a_text_is_no_move_even_if_it_is_that_of_a_legal_move(name, engine):
    game, source = ludus.game(name, engine=engine), random.Random(1)
    position = game.start()
    for _ in range(3):
        move = source.choice(position.legal_moves())
        with pytest.raises(ludus.BadMove, match=r"^'[^']+' is a text, not a move; game.parse_move"):
            position.play(str(move))
        position = position.play(game.parse_move(str(move), position))


def test_a_game_may_be_named_where_a_player_or_a_learner_is_made():
    assert ludus.player("random", "hexapawn:size=4").game.rules.size == 4
    assert ludus.learner("menace", "noughts_and_crosses").game.id == "noughts_and_crosses"


def test_a_player_of_a_game_has_default_options():
    kind = ludus.PLAYERS["playouts"]
    player = kind(HEXAPAWN)
    assert (player.settings, player.game) == (kind.options, HEXAPAWN)
    assert player.spec == "ludus.players.monte_carlo:PlayoutPlayer"
    assert ludus.PLAYERS["perfect"](HEXAPAWN).settings.draws == "tricky"


def test_repr_is_what_makes_it():
    lasker = ludus.game("nine_mens_morris:lasker", engine="python")
    assert repr(lasker) == "ludus.game('nine_mens_morris:lasker', engine='python')"
    assert eval(repr(lasker)).rules == lasker.rules
    player = ludus.player("playouts:games=5", HEXAPAWN)
    assert repr(player) == "ludus.player('playouts:games=5', ludus.game('hexapawn:standard'))"
    assert repr(ludus.GAMES).startswith("<games: nine_mens_morris, backgammon, ")
