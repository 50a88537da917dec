"""Blocks that were read lately, as many as fit into a number of bytes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from ludus.oracle.blocks import Values

GIBIBYTE = 1 << 30


class BlockCache:
    """Forgets first what was asked for longest ago. Threads may share it."""

    def __init__(self, max_bytes: int = GIBIBYTE) -> None:
        self._max_bytes = max_bytes
        self._num_bytes = 0
        self._blocks: OrderedDict[Hashable, Values] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def num_bytes(self) -> int:
        return self._num_bytes

    def get(self, key: Hashable, read: Callable[[], Values]) -> Values:
        """The block with this key, read if it is not at hand."""
        with self._lock:
            if key in self._blocks:
                self._blocks.move_to_end(key)
                return self._blocks[key]
        block = read()  # outside the lock: others may find theirs meanwhile
        with self._lock:
            if key not in self._blocks:
                self._blocks[key] = block
                self._num_bytes += block.nbytes
            while self._num_bytes > self._max_bytes:
                _, oldest = self._blocks.popitem(last=False)
                self._num_bytes -= oldest.nbytes
        return block
