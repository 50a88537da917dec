"""What an experiment's `run` is given: what was published, how thorough to be, and a memory."""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ludus.core.errors import quoted
from ludus.core.limit import Limit
from ludus.core.match import MAX_PLIES
from ludus.reproduce.cells import Cells
from ludus.reproduce.errors import BadExperiment
from ludus.reproduce.published import Published

if TYPE_CHECKING:
    from ludus.arena.run import LocalPool
    from ludus.reproduce.matches import Starter, Tally

T = TypeVar("T")

Progress = Callable[[int, int, str], None]
"""Told what is done, of how much, and what it is."""


class Context:
    """One run of an experiment.

    What it has computed with `cell` or `matches` is kept in files, under the experiment's id, its
    size with its settings, and the seed. So a run that was interrupted goes on where it stopped.
    """

    def __init__(
        self,
        published: Published,
        cells: Cells,
        *,
        size: str,
        seed: int = 0,
        jobs: int = 0,
        oracle: Path | None = None,
        progress: Progress = lambda done, total, label: None,
    ) -> None:
        self.published = published
        self.size = size
        self.scale: Mapping[str, Any] = published.scale(size)
        """The settings of the size: the table `[sizes.<size>]` of the TOML file."""
        self.seed = seed
        self.jobs = jobs or os.cpu_count() or 1
        """How many things may be done at a time."""
        self.oracle = oracle
        """A folder that `ludus solve` has written, if one was given."""
        self.progress = progress
        self._cells = cells
        self._pool: LocalPool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.__exit__(kind, error, traceback)
            self._pool = None

    def setting(self, key: str) -> Any:
        """A setting of the size, which must be there."""
        if key not in self.scale:
            raise BadExperiment(f"[sizes.{self.size}] of {self.published.id} has no {quoted(key)}")
        return self.scale[key]

    def cell(self, key: str, compute: Callable[[], T]) -> T:
        """What `compute` gives, as JSON holds it; computed once for this size and seed, ever.

        The key names what is computed. If it depends on anything but the size's settings and the
        seed, that must be in the key, too.
        """
        return self._cells.get(key, compute)

    def folder(self, key: str) -> Path:
        """A folder that stays until the experiment is begun anew, for checkpoints and weights."""
        return self._cells.subfolder(key)

    def seed_for(self, *parts: str | int) -> int:
        """A seed for what these parts name; it depends on the run's seed and on nothing else."""
        from ludus.arena.jobs import seed_of

        return seed_of(self.published.id, self.seed, *parts)

    def matches(
        self,
        game: str,
        first: str,
        second: str,
        games: int,
        *,
        rules: str = "",
        starter: "Starter" = "alternate",
        key: str = "",
        limit: Limit = Limit(),  # noqa: B008 - frozen
        max_plies: int = MAX_PLIES,
        is_kept: bool = True,
    ) -> "Tally":
        """Let two players meet; the tally counts for them in this order, whoever begins.

        Matches that are alike in everything are the same match; `key` tells them apart. Where both
        players are compiled, thousands of games take a second; elsewhere they are played by `jobs`
        processes, and each game is kept as it ends. `is_kept=False` leaves that to a larger cell
        of which the match is a part.
        """
        from ludus.reproduce.matches import Match, Tally, check, played_compiled

        seed = self.seed_for(first, second, starter, key)
        match = Match(game, first, second, games, rules, starter, limit, max_plies, seed)
        check(match)

        def play() -> dict[str, Any]:
            found = played_compiled(match, self.jobs)
            return asdict(self._in_arena(match) if found is None else found)

        return Tally(**(self.cell(f"match {match.key}", play) if is_kept else play()))

    def _in_arena(self, match: Any) -> "Tally":
        from ludus.arena.run import LocalPool
        from ludus.reproduce.matches import played_in_arena

        if self._pool is None:
            self._pool = LocalPool(self.jobs)
        label = f"{match.first} – {match.second}"
        return played_in_arena(
            match,
            self._pool,
            self.folder("games") / "games.sqlite",
            lambda done, total: self.progress(done, total, label),
        )
