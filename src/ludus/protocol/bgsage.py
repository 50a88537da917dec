"""bgsage, a package of backgammon networks, as an evaluator and as a player."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ludus.analysis.backgammon import BackgammonEvaluator, check_num_men_of
from ludus.analysis.evaluation import CubeEvaluation, Evaluation
from ludus.core.extras import require_package
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import check_ranges
from ludus.games.backgammon.batch import generate_afterstates, position_to_row
from ludus.games.backgammon.board import Move
from ludus.games.backgammon.cube import Chances, CubeEquities
from ludus.games.backgammon.position import Position
from ludus.protocol.backgammon_players import to_bgsage_board
from ludus.protocol.gnubg import check_num_men
from ludus.protocol.processes import ProgramFailed

MAX_PLIES = 2
BGSAGE_MODULE = "bgbot_cpp"


class BgsageEvaluator(BackgammonEvaluator):
    """The networks of the package bgsage."""

    plies: int

    def __init__(self, plies: int = 1) -> None:
        require_package(BGSAGE_MODULE, "this evaluator")
        self.plies = plies
        self.title, self.spec = f"bgsage {plies}-ply", f"bgsage:plies={plies}"

    def quick(self) -> "BgsageEvaluator":
        return BgsageEvaluator(0)

    def rank_moves(self, position: Position) -> dict[Move, Evaluation]:
        assert position.dice is not None
        check_num_men_of(position)
        board = to_bgsage_board(position_to_row(position))
        analyzer = _load_analyzer(self.plies, position.stakes is not None)
        found = analyzer.checker_play(board, *position.dice, **_bgsage_setting(position))
        legal = [move for move in position.legal_moves() if isinstance(move, Move)]
        ends = [tuple(to_bgsage_board(end)) for end in generate_afterstates(position)]
        by_end = dict(zip(ends, legal, strict=True))
        ranked: dict[Move, Evaluation] = {}
        for each in found.moves:
            move = by_end.get(tuple(each.board))
            if move is None:
                raise ProgramFailed(f"bgsage plays a move that is not legal in {position}")
            plies = int(each.eval_level.split("-")[0]) - 1
            chances = Chances(*each.probs.to_list())
            ranked[move] = self._estimate(each.equity, chances, f"{plies}-ply")
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


@lru_cache(maxsize=8)
def _load_analyzer(plies: int, is_cubeful: bool) -> Any:
    analyzer = require_package("bgsage", "this evaluator").BgBotAnalyzer
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
        self.evaluator = BgsageEvaluator(settings.plies)

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.evaluator.choose(position)
