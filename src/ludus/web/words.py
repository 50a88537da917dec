"""What is said above the board and into the live region."""

from ludus.core.outcome import Outcome
from ludus.web.boards.board import Board
from ludus.web.seats import Seat
from ludus.web.tree import RULES, Node

WON = {
    "men": "{loser} has too few men left",
    "blocked": "{loser} cannot move",
    "line": "{winner} completed a line",
    "crossed": "{winner} crossed the board",
    "single": "{winner} bore off every man",
    "gammon": "{winner} bore off every man before {loser} bore off any",
    "backgammon": "{winner} bore off every man before {loser} had left the start",
}

DRAWN = {
    "blocked": "there is no move left",
    "full": "the board is full",
    "repetition": "the same position came again",
    "quiet": "nothing was placed or taken for too long",
}


def ending(outcome: Outcome, board: Board, seats: tuple[Seat, Seat]) -> str:
    """How a game ended; a person who plays alone is told `you`."""
    if outcome.winner is None:
        return f"A draw: {DRAWN.get(outcome.reason, outcome.reason)}."
    sides = board.side(0), board.side(1)
    winner, loser = sides[outcome.winner], sides[1 - outcome.winner]
    why = WON.get(outcome.reason, outcome.reason).format(winner=winner, loser=loser)
    points = f" {outcome.points} points" if outcome.points > 1 else ""
    people = [side for side, seat in enumerate(seats) if seat.is_person]
    if len(people) != 1:
        return f"{winner} won{points}: {why}."
    return f"You {'won' if outcome.winner in people else 'lost'}{points}: {why}."


def told(node: Node, board: Board, seats: tuple[Seat, Seat]) -> str:
    """A move as a sentence; a person who plays alone is told `you`."""
    if node.move is None:
        return ""
    mover = node.mover if node.mover in (0, 1) else node.position.mover
    if mover not in (0, 1):
        return f"{node.move}."
    deed = "could not move" if node.by == RULES else board.told(node.move, node.position)
    people = [side for side, seat in enumerate(seats) if seat.is_person]
    return f"{'You' if people == [mover] else board.side(mover)} {deed}."
