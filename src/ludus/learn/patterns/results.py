"""How a game ended, as far as a player can tell that is never told.

A player sees the positions in which it is to move and hears when the next game begins. So it knows
the position that its last move made. If that move did not end the game, the other side's reply
did, or the game was given up.
"""

from typing import Any


def points(last: Any) -> float | None:
    """What a game that stopped after `last` brought the side that moved last: 1, ½ or 0.

    None if it was given up. A side that could win at once is taken to have won, one that could only
    end the game in a draw to have drawn.
    """
    side = 1 - last.mover
    if last.outcome() is not None:
        return _worth(last.outcome().winner, side)
    ends = [last.play(reply).outcome() for reply in last.legal_moves()]
    worths = [_worth(end.winner, side) for end in ends if end is not None]
    return min(worths, default=None)


def _worth(winner: int | None, side: int) -> float:
    return 0.5 if winner is None else float(winner == side)
