"""Work that is the same every time, given to a GPU as one command instead of thousands."""

from collections.abc import Callable
from typing import Generic, TypeVar

import torch

T = TypeVar("T")

WARM_UP = 3
"""Times that the work is done command by command before it is recorded: what is built or allotted
at first use must not become part of the recording."""


class Recorded(Generic[T]):
    """Calls that do the same to the same memory; elsewhere than on a GPU plain calls.

    The work may draw random numbers, but its commands must not depend on what it computes, and
    what it gives back lies in one place: the next call overwrites it.
    """

    def __init__(self, work: Callable[[], T], device: torch.device) -> None:
        self._work, self._device = work, device
        self._calls = 0
        self._recording: tuple[torch.cuda.CUDAGraph, T] | None = None

    def __call__(self) -> T:
        if self._device.type != "cuda":
            return self._work()
        self._calls += 1
        if self._calls <= WARM_UP:
            return self._aside()
        if self._recording is None:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                found = self._work()
            self._recording = graph, found
        graph, found = self._recording
        graph.replay()
        return found

    def _aside(self) -> T:
        """Off the main queue, where recordings are made as well."""
        here = torch.cuda.current_stream(self._device)
        side = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
        side.wait_stream(here)
        with torch.cuda.stream(side):
            found = self._work()
        here.wait_stream(side)
        return found
