"""Moves of the Morris family in the notations of other programs."""

import random

import pytest

import ludus
from ludus.core.errors import BadMove
from ludus.core.notation import TurnState
from ludus.games.nine_mens_morris.board import POINTS

GAME = ludus.game("nine_mens_morris")
SPEECH = GAME.move_notation()

SANMILL_PLACES = {
    # Sanmill's squares 8 to 31: three rings from the inside, each clockwise from its upper middle.
    1: "d5 e5 e4 e3 d3 c3 c4 c5",
    2: "d6 f6 f4 f2 d2 b2 b4 b6",
    3: "d7 g7 g4 g1 d1 a1 a4 a7",
}
OLD_NAME = {
    name: f"({ring},{place})"
    for ring, names in SANMILL_PLACES.items()
    for place, name in enumerate(names.split(), 1)
}


def follow(words, turn=None):
    turn = turn or TurnState(GAME.start())
    for word in words.split():
        turn = SPEECH.advance(turn, word)
    return turn


def test_sanmill_knows_the_same_points():
    assert sorted(OLD_NAME) == sorted(POINTS)


def old(move):
    """A move as the older Sanmill wrote it: two moves if a man is taken."""
    frm, to, take = (None if part is None else OLD_NAME[POINTS[part]] for part in move)
    return [f"{frm}->{to}" if frm else to, *([f"-{take}"] if take else [])]


@pytest.mark.parametrize("rules", ["standard", "lasker", "morabaraba", "vrajitoru"])
def test_every_way_of_saying_a_move_is_understood(rules):
    """Random games in every notation lead to the same positions."""
    game = ludus.game("nine_mens_morris", rules)
    notation = game.move_notation()
    source = random.Random(rules)
    taken = 0
    for _ in range(12):
        position = game.start()
        while position.outcome() is None:
            move = source.choice(position.legal_moves())
            after = position.play(move)
            taken += move.take is not None
            whole = str(move)
            ways = [
                [whole],
                notation.format_words(move),
                notation.format_words(move, separate_captures=True),
            ]
            if move.to is not None:
                ways += [old(move), [whole.upper()], [whole.replace("-", "")], ["".join(old(move))]]
            for way in ways:
                turn = TurnState(position)
                for word in way:
                    turn = notation.advance(turn, word)
                assert turn == TurnState(after), way
            position = after
    assert taken > 50


def test_a_mill_that_is_closed_waits_for_the_man_it_takes():
    turn = follow("d6 d7 f6 g7 b6")
    assert str(turn.partial_move) == "b6"
    assert [str(move) for move in SPEECH.list_continuations(turn)] == ["b6xd7", "b6xg7"]
    assert follow("xd7", turn).position == follow("d6 d7 f6 g7 b6xd7").position
    assert SPEECH.format_words(SPEECH.list_continuations(turn)[0], turn.partial_move) == ("xd7",)
    assert SPEECH.format_words(SPEECH.list_continuations(turn)[0]) == ("b6xd7",)
    assert SPEECH.format_words(SPEECH.list_continuations(turn)[0], separate_captures=True) == (
        "b6",
        "xd7",
    )


@pytest.mark.parametrize(
    "words",
    [
        "xd6",
        "-(1,1)",
        "d6 xd6",
        "d6 d7 f6 g7 b6 a1",
        "d6 d7 f6 g7 b6 xd6",
        "d6 d7 f6 g7 b6 x",
        "d6 d7 f6 g7 b6xd7 xg7",
        "(0,1)",
        "(1,9)",
        "(1,1",
        "()",
        "->(1,1)",
        "(1,1)->",
        "(1,1)--(1,2)",
        "x",
        "-",
        "x" * 100,
        "(1,1)" * 100,
    ],
)
def test_moves_without_a_notation(words):
    with pytest.raises(BadMove):
        follow(words)


def test_words_of_other_games_have_no_spaces():
    for name in ludus.GAMES:
        game = ludus.game(name)
        notation, source = game.move_notation(), random.Random(1)
        position = game.start()
        for _ in range(60):
            if position.outcome() is not None:
                break
            move = source.choice(position.legal_moves())
            (word,) = notation.format_words(move)
            assert not set(word) & set(" \t")
            assert notation.parse(TurnState(position), word) == (move, True)
            position = position.play(move)
