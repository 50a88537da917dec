"""Records of matches: headers, results, illegal moves and dice."""

from dataclasses import dataclass, replace
from types import MappingProxyType

import pytest

import ludus
from ludus.core import CHANCE, Choice, Game, Outcome, Player, play_game
from ludus.core.record import Line, Node, Record


def match_of(spec, seed, **changes):
    game = ludus.game(spec)
    players = (ludus.player("random", game), ludus.player("random", game))
    return game, play_game(game, players, seed=seed, **changes)


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("noughts_and_crosses", "standard"),
        ("noughts_and_crosses:size=5,line=4", "standard,size=5,line=4"),
        ("hexapawn", "standard"),
        ("hexapawn:size=4", "four"),
        ("hexapawn:size=6", "standard,size=6"),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_matches_become_records(spec, rules, seed):
    game, match = match_of(spec, seed)
    record = Record.from_game(match, game)
    assert record.headers["Rules"] == rules
    assert "Start" not in record.headers
    again = Record.parse(str(record))
    assert again == record
    same = ludus.game(again.headers["Game"], again.headers["Rules"])
    assert same.rules == game.rules
    assert again.replay(same)[-1].outcome() == match.outcome


def test_players_stand_under_the_names_of_their_sides():
    game, match = match_of("noughts_and_crosses", 3)
    match = replace(match, players=("perfect", 'a "strange"\\ one'))
    text = str(Record.from_game(match, game))
    assert text.startswith(
        '[Game "noughts_and_crosses"]\n[Rules "standard"]\n[Crosses "perfect"]\n'
        '[Noughts "a \\"strange\\"\\\\ one"]\n[Seed "3"]\n[Result "'
    )


def test_a_match_from_the_middle_keeps_its_start_and_side():
    game = ludus.game("hexapawn")
    start = game.parse("BBB/W../.WW b")
    _, match = match_of("hexapawn", 1, start=start)
    record = Record.from_game(match, game)
    assert record.headers["Start"] == "BBB/W../.WW b"
    assert record.first_ply == 1
    assert "\n1... " in str(record)
    assert Record.parse(str(record)).replay(game)[0] == start


class Stubborn(Player):
    """Plays the first square, free or not."""

    title = "plays a3"

    def choose(self, position, limit=None):
        return Choice(self.game.start().legal_moves()[0], comment="I like {this}")


def test_an_illegal_move_is_reported_in_a_comment():
    game = ludus.game("noughts_and_crosses")
    players = (Stubborn(game, None, "one"), Stubborn(game, None, "two"))
    record = Record.from_game(play_game(game, players, seed=0), game)
    assert record.headers["Reason"] == "illegal"
    assert record.result == "1-0"
    report = "I like {this}; then came 'a3', which is illegal; I like {this}"
    assert record.line == Line((Node("a3", report),))
    assert Record.parse(str(record)) == record
    assert len(record.replay(game)) == 2


def test_an_illegal_first_move_is_reported_as_well():
    game = ludus.game("noughts_and_crosses")
    players = (Stubborn(game, None, "one"), Stubborn(game, None, "two"))
    start = game.parse("X../.O./... x")
    record = Record.from_game(play_game(game, players, seed=0, start=start), game)
    assert record.line == Line(comment="then came 'a3', which is illegal; I like {this}")
    assert Record.parse(str(record)).replay(game) == [start]


# A game with dice and with spaces in its moves


@dataclass(frozen=True)
class NoRules:
    """The race has no options."""


@dataclass(frozen=True)
class Race:
    """A race to bring both men home; each turn rolls 1 or 2 and moves that far with each."""

    men: tuple[int, int] = (4, 4)
    turn: int = 0
    roll: int | None = None

    @property
    def mover(self):
        return CHANCE if self.roll is None else self.turn

    def legal_moves(self):
        if self.outcome() is not None:
            return []
        if self.roll is None:
            return ["11", "22"]
        here = self.men[self.turn]
        return [f"{here}/{here - self.roll} {here}/{here - self.roll}*", "pass"]

    def play(self, move):
        if self.roll is None:
            return replace(self, roll=int(move[0]))
        men = list(self.men)
        men[self.turn] -= 0 if move == "pass" else self.roll
        return Race(tuple(men), 1 - self.turn)

    def outcome(self):
        winner = next((side for side in (0, 1) if self.men[side] <= 0), None)
        return None if winner is None else Outcome(winner, "home", points=2)

    def __str__(self):
        return f"{self.men[0]} {self.men[1]} {self.turn} {self.roll}"


class RaceGame(Game):
    id = "race"
    title = "Race"
    sides = ("white", "black")
    presets = MappingProxyType({"standard": NoRules()})

    def start(self):
        return Race()

    def chances(self, position):
        return [("11", 0.5), ("22", 0.5)]

    def parse(self, text):
        raise NotImplementedError

    steps = symmetries = transform = transform_move = parse


def test_games_with_dice():
    game = RaceGame()
    players = (ludus.player("random", game), ludus.player("random", game))
    for seed in range(10):
        match = play_game(game, players, seed=seed)
        record = Record.from_game(match, game)
        again = Record.parse(str(record))
        assert again == record
        assert [node.move for node in again.line.moves] == [move.move for move in match.moves]
        assert again.headers["Points"] == "2"
        assert again.replay(game)[-1].outcome() == match.outcome
    assert "1. 11 4/3,4/3* 2. " in str(Record.parse("11 4/3,4/3* 22 pass *"))


def test_a_record_of_a_line_has_a_result_only_if_the_game_is_over():
    game = ludus.game("hexapawn")
    line = Record.parse("1. a1-a2 b3xa2 *").line
    players = ("person", "random")
    record = Record.from_line(game, players, str(game.start()), 0, line, None)
    assert record.headers == {
        "Game": "hexapawn",
        "Rules": "standard",
        "White": "person",
        "Black": "random",
    }
    start = game.parse("B../.W./..W b")
    won = Record.from_line(game, players, str(start), 1, line, Outcome(1, "men"), seed=3)
    assert won.headers["Seed"] == "3"
    assert won.headers["Start"] == "B../.W./..W b"
    assert (won.result, won.headers["Reason"], won.first_ply) == ("0-1", "men", 1)
