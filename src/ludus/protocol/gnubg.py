"""GNU Backgammon: a process that ranks moves and evaluates the cube, evaluator and player."""

import json
import math
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Any, ClassVar, TypeVar

from ludus.analysis.backgammon import (
    BackgammonEvaluator,
    check_num_men_of,
    describe_choice,
    evaluate_winning_move,
    is_game_end,
)
from ludus.analysis.evaluation import CubeEvaluation, Evaluation
from ludus.core.errors import BadMove, BadSpec, quote
from ludus.core.files import describe_os_error
from ludus.core.player import Choice, Limit, Player
from ludus.core.processes import kill_program, start_program
from ludus.games.backgammon.batch import parse_moves
from ludus.games.backgammon.board import Move
from ludus.games.backgammon.cube import Chances, CubeEquities
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.position_ids import to_position_id, to_xgid
from ludus.protocol.processes import LinePipes, ProgramFailed, find_program

T = TypeVar("T")

SCRIPT_PATH = Path(__file__).with_name("gnubg_script.py")
GNUBG_PROGRAM = "gnubg"
STARTUP_SECONDS = 30.0
"""Extra seconds for the first request: loading the networks takes long on a busy machine."""

MAX_RESPONSE_BYTES = 40_000_000
"""Maximum length of a response."""

MAX_POSITIONS_PER_REQUEST = 64
"""Positions sent in one request; more are split into several."""

NUM_PROBABILITIES = 5

NO_MOVE_FILTER = 100.0
"""An equity margin, in points per game, larger than any difference between two moves."""


@dataclass(frozen=True, slots=True)
class RankingRequest:
    """A position with the mover on roll, as GNU Backgammon's Position ID, and the dice."""

    position_id: str
    dice: tuple[int, int]

    xgid: str = ""
    """The position with cube and score, which are ignored if it is empty."""


@dataclass(frozen=True, slots=True)
class RankedMove:
    """A move with GNU Backgammon's evaluation."""

    move: str
    """The move in GNU Backgammon's notation, `8/5 6/5`."""

    equity: float
    """Points per game for the mover."""

    chances: Chances
    """Those of the mover."""


