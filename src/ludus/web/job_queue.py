"""The queue for what all clients share, worker processes and the event loop: fair, and bounded.

The client that has used the least time lately is served first, and of its games the one that has
used the least. A client with many slow games therefore delays its own games, not those of others,
and a new game does not wait for them.
"""

import asyncio
import heapq
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from ludus.web.errors import WorkerUnavailable

T = TypeVar("T")
Item = TypeVar("Item")

current_client: ContextVar[str] = ContextVar("current_client", default="")
"""The client of the request that is being answered; tasks started for it inherit the value."""

HALF_LIFE = 60.0
"""Seconds after which used time counts half."""

MAX_KNOWN_USERS = 10_000


@dataclass(frozen=True, slots=True)
class JobOwner:
    """The client for which something is done, and the game it belongs to."""

    client: str
    game: str = ""

    @classmethod
    def of(cls, job: dict[str, Any]) -> "JobOwner":
        return cls(current_client.get(), job.get("session", ""))


Rank = tuple[float, int]


@dataclass(eq=False, slots=True)
class Ticket(Generic[T]):
    """A waiting job; its turn is a future with what it waits for, such as a worker."""

    owner: JobOwner
    number: int
    turn: "asyncio.Future[T]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class UsedTime:
    """Time used by client and by game, of which old times count less and less.

    Levels are binary logarithms of seconds that count the more the later they are, which orders
    users as seconds that lose their weight would; but levels never fall.
    """

    def __init__(self) -> None:
        self._levels: LRUCache[tuple[str, ...], float] = LRUCache(MAX_KNOWN_USERS)

    def add(self, owner: JobOwner, seconds: float) -> None:
        added = math.log2(max(seconds, 1e-6)) + time.monotonic() / HALF_LIFE
        for key in ((owner.client,), (owner.client, owner.game)):
            before = self._levels.get(key, -math.inf)
            larger = max(before, added)
            self._levels[key] = larger + math.log2(1 + 2 ** -abs(before - added))

    def get(self, *key: str) -> float:
        """Return the level of a client or, with a game, of a game of it."""
        return self._levels.get(key, -math.inf)


class FairQueue(Generic[T]):
    """Tickets in order of the time their owners have used; of equal games the newest is first.

    The newest first, because many equal tickets of one client are games started at once, and
    a person who plays should not wait for all of them. When the queue is full, the last ticket of
    the client with the most tickets is refused.
    """

    def __init__(self, max_tickets: int) -> None:
        self.used = UsedTime()
        self.is_waiting = asyncio.Event()
        """Set while there are tickets."""

        self._max_tickets = max_tickets
        self._clients: list[tuple[float, str]] = []
        """A heap of those who wait, by ranks that they had; ranks never fall."""

        self._waiting: dict[str, list[tuple[Rank, Ticket[T]]]] = {}
        """Of each client the tickets as such a heap."""

        self._num_added = 0

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, owner: JobOwner) -> Ticket[T]:
        """Return a new ticket; refuse one, possibly this one, if there are too many."""
        self._num_added += 1
        ticket: Ticket[T] = Ticket(owner, self._num_added)
        if owner.client not in self._waiting:
            self._waiting[owner.client] = []
            heapq.heappush(self._clients, (self.used.get(owner.client), owner.client))
        heapq.heappush(self._waiting[owner.client], (self._rank(ticket), ticket))
        self.is_waiting.set()
        if len(self) > self._max_tickets:
            most = max(self._waiting.values(), key=len)
            refused = max((each for _, each in most), key=self._rank)
            self.remove(refused)
            if not refused.turn.done():
                refused.turn.set_exception(
                    WorkerUnavailable("the server is busy; try again in a moment")
                )
        return ticket

    def pop(self) -> Ticket[T] | None:
        """Remove and return the first ticket that is not cancelled; None if there is none."""
        while self._clients:
            client = _find_first(self._clients, self.used.get)
            first = _find_first(self._waiting[client], self._rank)
            self.remove(first)
            if not first.turn.done():
                return first
        return None

    def remove(self, ticket: Ticket[T]) -> None:
        """Remove a ticket if it is waiting."""
        client = ticket.owner.client
        if client in self._waiting:
            _discard(self._waiting[client], ticket)
            if not self._waiting[client]:
                del self._waiting[client]
                _discard(self._clients, client)
        if not self._waiting:
            self.is_waiting.clear()

    def _rank(self, ticket: Ticket[T]) -> Rank:
        return self.used.get(ticket.owner.client, ticket.owner.game), -ticket.number


def _find_first(heap: list[tuple[Any, Item]], rank: Callable[[Item], Any]) -> Item:
    while (now := rank(heap[0][1])) > heap[0][0]:
        heapq.heapreplace(heap, (now, heap[0][1]))
    return heap[0][1]


def _discard(heap: list[tuple[Any, Item]], item: Item) -> None:
    if heap[0][1] == item:
        heapq.heappop(heap)
    else:
        heap[:] = [entry for entry in heap if entry[1] != item]
        heapq.heapify(heap)


class FairPool(Generic[T]):
    """Resources of which each serves one client at a time, and the queue of those who wait."""

    def __init__(self, resources: Iterable[T], max_tickets: int) -> None:
        self.free = deque(resources)
        self.queue: FairQueue[T] = FairQueue(max_tickets)

    async def acquire(self, owner: JobOwner) -> T:
        """Return a resource when it is the owner's turn."""
        if self.free:
            return self.free.popleft()
        ticket = self.queue.add(owner)
        try:
            return await ticket.turn
        except asyncio.CancelledError:
            self.queue.remove(ticket)
            turn = ticket.turn
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release(turn.result())
            raise

    def release(self, resource: T) -> None:
        """Pass a resource on to the first who waits."""
        ticket = self.queue.pop()
        if ticket is None:
            self.free.append(resource)
        else:
            ticket.turn.set_result(resource)

    @asynccontextmanager
    async def turn(self, owner: JobOwner) -> AsyncIterator[None]:
        """Hold a resource while the block runs.

        It is passed on in the next round of the event loop, so that requests which arrive
        meanwhile get their place in the queue even if the block never waits.
        """
        resource, began = await self.acquire(owner), time.monotonic()
        try:
            yield
        finally:
            self.queue.used.add(owner, time.monotonic() - began)
            asyncio.get_running_loop().call_soon(self.release, resource)
