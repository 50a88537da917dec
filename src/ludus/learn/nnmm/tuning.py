"""A search over networks and trainings for those that answer best (thesis 6.1, `ludus tune nnmm`).

Optuna proposes, a training on the data decides: by its best validation accuracy. A training that is
clearly worse than others were at the same epoch is broken off.
"""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.core.errors import BadSpec, LudusError, UnknownName, quoted
from ludus.core.spec import suggestion
from ludus.learn.nnmm.design import ARCHITECTURES, Design
from ludus.learn.nnmm.preset import Preset

if TYPE_CHECKING:
    import optuna

    from ludus.learn.nnmm.tuning_workers import Workers

MAX_TRIALS = 1_000_000

Report = Callable[[int, float], None]
"""Told how many trials are done, and the best accuracy so far."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for."""

    base: Preset
    """Whatever is not searched is as here; what is, begins here."""

    part: str = "TO"
    """The network that is trained."""

    trials: int = 30

    architectures: tuple[str, ...] = ("residual", "dense", "feedforward")
    """Those of the thesis, if nothing is said."""

    seed: int = 0

    def __post_init__(self) -> None:
        names = [step.name for step in self.base.steps]
        if self.part not in names:
            hint = suggestion(self.part, names)
            raise UnknownName(f"there is no network {quoted(self.part)}{hint}")
        for each in self.architectures:
            if each not in ARCHITECTURES:
                hint = suggestion(each, ARCHITECTURES)
                raise UnknownName(f"there is no architecture {quoted(each)}{hint}")
        if not self.architectures or not 1 <= self.trials <= MAX_TRIALS:
            raise BadSpec(f"trials={self.trials} must be from 1 to {MAX_TRIALS}")


@dataclass(frozen=True, slots=True)
class Found:
    """The best configuration."""

    preset: Preset
    accuracy: float
    trials: int
    """How many were made in all."""


@dataclass(frozen=True, slots=True)
class Span:
    """The numbers a field may take."""

    least: float
    most: float
    is_log: bool = False
    step: int = 0
    """Whole numbers so far apart; 0: any number."""

    def __contains__(self, number: Any) -> bool:
        if isinstance(number, list) or not self.least <= number <= self.most:
            return False
        return not self.step or (number - self.least) % self.step == 0

    def suggested(self, trial: Any, name: str) -> float:
        if self.step:
            least, most = int(self.least), int(self.most)
            found: int = trial.suggest_int(name, least, most, step=self.step, log=self.is_log)
            return found
        number = trial.suggest_float(name, self.least, self.most, log=self.is_log)
        # Three digits are more than accuracy shows; but 0.9996 must not become 1.
        return min(max(float(f"{number:.3g}"), self.least), self.most)


CHOICES: Mapping[str, tuple[Any, ...]] = {
    "batch_normalisation": (False, True),
    "annealing": ("step", "exponential", "proportional", "cosine"),
    "penalty": ("none", "L1", "L2"),
}

SPANS: Mapping[str, Span] = {
    "first": Span(50, 500, step=50),
    "units": Span(50, 500, step=50),
    "blocks": Span(1, 12, step=1),
    "dropout": Span(0, 0.5),
    "input_dropout": Span(0, 0.3),
    "stochastic_depth": Span(0, 0.5),
    "learning_rate": Span(1e-4, 1e-2, is_log=True),
    "b1": Span(0.8, 0.99),
    "b2": Span(0.98, 0.9999),
    "k": Span(0.01, 1, is_log=True),
    "batch": Span(250, 20_000, is_log=True, step=1),
    "penalty_weight": Span(1e-7, 1e-3, is_log=True),
    "weight_decay": Span(1e-4, 1, is_log=True),
    "block_scale": Span(0, 1),
}
"""The parameters of sections 5.2 and 5.4, and of 7.1."""


def suggested(trial: Any, search: Search) -> Preset:
    """What a trial makes of the base."""
    values = {"architecture": trial.suggest_categorical("architecture", search.architectures)}
    for name, choices in CHOICES.items():
        values[name] = trial.suggest_categorical(name, choices)
    for name, span in SPANS.items():
        values[name] = span.suggested(trial, name)
    if values["architecture"] != "residual":
        values["stochastic_depth"] = 0.0
    base = search.base
    shape = {field.name for field in fields(Design)}
    design = {name: value for name, value in values.items() if name in shape}
    training = {name: value for name, value in values.items() if name not in shape}
    return replace(
        base,
        design=replace(base.design, **design),
        training=replace(base.training, **training),
        parts={},
    )


def search(
    plan: Search,
    workers: "Workers",
    study_file: Path | None = None,
    data: str = "",
    report: Report = lambda done, best: None,
) -> Found:
    """The best configuration of a search; one with a file goes on where it stopped.

    `data` names what is trained on: accuracies on other data are another search.
    """
    import optuna

    study = _study(plan, study_file, data)
    waiting: dict[int, optuna.Trial] = {}
    while (done := len(_finished(study))) < plan.trials:
        while len(waiting) < min(workers.width, plan.trials - done):
            trial = study.ask()
            waiting[trial.number] = trial
            workers.give(trial.number, suggested(trial, plan), trial)
        number, accuracy = workers.result()
        is_pruned = accuracy is None
        state = optuna.trial.TrialState.PRUNED if is_pruned else None
        study.tell(waiting.pop(number), accuracy, state=state)
        report(len(_finished(study)), _best(study))
    best = suggested(optuna.trial.FixedTrial(study.best_trial.params), plan)
    return Found(best, study.best_value, len(_finished(study)))


def _study(plan: Search, file: Path | None, data: str) -> "optuna.Study":
    try:
        import optuna
    except ImportError:
        raise LudusError("the search needs optuna: pip install 'ludus[learn]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    what = f"{plan.seed} {data} {plan.architectures} {plan.base}"
    try:
        study = optuna.create_study(
            storage=None if file is None else f"sqlite:///{file}",
            study_name=f"{plan.part} {zlib.crc32(what.encode()):08x}",
            load_if_exists=True,
            direction="maximize",
            sampler=optuna.samplers.TPESampler(seed=plan.seed),
            pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=2),
        )
    except Exception as error:  # whatever the database and its driver make of the file
        reason = " ".join(str(error).split())[:120]
        raise LudusError(f"{quoted(str(file), 200)} cannot keep a search: {reason}") from error
    if not study.trials:
        study.enqueue_trial(_begin(plan))
    return study


def _begin(plan: Search) -> dict[str, Any]:
    """The first trial: what the base says, where that lies in the space."""
    base = {**plan.base.design.as_dict(), **asdict(plan.base.training)}
    choices = {"architecture": plan.architectures, **CHOICES}
    chosen = {name: base[name] for name, known in choices.items() if base[name] in known}
    numbers = {name: base[name] for name, span in SPANS.items() if base[name] in span}
    return {**chosen, **numbers}


def _finished(study: "optuna.Study") -> list["optuna.trial.FrozenTrial"]:
    """The trials that came to an end; one that was interrupted counts for nothing."""
    import optuna

    over = (optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED)
    return study.get_trials(deepcopy=False, states=over)


def _best(study: "optuna.Study") -> float:
    values = [trial.value for trial in _finished(study) if trial.value is not None]
    return max(values, default=0.0)
