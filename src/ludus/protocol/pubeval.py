"""Tesauro's public evaluator of 1993 as a player, through the package bgsage.

bgsage plays with it but tells no move. It does tell the error of the board that pubeval prefers,
where the errors of all boards are given: so each board's error is its number.
"""

from importlib import import_module
from typing import Any, ClassVar

from ludus.core.errors import BadSpec
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.games.backgammon.view import BAR, OFF
from ludus.players.tool.rows import PLACES, Row, ends, row_of
from ludus.protocol.gnubg import check_men
from ludus.protocol.programs import ProgramFailed


class PubevalPlayer(Player):
    """Plays the move that pubeval, a linear evaluation, likes best."""

    title: ClassVar[str] = "Tesauro's pubeval, 1993 (PyPI package bgsage)"
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    def __init__(self, game: Any, settings: Any, spec: str) -> None:
        super().__init__(game, settings, spec)
        check_men(game)
        try:
            self._sage: Any = import_module("bgbot_cpp")
        except ImportError:
            raise BadSpec("pubeval needs bgsage: pip install 'ludus[backgammon]'") from None

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        legal = position.legal_moves()
        if len(legal) == 1:
            return Choice(legal[0], "has no choice")
        after = [self._sage.flip_board(_board(end)) for end in ends(position)]
        numbers = [float(number) for number in range(len(after))]
        before = _board(row_of(position))
        question = self._sage.make_scenario(before, *position.dice, after, numbers)
        weights = self._sage.PubEvalWeights.TESAURO
        answer = self._sage.score_benchmarks_pubeval([question], weights, 1)
        number = round(answer.total_error)
        if answer.count != 1 or not 0 <= number < len(legal):
            raise ProgramFailed(f"bgsage answers nonsense: move {number} of {len(legal)}")
        return Choice(legal[number])


def _board(row: Row) -> list[int]:
    """A board as bgsage has it: the mover's men positive, both bars counted from zero up."""
    men = [int(row[place]) - int(row[PLACES + place]) for place in range(PLACES)]
    men[OFF], men[BAR] = int(row[PLACES + OFF]), int(row[BAR])
    return men
