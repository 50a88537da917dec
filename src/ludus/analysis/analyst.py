"""Analysts: evaluate every move of a position, exactly where tables allow, else by an evaluator."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol, overload, runtime_checkable

from ludus.analysis.evaluation import (
    CubeEvaluation,
    EvaluatedMove,
    Evaluation,
    PositionAnalysis,
)
from ludus.analysis.evaluators import (
    MAX_LINE_PLIES,
    SOLVED,
    Evaluator,
    ForecastEvaluator,
    ScoreEvaluator,
    SearchEvaluator,
)
from ludus.analysis.records import name_players
from ludus.analysis.review import GameReview, review_game
from ludus.core.errors import BadSpec, LudusError, quote
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.match import PlayedGame
from ludus.core.player import ForecastingPlayer, Player, SearchingPlayer, check_decision
from ludus.core.record import Record
from ludus.core.spec import parse_spec
from ludus.games import detect_game, resolve_game
from ludus.games.backgammon.cube import Chances
from ludus.oracles.interface import Oracle, Value
from ludus.oracles.selection import oracle as find_oracle
from ludus.players import find_player_class
from ludus.players import player as named_player

RESULTS_WITH_TIES = ("win", "draw", "loss")

NUM_RANDOM_GAMES = 20_000
"""Random games by which moves that are equal to a network are put into an order."""


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

    def measure(self, positions: Sequence[Any]) -> list[float] | None:
        oracle = self._oracle
        exact = {
            number: float(oracle.value(position).utility)
            for number, position in enumerate(positions)
            if oracle is not None and oracle.has_value(position)
        }
        unsolved = [number for number in range(len(positions)) if number not in exact]
        if unsolved:
            rest = [positions[number] for number in unsolved]
            measured = self._evaluator.measure(rest)
            if measured is None and self._luck_evaluator is not None:
                measured = self._luck_evaluator.measure(rest)
            if measured is None:
                return None
            exact |= zip(unsolved, measured, strict=True)
        return [exact[number] for number in range(len(positions))]

    @cached_property
    def _luck_evaluator(self) -> Evaluator | None:
        specs = filter(None, [self.game.luck_analyst])
        player = next(_load_players(self.game, specs), None)
        return None if player is None else _make_evaluator(player, None)

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

    def analyse(self, position: Position) -> PositionAnalysis:
        """Return the evaluated moves, of equal ones those first that give practical chances."""
        found = super().analyse(position)
        best = found.best.evaluation
        equal = [each for each in found.moves if _is_equal(each.evaluation, best)]
        if len(equal) < 2 or best.result not in RESULTS_WITH_TIES:
            return found
        rest = (each for each in found.moves if not _is_equal(each.evaluation, best))
        after = {each.move: position.play(each.move) for each in equal}
        if best.certainty == "exact":
            ranks = {move: self._count_good_replies(child) for move, child in after.items()}
        else:
            self._random_games.start_game(0)
            scores = self._random_games.choose(position).scores
            ranks = {move: -scores[move] for move in after}
        first, *others = sorted(equal, key=lambda each: ranks[each.move])
        line = first.line or self.follow(after[first.move])
        return replace(found, moves=(replace(first, line=line), *others, *rest))

    @cached_property
    def _random_games(self) -> Player:
        return named_player(f"playouts:games={NUM_RANDOM_GAMES}", self.game)

    def _count_good_replies(self, position: Position) -> float:
        """Return the part of the replies that keep the value; 1 where the game is over."""
        oracle, is_over = self._oracle, position.outcome() is not None
        if oracle is None or is_over or not oracle.has_value(position):
            return 1.0
        rated = oracle.rate_moves(position)
        return sum(each.value == rated[0].value for each in rated) / len(rated)

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
        self, position: Any, with_lines_of: tuple[Move | None, ...] | None
    ) -> PositionAnalysis | None:
        """Return the exact values of a position's moves; None if it is not solved.

        The best move, and those in `with_lines_of` unless it is None, have their lines.
        """
        oracle = self._oracle
        if oracle is None or position.mover == CHANCE or not oracle.has_value(position):
            return None
        moves = []
        cube = self._look_up_cube(position)
        for each in oracle.verdict(position).moves:
            evaluation = Evaluation.from_value(Value(each.value, each.depth, each.equity), SOLVED)
            if each.equity is not None:
                if cube is None:
                    chances = self._look_up_chances(position.play(each.move))
                else:
                    is_on_turn = position.mover == position.turn
                    chances = cube.chances if is_on_turn else cube.chances.flip()
                evaluation = replace(evaluation, chances=chances, lookahead="exact")
            moves.append(EvaluatedMove(each.move, evaluation))
        if with_lines_of is not None:
            for number, each_move in enumerate(moves):
                if number == 0 or each_move.move in with_lines_of:
                    line = self.follow(position.play(each_move.move))
                    moves[number] = replace(each_move, line=line)
        return PositionAnalysis(tuple(moves), cube)

    def _look_up_cube(self, position: Position) -> CubeEvaluation | None:
        """Return the exact evaluation of the cube where a side decides about it."""
        assert self._oracle is not None
        equities, chances = self._oracle.cube_equities(position), self._oracle.chances(position)
        if equities is None or chances is None:
            return None
        return CubeEvaluation(equities, Chances(*chances.values()), "exact")

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
    """Return the evaluator of a player, by default of the first of `Game.analysts` at hand.

    `plies` replaces the search depth of players that have one.
    """
    if not name:
        available = _load_players(game, [_with_plies(spec, plies) for spec in game.analysts])
        found = (_make_evaluator(each, oracle) for each in available)
        return next(each for each in found if each is not None)
    # The name of an analyst alone means the game's own options of it.
    specs = {parse_spec(spec).name: spec for spec in game.analysts}
    player = named_player(_with_plies(specs.get(name, name), plies), game)
    evaluator = _make_evaluator(player, oracle)
    if evaluator is None:
        raise BadSpec(f"{quote(name)} does not evaluate positions of {game.id}")
    return evaluator


def _is_equal(one: Evaluation, other: Evaluation) -> bool:
    """Return whether two moves have the same result, as surely, and as soon."""
    return one.rank == other.rank and one.certainty == other.certainty


def _with_plies(spec: str, plies: int | None) -> str:
    """Return a spec with another search depth, where the player has one."""
    parsed = parse_spec(spec)
    options = find_player_class(parsed)[0].options
    names = [name for name in ("plies", "ply") if hasattr(options, name)]
    if plies is None or not names:
        return spec
    changed = {**parsed.options, names[0]: str(plies)}
    return f"{parsed.name}:{','.join([*parsed.flags, *map('='.join, changed.items())])}"


def _load_players(game: AnyGame, specs: Iterable[str]) -> Iterator[Player]:
    """Yield the players that can be used here."""
    for spec in specs:
        try:
            yield named_player(spec, game)
        except (LudusError, ImportError):
            continue


def _make_evaluator(player: Player, oracle: Oracle | None) -> Evaluator | None:
    """Return what evaluates by a player; None if its choices tell no values."""
    if isinstance(player, EvaluatingPlayer):
        return player.evaluator
    if isinstance(player, ForecastingPlayer):
        others = _load_players(player.game, player.game.analysts)
        searcher = next((each for each in others if isinstance(each, SearchingPlayer)), None)
        return ForecastEvaluator(player, searcher, oracle)
    if isinstance(player, SearchingPlayer):
        return SearchEvaluator(player)
    return ScoreEvaluator(player) if player.score_unit else None


@overload
def analyse(
    game: AnyGame | str,
    what: Record | PlayedGame,
    *,
    oracle: Oracle | None = None,
    evaluator: str = "",
    plies: int | None = None,
) -> GameReview: ...
@overload
def analyse(
    game: AnyGame | str,
    what: Position | str,
    *,
    oracle: Oracle | None = None,
    evaluator: str = "",
    plies: int | None = None,
) -> PositionAnalysis: ...
def analyse(
    game: AnyGame | str,
    what: Position | str | Record | PlayedGame,
    *,
    oracle: Oracle | None = None,
    evaluator: str = "",
    plies: int | None = None,
) -> PositionAnalysis | GameReview:
    """Evaluate every move of a position, or review a played game; `print` shows the result.

    Values are exact where the oracle has them, otherwise from the player `evaluator`, by default
    the game's best analyst at hand; each says which it is. `plies` is the search depth of an
    evaluator that has one. A position may be given as text.

    >>> found = analyse("noughts_and_crosses", "XX./OO./... x")
    >>> str(found.best.move), found.best.evaluation.result
    ('c3', 'win')
    """
    chosen = detect_game(game, what) if isinstance(what, str) else resolve_game(game)
    analyst = Analyst(chosen, oracle, find_evaluator(chosen, evaluator, plies, oracle))
    if isinstance(what, PlayedGame):
        what = Record.from_game(what, chosen)
    if isinstance(what, Record):
        positions = what.replay(chosen)
        nodes = zip(positions, what.line.moves, strict=False)
        moves = [chosen.parse_move(node.move, position) for position, node in nodes]
        review = review_game(chosen, analyst, positions, moves)
        return replace(review, players=name_players(what, chosen))
    position = chosen.parse(what) if isinstance(what, str) else what
    check_decision(position)
    return replace(analyst.analyse(position), position=position)
