"""NegaScout in compiled code: the symbolic teacher of the Morris family.

With one thread and without a time limit the same game and seed give the same moves, the same
scores and the same number of positions visited, on every machine. The seed decides among moves
that look equally good.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from ludus._native import search as native
from ludus.core.errors import BadSpec
from ludus.core.limit import Limit
from ludus.core.pictures import Picture
from ludus.core.player import Choice, Player
from ludus.games.nine_mens_morris.move import Move
from ludus.players.endings import endings
from ludus.players.expected import expected
from ludus.players.levels import LEVELS, Level
from ludus.players.thinking import ExpectedLine, Progress, Watch

MAN = 100
"""A man, in the unit of scores."""

DEFAULT_NODES = 200_000
"""What is spent on a move if nobody sets a limit."""

MEN_NEAR_ENDINGS = 12
"""With more men in all, on the board and in hand, no search gets to the solved endings."""


@dataclass(frozen=True, slots=True)
class Options:
    """Limits of a search, of which the first one reached stops it, and how it is done."""

    depth: int | None = None
    """Plies to look ahead."""

    nodes: int | None = None
    """Positions to visit; 200000 if there is no other limit."""

    time: float | None = None
    """Seconds for a move."""

    level: int = len(LEVELS)
    """Strength, from 1 for a beginner to 10 for all it can."""

    multipv: int = 1
    """How many of the best moves are scored."""

    threads: int = 1
    """Threads for the search; with more than one no two runs are alike."""

    memory: int = 16
    """Megabytes for what is remembered of positions."""

    endings: bool = True
    """Whether solved endings are looked up."""

    def __post_init__(self) -> None:
        for name, most in (
            ("depth", native.MAX_DEPTH),
            ("nodes", 10**15),
            ("level", len(LEVELS)),
            ("multipv", 1000),
            ("threads", 256),
            ("memory", 65_536),
        ):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= most:
                raise BadSpec(f"negascout {name}={value} must be from 1 to {most}")
        if self.time is not None and not 0 < self.time <= 1_000_000:
            raise BadSpec(f"negascout time={self.time} must be more than 0 and at most 1000000")


class NegascoutPlayer(Player):
    """Looks ahead as far as its limits allow and plays what looks best."""

    title: ClassVar[str] = "searches as deep as its limits allow; ten levels of strength"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    _seen: tuple[Sequence[Move], str] | None = None
    """The line it expected when it last moved, and what that comes to."""

    @cached_property
    def search(self) -> native.Search:
        return native.Search(self.game.rules, self.settings.memory, self.level.plans_ahead)

    @property
    def level(self) -> Level:
        """What the level takes away."""
        return LEVELS[self.settings.level - 1]

    def stop(self) -> None:
        """End the search that runs on another thread; it then plays the best move it has."""
        self.search.stop()

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.think(position, limit)

    def pictures(self, position: Any) -> list[Picture]:
        """The moves it expects, with what it thinks they come to."""
        return [] if self._seen is None else [expected(self.game, position, *self._seen)]

    def think(
        self, position: Any, limit: Limit, watch: Watch | None = None, only: Sequence[Any] = ()
    ) -> Choice:
        moves = only or position.legal_moves()
        self._seen = None
        if len(moves) == 1:
            return Choice(moves[0], "has no choice")
        report = None if watch is None else lambda found: watch(self._progress(found))
        result = self._run(position, limit, len(moves), only, report)
        if watch is not None:
            watch(self._progress(result))
        lines = [(score, [Move(*parts) for parts in line]) for score, line in result["lines"]]
        near = [line for line in lines if line[0] >= lines[0][0] - self.level.margin]
        score, line = self.random.choice(near) if len(near) > 1 and self.level.margin else lines[0]
        shown = lines[: self.settings.multipv]
        scores = {each[0]: points / MAN for points, each in shown} | {line[0]: score / MAN}
        comment = _comment(score, result["depth"], line)
        self._seen = line, comment.partition(":")[0]
        return Choice(line[0], comment, scores)

    def _progress(self, result: "native.Result") -> Progress:
        shown = result["lines"][: self.settings.multipv]
        lines = (
            ExpectedLine(tuple(Move(*parts) for parts in line), score, _plies_to_end(score))
            for score, line in shown
        )
        return Progress(result["depth"], result["deepest"], result["nodes"], tuple(lines))

    def _run(
        self,
        position: Any,
        limit: Limit,
        num_moves: int,
        only: Sequence[Any],
        report: "Callable[[native.Result], bool] | None",
    ) -> "native.Result":
        settings, level = self.settings, self.level
        depth = _least(settings.depth, limit.depth, level.depth)
        nodes = _least(settings.nodes, limit.nodes, level.nodes)
        seconds = _least(settings.time, limit.time)
        if depth is None and nodes is None and seconds is None:
            nodes = DEFAULT_NODES
        return self.search.run(
            position.bits,
            position.hands,
            position.mover,
            position.occurrence,
            position.quiet,
            _history(position),
            depth=min(depth or native.MAX_DEPTH, native.MAX_DEPTH),
            nodes=nodes,
            seconds=seconds,
            lines=num_moves if level.margin else min(settings.multipv, num_moves),
            threads=settings.threads,
            oversight=level.oversight,
            seed=self.random.getrandbits(64),
            endgames=self._endings(position),
            only=only,
            report=report,
        )

    def _endings(self, position: Any) -> "native.Endgames | None":
        """What may be looked up, where a search could come that far."""
        men = sum(position.hands) + sum(len(side) for side in position.men)
        wants = self.settings.endings and self.level.knows_endings
        return endings(self.game.rules) if wants and men <= MEN_NEAR_ENDINGS else None


def _least(*bounds: Any) -> Any:
    """The smallest of the bounds that are set; None if none is."""
    return min((bound for bound in bounds if bound is not None), default=None)


def _history(position: Any) -> Sequence[int]:
    """The positions since the last irreversible move, as the compiled core numbers them."""
    if hasattr(position, "history_keys"):
        keys: list[int] = position.history_keys
        return keys
    return [
        sum(1 << man for man in men[0])
        | sum(1 << man for man in men[1]) << 24
        | hands[0] << 48
        | hands[1] << 52
        | mover << 56
        for men, hands, mover in position.history
    ]


def _plies_to_end(score: int) -> int | None:
    """Plies to the end that a score promises; negative for a loss, None if it is not seen."""
    if abs(score) < native.DECIDED:
        return None
    plies = native.WIN - abs(score)
    return plies if score > 0 else -plies


def _comment(score: int, depth: int, line: Sequence[Move]) -> str:
    """What was seen, and the moves that are expected."""
    moves = " ".join(map(str, line))
    plies = _plies_to_end(score)
    if plies is not None:
        ending = f"{abs(plies)} {'ply' if abs(plies) == 1 else 'plies'}"
        return f"{'wins' if score > 0 else 'loses'} in {ending}: {moves}"
    return f"{score / MAN:+.2f} men at depth {depth}: {moves}"
