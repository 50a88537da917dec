"""Showing how the training of networks goes: a bar in a terminal, lines elsewhere."""

import sys
import time
from typing import TYPE_CHECKING

from ludus.cli.output import console

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ludus.learn.nnmm.training import Epoch, NetworkTraining

    Told = tuple[NetworkTraining, Epoch]

SECONDS_A_LINE = 1.0


def told(epochs: "Iterable[Told]", num_networks: int) -> "Iterator[Told]":
    """The epochs of trainings, shown on standard error as they come."""
    return _with_bar(epochs, num_networks) if sys.stderr.isatty() else _with_lines(epochs)


def _with_lines(epochs: "Iterable[Told]") -> "Iterator[Told]":
    """At most one line a second, and always one for the last epoch of a network."""
    begun = time.monotonic()
    shown = begun - SECONDS_A_LINE
    for network, epoch in epochs:
        now = time.monotonic()
        if network.is_over or now - shown >= SECONDS_A_LINE:
            shown = now
            print(f"{now - begun:7.1f} s  {line(network, epoch)}", file=sys.stderr, flush=True)
        yield network, epoch


def line(network: "NetworkTraining", epoch: "Epoch") -> str:
    """How a training stands."""
    return (
        f"{network.name}  epoch {epoch.number}  loss {epoch.loss:.4f}"
        f"  validation {epoch.accuracy:.2%}"
        f"  best {network.best_accuracy:.2%} in epoch {network.best_epoch}"
    )


def _with_bar(epochs: "Iterable[Told]", num_networks: int) -> "Iterator[Told]":
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bars:
        task = bars.add_task("preparing", total=float(num_networks))
        done = 0
        for network, epoch in epochs:
            share = 1.0 if network.is_over else progress(network, epoch)
            bars.update(task, description=line(network, epoch), completed=done + share)
            done += network.is_over
            yield network, epoch


def progress(network: "NetworkTraining", epoch: "Epoch") -> float:
    """How much of a network's training is over; early stopping may end it before."""
    settings = network.training
    by_time = epoch.seconds / settings.seconds if settings.seconds else 0.0
    return min(max(epoch.number / settings.epochs, by_time), 1.0)
