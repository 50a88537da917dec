"""How a game ended, in words."""

from ludus.core.outcome import Outcome

WON = {
    "men": "{loser} had too few men left",
    "blocked": "{loser} could not move",
    "line": "{winner} completed a line",
    "crossed": "{winner} crossed the board",
    "single": "{winner} bore off every man",
    "gammon": "{winner} bore off every man before {loser} bore off any",
    "backgammon": "{winner} bore off every man before {loser} had left the start",
    "illegal": "{loser} made an illegal move",
}

DRAWN = {
    "blocked": "there was no move left",
    "full": "the board was full",
    "repetition": "the position had been there before",
    "quiet": "nothing was placed or taken for too long",
    "length": "the game was too long",
}


def ending(outcome: Outcome, sides: tuple[str, str]) -> str:
    """One sentence; `sides` is how the sides are called, "you" among them.

    >>> ending(Outcome(0, "blocked"), ("you", "black"))
    'You won: black could not move.'
    """
    if outcome.winner is None:
        return f"A draw: {DRAWN.get(outcome.reason, outcome.reason)}."
    winner, loser = sides[outcome.winner], sides[1 - outcome.winner]
    why = WON.get(outcome.reason, outcome.reason).format(winner=winner, loser=loser)
    points = f" {outcome.points} points" if outcome.points > 1 else ""
    return f"{winner.capitalize()} won{points}: {why}."
