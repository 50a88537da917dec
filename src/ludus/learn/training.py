"""Training: what a learner does in a step, and the loop that runs it.

A `Training` makes steps, gives its state and loads it. `fit` runs it to the end or for a while:
checkpoints, exact resuming, curves, progress and the limit of time are here and nowhere else.
`train` is all that from the name of a learner to a file of weights.
"""

import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ludus.core.errors import BadSpec, LudusError
from ludus.core.extras import EXTRAS, require_package
from ludus.core.files import add_suffix, check_output, make_folder, write_text
from ludus.core.runs import RunUpdater, announce_run
from ludus.core.spec import parse_spec
from ludus.learn.checkpoint import (
    TrainingState,
    load_checkpoint,
    report_incomplete_state,
    save_checkpoint,
)
from ludus.learn.config import TrainingConfig
from ludus.learn.curves import Curves

ConfigT = TypeVar("ConfigT", bound=TrainingConfig)

MAX_WRITING_FRACTION = 0.05
"""Maximum proportion of the time for writing checkpoints, except at the end."""

MIN_CHECKPOINT_SECONDS = 1.0

CHECKPOINT_SUFFIX = ".training"
"""Added to the name of the file of weights for that of the checkpoint."""


class Weights(Protocol):
    """What a training has learned."""

    def save(self, path: Path, /) -> None:
        """Write it to a file, from which a player plays."""


class Clock:
    """Time spent in the steps of a training, in all its sessions."""

    def __init__(self, seconds: float = 0.0) -> None:
        self._before, self._began = seconds, math.nan

    @property
    def seconds(self) -> float:
        """Seconds so far, those of the step in progress included."""
        running = 0.0 if math.isnan(self._began) else time.monotonic() - self._began
        return self._before + running

    @contextmanager
    def run(self) -> Iterator[None]:
        """Count the time of the block."""
        self._began = time.monotonic()
        try:
            yield
        finally:
            self._before, self._began = self.seconds, math.nan


@dataclass(frozen=True)
class LearnedValues:
    """What a training has learned, as JSON has it."""

    values: Mapping[str, Any]

    def save(self, path: Path, /) -> None:
        """Write it to a file."""
        write_text(path, json.dumps(self.values))


class Training(ABC, Generic[ConfigT]):
    """A learner in training. Subclasses name their `Config` and are built from one.

    A step is what is not worth interrupting: a batch, an epoch, a game. After `load` of what
    `state` returned, the same steps follow as without an interruption. A learner that keeps all it
    has learned in `learned` needs no more than `step`.
    """

    Config: ClassVar[type[TrainingConfig]] = TrainingConfig
    """The class of its configuration."""

    title: str = ""
    """What is trained, for logs and the page: `menace hexapawn`."""

    data: str = ""
    """Fingerprint of the data; a checkpoint with other data is rejected."""

    max_steps: float = math.inf
    max_seconds: float = math.inf
    """Training ends after this number of steps or this time."""

    num_points: ClassVar[int] = 400
    """Points of a curve: how often metrics are asked for in a whole training."""

    def __init__(self, config: ConfigT) -> None:
        self.config = config
        self.title = self.title or type(self).__name__
        self.run = TrainingRun()
        """Steps, time and curves so far, kept by `fit`."""

        self.learned: dict[str, Any] = {}
        """What has been learned, as JSON has it, unless `state`, `load` and `export` say more."""

    @abstractmethod
    def step(self, clock: Clock) -> None:
        """Make one step; what depends on time reads the clock."""

    def state(self) -> TrainingState:
        """Return all that the next step depends on."""
        return TrainingState(self.learned)

    def load(self, state: TrainingState) -> None:
        """Take over a state of the same training."""
        self.learned = dict(state.facts)

    def export(self) -> Weights:
        """Return what has been learned."""
        return LearnedValues(self.learned)

    def prepare(self) -> None:
        """Make ready for the first step, before the clock runs; `load` makes ready for others."""

    def init_from(self, file: Path) -> None:
        """Begin with existing weights; raise BadSpec if this learner has none."""
        raise BadSpec(f"{type(self).__name__} cannot begin from existing weights")

    @property
    def is_finished(self) -> bool:
        """Whether training is over before its limits, for example by early stopping."""
        return False

    @property
    def fraction(self) -> float:
        """How much of the training is done, from 0 to 1: by steps or by time, whichever is more."""
        steps = self.run.steps / self.max_steps if self.max_steps else 1.0
        return min(max(steps, self.run.seconds / self.max_seconds), 1.0)

    @property
    def run_name(self) -> str:
        """Name of the curves that the next points belong to."""
        return self.title

    def metrics(self) -> dict[str, float]:
        """Return measures of the steps since the last call, by the names of curves."""
        return {}

    def report(self) -> dict[str, Any]:
        """Return facts about the training, as JSON has them, beside those of `fit`."""
        return {}

    def describe(self, report: Mapping[str, Any]) -> str:
        """Return the report as people read it."""
        return f"{self.title}: {report['steps']} steps in {report['seconds']:.0f} s"

    def close(self) -> None:
        """End threads and processes; called when `fit` ends."""