class GnubgProcess:
    """A GNU Backgammon process that ranks moves; after an error it is ended and unusable."""

    def __init__(self, program: str | None = None) -> None:
        program = program or find_program(GNUBG_PROGRAM, GNUBG_PROGRAM)
        command = [program, "-t", "-q", "-r", "-p", str(SCRIPT_PATH)]
        requests, request_writer = os.pipe()
        response_reader, responses = os.pipe()
        writing = os.fdopen(request_writer, "wb", buffering=0)
        reading = os.fdopen(response_reader, "rb", buffering=0)
        environment = {
            **os.environ,
            "LUDUS_QUESTIONS": str(requests),
            "LUDUS_ANSWERS": str(responses),
        }
        try:
            self._process = start_program(
                command,
                stdin=DEVNULL,
                stdout=DEVNULL,
                stderr=DEVNULL,
                pass_fds=(requests, responses),
                env=environment,
            )
        except OSError as error:
            writing.close()
            reading.close()
            raise ProgramFailed(
                f"{GNUBG_PROGRAM} cannot be started: {describe_os_error(error)}"
            ) from error
        finally:
            os.close(requests)
            os.close(responses)
        self._pipes = LinePipes(writing, reading, longest=MAX_RESPONSE_BYTES)
        self._startup_allowance = STARTUP_SECONDS
        self._lock = threading.Lock()
        self._end = weakref.finalize(self, _end_process, self._process, self._pipes, os.getpid())

    @property
    def is_running(self) -> bool:
        return self._end.alive

    @property
    def pid(self) -> int:
        return self._process.pid

    def rank(
        self,
        requests: Sequence[RankingRequest],
        plies: int,
        seconds: float,
        max_equity_loss: float = NO_MOVE_FILTER,
    ) -> list[list[RankedMove]]:
        """Rank the moves of every request, best first; `seconds` is the limit per request.

        A move whose 0-ply equity is more than `max_equity_loss` below the best one is searched
        no deeper.
        """
        has_stakes = bool(requests) and bool(requests[0].xgid)
        positions: list[Any] = [
            request.xgid if has_stakes else [request.position_id, *request.dice]
            for request in requests
        ]
        key = "xgids" if has_stakes else "positions"
        setting = {"plies": plies, "within": max_equity_loss}
        return self._exchange(key, positions, setting, seconds, parse_ranking)

    def evaluate_cubes(
        self, xgids: Sequence[str], plies: int, seconds: float
    ) -> list[tuple[CubeEquities, Chances]]:
        """Evaluate the cube actions of positions before a roll."""
        return self._exchange("cubes", list(xgids), {"plies": plies}, seconds, parse_cube)

    def _exchange(
        self,
        key: str,
        items: list[Any],
        setting: dict[str, Any],
        seconds: float,
        parse: Callable[[Any], T],
    ) -> list[T]:
        """Send items in batches and return the parsed responses, one for each item."""
        found: list[T] = []
        with self._lock:
            if not self.is_running:
                raise ProgramFailed(f"{GNUBG_PROGRAM} has ended")
            try:
                for at in range(0, len(items), MAX_POSITIONS_PER_REQUEST):
                    part = items[at : at + MAX_POSITIONS_PER_REQUEST]
                    limit = seconds * len(part) + self._startup_allowance
                    self._pipes.send(json.dumps({**setting, key: part}))
                    response = self._receive(time.monotonic() + limit)
                    self._startup_allowance = 0.0
                    found += parse_response(response, len(part), parse)
            except BaseException:
                # A late response could be taken for the response to a later request.
                self.close()
                raise
        return found

    def _receive(self, until: float) -> str:
        """Return the response line."""
        try:
            line = self._pipes.receive(until)
        except ProgramFailed as error:
            raise ProgramFailed(f"{GNUBG_PROGRAM} {error}") from None
        if line is None:
            raise ProgramFailed(f"{GNUBG_PROGRAM} has ended")
        if self._pipes.has_line:
            raise ProgramFailed(f"{GNUBG_PROGRAM} sent more than one line")
        return line

    def close(self) -> None:
        """End the process and everything it has started."""
        self._end()


def _end_process(process: "Popen[bytes]", pipes: LinePipes, owner: int) -> None:
    if os.getpid() == owner:  # a forked child must not end its parent's program
        kill_program(process)
    pipes.close()


def parse_response(line: str, num_requests: int, parse: Callable[[Any], T]) -> list[T]:
    """Parse a response; raise ProgramFailed unless it has exactly this number of valid answers."""
    try:
        response = json.loads(line)
        if not isinstance(response, list) or len(response) != num_requests:
            raise ValueError
        return [parse(each) for each in response]
    except (ValueError, TypeError, RecursionError):
        shown = quote(line[:100])
        raise ProgramFailed(f"{GNUBG_PROGRAM} answers nonsense: {shown}") from None


def parse_ranking(answer: Any) -> list[RankedMove]:
    """Parse the moves of a position, each with its equity and probabilities."""
    found = []
    for name, *numbers in answer:
        equity, *chances = _parse_numbers(numbers, 1 + NUM_PROBABILITIES)
        if not isinstance(name, str):
            raise TypeError
        found.append(RankedMove(name, equity, Chances(*chances)))
    return found


def parse_cube(answer: Any) -> tuple[CubeEquities, Chances]:
    """Parse the equities of cube actions, and the probabilities of the side on roll."""
    values = _parse_numbers(answer, 3 + NUM_PROBABILITIES)
    return CubeEquities(values[0], values[1], values[2]), Chances(*values[3:])


def _parse_numbers(fields: Sequence[Any], count: int) -> list[float]:
    values = [float(field) for field in fields]
    if len(values) != count or not all(map(math.isfinite, values)):
        raise ValueError
    return values


_shared_processes: dict[int, GnubgProcess] = {}


def get_shared_gnubg() -> GnubgProcess:
    """Return the shared GNU Backgammon of this process, starting it if it is not running.

    A forked child starts its own: two clients on one pipe would read each other's responses.
    """
    owner = os.getpid()
    if owner not in _shared_processes or not _shared_processes[owner].is_running:
        _shared_processes[owner] = GnubgProcess()
    return _shared_processes[owner]


