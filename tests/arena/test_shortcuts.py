"""The functions of the library, with players as specs or objects."""

import re

import pytest

import ludus
from ludus.games.hexapawn import Hexapawn

HEXAPAWN = ludus.game("hexapawn")
MORRIS_ENDING = "WW./..W/.../..B.../B../.../..B w 0 0"


class FirstMove(ludus.Player):
    """A player of a class that worker processes cannot import."""

    title = "plays the first legal move"

    def choose(self, position, limit=ludus.Limit()):  # noqa: B008 - frozen
        return ludus.Choice(position.legal_moves()[0])


def test_players_as_objects_play_the_same_games():
    by_spec = ludus.regret(HEXAPAWN, "random", games=4, jobs=1)
    by_object = ludus.regret(HEXAPAWN, ludus.player("random", HEXAPAWN), games=4)
    assert by_object.games == by_spec.games
    assert by_object.first_errors == by_spec.first_errors


def test_a_class_of_this_program_is_compared():
    mine = FirstMove(HEXAPAWN)
    report = ludus.tournament(HEXAPAWN, [mine, "perfect"], games=4)
    assert report.ranking == ["perfect", mine.spec]
    assert ludus.match(HEXAPAWN, mine, "perfect", games=4).wins[0] == 0
    assert ludus.regret(HEXAPAWN, mine, games=4).mean > 0


def test_a_tournament_is_kept_in_a_file(tmp_path):
    store = tmp_path / "games.sqlite"
    settings = {"games": 2, "store": store, "jobs": 1}
    ludus.tournament(HEXAPAWN, ["perfect", "random"], **settings)
    more = ludus.tournament(HEXAPAWN, ["perfect", "random"], **{**settings, "games": 4})
    whole = ludus.tournament(HEXAPAWN, ["perfect", "random"], games=4, jobs=1)
    assert more.as_json() == whole.as_json()
    assert more.tournament == ludus.Tournament(
        ludus.GameConditions("hexapawn", "standard"), ("perfect", "random"), games=4
    )


def test_a_position_and_a_game_are_analysed():
    found = ludus.analyse("nine_mens_morris", MORRIS_ENDING)
    assert found.best.evaluation.certainty == "exact"
    assert str(found.position) == MORRIS_ENDING
    game = ludus.match(HEXAPAWN, "random", "random", games=1).records[0]
    review = ludus.analyse(HEXAPAWN, game)
    assert review == ludus.analyse(HEXAPAWN, ludus.Record.from_game(game, HEXAPAWN))
    assert len(review.moves) == len(game.moves)


def test_the_oracle_is_a_function_and_a_package():
    assert ludus.oracle("hexapawn") is ludus.oracle(HEXAPAWN)
    assert ludus.oracles.MemoryOracle is type(ludus.oracle(HEXAPAWN))


PLAYER = FirstMove(HEXAPAWN)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ludus.match(HEXAPAWN, PLAYER, PLAYER), "make a second player"),
        (lambda: ludus.match(HEXAPAWN, PLAYER, "random", jobs=2), "jobs=1 takes objects"),
        (lambda: ludus.match("hexapawn", "random", "random", games=0), "games=0 must be from 1"),
        (lambda: ludus.match("hexapawn:size=4", PLAYER, "random"), "make it for that game"),
        (lambda: ludus.tournament(HEXAPAWN, "random"), "players is a list of players"),
        (
            lambda: ludus.tournament(HEXAPAWN, [PLAYER, FirstMove(HEXAPAWN)]),
            "give them different ones",
        ),
        (lambda: ludus.analyse("backgammon", ludus.game("backgammon").start()), "dice are rolled"),
        (lambda: ludus.oracle("hexapawm"), "did you mean hexapawn"),
    ],
)
def test_errors_say_what_to_do(call, message):
    with pytest.raises(ludus.LudusError, match=re.escape(message)):
        call()


class NotebookGame(Hexapawn):
    """A game of a class that worker processes cannot import."""

    id = "notebook_game"
    __module__ = "__main__"


def test_a_game_of_this_program_is_played_here(monkeypatch):
    monkeypatch.setitem(ludus.GAMES._entries, "notebook_game", f"{__name__}:NotebookGame")
    found = ludus.regret("notebook_game", "random", games=2)
    assert not found.faults
    assert len(found.games) == 2
