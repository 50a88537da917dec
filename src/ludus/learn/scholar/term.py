"""A term at school: lessons until the time is up, with the state kept on the way."""

import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from ludus.core.errors import LudusError
from ludus.learn.scholar.chain_training import ChainTraining
from ludus.learn.scholar.scorer_training import ScorerTraining
from ludus.learn.training_state import (
    BadState,
    adam_tensors,
    read_state,
    restore_adam,
    restore_network,
    write_state,
)

Training = ScorerTraining | ChainTraining


@dataclass(frozen=True)
class Term:
    """How long, and how fast."""

    seconds: float

    learning_rate: float = 0.002
    """At its height; it rises first and then falls to zero along a cosine until the end."""

    warmup: int = 300
    """Steps in which it rises."""

    report_seconds: float = 20.0
    """How often it is told how things stand."""

    keep_seconds: float = 120.0
    """How often the state is written."""

    def rate(self, seconds: float, steps: int) -> float:
        """The learning rate after so long."""
        rise = min(1.0, (steps + 1) / self.warmup)
        fall = 0.5 * (1 + math.cos(math.pi * min(1.0, seconds / self.seconds)))
        return self.learning_rate * rise * fall


@dataclass(frozen=True)
class Progress:
    """How a term stands."""

    seconds: float
    """Spent learning, interruptions left out."""

    steps: int
    examples: int
    """Positions learned from, counted as often as they were."""

    loss: float
    """Mean over the experts, of the latest step."""


class Attendance:
    """One training going through one term."""

    def __init__(self, training: Training, term: Term, file: Path | None = None) -> None:
        """`file` is where the state is kept; what is there is taken up."""
        self.training, self.term, self.file = training, term, file
        self.seconds = 0.0
        self.history: list[dict[str, Any]] = []
        """What was noted on the way."""

        if file is not None and file.exists():
            self._take_up(file)

    def run(self) -> Iterator[Progress]:
        """Learn to the end of the term, and tell now and then how it goes."""
        reported = kept = self.seconds
        while self.seconds < self.term.seconds:
            began = time.monotonic()
            rate = self.term.rate(self.seconds, self.training.pupil.steps)
            losses = self.training.step(rate)
            if self.training.pupil.steps % 16 == 0:
                _wait(losses)  # or a GPU would be asked for more than it has done
            self.seconds += time.monotonic() - began
            if self.seconds - reported >= self.term.report_seconds:
                reported = self.seconds
                yield self._progress(losses)
            if self.file is not None and self.seconds - kept >= self.term.keep_seconds:
                kept = self.seconds
                self.keep(self.file)

    def _progress(self, losses: torch.Tensor) -> Progress:
        loss = float(losses.mean())
        if not math.isfinite(loss):
            raise LudusError("the scholar diverged; a lower learning rate may help")
        steps = self.training.pupil.steps
        return Progress(self.seconds, steps, steps * self.training.examples_a_step, loss)

    def note(self, line: dict[str, Any]) -> None:
        """Keep something that should be known at the end, in spite of interruptions."""
        self.history.append(line)

    def keep(self, file: Path) -> None:
        """Write the state."""
        pupil = self.training.pupil
        about = {
            **self._identity(),
            "seconds": self.seconds,
            "steps": pupil.steps,
            "history": self.history,
        }
        parts = {
            "networks": pupil.networks.state_dict(),
            "averaged": pupil.averaged.state_dict(),
            "adam": adam_tensors(pupil.adam),
        }
        write_state(file, about, parts)

    def _identity(self) -> dict[str, Any]:
        """What must be the same for a state to be taken up."""
        kind = type(self.training).__name__
        return {"kind": kind, "course": asdict(self.training.course)}

    def _take_up(self, file: Path) -> None:
        about, parts = read_state(file)
        identity = self._identity()
        if {key: about.get(key) for key in identity} != _as_json(identity):
            raise BadState(f"{file.name!r} belongs to another training; name another file")
        pupil = self.training.pupil
        try:
            restore_network(pupil.networks, parts["networks"])
            restore_network(pupil.averaged, parts["averaged"])
            restore_adam(pupil.adam, parts["adam"])
            self.seconds, pupil.steps = float(about["seconds"]), int(about["steps"])
            self.history = list(about["history"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadState(f"{file.name!r} holds no whole training: {error!r}") from error


def _wait(losses: torch.Tensor) -> None:
    if losses.is_cuda:
        torch.cuda.synchronize(losses.device)


def _as_json(identity: dict[str, Any]) -> dict[str, Any]:
    """As it comes back out of a file, where tuples are lists."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        return [plain(each) for each in value] if isinstance(value, list | tuple) else value

    found: dict[str, Any] = plain(identity)
    return found
