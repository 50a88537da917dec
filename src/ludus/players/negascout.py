"""NegaScout player in compiled code for the Morris family: ten levels, solved endgames."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar

import numpy as np

from ludus._native import search as native
from ludus._native import solver
from ludus.core.errors import BadSpec
from ludus.core.game import MAN_VALUE, AnyGame
from ludus.core.marks import Marks, Note, Picture
from ludus.core.player import (
    Choice,
    Limit,
    Player,
    PrincipalVariation,
    ProgressCallback,
    SearchProgress,
)
from ludus.core.spec import check_ranges
from ludus.games.nine_mens_morris.board import Move
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.interface import describe_distance
from ludus.oracles.morris.endgames import MAX_MEN, builtin_endgames
from ludus.oracles.morris.sectors import num_slots, without_repetition


@dataclass(frozen=True, slots=True)
class Level:
    """The restrictions of a playing strength; the highest level has none.

    A weak player searches less deep, overlooks moves, and plays any of several moves with similar
    scores. An overlooked move is absent from its search, be it a mill it could close or a reply
    that takes a man; but among the moves it considers, it never gives a man away for nothing.
    """

    depth: int | None = None
    """Maximum search depth in plies."""

    nodes: int | None = None
    """Maximum number of positions visited."""

    oversight: float = 0.0
    """Probability of overlooking a move of its own, or a reply to it."""

    margin: int = 0
    """Maximum score difference to the best move, in hundredths of a man, of moves it may play."""

    values_mobility_while_placing: bool = True
    """Whether, in the placing phase, it evaluates the later mobility of the men."""

    uses_endgames: bool = True
    """Whether it looks up solved endgames."""


def _make_weak_level(depth: int, oversight: float, margin: int) -> Level:
    return Level(
        depth, None, oversight, margin, values_mobility_while_placing=False, uses_endgames=False
    )


LEVELS = (
    _make_weak_level(depth=1, oversight=0.5, margin=40),
    _make_weak_level(depth=1, oversight=0.4, margin=30),
    _make_weak_level(depth=1, oversight=0.25, margin=20),
    _make_weak_level(depth=2, oversight=0.1, margin=15),
    _make_weak_level(depth=3, oversight=0.08, margin=10),
    _make_weak_level(depth=4, oversight=0.04, margin=6),
    _make_weak_level(depth=5, oversight=0.02, margin=4),
    Level(nodes=6_000, uses_endgames=False),
    Level(nodes=30_000),
    Level(),
)
"""Level 1 first."""


@cache
def load_endgames(rules: Rules) -> native.Endgames | None:
    """Load the built-in solved endgames for the search; None if they do not cover these rules."""
    if solver.why_unsolvable(rules) is not None:
        return None
    solved = builtin_endgames(without_repetition(rules))
    found = native.Endgames(MAX_MEN)
    for sector, x_to_move in solved.sectors:
        slots = np.arange(num_slots(sector), dtype=np.uint64)
        x, y, _, _ = sector
        found.add(x, y, x_to_move, solved.read(sector, x_to_move, slots))
    return found


MAX_DRAWN_PLIES = 6
"""Maximum number of plies drawn; more would hide the board."""

OWN_COLOUR, OTHER_COLOUR = 0, 1
"""Colours of the two sides' moves."""


def draw_expected_line(
    game: AnyGame, position: MorrisPosition, line: Sequence[Move], score_text: str
) -> Picture:
    """Return a picture of a variation's first moves, numbered, with captured men crossed out."""
    notes: list[Note] = []
    taken: dict[str, str] = {}
    mover = position.mover
    for ply, move in enumerate(line[:MAX_DRAWN_PLIES], 1):
        steps = list(game.steps(move))
        if move.take is not None:
            taken[steps.pop()] = "take"
        if steps:  # a pass has none
            colour = OWN_COLOUR if position.mover == mover else OTHER_COLOUR
            notes.append(Note(tuple(steps), str(ply), colour=colour))
        position = position.play(move)
        if position.outcome() is not None:
            break
    return Picture(
        "What it expects",
        Marks(points=taken),
        f"{score_text[:1].upper()}{score_text[1:]}. The moves it expects, in order; "
        "its own are the odd ones, and crossed men are taken.",
        tuple(notes),
    )


DEFAULT_NODES = 200_000
"""The node limit per move if no limit is set."""

MAX_MEN_FOR_ENDGAMES = 12
"""With more men in total, on the board and in hand, no search reaches the solved endgames."""


@dataclass(frozen=True, slots=True)
class NegascoutOptions:
    """Search limits, of which the first one reached stops the search, and other settings."""

    depth: int | None = None
    """Maximum search depth in plies."""

    nodes: int | None = None
    """Maximum number of positions to visit; 200000 if no limit is set."""

    time: float | None = None
    """Maximum seconds per move."""

    level: int = len(LEVELS)
    """Playing strength, from 1 (beginner) to 10 (full strength)."""

    multipv: int = 1
    """Number of best moves that are scored."""

    threads: int = 1
    """Search threads; with more than one, results are not reproducible."""

    memory: int = 16
    """Size of the transposition table in megabytes."""

    endings: bool = True
    """Whether solved endgames are looked up."""

    def __post_init__(self) -> None:
        check_ranges(
            self,
            "negascout",
            depth=(1, native.MAX_DEPTH),
            nodes=(1, 10**15),
            level=(1, len(LEVELS)),
            multipv=(1, 1000),
            threads=(1, 256),
            memory=(1, 65_536),
        )
        if self.time is not None and not 0 < self.time <= 1_000_000:
            raise BadSpec(f"negascout time={self.time} must be more than 0 and at most 1000000")


