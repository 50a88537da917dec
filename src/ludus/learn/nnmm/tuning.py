"""Hyperparameter search with Optuna, in this process or on a Ray cluster (Galassi 2016, 6.1)."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import Field

from ludus.core.errors import LudusError
from ludus.core.executors import connect_to_ray
from ludus.core.extras import require_package
from ludus.core.files import quote_path
from ludus.core.spec import check_choice
from ludus.learn.config import select_device
from ludus.learn.nnmm.config import Architecture, Preset, PresetConfig
from ludus.learn.nnmm.data import Split, compute_fingerprint, read_entries, split_entries
from ludus.learn.training import Diverged
from ludus.learn.tuning import open_study

if TYPE_CHECKING:
    import optuna

PruningCallback = Callable[[int, float], bool]
"""Takes an epoch and its accuracy; returns whether to prune the trial."""


class TrialRunner(Protocol):
    """Runs trials and returns their results in any order."""

    max_parallel: int
    """The best number of concurrent trials."""

    def submit(self, number: int, preset: Preset, trial: Any) -> None: ...
    def next_result(self) -> tuple[int, float | None]:
        """Return the number of a trial and its accuracy; None if it was pruned."""

    def close(self) -> None:
        """Release resources."""


def train_trial(
    preset: Preset,
    part: str,
    split: Split,
    device: str,
    threads: int = 0,
    should_prune: PruningCallback | None = None,
) -> float | None:
    """Return the best validation accuracy of a network; 0 if it diverges, None if pruned."""
    from ludus.learn.nnmm.chain_trainer import NetworkChainTrainer

    run = NetworkChainTrainer(preset, split, select_device(device, threads), [part])
    best = 0.0
    try:
        for _, epoch in run.epochs():
            best = max(best, epoch.accuracy)
            if should_prune is not None and should_prune(epoch.number, epoch.accuracy):
                return None
    except Diverged:
        return 0.0
    return best


class LocalTrialRunner:
    """Runs one trial at a time in this process."""

    max_parallel = 1

    def __init__(self, part: str, split: Split, device: str, threads: int = 0) -> None:
        self._what = part, split, device, threads
        self._next: tuple[int, Preset, Any] | None = None

    def submit(self, number: int, preset: Preset, trial: Any) -> None:
        self._next = number, preset, trial

    def next_result(self) -> tuple[int, float | None]:
        assert self._next is not None
        number, preset, trial = self._next

        def is_hopeless(epoch: int, accuracy: float) -> bool:
            trial.report(accuracy, epoch)
            return bool(trial.should_prune())

        return number, train_trial(preset, *self._what, is_hopeless)

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


class RayTrialRunner:
    """Runs trials on a Ray cluster, given its address or `auto`; the data is sent there once.

    Trials are not pruned: they end at about the same time anyway.
    """

    def __init__(self, address: str, part: str, split: Split, device: str, cores: int = 1) -> None:
        self._ray = ray = connect_to_ray(address)
        resources = ray.cluster_resources()
        is_gpu = device == "cuda" or (device == "auto" and "GPU" in resources)
        self.max_parallel = max(
            int(resources.get("GPU", 0) if is_gpu else resources["CPU"] / cores), 1
        )
        self._task = ray.remote(num_cpus=cores, num_gpus=1 if is_gpu else 0)(train_trial)
        self._what = part, ray.put(split), "cuda" if is_gpu else "cpu", cores
        self._numbers: dict[Any, int] = {}

    def submit(self, number: int, preset: Preset, trial: Any) -> None:
        self._numbers[self._task.remote(preset, *self._what)] = number

    def next_result(self) -> tuple[int, float | None]:
        (ready, *_), _ = self._ray.wait(list(self._numbers))
        return self._numbers.pop(ready), self._ray.get(ready)

    def close(self) -> None:
        """Disconnect from the cluster, which keeps running."""
        self._ray.shutdown()


MAX_TRIALS = 1_000_000

ProgressCallback = Callable[[int, float], None]
"""Takes the number of finished trials and the best accuracy so far."""


class SearchConfig(PresetConfig):
    """Configuration of a hyperparameter search.

    The preset is the first trial; fields that are not searched keep its values.
    """

    preset: str = "quick"
    """Name of the first configuration."""

    part: str = "TO"
    """The network that is trained."""

    trials: int = Field(30, ge=1, le=MAX_TRIALS)
    """Configurations to try."""

    architectures: tuple[Architecture, ...] = Field(
        ("residual", "dense", "feedforward"), min_length=1
    )
    """Architectures to try, by default those of the thesis."""


@dataclass(frozen=True, slots=True)
class TuningResult:
    """The best configuration."""

    preset: Preset
    accuracy: float
    trials: int
    """Total number of trials."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON has it."""
        return {
            "trials": self.trials,
            "accuracy": self.accuracy,
            "design": self.preset.design.model_dump(mode="json"),
            "training": self.preset.training.model_dump(mode="json"),
        }


@dataclass(frozen=True, slots=True)
class SearchRange:
    """The range of a numeric field."""

    low: float
    high: float
    is_log: bool = False
    step: int = 0
    """Distance between whole numbers; 0: any number."""

    def __contains__(self, number: Any) -> bool:
        if isinstance(number, list) or not self.low <= number <= self.high:
            return False
        return not self.step or (number - self.low) % self.step == 0

    def suggest(self, trial: Any, name: str) -> float:
        if self.step:
            low, high = int(self.low), int(self.high)
            found: int = trial.suggest_int(name, low, high, step=self.step, log=self.is_log)
            return found
        number = trial.suggest_float(name, self.low, self.high, log=self.is_log)
        # Accuracy does not depend on more than three digits; but 0.9996 must not become 1.
        return min(max(float(f"{number:.3g}"), self.low), self.high)


