"""Typing moves: every legal move of every game can be entered, and nothing else can."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.cli.screen import TypedMove
from ludus.core.errors import BadMove
from ludus.core.game import CHANCE
from ludus.games.move_entry import get_move_entry

SPECS = [f"{name}:{preset}" for name in ludus.GAMES for preset in ludus.GAMES[name].presets]


def positions(spec, seed, plies=60):
    """The positions of a random game in which a side has something to touch."""
    game, source = ludus.game(spec), random.Random(seed)
    position = game.start()
    for _ in range(plies):
        moves = position.legal_moves()
        if not moves:
            return
        if position.mover != CHANCE and any(map(game.steps, moves)):
            yield game, position
        position = position.play(source.choice(moves))


def typed(game, position):
    return TypedMove(get_move_entry(game), position)


@pytest.mark.parametrize("spec", SPECS)
def test_every_move_can_be_typed_place_by_place_and_as_a_whole(spec):
    for game, position in positions(spec, seed=1):
        for move in position.legal_moves():
            assert typed(game, position).enter(str(move)) == move
            entry = typed(game, position)
            *first, last = map(entry.convert_place, game.steps(move))
            for place in first:
                assert place in entry.next_places
                # A place alone can be a whole move too; then it takes the next one to tell.
                assert entry.enter(f" {place} ") is None
            assert entry.enter(last) == move


HOSTILE = [
    "\0",
    "\ud800",
    "x" * 5000,
    "1" * 999 + "?",
    "²",
    "٣",
    "a1" * 400 + "?",
    "-",
    "…",
    "None",
]


@pytest.mark.parametrize("spec", ["nine_mens_morris", "backgammon", "hexapawn"])
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:20])
def test_hostile_texts_are_bad_moves(spec, text):
    game, position = next(positions(spec, seed=2))
    entry = typed(game, position)
    with pytest.raises(BadMove):
        entry.enter(text)
    assert entry.chosen_places == ()


@given(st.text(alphabet="abcdefg1234567x-/ *off barpass,()", max_size=12), st.integers(0, 50))
def test_any_text_is_a_legal_move_the_beginning_of_one_or_refused(text, ply):
    places = [place for spec in ("nine_mens_morris", "backgammon") for place in positions(spec, 3)]
    game, position = places[ply % len(places)]
    entry = typed(game, position)
    try:
        move = entry.enter(text)
    except BadMove:
        assert entry.chosen_places == ()
    else:
        assert move in position.legal_moves() if move is not None else entry.moves


def test_dice_may_be_played_in_any_order_and_several_at_once():
    game = ludus.game("backgammon")
    position = game.parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 62")
    written = game.parse_move("24/18 8/6", position)
    entry = typed(game, position)
    assert entry.moves == position.legal_moves()
    assert entry.enter("8 6") is None
    assert (entry.chosen_places, entry.prompt) == (("8", "6"), "then?")
    assert written in entry.moves
    assert all("/6" in str(move) or "8/" in str(move) for move in entry.moves)
    assert entry.enter("24") is None
    assert entry.prompt == "to?"
    assert entry.moves == [written]
    assert entry.enter("18") == written
    entry = typed(game, position)
    assert entry.enter("24") is None
    assert entry.enter("16") == game.parse_move("24/16", position)


def test_a_captured_pawn_is_a_destination_and_a_man_in_a_mill_is_taken():
    game = ludus.game("hexapawn")
    entry = typed(game, game.parse("BB./.W./W.. b"))
    assert entry.enter("a3") is None
    assert (entry.prompt, entry.next_places) == ("to?", ["a2", "b2"])
    game = ludus.game("nine_mens_morris")
    entry = typed(game, game.parse("BB./.../..W/...W../.W./.../B.. w 0 0"))
    assert entry.enter("d3 e3") is None
    assert (entry.prompt, entry.next_places) == ("take?", ["a7", "d7", "a1"])
