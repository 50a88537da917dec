"""Who trains the networks that a search proposes: this process, or a Ray cluster."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from ludus.core.errors import LudusError, quoted
from ludus.learn.nnmm.preset import Preset
from ludus.learn.nnmm.splits import Split

Judge = Callable[[int, float], bool]
"""Told the epoch and its accuracy; whether the training should be broken off."""


class Workers(Protocol):
    """Take trials and give back what came out, in whatever order."""

    width: int
    """How many trials are best under way at once."""

    def give(self, number: int, preset: Preset, trial: Any) -> None: ...
    def result(self) -> tuple[int, float | None]:
        """The number of a trial and its accuracy; None if it was broken off."""

    def close(self) -> None:
        """Let go of what is held."""


def accuracy_of(
    preset: Preset,
    part: str,
    split: Split,
    device: str,
    threads: int = 0,
    judge: Judge | None = None,
) -> float | None:
    """The best validation accuracy of one network; 0 if it diverges, None if it is broken off."""
    from ludus.learn.devices import device_named
    from ludus.learn.nnmm.chain_training import ChainTraining
    from ludus.learn.nnmm.training import Diverged

    run = ChainTraining(preset, split, device_named(device, threads), None, [part])
    best = 0.0
    try:
        for _, epoch in run.run():
            best = max(best, epoch.accuracy)
            if judge is not None and judge(epoch.number, epoch.accuracy):
                return None
    except Diverged:
        return 0.0
    return best


class ThisProcess:
    """One trial at a time, here."""

    width = 1

    def __init__(self, part: str, split: Split, device: str, threads: int = 0) -> None:
        self._what = part, split, device, threads
        self._next: tuple[int, Preset, Any] | None = None

    def give(self, number: int, preset: Preset, trial: Any) -> None:
        self._next = number, preset, trial

    def result(self) -> tuple[int, float | None]:
        assert self._next is not None
        number, preset, trial = self._next

        def is_hopeless(epoch: int, accuracy: float) -> bool:
            trial.report(accuracy, epoch)
            return bool(trial.should_prune())

        return number, accuracy_of(preset, *self._what, is_hopeless)

    def close(self) -> None:
        """There is nothing to let go of."""


class RayTrials:
    """Trials on a Ray cluster, by its address or `auto`; the data is sent there once.

    Trials are not broken off: they end at about the same time anyway.
    """

    def __init__(self, address: str, part: str, split: Split, device: str, cores: int = 1) -> None:
        try:
            ray: Any = import_module("ray")
        except ImportError:
            raise LudusError("a cluster needs Ray: pip install 'ludus[cluster]'") from None
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except Exception as error:  # Ray raises many kinds, and they say little to a user
            detail = " ".join(str(error).split())
            raise LudusError(f"there is no Ray cluster at {quoted(address)}: {detail}") from error
        self._ray = ray
        resources = ray.cluster_resources()
        is_gpu = device == "cuda" or (device == "auto" and "GPU" in resources)
        self.width = max(int(resources.get("GPU", 0) if is_gpu else resources["CPU"] / cores), 1)
        self._task = ray.remote(num_cpus=cores, num_gpus=1 if is_gpu else 0)(accuracy_of)
        self._what = part, ray.put(split), "cuda" if is_gpu else "cpu", cores
        self._numbers: dict[Any, int] = {}

    def give(self, number: int, preset: Preset, trial: Any) -> None:
        self._numbers[self._task.remote(preset, *self._what)] = number

    def result(self) -> tuple[int, float | None]:
        (ready, *_), _ = self._ray.wait(list(self._numbers))
        return self._numbers.pop(ready), self._ray.get(ready)

    def close(self) -> None:
        """Leave the cluster; it goes on."""
        self._ray.shutdown()
