"""What a side calls the places: in backgammon the two sides count from opposite ends."""

from ludus.core.game import AnyGame

POINTS = 24


def spoken(game: AnyGame, place: str, side: int) -> str:
    """The name that this side uses for a place of `Game.steps`, or the other way round.

    Written moves and the numbers on a drawn backgammon board are the mover's.
    """
    if game.id != "backgammon" or side == 0 or not place.isdecimal():
        return place
    return str(POINTS + 1 - int(place))