class NegascoutPlayer(Player):
    """Searches as deep as its limits allow and plays the move with the best score.

    With one thread and no time limit, the same game and seed give the same moves, scores and number
    of positions visited on every machine. The seed decides between moves with equal scores.
    """

    title: ClassVar[str] = "searches as deep as its limits allow; ten levels of strength"
    options: ClassVar[NegascoutOptions] = NegascoutOptions()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    _last_line: tuple[Sequence[Move], str] | None = None
    """The principal variation of the last move, and its score as text."""

    @cached_property
    def search(self) -> native.Search:
        return native.Search(
            self.game.rules, self.settings.memory, self.level.values_mobility_while_placing
        )

    @property
    def level(self) -> Level:
        """The restrictions of the selected level."""
        return LEVELS[self.settings.level - 1]

    def stop(self) -> None:
        """Stop a search running on another thread; it returns the best move found so far."""
        # The property would make a second search while the other thread makes the first: since
        # Python 3.12 it has no lock.
        search: native.Search | None = vars(self).get("search")
        if search is not None:
            search.stop()

    def choose(self, position: MorrisPosition, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.think(position, limit)

    def pictures(self, position: MorrisPosition) -> list[Picture]:
        """Return a picture of the principal variation of the last search, if any."""
        line = self._last_line
        return [] if line is None else [draw_expected_line(self.game, position, *line)]

    def think(
        self,
        position: MorrisPosition,
        limit: Limit,
        watch: ProgressCallback | None = None,
        search_moves: Sequence[Move] = (),
    ) -> Choice:
        moves = search_moves or position.legal_moves()
        self._last_line = None
        if len(moves) == 1:
            return Choice(moves[0], "has no choice")
        report = None if watch is None else lambda found: watch(self._make_progress(found))
        result = self._run(position, limit, len(moves), search_moves, report)
        lines = [(score, [Move(*parts) for parts in line]) for score, line in result["lines"]]
        near = [line for line in lines if line[0] >= lines[0][0] - self.level.margin]
        score, line = self.random.choice(near) if len(near) > 1 and self.level.margin else lines[0]
        if watch is not None:
            # A weak level may play another move than the best: its line is the first one then.
            chosen = next(each for each in result["lines"] if each[1][0] == line[0])
            others = [each for each in result["lines"] if each is not chosen]
            watch(self._make_progress({**result, "lines": [chosen, *others]}))
        reported = lines[: self.settings.multipv]
        scores = {each[0]: points / MAN_VALUE for points, each in reported} | {
            line[0]: score / MAN_VALUE
        }
        comment = _format_comment(score, result["depth"], line)
        self._last_line = line, comment.partition(":")[0]
        return Choice(line[0], comment, scores)

    def _make_progress(self, result: "native.Result") -> SearchProgress:
        reported = result["lines"][: self.settings.multipv]
        lines = (
            PrincipalVariation(tuple(Move(*parts) for parts in line), score, _score_to_plies(score))
            for score, line in reported
        )
        return SearchProgress(result["depth"], result["deepest"], result["nodes"], tuple(lines))

    def _run(
        self,
        position: MorrisPosition,
        limit: Limit,
        num_moves: int,
        search_moves: Sequence[Move],
        report: "Callable[[native.Result], bool] | None",
    ) -> "native.Result":
        settings, level = self.settings, self.level
        budget = limit.tighten(settings.time, settings.nodes, settings.depth)
        budget = budget.tighten(nodes=level.nodes, depth=level.depth)
        if budget == Limit():
            budget = Limit(nodes=DEFAULT_NODES)
        return self.search.run(
            position.bits,
            position.hands,
            position.mover,
            position.occurrence,
            position.quiet,
            position.history_keys,
            depth=min(budget.depth or native.MAX_DEPTH, native.MAX_DEPTH),
            nodes=budget.nodes,
            seconds=budget.time,
            lines=num_moves if level.margin else min(settings.multipv, num_moves),
            threads=settings.threads,
            oversight=level.oversight,
            seed=self.random.getrandbits(64),
            endgames=self._get_endgames(position),
            only=search_moves,
            report=report,
        )

    def _get_endgames(self, position: MorrisPosition) -> "native.Endgames | None":
        """Return the solved endgames if enabled and reachable by the search, else None."""
        men = sum(position.hands) + sum(len(side) for side in position.men)
        is_enabled = self.settings.endings and self.level.uses_endgames
        is_reachable = men <= MAX_MEN_FOR_ENDGAMES
        return load_endgames(self.game.rules) if is_enabled and is_reachable else None


def _score_to_plies(score: int) -> int | None:
    """Return the plies to a proven end, negative for a loss; None for other scores."""
    if abs(score) < native.DECIDED:
        return None
    plies = native.WIN - abs(score)
    return plies if score > 0 else -plies


def _format_comment(score: int, depth: int, line: Sequence[Move]) -> str:
    """Format the score and the principal variation."""
    moves = " ".join(map(str, line))
    plies = _score_to_plies(score)
    if plies is not None:
        return f"{'wins' if score > 0 else 'loses'}{describe_distance(abs(plies))}: {moves}"
    return f"{format_men(score / MAN_VALUE, depth)}: {moves}"


def format_men(score: float, depth: int) -> str:
    """Return by how many men the side to move will be better off, as far as a search has looked."""
    return f"{score:+.2f} men, looking {depth} {'move' if depth == 1 else 'moves'} ahead"
