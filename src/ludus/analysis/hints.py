"""Hints for positions of backgammon as other programs write them: ranked moves, or the cube."""

from dataclasses import dataclass
from typing import Any

from ludus.analysis.analyst import Analyst, find_evaluator
from ludus.analysis.evaluation import PositionAnalysis, format_chances, select_mark
from ludus.core.errors import LudusError, quote
from ludus.games import game as named_game
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.position_ids import detect_rules, to_position_id, to_xgid


@dataclass(frozen=True, slots=True)
class Hint:
    """The ranked moves of a position, or what doubling, taking and dropping count."""

    position: Position

    evaluator: str
    """What evaluated it: `exact tables, bgsage 1-ply`."""

    plies: int | None
    analysis: PositionAnalysis

    @property
    def is_cubeless(self) -> bool:
        return self.position.stakes is None

    def to_json(self, max_moves: int | None = None) -> dict[str, Any]:
        """Return the best moves, or the cube, with the position's identifiers."""
        known = {
            "position_id": to_position_id(self.position),
            "xgid": to_xgid(self.position),
            "evaluator": self.evaluator,
            "plies": self.plies,
            "cubeless": self.is_cubeless,
        }
        cube = self.analysis.cube
        if cube is not None:
            return {**known, "cube": cube.to_json()}
        best = self.analysis.best.evaluation
        moves = [
            {
                "move": str(each.move),
                "equity": round(each.evaluation.points, 4),
                "loss": round(best.points - each.evaluation.points, 4),
                "mark": select_mark(best, each.evaluation),
                "depth": each.evaluation.lookahead,
                **format_chances(each.evaluation.chances),
            }
            for each in self.analysis.moves
        ]
        return {**known, "moves": moves[:max_moves]}


def hint(text: str, *, rules: str = "", evaluator: str = "", plies: int | None = None) -> Hint:
    """Rank the moves of a position of backgammon after a roll, or evaluate the cube before it.

    `text` is a position of ours, an XGID or GNU Backgammon's identifiers. `evaluator` and `plies`
    are those of `find_evaluator`.
    """
    game = named_game("backgammon", rules or detect_rules(text))
    position = game.parse(text)
    if position.dice is None and position.phase not in ("cube", "doubled"):
        raise LudusError(f"{quote(text)} has no dice; moves are ranked only after a roll")
    legal = position.legal_moves()
    if position.dice is not None and len(legal) == 1:
        raise LudusError(f"{quote(text)} has one legal move: {legal[0]}")
    program = Analyst(game, evaluator=find_evaluator(game, evaluator, plies))
    analysis = program.analyse(position)
    if position.dice is None and analysis.cube is None:
        raise LudusError(f"{program.title} does not evaluate the cube")
    return Hint(position, program.title, program.plies, analysis)