@dataclass(frozen=True)
class TrainingProgress:
    """How far a training is."""

    steps: int
    seconds: float

    fraction: float
    """From 0 to 1, by steps or by time."""

    metrics: Mapping[str, float]

    run_name: str = ""
    """What is being trained, if a training has several runs."""


@dataclass
class TrainingRun:
    """Steps and time of a training, with the points of its curves."""

    steps: int = 0
    seconds: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)
    """Steps, seconds and metrics of every point."""

    resumed_after: int = 0
    """Number of steps of earlier sessions."""

    is_finished: bool = False


OnProgress = Callable[[TrainingProgress], None]


def fit(
    training: Training[Any],
    *,
    checkpoint: Path | None = None,
    seconds: float = math.inf,
    steps: float = math.inf,
    log: Path | None = None,
    on_progress: OnProgress = lambda progress: None,
) -> TrainingRun:
    """Train to the end, or for this time or number of steps; resume from an existing checkpoint.

    Curves are written to the folder `log`, where the page finds them.
    """
    run, state = training.run, None
    identity = {
        "training": f"{type(training).__module__}:{type(training).__qualname__}",
        "config": training.config.identity(),
        "data": training.data,
    }
    if checkpoint is not None and checkpoint.exists():
        state = load_checkpoint(checkpoint, identity)
        with report_incomplete_state(checkpoint):
            fields = state.facts["run"]
            run = training.run = TrainingRun(**fields, resumed_after=fields["steps"])
            training.load(TrainingState(state.facts["training"], state.arrays))
    else:
        training.prepare()
    clock = Clock(run.seconds)

    def save() -> None:
        if checkpoint is not None:
            found = training.state()
            about = {"steps": run.steps, "seconds": run.seconds, "history": run.history}
            facts = {"run": about, "training": found.facts}
            save_checkpoint(checkpoint, identity, TrainingState(facts, found.arrays))

    with ExitStack() as stack:
        stack.callback(training.close)
        curves = None if log is None else stack.enter_context(Curves(make_folder(log)))
        announced = (
            None
            if log is None
            else stack.enter_context(announce_run("training", training.title, log))
        )
        end, last_step = run.seconds + seconds, run.steps + steps
        saved, writing_seconds = time.monotonic(), 0.0
        shown = training.fraction
        while not _is_over(training, run) and run.seconds < end and run.steps < last_step:
            with clock.run():
                training.step(clock)
            run.steps, run.seconds = run.steps + 1, clock.seconds
            fraction = training.fraction
            is_due = int(fraction * training.num_points) > int(shown * training.num_points)
            if is_due or _is_over(training, run):
                shown = fraction
                _add_point(training, run, fraction, curves, announced, on_progress)
            elapsed = time.monotonic() - saved
            if elapsed >= max(MIN_CHECKPOINT_SECONDS, writing_seconds / MAX_WRITING_FRACTION):
                began = time.monotonic()
                save()
                saved = time.monotonic()
                writing_seconds = saved - began
        run.is_finished = _is_over(training, run)
        save()
    return run


