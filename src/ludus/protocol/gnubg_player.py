"""GNU Backgammon as an evaluator and as a player."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus.analysis.backgammon import (
    BackgammonEvaluator,
    check_num_men_of,
    evaluate_winning_move,
    is_game_end,
)
from ludus.analysis.evaluation import CubeEvaluation, Evaluation
from ludus.core.errors import BadSpec
from ludus.core.player import Choice, Limit, Player
from ludus.games.backgammon.board import Move
from ludus.games.backgammon.position import Position
from ludus.protocol.gnubg import (
    DEFAULT_SECONDS_PER_MOVE,
    GNUBG_PROGRAM,
    RankedMove,
    check_num_men,
    evaluate_cubes,
    rank_moves,
)
from ludus.protocol.processes import find_program, is_installed


class GnubgEvaluator(BackgammonEvaluator):
    """GNU Backgammon, running beside this program."""

    plies: int

    def __init__(self, plies: int = 2, seconds: float = DEFAULT_SECONDS_PER_MOVE) -> None:
        """Search this deep, for at most this many seconds a position."""
        if not is_installed(GNUBG_PROGRAM):
            raise BadSpec("gnubg is not installed: apt install gnubg")
        self.plies, self.seconds = plies, seconds
        self.title, self.spec = f"gnubg {plies}-ply", f"gnubg:plies={plies}"

    def quick(self) -> "GnubgEvaluator":
        return GnubgEvaluator(0, self.seconds)

    def rank_moves(self, position: Position) -> dict[Move, Evaluation]:
        check_num_men_of(position)
        if len(position.legal_moves()) == 1:
            # It does not evaluate a single move: the chances of the position after it are it.
            return self._evaluate_single_move(position)
        (ranked,) = rank_moves([position], self.plies, self.seconds)
        depth = f"{self.plies}-ply"
        return {
            move: self._estimate(each.equity, each.chances, depth) for move, each in ranked.items()
        }

    def _evaluate_single_move(self, position: Position) -> dict[Move, Evaluation]:
        (move,) = position.legal_moves()
        assert isinstance(move, Move)
        after = position.play(move)
        if is_game_end(after):
            return {move: evaluate_winning_move(position, move)}
        (found,) = evaluate_cubes([after], 0)
        chances = found.chances.flip()
        best = -found.equities.best if position.stakes is not None else chances.equity
        return {move: self._estimate(best, chances, "0-ply")}

    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        check_num_men_of(position)
        (found,) = evaluate_cubes([position], self.plies, self.seconds)
        return CubeEvaluation(found.equities, found.chances, f"{self.plies}-ply")


@dataclass(frozen=True, slots=True)
class GnubgOptions:
    """Search depth and time limit of GNU Backgammon."""

    plies: int = 0
    """Search depth in GNU Backgammon's counting: 0 is its network alone (elsewhere called 1)."""

    seconds: float = DEFAULT_SECONDS_PER_MOVE
    """Maximum seconds per move before the program is ended."""

    def __post_init__(self) -> None:
        if not 0 <= self.plies <= 2:
            raise BadSpec(f"gnubg plies={self.plies} must be 0, 1 or 2")
        if not 0 < self.seconds <= 3600:
            raise BadSpec(f"gnubg seconds={self.seconds} must be above 0 and at most 3600")


class GnubgPlayer(Player):
    """Plays the moves and cube actions that GNU Backgammon prefers."""

    title: ClassVar[str] = "GNU Backgammon (Debian package gnubg)"
    options: ClassVar[GnubgOptions] = GnubgOptions()
    score_unit = "equity"
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    settings: GnubgOptions

    def __init__(self, game: Any, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        check_num_men(game)
        find_program(GNUBG_PROGRAM, GNUBG_PROGRAM)
        self.evaluator = GnubgEvaluator(settings.plies, settings.seconds)

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.choose_many([position], limit)[0]

    def choose_many(self, positions: Sequence[Any], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        seconds = min(self.settings.seconds, limit.time or self.settings.seconds)
        plies = self.settings.plies
        if any(position.phase != "play" for position in positions):
            return [self._choose_action(position, seconds) for position in positions]
        ranked = rank_moves(positions, plies, seconds)
        kind = "" if self.game.rules.has_stakes else "cubeless, "
        return [_make_choice(each, f"{kind}{plies}-ply") for each in ranked]

    def _choose_action(self, position: Position, seconds: float) -> Choice:
        if position.phase == "play":
            return self.choose_many([position])[0]
        return GnubgEvaluator(self.settings.plies, seconds).choose(position)


def _make_choice(ranked: dict[Any, RankedMove], kind: str) -> Choice:
    move, best = next(iter(ranked.items()))
    if len(ranked) == 1:
        return Choice(move, "has no choice")
    comment = (
        f"equity {best.equity:+.3f} ({kind}), wins {best.win:.1%}, gammons {best.win_gammon:.1%}"
    )
    return Choice(move, comment, {move: each.equity for move, each in ranked.items()})
