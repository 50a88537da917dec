"""Positions put together by hand: what stands where, drawn, and whether the rules allow it."""

from ludus.core.errors import LudusError
from ludus.core.marks import NO_MARKS
from ludus.games import game as named_game
from ludus.web.answers import ArrangementView
from ludus.web.asked import ArrangementAsked, ManView
from ludus.web.boards import board_of
from ludus.web.boards.board import Arrangement, Board
from ludus.web.errors import Refused
from ludus.web.picture import drawn


def edited(asked: ArrangementAsked) -> ArrangementView:
    """An arrangement as it looks, and what is wrong with it; from a text, or from men."""
    game = named_game(asked.game, asked.rules)
    board = board_of(game)
    if asked.men is None:
        position = game.parse(asked.position) if asked.position else game.start()
        arrangement = board.arranged(position)
    else:
        men = {place: (man.side, man.count) for place, man in asked.men.items()}
        dice = (asked.dice[0], asked.dice[1]) if asked.dice and board.has_dice else None
        arrangement = Arrangement(men, asked.mover, (asked.hands[0], asked.hands[1]), dice)
    _check(board, arrangement)
    position = board.arrange(arrangement)
    arrangement = board.arranged(position)
    svg, places = drawn(position, NO_MARKS)
    text = str(position)
    return ArrangementView(
        position=text,
        problem=_problem(board, text),
        svg=svg,
        labels={
            place: f"{place}, {board.occupant(position, place) or 'empty'}" for place in places
        },
        men={
            place: ManView(side=side, count=count)
            for place, (side, count) in arrangement.men.items()
        },
        mover=arrangement.mover,
        hands=list(arrangement.hands),
        most=board.most,
        hand_title=board.hand_title,
        dice=None if arrangement.dice is None else list(arrangement.dice),
        has_dice=board.has_dice,
    )


def _check(board: Board, arrangement: Arrangement) -> None:
    """Only places that the board has, and no more men than a place can hold."""
    _, places = drawn(board.game.start(), NO_MARKS)
    for place, (_, count) in arrangement.men.items():
        if place not in places or count > board.most:
            raise Refused(f"{count} men cannot stand there: {place}")


def _problem(board: Board, text: str) -> str:
    """Why nobody can play from here; nothing if somebody can."""
    try:
        position = board.game.parse(text)
    except LudusError as error:
        return str(error)
    return "the game would be over" if position.outcome() is not None else ""