def _is_over(training: Training[Any], run: TrainingRun) -> bool:
    return (
        training.is_finished
        or run.steps >= training.max_steps
        or run.seconds >= training.max_seconds
    )


def _add_point(
    training: Training[Any],
    run: TrainingRun,
    fraction: float,
    curves: Curves | None,
    announced: RunUpdater | None,
    on_progress: OnProgress,
) -> None:
    metrics = training.metrics()
    if not all(map(math.isfinite, metrics.values())):
        raise Diverged(f"{training.title} diverged; a lower learning rate may help")
    run.history.append({"steps": run.steps, "seconds": run.seconds, **metrics})
    if curves is not None and announced is not None:
        curves.add(training.run_name, run.steps, metrics)
        total = int(training.max_steps) if math.isfinite(training.max_steps) else 0
        announced.update(run.steps, total)
    progress = TrainingProgress(run.steps, run.seconds, fraction, metrics, training.run_name)
    on_progress(progress)


class Diverged(LudusError):
    """A metric is not finite."""


@dataclass(frozen=True)
class TrainingResult:
    """What `train` returns."""

    weights: Weights
    run: TrainingRun
    report: Mapping[str, Any]
    description: str = ""
    """The report as people read it."""

    def __str__(self) -> str:
        return self.description

    def __repr__(self) -> str:
        first = self.description.partition("\n")[0]
        return f"<TrainingResult: {first or f'{self.run.steps} steps'}>"


def train(
    learner: str | type[Training[Any]],
    config: TrainingConfig | None = None,
    *,
    out: Path | str | None = None,
    init_from: Path | str | None = None,
    seconds: float = math.inf,
    log: Path | str | None = None,
    force: bool = False,
    on_progress: OnProgress = lambda progress: None,
    **options: Any,
) -> TrainingResult:
    """Train a learner and return its weights, which are written to `out` if it is named.

    `learner` is a name of `ludus.LEARNERS`, a class of Training, or `module:Class`; its options are
    given as a `config` or by name. The same call resumes an interrupted training from the file
    `<out>.training`, which the end of the training deletes. `init_from` begins with the weights of
    a file. `seconds` limits this session: the same call goes on later.

    >>> found = train("menace", game="noughts_and_crosses", games=20)
    >>> found.report["cumulative_regret"] > 0
    True
    """
    kind = find_training(learner) if isinstance(learner, str) else learner
    if config is None:
        config = kind.Config.parse(options, learner if isinstance(learner, str) else kind.__name__)
    elif options:
        config = config.replace(**options)
    path, checkpoint = None, None
    if out is not None:
        path = Path(out)
        inputs = [*config.list_files(), *([] if init_from is None else [Path(init_from)])]
        check_output(path, *inputs, force=force)
        checkpoint = add_suffix(path, CHECKPOINT_SUFFIX)
    training = kind(config)
    if init_from is not None:
        training.init_from(Path(init_from))
    run = fit(
        training,
        checkpoint=checkpoint,
        seconds=seconds,
        log=None if log is None else Path(log),
        on_progress=on_progress,
    )
    weights = training.export()
    report = {
        "steps": run.steps,
        "seconds": round(run.seconds, 3),
        "resumed_after": run.resumed_after,
        "finished": run.is_finished,
        "out": None if path is None else str(path),
        **training.report(),
    }
    if path is not None and checkpoint is not None and run.is_finished:
        weights.save(path)
        checkpoint.unlink(missing_ok=True)
    return TrainingResult(weights, run, report, training.describe(report))


def find_training(spec: str) -> type[Training[Any]]:
    """Return the training of a learner by its name or as `module:Class`."""
    from ludus.learn import LEARNERS

    try:
        found, flags = LEARNERS.find_class(parse_spec(spec), Training)
    except ModuleNotFoundError as error:
        if error.name in EXTRAS:
            require_package(error.name, f"training {spec}")
        raise
    if flags:
        raise BadSpec(f"{flags[0]!r} in {spec!r} is not the name of a learner")
    return found
