"""Positions full of mills, and moves that are legal, nearly legal, or nonsense."""

from hypothesis import strategies as st

from ludus.games.nine_mens_morris.board import READING_ORDER, Move, mills
from ludus.games.nine_mens_morris.position import Position
from ludus.games.nine_mens_morris.rules import Rules

CLASS = {None: 0} | {point: number for number, point in enumerate(READING_ORDER, 1)}
"""Point to class, as the thesis numbers them."""

POINT = {number: point for point, number in CLASS.items()}


@st.composite
def positions(draw):
    """Positions that are not over; some begin with whole mills of either side."""
    men = [set(), set()]
    for side in draw(st.lists(st.sampled_from((0, 1, 1)), max_size=4)):
        mill = set(draw(st.sampled_from(mills(False))))
        if not mill & men[1 - side] and len(men[side] | mill) <= 9:
            men[side] |= mill
    free = draw(st.permutations(sorted(set(range(24)) - men[0] - men[1])))
    hands = []
    for side in (0, 1):
        added = draw(st.integers(0, 9 - len(men[side])))
        men[side] |= {free.pop() for _ in range(min(added, len(free)))}
        hands.append(draw(st.integers(0, 9 - len(men[side]))))
    if draw(st.booleans()):
        hands = [0, 0]
    found = Position(Rules(), (frozenset(men[0]), frozenset(men[1])), tuple(hands))
    # A side with too few men would have lost; an empty board is where a game begins.
    return found if found.outcome() is None else Position(Rules(), hands=(9, 9))


@st.composite
def positions_with_moves(draw):
    """A position and a move as classes: a legal one of which parts may have been replaced."""
    position = draw(positions())
    move = draw(st.sampled_from(position.legal_moves()))
    classes = [CLASS[part] for part in (move.to, move.frm, move.take)]
    for part in draw(st.lists(st.integers(0, 2), max_size=2)):
        classes[part] = draw(st.integers(0, 24))
    return position, tuple(classes)


def as_move(classes) -> Move:
    to, frm, take = (POINT[number] for number in classes)
    return Move(frm, to, take)


def closes(position: Position, move: Move) -> bool:
    """Return whether a man is in a mill after its move, from the lines of the board."""
    men = position.men[0] - {move.frm} | {move.to}
    return any(move.to in mill and men >= set(mill) for mill in mills(False))


def is_in_mill(men, point) -> bool:
    return any(point in mill and men >= set(mill) for mill in mills(False))


def authors_moves(position: Position) -> list[Move]:
    """Return legal moves that the published program accepts: no capture out of a mill."""
    return [
        move
        for move in position.legal_moves()
        if closes(position, move) == (move.take is not None)
        and (move.take is None or not is_in_mill(position.men[1], move.take))
    ]
