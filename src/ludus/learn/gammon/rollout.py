"""Rollouts: games played out from a position by a strong network, without the luck of the dice.

Every move or cube action is played with the same dice. Before each roll the best moves of all 21
rolls are looked up, and how much better the roll is than their mean is subtracted from the result,
so that a few hundred games tell what would take thousands (native/core/gammon/rollout.hpp). Games
end by exact tables where no cube is left to turn. With the cube both sides double and take by
Janowski's method, as `ludus.games.backgammon.cube` has it.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from ludus.analysis.backgammon import NetworkEvaluator, format_lookahead
from ludus.analysis.evaluation import CubeEvaluation, Evaluation, format_chances
from ludus.core.errors import BadPosition, BadSpec
from ludus.core.game import AnyGame
from ludus.core.processes import count_cores
from ludus.core.statistics import estimate_mean
from ludus.core.text_table import format_text_table
from ludus.games import detect_game, resolve_game
from ludus.games.backgammon.batch import BoardRow, generate_afterstates, position_to_row
from ludus.games.backgammon.board import Move
from ludus.games.backgammon.cube import (
    CUBE_EFFICIENCY,
    Chances,
    CubeEquities,
    CubeModel,
    tabulate_match_chances,
)
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Rules
from ludus.learn.checkpoint import TrainingState, load_checkpoint, save_checkpoint
from ludus.learn.gammon.chances_policy import ChancesPolicy
from ludus.learn.gammon.network import (
    SHIPPED_CHANCES,
    ChancesNetwork,
    layers_to_arrays,
    load_shipped_chances,
)
from ludus.learn.weights import compute_checksum

if TYPE_CHECKING:
    from ludus._native import chances

BLOCK: Final = 36
"""Games of a round: each has another first roll, and another second one."""

MIN_GAMES: Final = 4 * BLOCK
"""Games before any move is given up."""

SAVE_SECONDS: Final = 5.0
NUM_MOVES: Final = 5
"""Moves that are rolled out where none are named."""

EXACT_ERROR: Final = 1e-9
MAX_GAMES: Final = 10_000_000

Results = NDArray[np.float64]
"""One row of each game, for the side on roll: five chances, then points or the chance to win the
match."""

OnProgress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class RolloutOptions:
    """How games are played out, and when that ends."""

    games: int = 1296
    """Games of each move, in rounds of 36. With 1296 each pair of first two rolls comes once."""

    plies: int = 0
    """Lookahead by which moves are chosen: 0 for the network alone."""

    horizon: int = 0
    """Rolls after which a game is estimated by the network; 0: games are played to the end."""

    is_cubeful: bool = True
    """Whether the cube is used, where the rules have one."""

    is_luck_removed: bool = True
    """Whether the luck of the dice is subtracted."""

    is_exact: bool = True
    """Whether games end where they are exactly known."""

    seed: int = 0

    max_error: float = 0.0
    """Stop when no standard error is above this."""

    separation: float = 4.0
    """Give up moves that are this many standard errors behind the best one; 0: never."""

    def __post_init__(self) -> None:
        if not 1 <= self.games <= MAX_GAMES:
            raise BadSpec(f"a rollout has 1 to {MAX_GAMES:,} games, not {self.games}")
        if self.plies not in (0, 1, 2):
            raise BadSpec(f"moves are chosen 0, 1 or 2 plies ahead, not {self.plies}")
        if min(self.horizon, self.max_error, self.separation) < 0:
            raise BadSpec("a horizon, a standard error and a separation are not negative")

    @property
    def num_games(self) -> int:
        """Games in whole rounds."""
        return -(-self.games // BLOCK) * BLOCK

    def describe(self) -> str:
        """Return how games are played, in a few words."""
        moves = format_lookahead(self.plies) if self.plies else "by the network alone"
        parts = [f"moves {moves}", f"seed {self.seed}"]
        if self.horizon:
            parts.insert(0, f"{self.horizon} rolls, then an estimate")
        if not self.is_luck_removed:
            parts.append("with the luck of the dice")
        return ", ".join(parts)


class RolledOutJson(TypedDict):
    """A `RolledOut` as JSON."""

    move: str
    equity: float
    standard_error: float
    behind: float
    behind_error: float
    games: int
    chances: dict[str, object]


@dataclass(frozen=True, slots=True)
class RolledOut:
    """A move or a cube action and the mean of its games, for the side that makes it."""

    move: str
    """As it is written; `no double`, `double, take` and `roll` without a move."""

    equity: float
    """In points of the present cube; in a match 1 is a single game won now."""

    standard_error: float

    behind: float
    """Equity behind the best move, in games with the same dice."""

    behind_error: float
    """Standard error of `behind`; 0 for the best move."""

    games: int
    chances: Chances
    """Where a double was dropped, the estimate there."""

    def to_json(self) -> RolledOutJson:
        return {
            "move": self.move,
            "equity": round(self.equity, 5),
            "standard_error": round(self.standard_error, 5),
            "behind": round(self.behind, 5),
            "behind_error": round(self.behind_error, 5),
            "games": self.games,
            "chances": format_chances(self.chances),
        }


@dataclass(frozen=True, slots=True)
class Rollout:
    """The moves of a position, or its cube actions, rolled out; `print` shows the table."""

    position: Position
    options: RolloutOptions
    lines: tuple[RolledOut, ...]
    """Best first; the actions of a cube decision as `no double`, `double, take`."""

    cube: CubeEquities | None
    """The equities of the cube actions, where a side decides about the cube."""

    is_cubeful: bool
    seconds: float

    @property
    def games(self) -> int:
        """All games that were played."""
        return sum(each.games for each in self.lines)

    def __str__(self) -> str:
        rows = [
            (
                each.move,
                f"{each.equity:+.4f}",
                f"{each.standard_error:.4f}",
                f"{each.behind:.4f}" if each.behind_error else "",
                f"{each.behind_error:.4f}" if each.behind_error else "",
                f"{each.chances.win:.1%}",
                f"{each.chances.win_gammon:.1%}",
                f"{each.chances.lose_gammon:.1%}",
                str(each.games),
            )
            for each in self.lines
        ]
        headings = ("move", "equity", "error", "behind", "error", "wins", "gammons")
        kind = "cubeful" if self.is_cubeful else "cubeless"
        return "\n".join(
            [
                *([] if self.cube is None else [self.cube.best_action, ""]),
                format_text_table((*headings, "loses gammons", "games"), rows),
                "",
                f"{kind}, {self.options.describe()}; errors are standard errors",
            ]
        )

    def to_json(self) -> dict[str, Any]:
        """Return the rollout as JSON has it."""
        cube = self.cube
        return {
            "position": str(self.position),
            "cubeful": self.is_cubeful,
            "options": asdict(self.options),
            "lines": [each.to_json() for each in self.lines],
            "cube": None
            if cube is None
            else {
                "best": cube.best_action,
                "no double": round(cube.no_double, 5),
                "double, take": round(cube.double_take, 5),
                "double, drop": round(cube.double_drop, 5),
            },
            "games": self.games,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class _Line:
    """What is played out: a position before a roll, and whose equity is wanted."""

    name: str
    row: BoardRow
    cube: tuple[int, int, bool]
    """Value, owner as the side on roll counts (-1: none), and whether it may double at once."""

    is_flipped: bool
    """Whether the side whose equity is wanted is not the one on roll."""


def rollout(
    game: AnyGame | str,
    position: Position | str,
    *,
    network: ChancesNetwork | str = "expert",
    moves: Sequence[Move | str] | None = None,
    out: Path | None = None,
    on_progress: OnProgress | None = None,
    threads: int = 0,
    **options: Any,
) -> Rollout:
    """Roll out moves of a position with dice, the cube actions before a roll, or the roll alone.

    `options` are those of `RolloutOptions`. Without `moves` the best ones by the network are rolled
    out. `network` is a shipped one or a file. `out` is a file in which games are kept: the same
    rollout goes on from there, and more games add to them. The result does not depend on the number
    of threads.

    >>> found = rollout("backgammon", "3:1,1:1,off:13 2:3,off:12 0 41")
    >>> print(found.lines[0].move, f"{found.lines[0].equity:.4f}")
    3/off 1/off 1.0000
    """
    chosen = detect_game(game, position) if isinstance(position, str) else resolve_game(game)
    here = chosen.parse(position) if isinstance(position, str) else position
    parsed = [
        chosen.parse_move(each, here) if isinstance(each, str) else each for each in moves or ()
    ]
    if isinstance(network, str):
        network = (
            load_shipped_chances(network)
            if network in SHIPPED_CHANCES
            else ChancesNetwork.load(Path(network))
        )
    runner = _Runner(here, network, RolloutOptions(**options), parsed or None, threads)
    return runner.run(out, on_progress)


class _Runner:
    """Plays the games of one rollout."""

    def __init__(
        self,
        position: Position,
        network: ChancesNetwork,
        options: RolloutOptions,
        moves: Sequence[Move] | None,
        threads: int,
    ) -> None:
        from ludus._native import chances

        _check(position)
        if not (options.is_cubeful or position.stakes is None):
            position = replace(position, stakes=None)
        self.position = position
        self.options = options
        self.network = network
        self._native = network.to_native()
        self._threads = threads or count_cores()
        if position.dice is not None and moves is None:
            moves = self._select_moves()
        self._lines = _list_lines(position, moves)
        self._is_choice = position.dice is not None
        roller = position.turn if not self._is_choice else 1 - position.turn
        self._stakes = _make_stakes(position, roller)
        self._settings = chances.RolloutSettings(
            options.seed % 2**64,
            options.plies,
            horizon=options.horizon,
            is_luck_removed=options.is_luck_removed,
            is_exact=options.is_exact,
        )
        self.results: list[Results] = [np.empty((0, 6)) for _ in self._lines]

    def _select_moves(self) -> list[Move]:
        evaluator = NetworkEvaluator(ChancesPolicy(self.network, 1), "", 1)
        return list(evaluator.rank_moves(self.position))[:NUM_MOVES]

    def run(self, out: Path | None, on_progress: OnProgress | None) -> Rollout:
        """Play until the options say that it is enough."""
        began = saved = time.monotonic()
        if out is not None and out.exists():
            self._load(out)
        try:
            while active := self._find_active():
                done = len(self.results[active[0]])
                if on_progress is not None:
                    on_progress(done, self.options.num_games)
                self._play_round(active, done)
                if out is not None and time.monotonic() - saved > SAVE_SECONDS:
                    self._save(out)
                    saved = time.monotonic()
        finally:
            if out is not None:
                self._save(out)
        return self._summarize(time.monotonic() - began)

    def _play_round(self, active: Sequence[int], first: int) -> None:
        lines = [self._lines[number] for number in active]
        found = self._native.roll_out(
            np.array([line.row for line in lines], np.int8),
            [line.cube for line in lines],
            self._stakes,
            first,
            BLOCK,
            self._settings,
            self._threads,
        )
        for number, rows in zip(active, found, strict=True):
            self.results[number] = np.concatenate([self.results[number], rows])

    def _find_active(self) -> list[int]:
        """Return the lines that need more games: those that were never given up, or none."""
        done = max(map(len, self.results))
        active = [number for number, each in enumerate(self.results) if len(each) == done]
        if done < MIN_GAMES and done < self.options.num_games:
            return active
        equities = [self._compute_equities(number) for number in active]
        if self._is_choice and self.options.separation:
            best = max(equities, key=lambda each: estimate_mean(each)[0])
            active = [
                number
                for number, each in zip(active, equities, strict=True)
                if not _is_behind(best, each, self.options.separation)
            ]
            if len(active) == 1 < len(self._lines):
                return []
        errors = [estimate_mean(self._compute_equities(number))[1] for number in active]
        is_enough = max(errors) <= max(self.options.max_error, EXACT_ERROR)
        return [] if is_enough or done >= self.options.num_games else active

    def _compute_equities(self, number: int) -> list[float]:
        """Return the equity of each game, for the side whose equity is wanted."""
        line, values, stakes = self._lines[number], self.results[number][:, 5], self.position.stakes
        if line.is_flipped:
            values = 1 - values if stakes is not None and stakes.rules.match else -values
        if stakes is not None:
            model = CubeModel(Chances(0.5), stakes, self.position.turn)
            zero, one = model.normalize(0.0), model.normalize(1.0)
            values = zero + (one - zero) * values
        return [float(each) for each in values]

    def _summarize(self, seconds: float) -> Rollout:
        equities = [self._compute_equities(number) for number in range(len(self._lines))]
        estimates = [estimate_mean(each) for each in equities]
        best = max(range(len(estimates)), key=lambda number: estimates[number][0])
        lines = []
        for number, line in enumerate(self._lines):
            games = len(equities[number])
            behind = 0.0, 0.0
            if self._is_choice and number != best:
                behind = _compare(equities[best], equities[number])
            chances = Chances(*self.results[number][:, :5].mean(axis=0).clip(0, 1).tolist())
            chances = chances.flip() if line.is_flipped else chances
            lines.append(RolledOut(line.name, *estimates[number], *behind, games, chances))
        if self._is_choice:
            lines.sort(key=lambda each: -each.equity)
        cube = None if self._is_choice or self.position.stakes is None else self._decide(lines)
        is_cubeful = self.position.stakes is not None
        return Rollout(self.position, self.options, tuple(lines), cube, is_cubeful, seconds)

    def _decide(self, lines: Sequence[RolledOut]) -> CubeEquities:
        stakes = self.position.stakes
        assert stakes is not None
        if len(lines) == 2:
            return CubeEquities(lines[0].equity, lines[1].equity)
        # The side may not double; what it would be worth is an estimate.
        estimated = CubeModel(lines[0].chances, stakes, self.position.turn).decide()
        return CubeEquities(lines[0].equity, estimated.double_take)

    @property
    def _identity(self) -> dict[str, Any]:
        """Return what the games depend on; not when they end."""
        options = asdict(self.options)
        for name in ("games", "max_error"):
            del options[name]
        return {
            "rollout": str(self.position),
            "lines": [each.name for each in self._lines],
            "network": compute_checksum({}, layers_to_arrays(self.network.layers)),
            **options,
        }

    def _save(self, out: Path) -> None:
        arrays = {str(number): each for number, each in enumerate(self.results)}
        save_checkpoint(out, self._identity, TrainingState({}, arrays))

    def _load(self, out: Path) -> None:
        arrays = load_checkpoint(out, self._identity).arrays
        self.results = [np.asarray(arrays[str(number)]) for number in range(len(self._lines))]


def _check(position: Position) -> None:
    if position.outcome() is not None:
        raise BadPosition(f"the game is over in {position}")
    if position.opening:
        raise BadPosition("a rollout begins after the opening roll: name the dice")
    if int(position_to_row(position)[:26].sum()) != Rules().men:
        raise BadPosition("the networks have learned backgammon with 15 men a side only")


def _list_lines(position: Position, moves: Sequence[Move] | None) -> list[_Line]:
    stakes, turn = position.stakes, position.turn
    value, owner = (1, None) if stakes is None else (stakes.value, stakes.owner)
    if position.dice is not None:
        assert moves is not None
        legal: list[Any] = list(position.legal_moves())
        ends = generate_afterstates(position)
        of_other = -1 if owner is None else int(owner == turn)
        rows = [np.ascontiguousarray(ends[legal.index(move)][::-1]) for move in moves]
        return [
            _Line(str(move), row, (value, of_other, True), True)
            for move, row in zip(moves, rows, strict=True)
        ]
    row = position_to_row(position)
    of_own = -1 if owner is None else int(owner != turn)
    line = _Line("no double" if stakes else "roll", row, (value, of_own, False), False)
    if stakes is None or not stakes.may_double(turn):
        return [line]
    return [line, _Line("double, take", row, (2 * value, 1, False), False)]


def _make_stakes(position: Position, roller: int) -> "chances.Stakes | None":
    stakes = position.stakes
    if stakes is None:
        return None
    from ludus._native import chances

    table = tabulate_match_chances(stakes, roller) if stakes.rules.match else None
    winning_chances = None if table is None else np.array(table)
    rules = stakes.rules
    return chances.Stakes(stakes.has_cube, rules.jacoby, CUBE_EFFICIENCY, winning_chances)


def _compare(best: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Return the mean difference of games with the same dice, and its standard error."""
    return estimate_mean([one - two for one, two in zip(best, other, strict=False)])


