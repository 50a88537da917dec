"""A position in every notation its game has, for copying."""

from typing import Any

from ludus.core.game import AnyGame


def texts(game: AnyGame, position: Any) -> dict[str, str]:
    """Notation to text; the game's own is `Ludus`."""
    found = {"Ludus": str(position)}
    if game.id == "backgammon":
        found |= _backgammon(position)
    elif game.id == "nine_mens_morris":
        found |= _morris(position)
    return found


def _backgammon(position: Any) -> dict[str, str]:
    from ludus.games.backgammon.gnubg import gnubg_id
    from ludus.games.backgammon.xgid import xgid

    return {"GNU Backgammon": gnubg_id(position), "XGID": xgid(position)}


def _morris(position: Any) -> dict[str, str]:
    from ludus.games.nine_mens_morris.notation import to_sanmill, to_thesis

    return {"dataset letters": to_thesis(position), "Sanmill": to_sanmill(position)}
