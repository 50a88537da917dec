"""What must hold of every position and every game of the Morris family."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.core import BadMove, BadPosition
from ludus.games.nine_mens_morris import (
    PRESETS,
    SYMMETRIES,
    Move,
    mills,
    to_playok_move,
    to_sanmill,
    to_text,
    to_thesis,
    to_thesis_move,
)
from ludus.games.nine_mens_morris.notation import PositionFields, parse_points
from support.repetition import repeat

GAMES = {
    (preset, engine): ludus.game("nine_mens_morris", preset, engine)
    for preset in PRESETS
    for engine in ("native", "python")
}

presets = pytest.mark.parametrize("preset", PRESETS)
engines = pytest.mark.parametrize("engine", ["native", "python"])


@st.composite
def fields(draw, rules):
    """Any men anywhere that the rules give, both sides not having lost."""
    points = draw(st.permutations(range(24)))
    white, black = (draw(st.integers(0, rules.men)) for _ in range(2))
    men = frozenset(points[:white]), frozenset(points[white : white + black])
    hands = tuple(draw(st.integers(0, rules.men - len(side))) for side in men)
    if all(len(side) + hand < rules.lose_below for side, hand in zip(men, hands, strict=True)):
        hands = (rules.men - len(men[0]), hands[1])
    return PositionFields(
        men,
        hands,
        draw(st.integers(0, 1)),
        draw(st.integers(1, max(1, rules.repetition))),
        draw(st.integers(0, rules.quiet_plies)),
    )


@st.composite
def positions(draw, game):
    return game.position(draw(fields(game.rules)))


def total(position, side):
    return len(position.men[side]) + position.hands[side]


@presets
@engines
@given(st.data())
@settings(max_examples=repeat(20, 60), deadline=None)
def test_own_texts_round_trip(preset, engine, data):
    game = GAMES[preset, engine]
    position = data.draw(positions(game))
    assert game.parse(to_text(position)) == position
    assert to_text(game.parse(to_text(position))) == to_text(position)


@presets
@given(st.data())
@settings(max_examples=repeat(20, 60), deadline=None)
def test_sanmill_round_trips_but_for_repetition(preset, data):
    game = GAMES[preset, "native"]
    position = data.draw(positions(game))
    again = game.parse(to_sanmill(position))
    assert to_sanmill(again) == to_sanmill(position)
    assert again.occurrence == 1
    for name in ("men", "hands", "mover", "quiet"):
        assert getattr(again, name) == getattr(position, name)


@presets
@given(st.data())
@settings(max_examples=repeat(20, 60), deadline=None)
def test_thesis_letters_round_trip_but_for_colours(preset, data):
    game = GAMES[preset, "native"]
    position = data.draw(positions(game))
    if max(*position.hands, *map(len, position.men)) > 9:
        with pytest.raises(BadPosition):
            to_thesis(position)
        return
    again = game.parse(to_thesis(position))
    assert to_thesis(again) == to_thesis(position)
    order = slice(None, None, -1 if position.mover else 1)
    assert (again.men, again.hands) == (position.men[order], position.hands[order])
    assert again.mover == 0


@given(
    st.one_of(st.none(), st.integers(0, 23)),
    st.integers(0, 23),
    st.one_of(st.none(), st.integers(0, 23)),
)
def test_moves_name_their_points(frm, to, take):
    move = Move(frm, to, take)
    points = tuple(part for part in move if part is not None)
    for written in (str(move), to_playok_move(move), to_thesis_move(move), str(move).upper()):
        assert parse_points(written) == points


@presets
@given(st.data())
@settings(max_examples=repeat(20, 40), deadline=None)
def test_legal_moves_are_read_in_every_notation(preset, data):
    game = GAMES[preset, "native"]
    position = data.draw(positions(game))
    for move in position.legal_moves()[:40]:
        for written in (str(move), to_playok_move(move), to_thesis_move(move) or "pass"):
            assert game.parse_move(written, position) == move


@given(st.text())
def test_other_texts_are_no_moves(text):
    try:
        points = parse_points(text)
    except BadMove:
        return
    assert len(points) <= 3


@presets
@given(st.data())
@settings(max_examples=repeat(20, 60), deadline=None)
def test_symmetric_positions_are_alike(preset, data):
    """They have as many moves, the same end, and one common representative."""
    game = GAMES[preset, "native"]
    position = data.draw(positions(game))
    image = game.transform(position, data.draw(st.sampled_from(SYMMETRIES)))
    assert len(image.legal_moves()) == len(position.legal_moves())
    assert image.outcome() == position.outcome()
    assert game.perft(image, 2) == game.perft(position, 2)
    assert game.canonical(image) == game.canonical(position)


@presets
@given(st.data())
@settings(max_examples=repeat(20, 40), deadline=None)
def test_swapping_the_colours_changes_nothing(preset, data):
    """The sides have the same rules: with men, hands and mover swapped, moves stay the same."""
    game = GAMES[preset, "native"]
    drawn = data.draw(fields(game.rules))
    swapped = drawn._replace(men=drawn.men[::-1], hands=drawn.hands[::-1], mover=1 - drawn.mover)
    assert game.position(drawn).legal_moves() == game.position(swapped).legal_moves()


def closes_mill(position, move):
    """Whether the man that moved stands in a mill afterwards, found without the engines."""
    own = position.men[position.mover] - {move.frm} | {move.to}
    return any(move.to in mill and own.issuperset(mill) for mill in mills(position.rules.diagonals))


def can_be_taken(position):
    """Whether the enemy has a man that may be taken, found without the engines."""
    men = position.men[1 - position.mover]
    lines = [mill for mill in mills(position.rules.diagonals) if men.issuperset(mill)]
    safe = {man for mill in lines for man in mill}
    return bool(men - safe) or bool(men and position.rules.take_from_mills != "never")


@st.composite
def games(draw, game):
    """The turns of a random game: position, move, position. Most reach the moving phase."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    position, played = game.start(), []
    for _ in range(150 - draw(st.integers(0, 149))):
        moves = position.legal_moves()
        if not moves:
            break
        move = rng.choice(moves)
        played.append((position, move, position.play(move)))
        position = played[-1][-1]
    return played


