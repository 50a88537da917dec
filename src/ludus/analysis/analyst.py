"""Analysts: evaluate every move of a position, exactly where tables allow, else by an evaluator."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol, overload, runtime_checkable

from ludus.analysis.evaluation import EvaluatedMove, Evaluation, PositionAnalysis
from ludus.analysis.evaluators import (
    MAX_LINE_PLIES,
    SOLVED,
    Evaluator,
    ForecastEvaluator,
    ScoreEvaluator,
    SearchEvaluator,
)
from ludus.analysis.review import GameReview, review_game
from ludus.core.errors import BadSpec, LudusError, quote
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.match import PlayedGame
from ludus.core.player import ForecastingPlayer, Player, SearchingPlayer, check_decision
from ludus.core.record import Record
from ludus.core.spec import parse_spec
from ludus.games import resolve_game
from ludus.games.backgammon.cube import Chances
from ludus.oracles.interface import Oracle, Value
from ludus.oracles.selection import oracle as find_oracle
from ludus.players import player as named_player


@runtime_checkable
class EvaluatingPlayer(Protocol):
    """A player that decides by an evaluator."""

    evaluator: Evaluator


class Analyst(Evaluator):
    """Evaluates positions of one game: by tables of exact values, else by an evaluator."""

    def __init__(
        self, game: AnyGame, oracle: Oracle | None = None, evaluator: Evaluator | None = None
    ) -> None:
        """Analyse with this oracle and this evaluator; by default the best that can be found."""
        self.game = game
        self._oracle = oracle or _find_oracle(game)
        self._evaluator = evaluator or find_evaluator(game, oracle=self._oracle)
        self.title = f"exact tables, {self._evaluator.title}"
        self.plies = self._evaluator.plies

    def quick(self) -> "Analyst | None":
        quick = self._evaluator.quick()
        return None if quick is None else Analyst(self.game, self._oracle, quick)

    def evaluate(self, positions: Sequence[Any], played: Sequence[Any]) -> list[PositionAnalysis]:
        found: dict[int, PositionAnalysis] = {}
        unsolved = []
        for number, position in enumerate(positions):
            exact = self._look_up(position, with_lines_of=(played[number],))
            if exact is None:
                unsolved.append(number)
            else:
                found[number] = exact
        evaluated = self._evaluator.evaluate(
            [positions[number] for number in unsolved], [played[number] for number in unsolved]
        )
        found |= zip(unsolved, evaluated, strict=True)
        return [found[number] for number in range(len(positions))]

    def follow(self, position: Position) -> tuple[Move, ...]:
        """Return best play of both sides from a position, as far as it is solved."""
        line: list[Move] = []
        while len(line) < MAX_LINE_PLIES and position.outcome() is None:
            exact = self._look_up(position, with_lines_of=None)
            if exact is None:
                break
            line.append(exact.best.move)
            position = position.play(exact.best.move)
        return tuple(line)

    def _look_up(
        self, position: Position, with_lines_of: tuple[Move | None, ...] | None
    ) -> PositionAnalysis | None:
        """Return the exact values of a position's moves; None if it is not solved.

        The best move, and those in `with_lines_of` unless it is None, have their lines.
        """
        oracle = self._oracle
        if oracle is None or position.mover == CHANCE or not oracle.has_value(position):
            return None
        moves = []
        for each in oracle.verdict(position).moves:
            evaluation = Evaluation.from_value(Value(each.value, each.depth, each.equity), SOLVED)
            if each.equity is not None:
                chances = self._look_up_chances(position.play(each.move))
                evaluation = replace(evaluation, chances=chances, lookahead="exact")
            moves.append(EvaluatedMove(each.move, evaluation))
        if with_lines_of is not None:
            for number, each_move in enumerate(moves):
                if number == 0 or each_move.move in with_lines_of:
                    line = self.follow(position.play(each_move.move))
                    moves[number] = replace(each_move, line=line)
        return PositionAnalysis(tuple(moves))

    def _look_up_chances(self, after: Position) -> Chances | None:
        """Return the exact chances of the side that has just moved, where tables have them."""
        assert self._oracle is not None
        found = None if after.outcome() is not None else self._oracle.chances(after)
        return None if found is None else Chances(*found.values()).flip()


def _find_oracle(game: AnyGame) -> Oracle | None:
    try:
        return find_oracle(game)
    except LudusError:
        return None


def find_evaluator(
    game: AnyGame, name: str = "", plies: int | None = None, oracle: Oracle | None = None
) -> Evaluator:
    """Return the first of `Game.analysts` that can be used, or the program of this name.

    `plies` replaces the search depth of programs that have one.
    """
    programs = {parse_spec(spec).name: spec for spec in game.analysts if ":plies=" in spec}
    if name and name not in programs:
        raise BadSpec(f"evaluator {quote(name)} must be {' or '.join(programs) or 'left out'}")
    if name:
        found = named_player(_with_plies(programs[name], plies), game)
        assert isinstance(found, EvaluatingPlayer)
        return found.evaluator
    available = _load_players(game, [_with_plies(spec, plies) for spec in game.analysts])
    return _make_evaluator(game, available, oracle)


def _with_plies(spec: str, plies: int | None) -> str:
    name, mark, _ = spec.partition(":plies=")
    return spec if plies is None or not mark else f"{name}:plies={plies}"


def _load_players(game: AnyGame, specs: Sequence[str]) -> list[Player]:
    available: list[Player] = []
    for spec in specs:
        try:
            available.append(named_player(spec, game))
        except (LudusError, ImportError):
            continue
    return available


def _make_evaluator(game: AnyGame, available: Sequence[Player], oracle: Oracle | None) -> Evaluator:
    """Return an evaluator by the first player that can evaluate."""
    searchers = [each for each in available if isinstance(each, SearchingPlayer)]
    searcher = searchers[0] if searchers else None
    for each in available:
        if isinstance(each, EvaluatingPlayer):
            return each.evaluator
        if isinstance(each, ForecastingPlayer):
            return ForecastEvaluator(each, searcher, oracle)
        if isinstance(each, SearchingPlayer):
            return SearchEvaluator(each)
        if each.score_unit:
            return ScoreEvaluator(each)
    return ScoreEvaluator(named_player("playouts", game))


@overload
def analyse(
    game: AnyGame | str, what: Record | PlayedGame, *, oracle: Oracle | None = None
) -> GameReview: ...
@overload
def analyse(
    game: AnyGame | str, what: Position | str, *, oracle: Oracle | None = None
) -> PositionAnalysis: ...
def analyse(
    game: AnyGame | str,
    what: Position | str | Record | PlayedGame,
    *,
    oracle: Oracle | None = None,
) -> PositionAnalysis | GameReview:
    """Evaluate every move of a position, or review a played game.

    Values are exact where the oracle has them, otherwise from the game's best analysts; each says
    which it is. A position may be given as text.

    >>> found = analyse("noughts_and_crosses", "XX./OO./... x")
    >>> str(found.best.move), found.best.evaluation.result
    ('c3', 'win')
    """
    chosen = resolve_game(game)
    analyst = Analyst(chosen, oracle)
    if isinstance(what, PlayedGame):
        what = Record.from_game(what, chosen)
    if isinstance(what, Record):
        positions = what.replay(chosen)
        nodes = zip(positions, what.line.moves, strict=False)
        moves = [chosen.parse_move(node.move, position) for position, node in nodes]
        return review_game(chosen, analyst, positions, moves)
    position = chosen.parse(what) if isinstance(what, str) else what
    check_decision(position)
    return replace(analyst.analyse(position), position=position)
