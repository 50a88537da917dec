"""One game that is being played: the tree of its moves, who sits where, and who is looking on.

All of it runs on the server's one event loop. Whatever changes a game takes its lock, keeps the
change in the store, and only then tells those who look on.
"""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.game import CHANCE, AnyGame
from ludus.web.boards import board_of
from ludus.web.errors import NoSuchGame, OutOfTurn, TooMuch
from ludus.web.forced import MAX_FORCED, settled
from ludus.web.learning import Learning
from ludus.web.seats import Seat
from ludus.web.store import KeptGame, KeptNode, Store
from ludus.web.thinkers import Thinkers
from ludus.web.tree import PERSON, PLAYER, Node, Tree


@dataclass(slots=True)
class Pace:
    """How players go on by themselves."""

    is_paused: bool = False
    delay: float = 0.0
    """Seconds between two moves of players that are being watched."""


@dataclass(eq=False, slots=True)
class Watcher:
    """Somebody who looks on: told that something is new, not what, so that nothing piles up."""

    news: asyncio.Event = field(default_factory=asyncio.Event)


class Table:
    """A game, and everything that can be done with it."""

    def __init__(
        self,
        id_: str,
        names: tuple[str, str],
        tree: Tree,
        seats: tuple[Seat, Seat],
        seed: int,
        means: tuple[Store, Thinkers],
        max_nodes: int,
    ) -> None:
        self.id = id_
        self.names = names
        self.tree = tree
        self.seats = seats
        self.seed = seed
        self.pace = Pace()
        self.board = board_of(tree.game)
        # It goes on rising when the game is loaded again, so that pages know new from old.
        self.revision = time.time_ns() // 1_000_000
        self.trouble = ""
        """Why a player does not go on, if it failed."""

        self.used = time.monotonic()
        self.watchers: set[Watcher] = set()
        self.verdicts: dict[int, dict[str, Any]] = {}
        """Exact verdicts by node, as far as somebody has asked."""

        self.hints: dict[int, list[dict[str, Any]]] = {}
        """Moves that were advised, best first, by node."""

        self.lost: dict[int, int] = {}
        """What moves gave away, by node, as far as a review has told."""

        self.learning = Learning()
        self._store, self._thinkers = means
        self._max_nodes = max_nodes
        self._lock = asyncio.Lock()
        self._thinking: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._now = asyncio.Event()

    @property
    def game(self) -> AnyGame:
        return self.tree.game

    @property
    def is_thinking(self) -> bool:
        return self._thinking is not None and not self._thinking.done()

    @property
    def is_watched_only(self) -> bool:
        """Whether players play each other."""
        return not any(seat.is_person for seat in self.seats)

    def node(self, number: int) -> Node:
        if not 0 <= number < len(self.tree.nodes):
            raise NoSuchGame(f"this game has no move {number}")
        return self.tree.nodes[number]

    def job(self, number: int) -> dict[str, Any]:
        """A node as worker processes are told of it."""
        start, *line = self.tree.line(number)
        return {
            "game": self.names[0],
            "rules": self.names[1],
            "start": str(start.position),
            "moves": [node.text for node in line],
        }

    async def play(self, number: int, find: Callable[[Any], Any]) -> None:
        """A person's move, found in the position of a node; the game must stand there."""
        async with self._lock:
            current = self.tree.current
            if number != current.number:
                raise OutOfTurn("the game has gone on since; look at it again")
            if not self._is_persons_turn(current):
                raise OutOfTurn("it is not a person’s turn")
            await self._add(find(current.position), PERSON)

    async def open(self) -> None:
        """Keep a new game, and roll the dice if it begins with them."""
        async with self._lock:
            first = settled(self.tree, self.board, self.seed, self.tree.at)
            self.tree.go(first)
            await self._keep(self.tree.nodes[1:])
        self._get_players_ready()
        self.go_on()

    async def go(self, number: int) -> None:
        """Let the game stand at another node. Players wait there until they are told to go on."""
        async with self._lock:
            node = self.node(number)
            self._stop_thinking()
            self.tree.go(node.number)
            outcome, mover = node.position.outcome(), node.position.mover
            is_players = outcome is None and mover != CHANCE and not self.seats[mover].is_person
            self.pace.is_paused = self.pace.is_paused or is_players
            await self._changed()

    async def back(self) -> None:
        """Return to where a person last had a choice."""
        for node in reversed(self.tree.line(self.tree.at)[:-1]):
            if self._is_persons_turn(node):
                await self.go(node.number)
                return
        raise OutOfTurn("there is nothing to take back")

    async def seat(self, seats: tuple[Seat, Seat]) -> None:
        """Other people or players go on with the game."""
        async with self._lock:
            self._stop_thinking()
            self.seats = seats
            self.pace.is_paused = False
            self._get_players_ready()
            await self._changed()

    async def set_pace(self, is_paused: bool, delay: float) -> None:
        """Let players stop or go on by themselves, slowly or fast."""
        async with self._lock:
            if is_paused:
                self._stop_thinking()
            self.pace = Pace(is_paused, delay)
            await self._changed()

    async def remark(self, number: int, comment: str) -> None:
        """Say something about a move."""
        async with self._lock:
            node = self.node(number)
            node.comment = comment
            await self._keep([node] if node.parent is not None else [])
            self._tell()

    async def verdict(self, number: int) -> dict[str, Any]:
        """What perfect play makes of a node."""
        self.node(number)
        if number not in self.verdicts:
            job = {**self.job(number), "line": False}
            self.verdicts[number] = await self._thinkers.work("values", job)
        return self.verdicts[number]

    def hurry(self) -> None:
        """Ask the player who is thinking for its move."""
        self._now.set()

    def attach(self) -> Watcher:
        watcher = Watcher()
        self.watchers.add(watcher)
        self.go_on()
        return watcher

    def detach(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)

    def go_on(self) -> None:
        """Let the player whose turn it is think, if nothing speaks against it."""
        position = self.tree.current.position
        if self.is_thinking or self.pace.is_paused or self.trouble:
            return
        if position.outcome() is not None or self.seats[position.mover].is_person:
            return
        if self.is_watched_only and not self.watchers:
            return
        self._now = asyncio.Event()
        self._thinking = asyncio.create_task(self._think(self.tree.at))

    def close(self) -> None:
        self._stop_thinking()
        if self._ending is not None:
            self._ending.cancel()

    def _is_persons_turn(self, node: Node) -> bool:
        position = node.position
        if position.outcome() is not None or position.mover == CHANCE:
            return False
        return self.seats[position.mover].is_person and not self.board.is_pass(position)

    async def _think(self, number: int) -> None:
        """A player's turn, from the question to its move on the board."""
        began = time.monotonic()
        position = self.node(number).position
        seat = self.seats[position.mover]
        job = {**self.job(number), **self._seated(position.mover)}
        job["seed"] = random.Random(f"{self.seed} {number} {seat.spec}").getrandbits(62)
        try:
            answer = await self._thinkers.choose(job, self._now)
        except LudusError as error:
            self.trouble = f"{seat.title} gave no move: {error}"
            self._tell()
            return
        if self.is_watched_only:
            await asyncio.sleep(max(0.0, self.pace.delay - (time.monotonic() - began)))
        async with self._lock:
            if self.tree.at != number:
                return
            move = self.game.parse_move(answer["move"], position)
            thought = {name: answer[name] for name in ("comment", "scores", "pictures")}
            if answer["wants_results"]:
                self.learning.names[seat.spec] = answer["name"]
            self._thinking = None
            await self._add(move, PLAYER, thought)

    async def _add(self, move: Any, by: str, thought: dict[str, Any] | None = None) -> None:
        """Play a move, and after it whatever dice and rules decide."""
        if len(self.tree.nodes) + MAX_FORCED > self._max_nodes:
            raise TooMuch("this game has as many moves as a game here may have")
        known = len(self.tree.nodes)
        node = self.tree.add(self.tree.at, move, by, thought=thought)
        self.tree.go(settled(self.tree, self.board, self.seed, node.number))
        await self._keep(self.tree.nodes[known:])
        self._tell()
        self.go_on()
        if self.tree.current.position.outcome() is not None and self.learning.names:
            self._ending = asyncio.create_task(self._end(self.tree.at))

    def _get_players_ready(self) -> None:
        """Let those who are not to move load what they need meanwhile."""
        position = self.tree.current.position
        if position.outcome() is not None or not self.seats[position.mover].is_person:
            return
        for seat in self.seats:
            if not seat.is_person:
                self._thinkers.get_ready({**self.job(self.tree.at), "player": seat.spec})

    def _seated(self, side: int) -> dict[str, Any]:
        """A player of this game as worker processes are told of it."""
        seat = self.seats[side]
        begin = random.Random(f"{self.seed} {side} {seat.spec}").getrandbits(62)
        spec = self.learning.spec(self.names, seat)
        return {"table": self.id, "player": spec, "begin": begin}

    async def _end(self, number: int) -> None:
        """Tell players that want to know how the game ended; what they learn is for the next."""
        names: dict[str, str] = {}
        for side, seat in enumerate(self.seats):
            if seat.is_person or seat.spec not in self.learning.names:
                continue
            job = {**self.job(number), **self._seated(side), "seed": 0, "side": side}
            with suppress(LudusError):
                answer = await self._thinkers.work("end", job)
                self.learning.note(self.names, seat, answer["spec"])
                names[seat.spec] = answer["name"]
        async with self._lock:
            await self._keep([])
            self.learning.names |= names
            self._tell()

    async def _changed(self) -> None:
        self.trouble = ""
        await self._keep([])
        self._tell()
        self.go_on()

    def _tell(self) -> None:
        self.revision += 1
        self.used = time.monotonic()
        for watcher in self.watchers:
            watcher.news.set()

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

    async def _keep(self, nodes: list[Node]) -> None:
        state = {
            "at": self.tree.at,
            "seats": [seat.as_json() for seat in self.seats],
            "paused": self.pace.is_paused,
            "delay": self.pace.delay,
            "comment": self.tree.nodes[0].comment,
            "learned": [self.learning.begun, self.learning.ended],
        }
        start = str(self.tree.nodes[0].position)
        kept = KeptGame(self.id, *self.names, start, self.seed, state)
        await self._store.save(kept, [_kept(node) for node in nodes if node.parent is not None])


def _kept(node: Node) -> KeptNode:
    assert node.parent is not None
    return KeptNode(node.number, node.parent, node.text, node.by, node.comment, node.thought)
