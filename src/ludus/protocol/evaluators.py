"""Programs and tables that evaluate backgammon, and the choice among them."""

from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

from ludus.core.errors import BadSpec, LudusError, quote
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import check_ranges
from ludus.games import game as named_game
from ludus.games.backgammon.batch import generate_afterstates, position_to_row
from ludus.games.backgammon.board import Move
from ludus.games.backgammon.cube import (
    Chances,
    ChancesEstimator,
    CubeEquities,
    CubeModel,
    evaluate_cube,
)
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Rules
from ludus.oracle.selection import oracle_for
from ludus.players import player as named_player
from ludus.protocol.backgammon_players import to_bgsage_board
from ludus.protocol.evaluation import CubeEvaluation, Evaluator, MoveEvaluation, choose_by
from ludus.protocol.gnubg import GNUBG_PROGRAM, check_num_men, evaluate_cubes, rank_moves
from ludus.protocol.processes import ProgramFailed, is_installed

MAX_PLIES = 2
BGSAGE_MODULE = "bgbot_cpp"


class BgsageEvaluator(Evaluator):
    """The networks of the package bgsage."""

    plies: int

    def __init__(self, plies: int = 1) -> None:
        if not is_bgsage_installed():
            raise BadSpec("bgsage is not installed: pip install 'ludus[backgammon]'")
        self.plies = plies
        self.title = f"bgsage {plies}-ply"

    def quick(self) -> "BgsageEvaluator":
        return BgsageEvaluator(0)

    def rank_moves(self, position: Position) -> dict[Move, MoveEvaluation]:
        assert position.dice is not None
        check_num_men_of(position)
        board = to_bgsage_board(position_to_row(position))
        analyzer = _load_analyzer(self.plies, position.stakes is not None)
        found = analyzer.checker_play(board, *position.dice, **_bgsage_setting(position))
        legal = [move for move in position.legal_moves() if isinstance(move, Move)]
        ends = [tuple(to_bgsage_board(end)) for end in generate_afterstates(position)]
        by_end = dict(zip(ends, legal, strict=True))
        ranked: dict[Move, MoveEvaluation] = {}
        for each in found.moves:
            move = by_end.get(tuple(each.board))
            if move is None:
                raise ProgramFailed(f"bgsage plays a move that is not legal in {position}")
            plies = int(each.eval_level.split("-")[0]) - 1
            chances = Chances(*each.probs.to_list())
            ranked[move] = MoveEvaluation(each.equity, chances, f"{plies}-ply")
        if len(ranked) != len(legal):
            raise ProgramFailed(f"bgsage knows {len(ranked)} moves of {len(legal)} in {position}")
        return ranked

    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        check_num_men_of(position)
        board = to_bgsage_board(position_to_row(position))
        found = _load_analyzer(self.plies, True).cube_action(board, **_bgsage_setting(position))
        return CubeEvaluation(
            CubeEquities(found.equity_nd, found.equity_dt, found.equity_dp),
            Chances(*found.probs.to_list()),
            f"{self.plies}-ply",
        )


def is_bgsage_installed() -> bool:
    return find_spec(BGSAGE_MODULE) is not None and find_spec("bgsage") is not None


@lru_cache(maxsize=8)
def _load_analyzer(plies: int, is_cubeful: bool) -> Any:
    analyzer = import_module("bgsage").BgBotAnalyzer
    return analyzer(eval_level=f"{plies + 1}ply", cubeful=is_cubeful, parallel_threads=1)


def _bgsage_setting(position: Position) -> dict[str, Any]:
    """Return cube and score as bgsage's keywords, from the side on turn."""
    stakes = position.stakes
    if stakes is None:
        return {"jacoby": False, "beaver": False}
    side = position.turn
    owner = "centered" if stakes.owner is None else "player" if stakes.owner == side else "opponent"
    away = [stakes.rules.match - points if stakes.rules.match else 0 for points in stakes.score]
    return {
        "cube_value": stakes.value,
        "cube_owner": owner,
        "away1": away[side],
        "away2": away[1 - side],
        "is_crawford": stakes.crawford,
        "jacoby": stakes.rules.jacoby,
        "beaver": False,
    }


