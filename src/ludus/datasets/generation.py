"""Generate a dataset in parallel; the result depends on the plan alone."""

import hashlib
import json
import os
import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from ludus.core.errors import BadDataset, LudusError
from ludus.core.executors import TaskExecutor
from ludus.core.files import (
    add_suffix,
    cannot_write,
    check_replaceable,
    lock_file,
    quote_path,
    write_bytes,
)
from ludus.datasets import GENERATORS
from ludus.datasets.generator import DatasetGenerator, GenerationPlan, parse_players
from ludus.games import game as named_game


class Journal(AbstractContextManager["Journal"]):
    """The working file of a generation run, locked against other processes; it survives a kill.

    The first line is the run's identity as JSON. A line `[number, lines]` follows for every match
    that produced new lines. An incomplete line is cut off when the file is opened again, and its
    match is replayed.
    """

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        self.lines: list[str] = []
        self.next_match = 0
        self._ends: list[tuple[int, int]] = []
        with ExitStack() as stack:
            stack.enter_context(lock_file(path))
            try:
                self._load(json.dumps(identity, sort_keys=True).encode() + b"\n")
                self._file = path.open("ab")
            except OSError as error:
                raise cannot_write(path, error) from error
            self._lock = stack.pop_all()

    def __exit__(self, *exception: object) -> None:
        # Closing writes again what could not be written, and would hide the first error.
        with self._lock, suppress(OSError):
            self._file.close()

    def add(self, match: int, lines: list[str]) -> None:
        """Append the new lines of a match; they are flushed to the file before this returns.

        A match without new lines writes nothing.
        """
        self.next_match = match + 1
        if not lines:
            return
        try:
            self._file.write(json.dumps([match, lines]).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise cannot_write(self.path, error) from error
        self._add_lines(match, lines)

    def num_matches(self, num_lines: int) -> int:
        """Return the number of matches after which at least `num_lines` lines had been found."""
        return next(match + 1 for match, have in self._ends if have >= num_lines)

    def remove(self) -> None:
        """Delete the working file."""
        self.path.unlink(missing_ok=True)

    def _load(self, head: bytes) -> None:
        """Load all complete lines and truncate the file after the last one."""
        data = self.path.read_bytes()
        if not data.startswith(head):
            if not head.startswith(data):
                quoted = quote_path(self.path)
                raise LudusError(f"{quoted} belongs to another generation; finish or remove it")
            self.path.write_bytes(head)
            return
        end = data.rindex(b"\n") + 1
        for line in data[len(head) : end].splitlines():
            self._add_lines(*json.loads(line))
        os.truncate(self.path, end)

    def _add_lines(self, match: int, lines: list[str]) -> None:
        self.lines += lines
        self._ends.append((match, len(self.lines)))
        self.next_match = match + 1


@dataclass(frozen=True, slots=True)
class MatchTask:
    """The task of playing matches of a plan, by number."""

    game_id: str
    plan: GenerationPlan

    def __call__(self, number: int) -> list[str]:
        """Return the lines of a match."""
        try:
            return _load_generator(self.game_id).lines(self.plan, number)
        except LudusError as error:
            raise LudusError(f"match {number}: {error}") from error


@cache
def _load_generator(game_id: str) -> DatasetGenerator:
    return GENERATORS[game_id]()


VERSION = 1
"""Version of the meaning of a plan; other versions may give other lines."""

MAX_IDLE = 2000
"""Number of successive matches without a new state after which the run fails."""


def make_plan(
    game: str, states: int, teacher: str = "", opponents: str = "", *, rules: str = "", **more: Any
) -> GenerationPlan:
    """Return a plan with the teacher and opponents of the game's generator, or with others."""
    generator = GENERATORS[named_game(game, rules).id]
    teacher = teacher or generator.teacher
    players = parse_players(opponents) or (*generator.opponents, teacher)
    return GenerationPlan(game, teacher, players, states, rules, **more)


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """The result of a generation run."""

    plan: GenerationPlan
    out: Path
    sidecar: Path
    """JSON file with the plan and the checksum."""

    matches: int
    """Number of matches played."""

    resumed: int
    """Number of states found by earlier, interrupted runs."""

    sha256: str


class GenerationRun:
    """A run of a plan into a file; it resumes an interrupted run.

    Matches are processed in the order of their numbers, and the first of equal lines is kept, so
    the result depends neither on the number of processes nor on interruptions. Finally the lines
    are shuffled, so that any part of the file is a random sample.
    """

    def __init__(self, plan: GenerationPlan, out: Path, executor: TaskExecutor) -> None:
        self.plan = plan
        self.out = out
        self.executor = executor
        self.resumed = 0
        self.game_id = named_game(plan.game, plan.rules).id
        self.generator: DatasetGenerator = GENERATORS[self.game_id]()
        self.generator.check(plan)
        self._result: GenerationResult | None = None

    @property
    def sidecar(self) -> Path:
        return add_suffix(self.out, ".json")

    @property
    def working(self) -> Path:
        return self.out.with_name(f".{self.out.name}.working")

    @property
    def result(self) -> GenerationResult:
        """The result; available after `run` has finished."""
        assert self._result is not None, "run has not finished"
        return self._result

    def run(self) -> Iterator[str]:
        """Yield every new state as it is found."""
        check_replaceable(self.out)
        if self.out.exists() and not self.working.exists():
            self.resumed = self.plan.states
            self._result = self._load_result()
            return
        with Journal(self.working, self._identity()) as journal:
            self.resumed = min(len(journal.lines), self.plan.states)
            if len(journal.lines) < self.plan.states:
                yield from self._play(journal)
            self._result = self._finish(journal)
            journal.remove()

    def _play(self, journal: Journal) -> Iterator[str]:
        key = self.generator.key
        known = {key(line) for line in journal.lines}
        idle = 0
        with self.executor as workers:
            first = journal.next_match
            matches = workers.map(MatchTask(self.game_id, self.plan), count(first))
            for match, lines in enumerate(matches, first):
                new = []
                for line in lines:
                    if key(line) not in known:
                        known.add(key(line))
                        new.append(line)
                journal.add(match, new)
                yield from new
                if len(journal.lines) >= self.plan.states:
                    return
                idle = 0 if new else idle + 1
                if idle >= MAX_IDLE:
                    raise LudusError(
                        f"{len(journal.lines)} states were found, and {MAX_IDLE} matches in a row "
                        f"gave no other; ask for fewer than {self.plan.states}, or change the plan"
                    )

    def _finish(self, journal: Journal) -> GenerationResult:
        lines = journal.lines[: self.plan.states]
        random.Random(self.plan.seed_of("order")).shuffle(lines)
        data = "".join(f"{line}{self.generator.line_end}" for line in lines).encode()
        sha256 = hashlib.sha256(data).hexdigest()
        matches = journal.num_matches(self.plan.states)
        about = {**self._identity(), "states": self.plan.states, "matches": matches}
        for path, content in (
            (self.out, data),
            (self.sidecar, json.dumps({**about, "sha256": sha256}, indent=2).encode() + b"\n"),
        ):
            write_bytes(path, content, sync=True)
        return self._make_result(matches, sha256)

    def _load_result(self) -> GenerationResult:
        """Return the result of an earlier run; raise BadDataset if its plan or file differs."""
        quoted = quote_path(self.out)
        try:
            about = json.loads(self.sidecar.read_bytes())
            sha256 = hashlib.sha256(self.out.read_bytes()).hexdigest()
            wanted = {**self._identity(), "states": self.plan.states, "sha256": sha256}
            is_same = about == {**wanted, "matches": about["matches"]}
            matches = int(about["matches"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            is_same, matches = False, 0
        if not is_same:
            raise BadDataset(f"{quoted} exists and is not the result of this plan; remove it first")
        return self._make_result(matches, sha256)

    def _make_result(self, matches: int, sha256: str) -> GenerationResult:
        return GenerationResult(self.plan, self.out, self.sidecar, matches, self.resumed, sha256)

    def _identity(self) -> dict[str, Any]:
        """Return what determines every match: all but the number of states, which may rise."""
        plan = self.plan.as_json()
        del plan["states"]
        return {"format": self.generator.title, "version": VERSION, "plan": plan}
