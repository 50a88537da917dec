"""Regret of a player's moves against perfect play.

The regret of a move is the utility of the best move minus that of this move, where a win has
utility 1, a draw 0 and a loss -1: so it is 0, 1 or 2. In games with dice utilities are equities,
and regret is the mean number of points given away. The regret of a game is the sum over the
player's moves. A position is critical if some legal move has positive regret.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ludus.analysis import Evaluator
from ludus.analysis.review import is_counted_decision
from ludus.arena.choices import choose_moves, get_batch_size
from ludus.arena.executors import Executor, choose_executor, split_players
from ludus.arena.jobs import (
    FAULT_REASONS,
    GameConditions,
    Job,
    JobKey,
    StartPositions,
    normalize_start,
    schedule_starts,
)
from ludus.arena.progress import Track, track_playing
from ludus.arena.tournament import MAX_GAMES
from ludus.core.game import AnyGame, Move, Position
from ludus.core.html import format_panel, format_table
from ludus.core.player import Limit, Player, check_seed
from ludus.core.record import Record
from ludus.core.spec import check_range
from ludus.core.statistics import NORMAL_QUANTILE, estimate_mean
from ludus.core.text_table import Table, format_text_table
from ludus.games import game as named_game
from ludus.games import resolve_game
from ludus.oracles import Oracle, Verdict
from ludus.oracles import oracle as find_oracle
from ludus.players import player as named_player


def find_verdicts(oracle: Oracle, positions: Sequence[Position]) -> list[Verdict | None]:
    """Return the verdict on each position; None where the oracle has no value."""
    solved = [each for each in positions if oracle.has_value(each)]
    verdicts = dict(zip(map(id, solved), oracle.verdicts(solved), strict=True))
    return [verdicts.get(id(each)) for each in positions]


class MoveError(NamedTuple):
    """A move with positive regret."""

    position: str
    move: str
    regret: float
    best: tuple[str, ...]
    """The moves that keep the value, in the game's notation."""


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move that was compared with the best one."""

    ply: int
    """Number of the move in the record, from 0."""

    position: Position
    """The position before the move."""

    move: Move
    phase: str
    """As `Game.phase` has it."""

    regret: float | None
    """None if the position is not solved."""

    best: tuple[Move, ...] = ()
    """The moves that keep the value."""

    is_critical: bool = False
    is_estimate: bool = False
    """Whether an evaluator rated it instead of tables."""

    @property
    def error(self) -> MoveError | None:
        """The move in words if it has positive regret."""
        if not self.regret:
            return None
        best = tuple(map(str, self.best))
        return MoveError(str(self.position), str(self.move), self.regret, best)


def judge_record(
    record: Record,
    game: AnyGame,
    oracle: Oracle,
    sides: Collection[int] = (0, 1),
    evaluator: Evaluator | None = None,
) -> list[JudgedMove]:
    """Compare the moves of these sides with the best ones.

    Where the oracle has no value an evaluator estimates it, if there is one. The header `MaxPlies`
    of a game says after how many plies it is a draw.
    """
    positions = record.replay(game)
    max_plies = record.headers.get("MaxPlies", "")
    numbers = [0, 0]
    found: list[tuple[int, Move, str]] = []
    for ply, (position, node) in enumerate(zip(positions, record.line.moves, strict=False)):
        if position.mover not in sides:
            continue
        numbers[position.mover] += 1
        phase = game.phase(position, numbers[position.mover])
        found.append((ply, game.parse_move(node.move, position), phase))
    verdicts = find_verdicts(oracle, [positions[ply] for ply, _, _ in found])
    rated = []
    for (ply, move, phase), verdict in zip(found, verdicts, strict=True):
        about = ply, positions[ply], move, phase
        if verdict is None and evaluator is not None:
            rated.append(JudgedMove(*about, *_estimate(game, evaluator, positions[ply], move)))
            continue
        if verdict is not None and max_plies.isdecimal():
            verdict = verdict.limit(int(max_plies) - ply)
        rated.append(_compare(*about, verdict))
    return rated


def _compare(
    ply: int, position: Position, move: Move, phase: str, verdict: Verdict | None
) -> JudgedMove:
    if verdict is None:
        return JudgedMove(ply, position, move, phase, None)
    known = verdict.cost(move), verdict.best, verdict.is_critical
    return JudgedMove(ply, position, move, phase, *known)


def _estimate(
    game: AnyGame, evaluator: Evaluator, position: Position, move: Move
) -> tuple[float, tuple[Move, ...], bool, bool]:
    """Return regret, best moves and whether there was anything to decide, by an evaluator."""
    if not game.classify_decision(position, move):
        return 0.0, (move,), False, True
    [analysis] = evaluator.evaluate([position], [move])
    costs = {each.move: analysis.cost(each.move) for each in analysis.moves}
    best = tuple(each for each, cost in costs.items() if not cost)
    # Most rolls are no question of doubling.
    is_counted = is_counted_decision(game, position, analysis, analysis.find(move))
    return costs[move], best, is_counted and any(costs.values()), True


@dataclass
class RegretTally:
    """Counts of moves and their regret."""

    moves: int = 0
    num_unevaluated: int = 0
    """Moves in positions that are not solved."""

    num_estimated: int = 0
    """Moves that an evaluator rated, in positions that are not solved."""

    regret: float = 0
    critical: int = 0
    critical_kept: int = 0

    def add(self, rated: JudgedMove) -> None:
        self.moves += 1
        if rated.regret is None:
            self.num_unevaluated += 1
            return
        self.num_estimated += rated.is_estimate
        self.regret += rated.regret
        self.critical += rated.is_critical
        self.critical_kept += rated.is_critical and rated.regret == 0

    def to_json(self) -> dict[str, Any]:
        return {
            "moves": self.moves,
            "unjudged": self.num_unevaluated,
            "estimated": self.num_estimated,
            "mean_regret_per_move": self.regret_per_move,
            "critical": self.critical,
            "critical_kept": self.critical_kept,
            "critical_kept_share": self.critical_kept_rate,
        }

    @property
    def regret_per_move(self) -> float | None:
        """Mean regret over the evaluated moves; None if there are none."""
        num_evaluated = self.moves - self.num_unevaluated
        return self.regret / num_evaluated if num_evaluated else None

    @property
    def critical_kept_rate(self) -> float | None:
        """Proportion of critical positions in which the value was kept; None if there are none."""
        return self.critical_kept / self.critical if self.critical else None


NUM_ERRORS_SHOWN = 5
"""First errors in a notebook's table."""

