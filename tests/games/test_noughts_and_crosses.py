"""Noughts and crosses against OpenSpiel, known counts, and edge cases."""

from functools import cache
from itertools import product

import pyspiel
import pytest

import ludus
from ludus.core import BadMove, BadPosition, BadSpec, Outcome
from ludus.games.noughts_and_crosses import Move, NoughtsAndCrosses, Position, Rules
from support.games import find_reachable


@pytest.fixture(scope="module")
def game():
    return NoughtsAndCrosses()


@pytest.fixture(scope="module")
def reachable(game):
    return find_reachable(game.start())


def test_every_position_agrees_with_open_spiel(game, reachable):
    seen = set()
    waiting = [(game.start(), pyspiel.load_game("tic_tac_toe").new_initial_state())]
    while waiting:
        position, state = waiting.pop()
        if position in seen:
            continue
        seen.add(position)
        assert position.cells == str(state).replace("\n", "").upper()
        assert [move.cell for move in position.legal_moves()] == state.legal_actions()
        outcome = position.outcome()
        assert (outcome is not None) == state.is_terminal()
        if outcome is None:
            assert position.mover == state.current_player()
        else:
            assert [outcome.score(0), outcome.score(1)] == state.returns()
        waiting.extend(
            (position.play(move), state.child(move.cell)) for move in position.legal_moves()
        )
    assert seen == reachable
    assert len(seen) == 5478


def test_complete_games(game):
    """255,168 games, if the order of moves counts."""

    @cache
    def complete(position):
        moves = position.legal_moves()
        return sum(complete(position.play(move)) for move in moves) if moves else 1

    assert complete(game.start()) == 255_168


def test_parse_accepts_exactly_the_reachable_positions(game, reachable):
    accepted = set()
    for letters in product("XO.", repeat=9):
        board = "".join(letters)
        for mover in "xo":
            text = f"{board[:3]}/{board[3:6]}/{board[6:]} {mover}"
            try:
                accepted.add(game.parse(text))
            except BadPosition:
                continue
            assert str(game.parse(text)) == text
    assert accepted == reachable


def test_start_boards_of_muggleton_and_hocquette(game):
    """Boards after one move of each side, up to symmetry: 12, of which 7 won and 5 drawn."""

    def value(position):
        outcome = position.outcome()
        if outcome is not None:
            return outcome.score(position.mover)
        return max(-value(position.play(move)) for move in position.legal_moves())

    boards = {
        min(str(game.transform(second, symmetry)) for symmetry in game.symmetries())
        for first in map(game.start().play, game.start().legal_moves())
        for second in map(first.play, first.legal_moves())
    }
    values = sorted(value(game.parse(board)) for board in boards)
    assert values == [0] * 5 + [1] * 7


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("XXX/OO./... o", Outcome(0, "line")),
        ("OX./OX./O.X x", Outcome(1, "line")),
        ("X.O/.XO/..X o", Outcome(0, "line")),
        ("X.O/XO./O.X x", Outcome(1, "line")),
        ("XOX/XOO/OXX o", Outcome(None, "full")),
        ("XOX/OXO/XOX o", Outcome(0, "line")),
        ("XX./OO./... x", None),
    ],
)
def test_outcomes(game, text, outcome):
    position = game.parse(text)
    assert position.outcome() == outcome
    assert bool(position.legal_moves()) == (outcome is None)


def test_longer_lines_on_larger_boards():
    game = NoughtsAndCrosses(Rules(size=5, line=4))
    three = game.parse("XXX../OOO../...../...../..... x")
    assert three.outcome() is None
    four = three.play(game.parse_move("d5", three))
    assert four.outcome() == Outcome(0, "line")
    wrapped = game.parse("...XX/XX.OO/OO.../...../..... x")
    assert wrapped.outcome() is None, "a line does not go on at the other edge"
    rising = game.parse("...../...X./OOX../.X.O./X.... o")
    assert rising.outcome() == Outcome(0, "line")


def test_squares_are_named_from_the_bottom_left(game):
    names = [str(move) for move in game.start().legal_moves()]
    assert names == ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
    centre = game.parse_move("b2", game.start())
    assert game.steps(centre) == ("b2",)
    assert str(game.start().play(centre)) == ".../.X./... o"


def test_accessors():
    position = ludus.game("noughts_and_crosses", "size=4,line=4").parse("X.../.O../..../...X O")
    assert (position.cells, position.size, position.mover) == ("X....O.........X", 4, 1)
    assert position.rules == Rules(4, 4)


@pytest.mark.parametrize("move", [Move(0), Move(9), Move(-1), Move(4, 4)])
def test_illegal_moves_are_refused(game, move):
    position = game.parse("X../.../... o")
    with pytest.raises(BadMove, match="not a legal move"):
        position.play(move)


def test_nothing_is_legal_when_the_game_is_over(game):
    won = game.parse("XXX/OO./... o")
    with pytest.raises(BadMove):
        won.play(Move(8))
    with pytest.raises(BadMove, match="the game is over"):
        game.parse_move("c1", won)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a board and a side"),
        (".../.../...", "a board and a side"),
        (".../... x", "has 2 rows; the board has 3"),
        (".../../... x", "rank 2, '..', has 2 squares instead of 3"),
        (".../.Z./... x", "'Z' in rank 2"),
        (".../.../... z", "'z' is no side"),
        (".../.../... xo", "'xo' is no side"),
        (".../.../... o", "0 crosses and 0 noughts with o to move"),
        ("XX./.../... o", "2 crosses and 0 noughts"),
        ("XXX/OOO/... x", "crosses have a line"),
        ("XXX/OO./O.. x", "crosses have a line"),
        ("XXX/OO./O.. o", "3 crosses and 3 noughts"),
    ],
)
def test_bad_positions_say_what_is_wrong(game, text, complaint):
    with pytest.raises(BadPosition) as caught:
        game.parse(text)
    assert complaint in str(caught.value)


def test_two_lines_need_a_common_last_move():
    game = NoughtsAndCrosses(Rules(size=4))
    with pytest.raises(BadPosition, match="no single last move"):
        game.parse("XXX./OO.O/XXX./OO.. o")
    crossing = game.parse("XXX./X.OO/X.O./O... o")
    assert crossing.outcome() == Outcome(0, "line")


@pytest.mark.parametrize("options", ["size=2", "size=9", "size=4,line=5", "line=2", "line=-3"])
def test_rules_out_of_range(options):
    with pytest.raises(BadSpec, match="must be between"):
        ludus.game("noughts_and_crosses", options)


def test_the_engine_makes_no_difference(game):
    assert ludus.game("noughts_and_crosses", engine="python").start() == game.start()
    assert isinstance(game.start(), Position)
