"""The context of an experiment's run (sizes, seeds, cache, matches), and how to run it."""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ludus.core.errors import LudusError, quote
from ludus.core.match import MatchTally
from ludus.core.processes import count_cores
from ludus.reproduce.experiment import BadExperiment, Experiment, PublishedTable
from ludus.reproduce.findings import Figure, Findings
from ludus.reproduce.results import ExperimentResults, ResultCache

if TYPE_CHECKING:
    from ludus.arena.executors import LocalPool, RayCluster
    from ludus.reproduce.matches import MatchStarter

T = TypeVar("T")

ProgressCallback = Callable[[int, int, str], None]
"""Called with the number of finished items, the total and a label."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How an experiment is run."""

    size: str = ""
    """`quick`, `published` or `certain`; empty for the experiment's default."""

    seed: int = 0

    jobs: int = 0
    """Number of parallel jobs; 0 for one on each core."""

    cluster: str = ""
    """Address of a Ray cluster, or empty."""

    oracle: Path | None = None
    """Oracle folder written by `ludus solve`, if given."""

    device: str = "auto"
    """Device of networks that are trained: `auto`, `cpu` or `cuda`."""

    ignore_cache: bool = False
    progress: ProgressCallback = lambda done, total, label: None


class Context(AbstractContextManager["Context"]):
    """One run of an experiment, the argument of its `run`: published table, size, seed and cache.

    Results of `cached` and `matches` are stored in files, by the experiment's id, its size with its
    settings, and the seed, so that an interrupted run resumes.
    """

    def __init__(self, published: PublishedTable, cache: ResultCache, options: RunOptions) -> None:
        self.published = published
        self.size = options.size or published.default_size
        self.size_settings: Mapping[str, Any] = published.get_size_settings(self.size)
        """The settings of the size: the table `[sizes.<size>]` of the TOML file."""
        self.seed = options.seed
        self.jobs = options.jobs or count_cores()
        """Number of parallel jobs."""
        self.oracle = options.oracle
        self.device = options.device
        self.progress = options.progress
        self._cache = cache
        self._cluster = options.cluster
        self._pool: LocalPool | RayCluster | None = None

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.__exit__(*error)
            self._pool = None

    @property
    def pool(self) -> "LocalPool | RayCluster":
        """Worker processes, or the cluster of the run, for games and other tasks."""
        if self._pool is None:
            from ludus.arena.executors import make_executor

            self._pool = make_executor(0 if self._cluster else self.jobs, self._cluster)
        return self._pool

    def setting(self, key: str) -> Any:
        """Return a required setting of the size."""
        if key not in self.size_settings:
            raise BadExperiment(f"[sizes.{self.size}] of {self.published.id} has no {quote(key)}")
        return self.size_settings[key]

    def cached(self, key: str, compute: Callable[[], T]) -> T:
        """Return the JSON value of `compute`, computed once for this size and seed.

        The key names the value. Anything it depends on besides the size's settings and the seed
        must be part of the key.
        """
        return self._cache.get(key, compute)

    def find_cached(self, key: str) -> Any:
        """Return the value that `cached` stored for a key, or None."""
        return self._cache.find(key)

    def folder(self, key: str) -> Path:
        """Return a folder for checkpoints and weights, kept until the cache is cleared."""
        return self._cache.subfolder(key)

    def seed_for(self, *parts: str | int) -> int:
        """Derive a seed from `parts`, the experiment's id and the run's seed."""
        from ludus.arena.jobs import derive_seed

        return derive_seed(self.published.id, self.seed, *parts)

    def matches(
        self,
        game: str,
        first: str,
        second: str,
        games: int,
        *,
        rules: str = "",
        starter: "MatchStarter" = "alternate",
        key: str = "",
        compiled: bool = False,
        is_cached: bool = True,
    ) -> MatchTally:
        """Play games between two players and return the tally, in this order whichever side begins.

        Calls with equal arguments are the same match; `key` distinguishes them. The games are
        played by `jobs` processes, and each is stored when it ends. With `compiled` they are played
        in compiled code, thousands in a second, if both players have it.
        `is_cached=False` leaves caching the tally to an enclosing call of `cached`.
        """
        from ludus.reproduce.matches import Match, check_match, play_compiled, play_in_arena

        seed = self.seed_for(first, second, starter, key)
        match = Match(game, first, second, games, rules, starter, seed=seed)
        check_match(match)
        name = "match" if compiled else "games"

        def play() -> dict[str, Any]:
            found = play_compiled(match, self.jobs) if compiled else None
            if found is None:
                found = play_in_arena(match, self.pool, self.folder("games"), self.progress)
            return asdict(found)

        return MatchTally(**(self.cached(f"{name} {match.key}", play) if is_cached else play()))


def make_context(experiment: Experiment, cache_folder: Path, options: RunOptions) -> Context:
    """Return the context of a run; `cache_folder` is the folder of the cache of all runs."""
    published = experiment.published()
    name = _make_run_name(published, options.size or published.default_size, options.seed)
    cache = ResultCache(cache_folder / name)
    if options.ignore_cache:
        cache.clear()
    return Context(published, cache, options)


def run_experiment(
    experiment: Experiment, cache_folder: Path, options: RunOptions
) -> ExperimentResults:
    """Run an experiment or resume an interrupted run; `cache_folder` is the folder of the cache."""
    context = make_context(experiment, cache_folder, options)
    found = Findings()
    with context:
        try:
            for finding in experiment.run(context):
                found.add(finding)
                if isinstance(finding, Figure):
                    _check_draw_function(experiment, finding)
        except BadExperiment as error:
            raise BadExperiment(f"{experiment.id}: {error}") from error
        except LudusError as error:
            raise LudusError(f"{experiment.id}: {error}") from error
        except (BrokenPipeError, MemoryError):
            raise
        except Exception as error:
            raise experiment.make_error(error) from error
    return ExperimentResults(context.published, context.size, context.seed, found)


def _check_draw_function(experiment: Experiment, figure: Figure) -> None:
    """Check that the draw function is at top level, so that a later run finds it by name."""
    name = figure.draw.__name__
    if getattr(experiment.module(), name, None) is not figure.draw:
        raise BadExperiment(f"{name}, which draws {figure.name}, is not a top-level function")


def _make_run_name(published: PublishedTable, size: str, seed: int) -> str:
    """Return a folder name for everything that all cached values of a run depend on."""
    settings = {
        key: value for key, value in published.get_size_settings(size).items() if key != "cost"
    }
    text = json.dumps([size, seed, settings], sort_keys=True, default=str)
    digest = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
    return f"{published.id}-{size}-{seed}-{digest}"