CATEGORICAL_CHOICES: Mapping[str, tuple[Any, ...]] = {
    "batch_normalisation": (False, True),
    "annealing": ("step", "exponential", "proportional", "cosine"),
    "penalty": ("none", "L1", "L2"),
}

NUMERIC_RANGES: Mapping[str, SearchRange] = {
    "first": SearchRange(50, 500, step=50),
    "units": SearchRange(50, 500, step=50),
    "blocks": SearchRange(1, 12, step=1),
    "dropout": SearchRange(0, 0.5),
    "input_dropout": SearchRange(0, 0.3),
    "stochastic_depth": SearchRange(0, 0.5),
    "learning_rate": SearchRange(1e-4, 1e-2, is_log=True),
    "b1": SearchRange(0.8, 0.99),
    "b2": SearchRange(0.98, 0.9999),
    "k": SearchRange(0.01, 1, is_log=True),
    "batch": SearchRange(250, 20_000, is_log=True, step=1),
    "penalty_weight": SearchRange(1e-7, 1e-3, is_log=True),
    "weight_decay": SearchRange(1e-4, 1, is_log=True),
    "block_scale": SearchRange(0, 1),
}
"""The parameters of sections 5.2, 5.4 and 7.1."""


def suggest_preset(trial: Any, base: Preset, architectures: Sequence[str]) -> Preset:
    """Return the base with the parameters that a trial suggests, for all networks."""
    values = {"architecture": trial.suggest_categorical("architecture", list(architectures))}
    for name, choices in CATEGORICAL_CHOICES.items():
        values[name] = trial.suggest_categorical(name, choices)
    for name, span in NUMERIC_RANGES.items():
        values[name] = span.suggest(trial, name)
    if values["architecture"] != "residual":
        values["stochastic_depth"] = 0.0
    return base.replace(parts={}).with_changes(**values)


def tune_network(
    config: SearchConfig,
    study: Path | None = None,
    cluster: str = "",
    report: ProgressCallback = lambda done, best: None,
) -> TuningResult:
    """Search for the configuration of a network with the best validation accuracy.

    A search with a file `study` resumes. Trials run in this process, or on a Ray cluster at an
    address.
    """
    if study is not None and not study.parent.is_dir():
        raise LudusError(f"there is no folder for {quote_path(study)}")
    base, part, device = config.make_preset(), config.part, config.device
    settings = base.training
    entries = read_entries(config.data, config.limit_entries)
    split = split_entries(entries, settings.split, settings.expansion, settings.seed)
    runner = (
        RayTrialRunner(cluster, part, split, device, config.threads or 1)
        if cluster
        else LocalTrialRunner(part, split, device, config.threads)
    )
    with closing(runner):
        return search(config, base, runner, study, compute_fingerprint(entries), report)


def search(
    config: SearchConfig,
    base: Preset,
    runner: "TrialRunner",
    study_file: Path | None = None,
    data: str = "",
    report: ProgressCallback = lambda done, best: None,
) -> TuningResult:
    """Search from a base; a search with a file resumes.

    Optuna suggests configurations and prunes trials that are clearly worse than others at the same
    epoch. `data` identifies the dataset: accuracies on other data belong to another search.
    """
    check_choice("there is no network", config.part, [step.name for step in base.steps])
    study = _open_study(config, base, study_file, data)
    import optuna

    waiting: dict[int, optuna.Trial] = {}
    while (done := len(_finished_trials(study))) < config.trials:
        while len(waiting) < min(runner.max_parallel, config.trials - done):
            trial = study.ask()
            waiting[trial.number] = trial
            preset = suggest_preset(trial, base, config.architectures)
            runner.submit(trial.number, preset, trial)
        number, accuracy = runner.next_result()
        is_pruned = accuracy is None
        state = optuna.trial.TrialState.PRUNED if is_pruned else None
        study.tell(waiting.pop(number), accuracy, state=state)
        report(len(_finished_trials(study)), _best_accuracy(study))
    best_trial = optuna.trial.FixedTrial(study.best_trial.params)
    best = suggest_preset(best_trial, base, config.architectures)
    return TuningResult(best, study.best_value, len(_finished_trials(study)))


def _open_study(config: SearchConfig, base: Preset, file: Path | None, data: str) -> "optuna.Study":
    require_package("optuna", "the search")
    import optuna

    what = f"{config.seed} {data} {config.architectures} {base}"
    return open_study(
        f"{config.part} {zlib.crc32(what.encode()):08x}",
        file,
        _base_parameters(base, config.architectures),
        sampler=optuna.samplers.TPESampler(seed=config.seed),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=2),
    )


def _base_parameters(preset: Preset, architectures: Sequence[str]) -> dict[str, Any]:
    """Return the base's parameters that lie in the search space, for the first trial."""
    base = {**preset.design.model_dump(mode="json"), **preset.training.model_dump()}
    choices = {"architecture": tuple(architectures), **CATEGORICAL_CHOICES}
    chosen = {name: base[name] for name, known in choices.items() if base[name] in known}
    numbers = {name: base[name] for name, span in NUMERIC_RANGES.items() if base[name] in span}
    return {**chosen, **numbers}


def _finished_trials(study: "optuna.Study") -> list["optuna.trial.FrozenTrial"]:
    """Return the completed and pruned trials; interrupted ones do not count."""
    import optuna

    over = (optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED)
    return study.get_trials(deepcopy=False, states=over)


def _best_accuracy(study: "optuna.Study") -> float:
    values = [trial.value for trial in _finished_trials(study) if trial.value is not None]
    return max(values, default=0.0)
