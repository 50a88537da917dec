"""Programs as complete Prolog: the rules of the game, the learned clauses, and how they play.

`choose(A,B)` is then true of the board that the strategy moves to.
"""

from importlib.resources import files
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.game import AnyGame
from ludus.learn.migo.program import Program

WITH_RULES = ("noughts_and_crosses", "hexapawn")
"""Games whose move, won and drawn are written in Prolog here."""


def runnable(program: Program, game: AnyGame) -> str:
    """A text that Prolog can load and ask."""
    if game.id not in WITH_RULES:
        raise LudusError(f"the rules of {game.id} are not written in Prolog here")
    rules = (files(__package__) / "prolog" / f"{game.id}.pl").read_text(encoding="ascii")
    learned = "\n".join(map(str, program.clauses))
    return "\n".join((rules + _facts(game), learned, *_play(program), ""))


def as_term(position: Any) -> str:
    """A position of one of these games as a Prolog term."""
    cells = position.cells.replace(".", "e").lower()
    mover = str(position).rpartition(" ")[2]
    return f"s({mover},[{','.join(cells)}])"


def _facts(game: AnyGame) -> str:
    if game.id == "hexapawn":
        return f"size({game.rules.size}).\n"
    from ludus.games.noughts_and_crosses.rules import lines

    squares = range(game.rules.size**2)
    return "".join(f"line({list(squares[line])}).\n" for line in lines(game.rules))


def _play(program: Program) -> list[str]:
    """Wins by their depth, then draws; where neither is found any move will do."""
    names = ("win", "draw")
    clauses = [f"{n}(A,B) :- {each}(A,B)." for n in names for each in program.levels(n)]
    chosen = [f"choose(A,B) :- {name}(A,B), !." for name in names if program.levels(name)]
    return [*clauses, *chosen]
