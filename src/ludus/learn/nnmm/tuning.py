"""Hyperparameter search with Optuna, in this process or on a Ray cluster (Galassi 2016, 6.1)."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ludus.core.errors import BadSpec
from ludus.core.executors import connect_to_ray
from ludus.core.spec import check_choice, check_ranges
from ludus.learn.common.devices import require_package, select_device
from ludus.learn.common.tuning import open_study
from ludus.learn.nnmm.config import ARCHITECTURES, NetworkConfig, Preset
from ludus.learn.nnmm.splits import Split

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
    from ludus.learn.nnmm.train import Diverged
    from ludus.learn.nnmm.train_chain import ChainTrainer

    run = ChainTrainer(preset, split, select_device(device, threads), None, [part])
    best = 0.0
    try:
        for _, epoch in run.run():
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


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """Parameters of a hyperparameter search."""

    base: Preset
    """Configuration of the first trial; fields that are not searched keep its values."""

    part: str = "TO"
    """The network that is trained."""

    trials: int = 30

    architectures: tuple[str, ...] = ("residual", "dense", "feedforward")
    """By default those of the thesis."""

    seed: int = 0

    def __post_init__(self) -> None:
        names = [step.name for step in self.base.steps]
        check_choice("there is no network", self.part, names)
        if not self.architectures:
            raise BadSpec("the search needs at least one architecture")
        for each in self.architectures:
            check_choice("there is no architecture", each, ARCHITECTURES)
        check_ranges(self, trials=(1, MAX_TRIALS))


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best configuration."""

    preset: Preset
    accuracy: float
    trials: int
    """Total number of trials."""


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


def suggest_preset(trial: Any, search: SearchConfig) -> Preset:
    """Return the base with the parameters that a trial suggests."""
    values = {"architecture": trial.suggest_categorical("architecture", search.architectures)}
    for name, choices in CATEGORICAL_CHOICES.items():
        values[name] = trial.suggest_categorical(name, choices)
    for name, span in NUMERIC_RANGES.items():
        values[name] = span.suggest(trial, name)
    if values["architecture"] != "residual":
        values["stochastic_depth"] = 0.0
    base = search.base
    shape = {field.name for field in fields(NetworkConfig)}
    design = {name: value for name, value in values.items() if name in shape}
    training = {name: value for name, value in values.items() if name not in shape}
    return replace(
        base,
        design=replace(base.design, **design),
        training=replace(base.training, **training),
        parts={},
    )


def search(
    config: SearchConfig,
    runner: "TrialRunner",
    study_file: Path | None = None,
    data: str = "",
    report: ProgressCallback = lambda done, best: None,
) -> SearchResult:
    """Search for the configuration with the best validation accuracy; a search with a file resumes.

    Optuna suggests configurations and prunes trials that are clearly worse than others at the same
    epoch. `data` identifies the dataset: accuracies on other data belong to another search.
    """
    import optuna

    study = _open_study(config, study_file, data)
    waiting: dict[int, optuna.Trial] = {}
    while (done := len(_finished_trials(study))) < config.trials:
        while len(waiting) < min(runner.max_parallel, config.trials - done):
            trial = study.ask()
            waiting[trial.number] = trial
            runner.submit(trial.number, suggest_preset(trial, config), trial)
        number, accuracy = runner.next_result()
        is_pruned = accuracy is None
        state = optuna.trial.TrialState.PRUNED if is_pruned else None
        study.tell(waiting.pop(number), accuracy, state=state)
        report(len(_finished_trials(study)), _best_accuracy(study))
    best = suggest_preset(optuna.trial.FixedTrial(study.best_trial.params), config)
    return SearchResult(best, study.best_value, len(_finished_trials(study)))


def _open_study(config: SearchConfig, file: Path | None, data: str) -> "optuna.Study":
    require_package("optuna", "the search")
    import optuna

    what = f"{config.seed} {data} {config.architectures} {config.base}"
    return open_study(
        f"{config.part} {zlib.crc32(what.encode()):08x}",
        file,
        _base_parameters(config),
        sampler=optuna.samplers.TPESampler(seed=config.seed),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=5, n_warmup_steps=2),
    )


def _base_parameters(config: SearchConfig) -> dict[str, Any]:
    """Return the base's parameters that lie in the search space, for the first trial."""
    base = {**config.base.design.as_dict(), **asdict(config.base.training)}
    choices = {"architecture": config.architectures, **CATEGORICAL_CHOICES}
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