def _is_behind(best: Sequence[float], other: Sequence[float], separation: float) -> bool:
    behind, error = _compare(best, other)
    return behind > separation * error and behind > 0


class RolloutEvaluator(NetworkEvaluator):
    """Rolls out the best moves and the cube; the other moves are evaluated by the network."""

    def __init__(self, policy: ChancesPolicy, spec: str, options: RolloutOptions) -> None:
        super().__init__(policy, spec, policy.ply)
        self._network = policy.network
        self._options = options

    def _roll_out(self, position: Position, moves: Sequence[Move] | None = None) -> Rollout:
        return _Runner(position, self._network, self._options, moves, 0).run(None, None)

    def rank_moves(self, position: Position) -> dict[Move, Evaluation]:
        estimated = super().rank_moves(position)
        chosen = list(estimated)[:NUM_MOVES]
        if len(estimated) == 1 or estimated[chosen[0]].certainty == "exact":
            return estimated
        found = self._roll_out(position, chosen)
        by_name = {str(move): move for move in chosen}
        rolled = {
            by_name[each.move]: self._estimate(each.equity, each.chances, f"rollout {each.games}")
            for each in found.lines
        }
        worst = min(each.points for each in rolled.values())
        others = {
            move: replace(each, points=min(each.points, worst))
            for move, each in estimated.items()
            if move not in rolled
        }
        return rolled | others

    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        found = self._roll_out(position)
        assert found.cube is not None
        line = found.lines[0]
        return CubeEvaluation(found.cube, line.chances, f"rollout {line.games}")