@presets
@engines
@given(st.data())
@settings(max_examples=repeat(10, 30), deadline=None)
def test_every_turn_keeps_the_books(preset, engine, data):
    taken = [0, 0]
    for before, move, after in data.draw(games(GAMES[preset, engine])):
        mover, enemy = before.mover, 1 - before.mover
        assert after.mover == enemy
        taken[enemy] += move.take is not None
        for side in (0, 1):
            assert total(after, side) + taken[side] == before.rules.men
        is_placing = move.frm is None and move.to is not None
        assert before.hands[mover] - after.hands[mover] == is_placing
        assert before.hands[enemy] == after.hands[enemy]
        assert len(after.men[mover]) - len(before.men[mover]) == is_placing
        assert after.men[enemy] == before.men[enemy] - {move.take}
        assert not after.men[0] & after.men[1]


@presets
@engines
@given(st.data())
@settings(max_examples=repeat(10, 30), deadline=None)
def test_a_man_is_taken_exactly_when_a_mill_is_closed(preset, engine, data):
    for before, _, _ in data.draw(games(GAMES[preset, engine])):
        is_possible = can_be_taken(before)
        for move in before.legal_moves():
            is_closing = move.to is not None and closes_mill(before, move)
            assert (move.take is not None) == (is_closing and is_possible)


@presets
@given(st.data())
@settings(max_examples=repeat(10, 30), deadline=None)
def test_moves_go_along_lines_unless_men_fly(preset, data):
    game = GAMES[preset, "native"]
    lines = mills(game.rules.diagonals)
    steps = {pair for a, b, c in lines for pair in ((a, b), (b, a), (b, c), (c, b))}
    for before, move, _ in data.draw(games(game)):
        occupied = before.men[0] | before.men[1]
        assert move.to not in occupied
        if move.frm is None:
            continue
        assert move.frm in before.men[before.mover]
        may_fly = game.rules.flying and len(before.men[before.mover]) == 3
        is_flying = may_fly and before.hands[before.mover] == 0
        assert is_flying or (move.frm, move.to) in steps