MAX_ERRORS = 20
"""First errors in a report."""


@dataclass(repr=False)
class RegretStatistics:
    """Regret statistics of a player's games."""

    game: AnyGame
    oracle: Oracle
    games: list[float] = field(default_factory=list)
    """Regret of each game."""

    total: RegretTally = field(default_factory=RegretTally)
    phases: dict[str, RegretTally] = field(default_factory=lambda: defaultdict(RegretTally))
    first_errors: Counter[MoveError] = field(default_factory=Counter)
    """The first move with positive regret in a game, to the number of such games."""

    faults: Counter[str] = field(default_factory=Counter)
    """The number of games lost by a fault of the player, by reason."""

    unit: str = "game"
    """What has a regret of its own: a game, or a `position` in which one move is chosen."""

    @property
    def mean(self) -> float | None:
        """Mean regret of a game over the evaluated moves; None if no move was evaluated."""
        if self.total.moves == self.total.num_unevaluated:
            return None
        return estimate_mean(self.games)[0]

    @property
    def standard_error(self) -> float | None:
        """Standard error of the mean; None for fewer than two games."""
        if len(self.games) < 2 or self.mean is None:
            return None
        return estimate_mean(self.games)[1]

    def to_json(self) -> dict[str, Any]:
        """Return the figures, by phase too, and the most frequent first errors."""
        return {
            "games": len(self.games),
            "mean_regret": self.mean,
            "standard_error": self.standard_error,
            **self.total.to_json(),
            "by_phase": {name: tally.to_json() for name, tally in self.ranked_phases},
            "first_errors": [
                {
                    "games": count,
                    "position": error.position,
                    "move": error.move,
                    "regret": error.regret,
                    "best": list(error.best),
                }
                for error, count in self._ranked_errors[:MAX_ERRORS]
            ],
            "solved": self.oracle.coverage,
            "faults": dict(self.faults),
        }

    @property
    def ranked_phases(self) -> list[tuple[str, RegretTally]]:
        """The phases in the order of the game, as far as numbers tell it, else as they came."""
        return sorted(self.phases.items(), key=lambda item: _get_number(item[0]))

    @property
    def _ranked_errors(self) -> list[tuple[MoveError, int]]:
        return sorted(
            self.first_errors.items(),
            key=lambda item: (-item[1], -item[0].regret, item[0].position, item[0].move),
        )

    @property
    def title(self) -> str:
        """The mean in a line: `mean regret of a game 0.9333 ± 0.0908 (95%), 30 games`."""
        margin, unit = self.standard_error, self.unit
        shown = "unknown" if self.mean is None else f"{self.mean:.4f}"
        if margin is not None:
            shown += f" ± {NORMAL_QUANTILE * margin:.4f} (95%)"
        return f"mean regret of a {unit} {shown}, {len(self.games)} {unit}s"

    def tabulate(self) -> list[Table]:
        """Return regret by phase and the first errors, each as headings and rows."""
        phases = [
            (
                name,
                str(tally.moves),
                str(tally.num_unevaluated),
                "" if tally.regret_per_move is None else f"{tally.regret_per_move:.4f}",
                str(tally.critical),
                "" if tally.critical_kept_rate is None else f"{tally.critical_kept_rate:.1%}",
            )
            for name, tally in (*self.ranked_phases, ("all", self.total))
        ]
        errors = [
            (str(count), error.position, error.move, f"{error.regret:g}", " ".join(error.best[:6]))
            for error, count in self._ranked_errors[:MAX_ERRORS]
        ]
        return [
            (("phase", "moves", "unjudged", "regret a move", "critical", "kept"), phases),
            (("games", "first error in", "move", "regret", "best"), errors),
        ]

    def format(self, width: int | None = None) -> str:
        """Return the mean and the tables as text of this width."""
        phases, errors = self.tabulate()
        lines = [self.title]
        if unjudged := self.total.num_unevaluated:
            fraction = unjudged / self.total.moves
            lines.append(f"{unjudged} moves ({fraction:.1%}) are in unsolved positions")
        lines += [f"{count} games were lost by {reason}" for reason, count in self.faults.items()]
        tables = [format_text_table(*each, width) for each in (phases, errors) if each[1]]
        return "\n\n".join(["\n".join(lines), *tables])

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        return f"<RegretStatistics of {self.game.id}: {self.title}>"

    def _repr_html_(self) -> str:
        """Return the regret by phase and the first errors, which notebooks show."""
        (headings, rows), (names, errors) = self.tabulate()
        parts = [format_table(headings, rows)]
        if errors:
            parts.append(format_table(names, errors[:NUM_ERRORS_SHOWN]))
        lost = "".join(f"; {count} lost by {reason}" for reason, count in self.faults.items())
        return format_panel(f"{self.game.title}: {self.title}{lost}", *parts)

    def add(self, record: Record, side: int) -> None:
        """Evaluate the moves of one side of a game."""
        self.add_game(judge_record(record, self.game, self.oracle, (side,)))

    def add_game(self, moves: Iterable[JudgedMove]) -> None:
        """Count the moves of a game."""
        before = self.total.regret
        errors = [each.error for each in moves if self._count(each)]
        self.first_errors.update(filter(None, errors[:1]))
        self.games.append(self.total.regret - before)

    def add_moves(self, positions: Sequence[Position], moves: Sequence[Move]) -> None:
        """Evaluate one move in each position, each as a game of one move."""
        found = find_verdicts(self.oracle, positions)
        for position, move, verdict in zip(positions, moves, found, strict=True):
            cost = None if verdict is None else verdict.cost(move)
            known = () if verdict is None else (verdict.best, verdict.is_critical)
            self.add_game(
                [JudgedMove(0, position, move, self.game.phase(position, 1), cost, *known)]
            )

    def _count(self, rated: JudgedMove) -> bool:
        """Count a move; return whether it has positive regret."""
        self.total.add(rated)
        self.phases[rated.phase].add(rated)
        return bool(rated.regret)