class GnubgEvaluator(Evaluator):
    """GNU Backgammon, running beside this program."""

    plies: int

    def __init__(self, plies: int = 2) -> None:
        if not is_installed(GNUBG_PROGRAM):
            raise BadSpec("gnubg is not installed: apt install gnubg")
        self.plies = plies
        self.title = f"gnubg {plies}-ply"

    def quick(self) -> "GnubgEvaluator":
        return GnubgEvaluator(0)

    def rank_moves(self, position: Position) -> dict[Move, MoveEvaluation]:
        check_num_men_of(position)
        if len(position.legal_moves()) == 1:
            # It does not evaluate a single move: the chances of the position after it are it.
            return self._evaluate_single_move(position)
        (ranked,) = rank_moves([position], self.plies)
        depth = f"{self.plies}-ply"
        return {
            move: MoveEvaluation(each.equity, Chances(*each.chances), depth)
            for move, each in ranked.items()
        }

    def _evaluate_single_move(self, position: Position) -> dict[Move, MoveEvaluation]:
        (move,) = position.legal_moves()
        assert isinstance(move, Move)
        after = position.play(move)
        if _is_game_end(after):
            return {move: evaluate_winning_move(position, move)}
        (found,) = evaluate_cubes([after], 0)
        chances = Chances(*found.chances).flip()
        best = -found.equities.best if position.stakes is not None else chances.equity
        return {move: MoveEvaluation(best, chances, "0-ply")}

    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        check_num_men_of(position)
        (found,) = evaluate_cubes([position], self.plies)
        return CubeEvaluation(found.equities, Chances(*found.chances), f"{self.plies}-ply")


class NetworkEvaluator(Evaluator):
    """A player of ours that estimates chances; cubeful equities follow by Janowski's method."""

    plies: int

    def __init__(self, player: Player) -> None:
        assert isinstance(player, ChancesEstimator)
        self.player: ChancesEstimator = player
        self.title, self.plies = player.spec, 0

    def rank_moves(self, position: Position) -> dict[Move, MoveEvaluation]:
        moves = [move for move in position.legal_moves() if isinstance(move, Move)]
        after = [position.play(move) for move in moves]
        open_ones = [n for n, each in enumerate(after) if not _is_game_end(each)]
        estimated = self.player.estimate_chances([after[n] for n in open_ones])
        known = dict(zip(open_ones, estimated, strict=True))
        found = {move: self._evaluate(position, move, known.get(n)) for n, move in enumerate(moves)}
        return dict(sorted(found.items(), key=lambda item: -item[1].equity))

    def _evaluate(self, position: Position, move: Move, other: Chances | None) -> MoveEvaluation:
        """Evaluate a move from the chances of the other side after it; None if the game is over."""
        if other is None:
            return evaluate_winning_move(position, move)
        depth = f"{self.plies}-ply"
        if position.stakes is None:
            return MoveEvaluation(-other.equity, other.flip(), depth)
        model = CubeModel(other, position.stakes, 1 - position.turn)
        equities = model.decide()
        can_double = position.stakes.may_double(1 - position.turn)
        value = equities.best if can_double else equities.no_double
        return MoveEvaluation(-value, other.flip(), depth)

    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        (chances,) = self.player.estimate_chances([position])
        return CubeEvaluation(evaluate_cube(position, chances), chances, f"{self.plies}-ply")


def _is_game_end(after: Position) -> bool:
    """Return whether a game has just ended; in a match the next one may have begun."""
    return after.outcome() is not None or bool(after.opening)


def evaluate_winning_move(position: Position, move: Move) -> MoveEvaluation:
    """Return the exact value of a move that bears off the last man."""
    level = replace(position, stakes=None).play(move).outcome()
    assert level is not None
    won = Chances(1.0, float(level.points > 1), float(level.points > 2))
    is_void = position.stakes is not None and position.stakes.are_gammons_void
    return MoveEvaluation(1.0 if is_void else won.equity, won, "exact")


