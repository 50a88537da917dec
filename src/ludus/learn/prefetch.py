"""Results that are computed ahead by a thread, on a GPU on a CUDA stream of its own."""

import threading
from collections.abc import Callable, Iterator
from queue import Empty, Queue
from typing import Any, Generic, NamedTuple, TypeVar

import torch

T = TypeVar("T")

POLL_SECONDS = 0.1
"""Interval at which `close` looks whether the thread has ended."""


class _Item(NamedTuple):
    value: Any
    error: BaseException | None
    event: Any
    """CUDA event after which the value can be used, or None."""


class Prefetcher(Generic[T]):
    """Calls a function again and again on a thread, and keeps some results ready.

    On a GPU the function's work is queued on its own stream, beside that of the caller. Results may
    be tensors, or tuples and lists of them. The function must not share anything with the caller
    that may not change at any time; no CUDA graph may be captured meanwhile.
    """

    def __init__(
        self,
        function: Callable[[], T],
        device: torch.device,
        num_ahead: int = 2,
        in_use: Any = None,
    ) -> None:
        """Start the thread.

        `in_use` holds tensors of the caller that the function may replace by others. They are kept
        until its first result is used: their memory would otherwise be given to the caller again
        while the GPU still reads it on the other stream.
        """
        self._function, self._device = function, device
        self._in_use = in_use
        self._ready: Queue[_Item] = Queue(num_ahead)
        self._is_closed = threading.Event()
        self._started: Any = None
        if device.type == "cuda":
            # What the caller has queued so far is done before the function's first work.
            self._started = torch.cuda.current_stream(device).record_event()
        self._thread = threading.Thread(target=self._run, name="prefetch", daemon=True)
        self._thread.start()

    def get(self) -> T:
        """Return the next result; raise what the function raised."""
        item = self._ready.get()
        if item.error is not None:
            self.close()
            raise item.error
        if item.event is not None:
            stream = torch.cuda.current_stream(self._device)
            stream.wait_event(item.event)
            for tensor in _list_tensors(item.value):
                tensor.record_stream(stream)
        self._in_use = None
        value: T = item.value
        return value

    def close(self) -> None:
        """End the thread; results that are ready are dropped."""
        self._is_closed.set()
        while self._thread.is_alive():
            try:
                self._ready.get(timeout=POLL_SECONDS)
            except Empty:
                continue

    def _run(self) -> None:
        if self._device.type != "cuda":
            self._produce()
            return
        with torch.cuda.device(self._device):
            stream = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
            stream.wait_event(self._started)
            with torch.cuda.stream(stream):
                self._produce()
                stream.synchronize()

    def _produce(self) -> None:
        while not self._is_closed.is_set():
            try:
                value = self._function()
                event = None
                if self._device.type == "cuda":
                    event = torch.cuda.current_stream(self._device).record_event()
                item = _Item(value, None, event)
            except BaseException as error:
                item = _Item(None, error, None)
            self._ready.put(item)
            if item.error is not None:
                return


def _list_tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _list_tensors(each)