DEFAULT_SECONDS_PER_MOVE = 60.0


def check_num_men(game: Any) -> None:
    """Check that the game has 15 men a side, the only size other programs support."""
    if game.rules.men != 15:
        raise BadSpec("other programs play backgammon with 15 men a side only")


def rank_moves(
    positions: Sequence[Position],
    plies: int,
    seconds: float = DEFAULT_SECONDS_PER_MOVE,
    max_equity_loss: float = NO_MOVE_FILTER,
) -> list[dict[Any, RankedMove]]:
    """Rank the legal moves of every position with dice, best first, by GNU Backgammon.

    A move whose 0-ply equity is more than `max_equity_loss` below the best one is searched no
    deeper. A single legal move is not evaluated; its numbers are 0.
    """
    legal = [position.legal_moves() for position in positions]
    open_ones = [n for n, moves in enumerate(legal) if len(moves) > 1]
    requests = [
        RankingRequest(
            to_position_id(positions[n]),
            positions[n].dice or (0, 0),
            "" if positions[n].stakes is None else to_xgid(positions[n]),
        )
        for n in open_ones
    ]
    responses = iter(
        get_shared_gnubg().rank(requests, plies, seconds, max_equity_loss) if requests else ()
    )
    found: list[dict[Any, RankedMove]] = []
    for moves, position in zip(legal, positions, strict=True):
        if len(moves) == 1:
            found.append({moves[0]: RankedMove("", 0.0, Chances(0.0))})
            continue
        ranking = next(responses)
        try:
            named = parse_moves([ranked.move for ranked in ranking], position)
        except BadMove as error:
            raise ProgramFailed(f"gnubg answers nonsense: {error}") from error
        if set(named) != set(moves):
            raise ProgramFailed(f"gnubg knows {len(named)} moves of {len(moves)} in {position}")
        found.append(dict(zip(named, ranking, strict=True)))
    return found


def evaluate_cube(position: Position, plies: int, seconds: float) -> CubeEvaluation:
    """Evaluate the cube actions of the side on turn, before its roll, by GNU Backgammon."""
    if position.stakes is not None:  # before a double or an offer to resign
        position = replace(position, stakes=replace(position.stakes, phase="play"))
    (found,) = get_shared_gnubg().evaluate_cubes([to_xgid(position)], plies, seconds)
    return CubeEvaluation(*found, f"{plies}-ply")


class GnubgEvaluator(BackgammonEvaluator):
    """GNU Backgammon, running beside this program."""

    plies: int

    def __init__(self, plies: int = 2, seconds: float = DEFAULT_SECONDS_PER_MOVE) -> None:
        """Search this deep, for at most this many seconds a position."""
        find_program(GNUBG_PROGRAM, GNUBG_PROGRAM)
        self.plies, self.seconds = plies, seconds
        self.title, self.spec = f"gnubg {plies}-ply", f"gnubg:plies={plies}"

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
        found = evaluate_cube(after, 0, self.seconds)
        chances = found.chances.flip()
        best = -found.equities.best if position.stakes is not None else chances.equity
        return {move: self._estimate(best, chances, "0-ply")}

    def evaluate_cube(self, position: Position) -> CubeEvaluation:
        check_num_men_of(position)
        return evaluate_cube(position, self.plies, self.seconds)


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
        check_num_men(game)
        self.evaluator = GnubgEvaluator(self.settings.plies, self.settings.seconds)

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.choose_many([position], limit)[0]

    def choose_many(self, positions: Sequence[Any], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        seconds = min(self.settings.seconds, limit.time or self.settings.seconds)
        plies = self.settings.plies
        if any(position.phase != "play" for position in positions):
            evaluator = GnubgEvaluator(plies, seconds)
            return [evaluator.choose(position) for position in positions]
        ranked = rank_moves(positions, plies, seconds)
        return [_make_choice(each, plies) for each in ranked]


def _make_choice(ranked: dict[Any, RankedMove], plies: int) -> Choice:
    move, best = next(iter(ranked.items()))
    if len(ranked) == 1:
        return Choice(move, "has no choice")
    comment = describe_choice(best.equity, best.chances, plies)
    return Choice(move, comment, {move: each.equity for move, each in ranked.items()})