def _get_number(phase: str) -> int:
    """Return the number at the end of a phase's name, `move 12`; 0 if there is none."""
    last = phase.rpartition(" ")[2]
    return int(last) if last.isdecimal() else 0


@dataclass(frozen=True, slots=True)
class RegretSchedule:
    """The games of a player against an opponent in which its regret is measured."""

    conditions: GameConditions
    player: str
    opponent: str
    games: int
    seed: int = 0
    starts: StartPositions = StartPositions()  # noqa: RUF009 - frozen
    is_alternating: bool = True
    """Whether the player has both sides in turn, or always the one that begins."""

    def __post_init__(self) -> None:
        check_seed(self.seed)

    def schedule(self) -> Iterator[Job]:
        game = named_game(self.conditions.game, self.conditions.rules)
        games = schedule_starts(game, self.starts, self.seed, self.games, self.is_alternating)
        for number, is_swapped, start in games:
            key = JobKey(f"regret {self.seed}", self.player, self.opponent, number)
            yield Job(key, self.conditions, is_swapped, start)


def regret(
    game: AnyGame | str,
    player: Player | str,
    *,
    opponent: Player | str = "perfect",
    games: int = 100,
    seed: int = 0,
    alternate: bool = True,
    positions: Sequence[str] = (),
    random_plies: int = 0,
    limit: Limit = Limit(),  # noqa: B008 - frozen
    oracle: Oracle | None = None,
    jobs: int = 0,
    executor: Executor | None = None,
    track: Track = track_playing,
) -> RegretStatistics:
    """Play games and compare every move of a player with perfect play.

    The games are those of `ludus regret` with the same seed; they begin at the `positions` in turn,
    or after random plies. `oracle` is by default the one that `ludus.oracle` finds. `jobs` is the
    number of worker processes, 0 for one per core; with 1 the games are played in this process.

    >>> regret("noughts_and_crosses", "perfect", games=4).mean
    0.0
    """
    chosen = resolve_game(game)
    check_range("games", games, 1, MAX_GAMES)
    [spec, other], objects = split_players((player, opponent), chosen)
    starts = StartPositions(
        tuple(normalize_start(chosen, text) for text in positions), random_plies
    )
    for each in (spec, other):
        starts.check_player(objects.get(each) or named_player(each, chosen), seed)
    conditions = GameConditions(chosen.id, chosen.format_rules(chosen.rules), limit)
    plan = RegretSchedule(conditions, spec, other, games, seed, starts, alternate)
    found = RegretStatistics(chosen, find_oracle(chosen) if oracle is None else oracle)
    schedule = {job.key: job for job in plan.schedule()}
    with ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(choose_executor(chosen, (spec, other), objects, jobs))
        for result in track(executor.run(schedule.values()), len(schedule)):
            found.add(Record.parse(result.record), int(schedule[result.key].is_swapped))
            if result.reason in FAULT_REASONS and result.winner == 1:
                found.faults[result.reason] += 1
    return found


