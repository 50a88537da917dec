"""GNU Backgammon as a process that ranks moves: started once, asked often, ended for certain."""

import json
import math
import os
import subprocess
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.core.errors import quoted
from ludus.protocol.pipes import LinePipes
from ludus.protocol.programs import ProgramFailed, end_program, find_program

INSIDE = Path(__file__).with_name("gnubg_inside.py")
NAME = "gnubg"
START_SECONDS = 30.0
"""GNU Backgammon loads its networks first, which takes long on a busy machine."""

MOST_POSITIONS = 64
"""Positions in one question; more are asked in turn."""

CHANCES = 5

EVERY_MOVE = 100.0
"""Points a game: no two moves are so far apart."""


@dataclass(frozen=True, slots=True)
class Question:
    """A roll to be played, by the side that a Position ID puts on roll."""

    position_id: str
    dice: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A move as GNU Backgammon judges it, without the cube."""

    move: str
    """In its notation, `8/5 6/5`."""

    equity: float
    """Points a game for the mover."""

    win: float
    """The mover's chance to win, gammons included."""

    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float


class GnubgProcess:
    """One running GNU Backgammon. After an error it is ended and cannot be asked again."""

    def __init__(self, program: str | None = None) -> None:
        command = [program or find_program(NAME, NAME), "-t", "-q", "-r", "-p", str(INSIDE)]
        questions, asking = os.pipe()
        hearing, answers = os.pipe()
        environment = {
            **os.environ,
            "LUDUS_QUESTIONS": str(questions),
            "LUDUS_ANSWERS": str(answers),
        }
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(questions, answers),
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            os.close(asking)
            os.close(hearing)
            raise ProgramFailed(f"{NAME} cannot be started: {error.strerror}") from error
        finally:
            os.close(questions)
            os.close(answers)
        self._pipes = LinePipes(NAME, asking, hearing)
        self._seconds_more = START_SECONDS
        self._lock = threading.Lock()
        self._end = weakref.finalize(self, _end, self._process, self._pipes, os.getpid())

    @property
    def is_running(self) -> bool:
        return self._end.alive

    @property
    def pid(self) -> int:
        return self._process.pid

    def rank(
        self,
        questions: Sequence[Question],
        plies: int,
        seconds: float,
        within: float = EVERY_MOVE,
    ) -> list[list[Ranked]]:
        """Every move of every question, best first; `seconds` is the limit for one of them.

        A move that its network alone puts further than `within` behind the best one is looked at
        no deeper.
        """
        with self._lock:
            if not self.is_running:
                raise ProgramFailed(f"{NAME} has ended")
            try:
                parts = [
                    self._asked(questions[at : at + MOST_POSITIONS], plies, within, seconds)
                    for at in range(0, len(questions), MOST_POSITIONS)
                ]
            except BaseException:
                # An answer may still be on its way: nothing said from now on could be trusted.
                self.close()
                raise
        return [ranked for part in parts for ranked in part]

    def _asked(
        self, questions: Sequence[Question], plies: int, within: float, seconds: float
    ) -> list[list[Ranked]]:
        positions = [[question.position_id, *question.dice] for question in questions]
        asked = json.dumps({"plies": plies, "within": within, "positions": positions}).encode()
        limit = seconds * len(questions) + self._seconds_more
        answer = self._pipes.exchange(asked, limit)
        self._seconds_more = 0.0
        return read_answer(answer, len(questions))

    def close(self) -> None:
        """End the process and everything it has started."""
        self._end()


def _end(process: "subprocess.Popen[bytes]", pipes: LinePipes, owner: int) -> None:
    if os.getpid() == owner:  # a child made by fork must leave its parent's program alone
        end_program(process)
    pipes.close()


def read_answer(line: bytes, questions: int) -> list[list[Ranked]]:
    """An answer as values; ProgramFailed if it is anything but rankings of so many positions."""
    try:
        said = json.loads(line)
        if not isinstance(said, list) or len(said) != questions:
            raise ValueError
        return [[_ranked(*fields) for fields in ranking] for ranking in said]
    except (ValueError, TypeError, RecursionError):
        shown = quoted(line[:100].decode("utf-8", "replace"))
        raise ProgramFailed(f"{NAME} answers nonsense: {shown}") from None


def _ranked(move: Any, *numbers: Any) -> Ranked:
    if not isinstance(move, str) or len(numbers) != CHANCES + 1:
        raise ValueError
    values = [float(number) for number in numbers]
    if not all(math.isfinite(value) for value in values):
        raise ValueError
    return Ranked(move, *values)


_shared: dict[int, GnubgProcess] = {}


def shared_gnubg() -> GnubgProcess:
    """The one GNU Backgammon of this process, started when it is first needed or has ended.

    A child made by fork starts its own: two askers on one pipe would read each other's answers.
    """
    owner = os.getpid()
    if owner not in _shared or not _shared[owner].is_running:
        _shared[owner] = GnubgProcess()
    return _shared[owner]
