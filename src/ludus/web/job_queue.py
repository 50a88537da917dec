"""The queue of jobs that wait for a worker: fair between clients, and bounded.

The client that has used the least worker time lately is served first, and of its games the one that
has used the least. A client with many slow games therefore delays its own games, not those of
others, and a new game does not wait for them.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from ludus.web.errors import WorkerUnavailable

T = TypeVar("T")

current_client: ContextVar[str] = ContextVar("current_client", default="")
"""The client of the request that is being answered; tasks started for it inherit the value."""

HALF_LIFE = 60.0
"""Seconds after which worker time counts half."""

MAX_KNOWN_USERS = 10_000


@dataclass(frozen=True, slots=True)
class JobOwner:
    """The client for which a job is run, and the game it belongs to."""

    client: str
    game: str = ""

    @classmethod
    def of(cls, job: dict[str, Any]) -> "JobOwner":
        return cls(current_client.get(), job.get("session", ""))


@dataclass(eq=False, slots=True)
class Ticket(Generic[T]):
    """A waiting job; its turn is a future with the worker that runs it."""

    owner: JobOwner
    number: int
    turn: "asyncio.Future[T]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class UsedTime:
    """Worker time by client and by game, of which old times count less and less."""

    def __init__(self) -> None:
        self._seconds: LRUCache[tuple[str, ...], tuple[float, float]] = LRUCache(MAX_KNOWN_USERS)

    def add(self, owner: JobOwner, seconds: float) -> None:
        now = time.monotonic()
        for key in ((owner.client,), (owner.client, owner.game)):
            self._seconds[key] = (self._get(key, now) + seconds, now)

    def get(self, owner: JobOwner, now: float) -> tuple[float, float]:
        """Return the seconds used by the client, and by the game, as they count now."""
        return self._get((owner.client,), now), self._get((owner.client, owner.game), now)

    def _get(self, key: tuple[str, ...], now: float) -> float:
        seconds, since = self._seconds.get(key, (0.0, now))
        return float(seconds * 0.5 ** ((now - since) / HALF_LIFE))


class FairQueue(Generic[T]):
    """Tickets in order of the time their owners have used; of equals the newest is first.

    The newest first, because many equal tickets of one client are games started at once, and
    a person who plays should not wait for all of them. When the queue is full, the last ticket of
    the client with the most tickets is refused.
    """

    def __init__(self, max_tickets: int) -> None:
        self.used = UsedTime()
        self.is_waiting = asyncio.Event()
        """Set while there are tickets."""

        self._max_tickets = max_tickets
        self._tickets: list[Ticket[T]] = []
        self._num_added = 0

    def __len__(self) -> int:
        return len(self._tickets)

    def add(self, owner: JobOwner) -> Ticket[T]:
        """Return a new ticket; refuse one, possibly this one, if there are too many."""
        self._num_added += 1
        ticket: Ticket[T] = Ticket(owner, self._num_added)
        self._tickets.append(ticket)
        self.is_waiting.set()
        if len(self._tickets) > self._max_tickets:
            refused = self._find_last()
            self.remove(refused)
            if not refused.turn.done():
                refused.turn.set_exception(
                    WorkerUnavailable("all workers are busy; try again in a moment")
                )
        return ticket

    def pop(self) -> Ticket[T] | None:
        """Remove and return the first ticket that is not cancelled; None if there is none."""
        while self._tickets:
            first = min(self._tickets, key=self._make_rank())
            self.remove(first)
            if not first.turn.done():
                return first
        return None

    def remove(self, ticket: Ticket[T]) -> None:
        """Remove a ticket if it is waiting."""
        if ticket in self._tickets:
            self._tickets.remove(ticket)
        if not self._tickets:
            self.is_waiting.clear()

    def _find_last(self) -> Ticket[T]:
        counts = Counter(ticket.owner.client for ticket in self._tickets)
        client, _ = counts.most_common(1)[0]
        tickets = (ticket for ticket in self._tickets if ticket.owner.client == client)
        return max(tickets, key=self._make_rank())

    def _make_rank(self) -> Callable[[Ticket[T]], tuple[float, float, int]]:
        """Return the sort key, at one time for all: the times decrease while they are compared."""
        now = time.monotonic()
        return lambda ticket: (*self.used.get(ticket.owner, now), -ticket.number)