def judge_choices(
    player: Player,
    positions: Sequence[Position],
    *,
    oracle: Oracle | None = None,
    limit: Limit = Limit(),  # noqa: B008 - frozen
    seed: int = 0,
    track: Track = track_playing,
) -> RegretStatistics:
    """Let a player choose a move in each position, and compare it with perfect play.

    `track` passes on the batches of moves, whose number it is given.
    """
    found_oracle = find_oracle(player.game) if oracle is None else oracle
    found = RegretStatistics(player.game, found_oracle, unit="position")
    player.start_game(seed)
    batch = get_batch_size(player)
    parts = choose_moves(player, positions, limit, batch)
    for number, moves in enumerate(track(parts, -(-len(positions) // batch))):
        found.add_moves(positions[number * batch : number * batch + len(moves)], moves)
    return found


Policy = Callable[[Any], Mapping[Any, float]]
"""Returns the probability of each move in a position."""


def get_uniform_policy(position: Position) -> dict[Move, float]:
    """Return the policy of the player `random`."""
    moves = position.legal_moves()
    return dict.fromkeys(moves, 1 / len(moves))


def compute_expected_regret(oracle: Oracle, policy: Policy, starts: Iterable[Position]) -> float:
    """Return the exact expected regret of a game from these positions, with the player to move.

    The opponent always plays the oracle's first move: the best value, then the quickest win or the
    slowest loss, then the first in the order of legal moves.
    """
    known: dict[Position, float] = {}
    found = [_compute_expected(oracle, policy, start, known) for start in starts]
    return sum(found) / len(found)


def _compute_expected(
    oracle: Oracle, policy: Policy, position: Position, known: dict[Position, float]
) -> float:
    if position.outcome() is not None:
        return 0.0
    if position not in known:
        verdict, total = oracle.verdict(position), 0.0
        for move, probability in policy(position).items():
            after = position.play(move)
            if after.outcome() is None:
                after = after.play(oracle.rate_moves(after)[0].move)
            rest = _compute_expected(oracle, policy, after, known)
            total += probability * (verdict.cost(move) + rest)
        known[position] = total
    return known[position]
