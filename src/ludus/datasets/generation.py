"""Generate a dataset: matches in several processes, one file, the same whatever happens.

Matches are taken in the order of their numbers, and of lines that are the same the first is kept,
so the result depends neither on the number of processes nor on how often they were killed. At the
end the lines are shuffled, so that any part of the file is a sample of it.
"""

import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, quoted
from ludus.datasets.errors import BadDataset
from ludus.datasets.generators import GENERATORS, Generator
from ludus.datasets.journal import Journal, cannot_write
from ludus.datasets.plan import Plan
from ludus.datasets.workers import Workers
from ludus.games import game as named_game
from ludus.oracle.folder import whole_file

VERSION = 1
"""Of what a plan means; a newer one may give other lines."""

MAX_IDLE = 2000
"""Matches in a row without a new state after which nobody hopes for more."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What became of a plan."""

    plan: Plan
    out: Path
    sidecar: Path
    """How it was made, as JSON."""

    matches: int
    """That were played."""

    resumed: int
    """States that were there before."""

    sha256: str


class Generation:
    """One run of a plan into a file, or the rest of one that was interrupted."""

    def __init__(self, plan: Plan, out: Path, num_workers: int) -> None:
        self.plan = plan
        self.out = out
        self.num_workers = num_workers
        self.resumed = 0
        self.game_id = named_game(plan.game, plan.rules).id
        self.generator: Generator = GENERATORS[self.game_id]()
        self.generator.check(plan)
        self._result: Generated | None = None

    @property
    def sidecar(self) -> Path:
        return self.out.with_name(f"{self.out.name}.json")

    @property
    def working(self) -> Path:
        return self.out.with_name(f".{self.out.name}.working")

    @property
    def result(self) -> Generated:
        """What was made; there is something once `run` has come to its end."""
        assert self._result is not None, "run has not come to its end"
        return self._result

    def run(self) -> Iterator[str]:
        """Every state that is new, while it is found."""
        if self._is_made():
            self.resumed = self.plan.states
            self._result = self._finished()
            return
        with Journal(self.working, self._identity()) as journal:
            self.resumed = min(len(journal.lines), self.plan.states)
            if len(journal.lines) < self.plan.states:
                yield from self._play(journal)
            self._result = self._finish(journal)
            journal.remove()

    def _is_made(self) -> bool:
        """Whether the file is there, and no work on it is left; an error if it cannot be."""
        try:
            if self.out.is_symlink() or (self.out.exists() and not self.out.is_file()):
                # Renaming would put a file in the place of the link, be it /dev/stdout itself.
                raise ValueError("it is not a regular file")
            return self.out.exists() and not self.working.exists()
        except (OSError, ValueError) as error:
            raise cannot_write(self.out, error) from error

    def _play(self, journal: Journal) -> Iterator[str]:
        key = self.generator.key
        seen = {key(line) for line in journal.lines}
        idle = 0
        with Workers(self.num_workers, self.game_id, self.plan) as workers:
            first = journal.next_match
            for match, lines in enumerate(workers.results(first), first):
                new = []
                for line in lines:
                    if key(line) not in seen:
                        seen.add(key(line))
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

    def _finish(self, journal: Journal) -> Generated:
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
            with whole_file(path) as file:
                file.write(content)
        return self._generated(matches, sha256)

    def _finished(self) -> Generated:
        """What an earlier run of the same plan has made."""
        shown = quoted(str(self.out), 200)
        try:
            about = json.loads(self.sidecar.read_bytes())
            sha256 = hashlib.sha256(self.out.read_bytes()).hexdigest()
            wanted = {**self._identity(), "states": self.plan.states, "sha256": sha256}
            is_same = about == {**wanted, "matches": about["matches"]}
            matches = int(about["matches"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            is_same, matches = False, 0
        if not is_same:
            raise BadDataset(f"{shown} is there and is not what this would make; remove it first")
        return self._generated(matches, sha256)

    def _generated(self, matches: int, sha256: str) -> Generated:
        return Generated(self.plan, self.out, self.sidecar, matches, self.resumed, sha256)

    def _identity(self) -> dict[str, Any]:
        """What decides about every match. More states can be asked for later."""
        plan = self.plan.as_json()
        del plan["states"]
        return {"format": self.generator.title, "version": VERSION, "plan": plan}
