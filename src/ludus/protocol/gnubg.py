"""GNU Backgammon as a process that ranks moves and evaluates the cube."""

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
from typing import Any, TypeVar

from ludus.core.errors import BadMove, BadSpec, quote
from ludus.core.files import describe_os_error
from ludus.core.workers import kill_program, start_program
from ludus.games.backgammon.batch import parse_moves
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
class RankedCube:
    """GNU Backgammon's equities of cube actions, and its probabilities for the side on roll."""

    equities: CubeEquities
    chances: Chances


@dataclass(frozen=True, slots=True)
class RankedMove:
    """A move with GNU Backgammon's cubeless evaluation."""

    move: str
    """The move in GNU Backgammon's notation, `8/5 6/5`."""

    equity: float
    """Points per game for the mover."""

    win: float
    """The mover's probability to win, gammons included."""

    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @property
    def chances(self) -> Chances:
        return Chances(
            self.win,
            self.win_gammon,
            self.win_backgammon,
            self.lose_gammon,
            self.lose_backgammon,
        )


class GnubgProcess:
    """A GNU Backgammon process that ranks moves; after an error it is ended and unusable."""

    def __init__(self, program: str | None = None) -> None:
        command = [
            program or find_program(GNUBG_PROGRAM, GNUBG_PROGRAM),
            "-t",
            "-q",
            "-r",
            "-p",
            str(SCRIPT_PATH),
        ]
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
        return self._exchange(key, positions, setting, seconds, parse_response)

    def evaluate_cubes(self, xgids: Sequence[str], plies: int, seconds: float) -> list[RankedCube]:
        """Evaluate the cube actions of positions before a roll."""
        return self._exchange("cubes", list(xgids), {"plies": plies}, seconds, parse_cubes)

    def _exchange(
        self,
        key: str,
        items: list[Any],
        setting: dict[str, Any],
        seconds: float,
        parse: Callable[[str, int], list[T]],
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
                    found += parse(response, len(part))
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


def parse_response(line: str, num_requests: int) -> list[list[RankedMove]]:
    """Parse a response; raise ProgramFailed unless it ranks exactly this number of positions."""
    try:
        response = json.loads(line)
        if not isinstance(response, list) or len(response) != num_requests:
            raise ValueError
        return [[_parse_ranked_move(*fields) for fields in ranking] for ranking in response]
    except (ValueError, TypeError, RecursionError):
        shown = quote(line[:100])
        raise ProgramFailed(f"{GNUBG_PROGRAM} answers nonsense: {shown}") from None


def parse_cubes(line: str, num_requests: int) -> list[RankedCube]:
    """Parse the equities of cube actions; ProgramFailed unless there are exactly this many."""
    try:
        response = json.loads(line)
        if not isinstance(response, list) or len(response) != num_requests:
            raise ValueError
        found = []
        for fields in response:
            values = [float(field) for field in fields]
            if len(values) != 3 + NUM_PROBABILITIES or not all(map(math.isfinite, values)):
                raise ValueError
            found.append(RankedCube(CubeEquities(*values[:3]), Chances(*values[3:])))
    except (ValueError, TypeError, RecursionError):
        shown = quote(line[:100])
        raise ProgramFailed(f"{GNUBG_PROGRAM} answers nonsense: {shown}") from None
    return found


def _parse_ranked_move(name: Any, *numbers: Any) -> RankedMove:
    if not isinstance(name, str) or len(numbers) != NUM_PROBABILITIES + 1:
        raise ValueError
    values = [float(number) for number in numbers]
    if not all(math.isfinite(value) for value in values):
        raise ValueError
    return RankedMove(name, *values)


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
    responses = (
        iter(get_shared_gnubg().rank(requests, plies, seconds, max_equity_loss))
        if requests
        else iter(())
    )
    found: list[dict[Any, RankedMove]] = []
    for moves, position in zip(legal, positions, strict=True):
        if len(moves) == 1:
            found.append({moves[0]: RankedMove("", *[0.0] * 6)})
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


def evaluate_cubes(
    positions: Sequence[Position], plies: int, seconds: float = DEFAULT_SECONDS_PER_MOVE
) -> list[RankedCube]:
    """Evaluate the cube actions of the side on turn, before its roll, by GNU Backgammon."""
    xgids = [to_xgid(_before_roll(position)) for position in positions]
    return get_shared_gnubg().evaluate_cubes(xgids, plies, seconds)


def _before_roll(position: Position) -> Position:
    """Return the position as it was before a double or an offer to resign."""
    if position.stakes is None:
        return position
    return replace(position, stakes=replace(position.stakes, phase="play"))