class ExactEvaluator(Evaluator):
    """Tables of exact values, with another evaluator where there are none."""

    def __init__(self, rules: Rules, other: Evaluator | None) -> None:
        self.oracle = oracle_for(named_game("backgammon", rules))
        self.other = other
        self.title = "exact tables" if other is None else f"exact tables, {other.title}"
        self.plies = None if other is None else other.plies

    def quick(self) -> "ExactEvaluator":
        quick = ExactEvaluator.__new__(ExactEvaluator)
        quick.oracle, quick.title, quick.plies = self.oracle, self.title, self.plies
        quick.other = None if self.other is None else self.other.quick()
        return quick

    def rank_moves(self, position: Position) -> dict[Move, MoveEvaluation]:
        if position.stakes is None and self.oracle.has_value(position):
            found: dict[Move, MoveEvaluation] = {}
            for each in self.oracle.rate_moves(position):
                assert isinstance(each.move, Move)
                chances = self._find_chances(position.play(each.move))
                found[each.move] = MoveEvaluation(each.equity or 0.0, chances, "exact")
            return found
        return self._require(position).rank_moves(position)

    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        return self._require(position).evaluate_cube(position)

    def _find_chances(self, after: Position) -> Chances | None:
        found = None if after.outcome() else self.oracle.chances(after)
        return None if found is None else Chances(*found.values()).flip()

    def _require(self, position: Position) -> Evaluator:
        if self.other is None:
            raise LudusError(
                f"nothing here evaluates {position}: pip install 'ludus[backgammon]' for bgsage, "
                "or install Debian's gnubg"
            )
        return self.other


def check_num_men_of(position: Position) -> None:
    """Check that a position has 15 men a side, the only number that other programs know."""
    if int(position_to_row(position)[:26].sum()) != Rules().men:
        raise LudusError("other programs evaluate backgammon with 15 men a side only")


EVALUATORS = {"bgsage": BgsageEvaluator, "gnubg": GnubgEvaluator}


def find_evaluator(rules: Rules, name: str = "", plies: int | None = None) -> Evaluator:
    """Return the evaluator of this name, or the best that is installed: bgsage, gnubg, a network.

    Exact tables come first wherever they know a position. Plies are 1 for bgsage and 2 for gnubg
    unless said otherwise, which take a few tens of milliseconds and a few tenths of a second.
    """
    if name and name not in EVALUATORS:
        raise BadSpec(f"evaluator {quote(name)} must be bgsage or gnubg")
    options = {} if plies is None else {"plies": plies}
    other: Evaluator | None = None
    if name:
        other = EVALUATORS[name](**options)
    elif is_bgsage_installed():
        other = BgsageEvaluator(**options)
    elif is_installed(GNUBG_PROGRAM):
        other = GnubgEvaluator(**options)
    else:
        other = _find_network(rules)
    return ExactEvaluator(rules, other)


def _find_network(rules: Rules) -> NetworkEvaluator | None:
    """Return the first of the game's analysts that estimates chances, if there is one."""
    game = named_game("backgammon", rules)
    for spec in game.analysts:
        try:
            player = named_player(spec, game)
        except (LudusError, ImportError):
            continue
        if isinstance(player, ChancesEstimator):
            return NetworkEvaluator(player)
    return None


@dataclass(frozen=True, slots=True)
class BgsageOptions:
    """Search depth of bgsage."""

    plies: int = 0
    """As GNU Backgammon counts: 0 is the network alone."""

    def __post_init__(self) -> None:
        check_ranges(self, "bgsage", plies=(0, MAX_PLIES))


class BgsagePlayer(Player):
    """Plays the moves and cube actions that bgsage prefers."""

    title: ClassVar[str] = "bgsage, with cube and match play (PyPI package bgsage)"
    options: ClassVar[BgsageOptions] = BgsageOptions()
    score_unit = "equity"
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    settings: BgsageOptions

    def __init__(self, game: Any, settings: BgsageOptions, spec: str) -> None:
        super().__init__(game, settings, spec)
        check_num_men(game)
        self._evaluator = BgsageEvaluator(settings.plies)

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return choose_by(self._evaluator, position)
