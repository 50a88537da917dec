"""A game in progress: its tree, its seats, its watchers and the player that is thinking.

Everything runs on the server's event loop. Each change of a game takes its lock, is saved to the
store, and only then is announced to the watchers.
"""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.game import CHANCE, AnyGame, Outcome
from ludus.core.match import MatchRecord
from ludus.core.record import Record
from ludus.games.move_entry import get_move_entry
from ludus.web.errors import GameNotFound, LimitReached, OutOfTurn
from ludus.web.game_tree import MAX_FORCED, PERSON, PLAYER, GameNode, GameTree, play_forced_moves
from ludus.web.seats import LearnedSpecs, Seat
from ludus.web.store import GameStore, StoredGame, StoredNode
from ludus.web.worker_pool import WorkerPool


@dataclass(slots=True)
class Pace:
    """How players continue by themselves."""

    is_paused: bool = False
    delay: float = 0.0
    """Minimum seconds per move when players play each other."""


@dataclass(eq=False, slots=True)
class Watcher:
    """Client that is notified of changes; the event carries no data, so no backlog builds up."""

    news: asyncio.Event = field(default_factory=asyncio.Event)


class Session:
    """One game in progress and the operations on it."""

    def __init__(
        self,
        id_: str,
        names: tuple[str, str],
        tree: GameTree,
        seats: tuple[Seat, Seat],
        seed: int,
        means: tuple[GameStore, WorkerPool],
        max_nodes: int,
    ) -> None:
        self.id = id_
        self.names = names
        self.tree = tree
        self.seats = seats
        self.seed = seed
        self.pace = Pace()
        self.board = get_move_entry(tree.game)
        # Based on time, so it keeps increasing when the game is reloaded and pages can order views.
        self.revision = time.time_ns() // 1_000_000
        self.trouble = ""
        """Why a player failed to move; empty if none did."""

        self.used = time.monotonic()
        self.watchers: set[Watcher] = set()
        self.verdicts: dict[int, dict[str, Any]] = {}
        """Exact verdicts by node, as far as requested."""

        self.hints: dict[int, list[dict[str, Any]]] = {}
        """Advised moves by node, best first."""

        self.lost: dict[int, int] = {}
        """Value lost by each move, by node, as far as reviewed."""

        self.learning = LearnedSpecs()
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

    def node(self, number: int) -> GameNode:
        if not 0 <= number < len(self.tree.nodes):
            raise GameNotFound(f"this game has no move {number}")
        return self.tree.nodes[number]

    def job(self, number: int) -> dict[str, Any]:
        """Return the job fields that identify a node."""
        start, *line = self.tree.line(number)
        return {
            "game": self.names[0],
            "rules": self.names[1],
            "start": str(start.position),
            "moves": [node.text for node in line],
        }

    async def play(self, number: int, find: Callable[[Any], Any]) -> None:
        """Play a person's move, found in the position of a node, which must be the current one."""
        async with self._lock:
            current = self.tree.current
            if number != current.number:
                raise OutOfTurn("the game has gone on since; look at it again")
            if not self._is_persons_turn(current):
                raise OutOfTurn("it is not a person’s turn")
            await self._add(find(current.position), PERSON)

    async def open(self) -> None:
        """Save a new game and play its forced first moves, such as a dice roll."""
        async with self._lock:
            first = play_forced_moves(self.tree, self.board, self.seed, self.tree.at)
            self.tree.go(first)
            await self._keep(self.tree.nodes[1:])
        self._get_players_ready()
        self.go_on()

    async def go(self, number: int) -> None:
        """Make another node current; a player to move there is paused."""
        async with self._lock:
            node = self.node(number)
            self._stop_thinking()
            self.tree.go(node.number)
            outcome, mover = node.position.outcome(), node.position.mover
            is_players = outcome is None and mover != CHANCE and not self.seats[mover].is_person
            self.pace.is_paused = self.pace.is_paused or is_players
            await self._changed()

    async def back(self) -> None:
        """Go back to the last node where a person had a choice."""
        for node in reversed(self.tree.line(self.tree.at)[:-1]):
            if self._is_persons_turn(node):
                await self.go(node.number)
                return
        raise OutOfTurn("there is nothing to take back")

    async def seat(self, seats: tuple[Seat, Seat]) -> None:
        """Replace the persons or players of both sides."""
        async with self._lock:
            self._stop_thinking()
            self.seats = seats
            self.pace.is_paused = False
            self._get_players_ready()
            await self._changed()

    async def set_pace(self, is_paused: bool, delay: float) -> None:
        """Pause or resume players and set the delay between their moves."""
        async with self._lock:
            if is_paused:
                self._stop_thinking()
            self.pace = Pace(is_paused, delay)
            await self._changed()

    async def remark(self, number: int, comment: str) -> None:
        """Set the comment of a move."""
        async with self._lock:
            node = self.node(number)
            node.comment = comment
            await self._keep([node] if node.parent is not None else [])
            self._tell()

    async def verdict(self, number: int) -> dict[str, Any]:
        """Return the exact verdict on a node."""
        self.node(number)
        if number not in self.verdicts:
            job = {**self.job(number), "line": False}
            self.verdicts[number] = await self._thinkers.work("values", job)
        return self.verdicts[number]

    def hurry(self) -> None:
        """Request an immediate move from the player that is thinking."""
        self._now.set()

    def attach(self) -> Watcher:
        watcher = Watcher()
        self.watchers.add(watcher)
        self.go_on()
        return watcher

    def detach(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)

    def go_on(self) -> None:
        """Start the player to move, unless the game is paused, over, failed or unwatched."""
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

    def _is_persons_turn(self, node: GameNode) -> bool:
        position = node.position
        if position.outcome() is not None or position.mover == CHANCE:
            return False
        return self.seats[position.mover].is_person and not self.board.is_pass(position)

    async def _think(self, number: int) -> None:
        """Request a move from the player to move, and play it."""
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
        """Play a move and the forced moves after it."""
        if len(self.tree.nodes) + MAX_FORCED > self._max_nodes:
            raise LimitReached("this game has as many moves as a game here may have")
        known = len(self.tree.nodes)
        node = self.tree.add(self.tree.at, move, by, thought=thought)
        self.tree.go(play_forced_moves(self.tree, self.board, self.seed, node.number))
        await self._keep(self.tree.nodes[known:])
        self._tell()
        self.go_on()
        if self.tree.current.position.outcome() is not None and self.learning.names:
            self._ending = asyncio.create_task(self._end(self.tree.at))

    def _get_players_ready(self) -> None:
        """Warm up the players while a person is to move."""
        position = self.tree.current.position
        if position.outcome() is not None or not self.seats[position.mover].is_person:
            return
        for seat in self.seats:
            if not seat.is_person:
                self._thinkers.get_ready({**self.job(self.tree.at), "player": seat.spec})

    def _seated(self, side: int) -> dict[str, Any]:
        """Return the job fields that identify the player of a side."""
        seat = self.seats[side]
        begin = random.Random(f"{self.seed} {side} {seat.spec}").getrandbits(62)
        spec = self.learning.spec(self.names, seat)
        return {"table": self.id, "player": spec, "begin": begin}

    async def _end(self, number: int) -> None:
        """Send the outcome to players that learn, and keep their specs for the next game."""
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

    async def _keep(self, nodes: list[GameNode]) -> None:
        state = {
            "at": self.tree.at,
            "seats": [seat.as_json() for seat in self.seats],
            "paused": self.pace.is_paused,
            "delay": self.pace.delay,
            "comment": self.tree.nodes[0].comment,
            "learned": [self.learning.begun, self.learning.ended],
        }
        start = str(self.tree.nodes[0].position)
        kept = StoredGame(self.id, *self.names, start, self.seed, state)
        await self._store.save(
            kept, [_stored_node(node) for node in nodes if node.parent is not None]
        )


def _stored_node(node: GameNode) -> StoredNode:
    assert node.parent is not None
    return StoredNode(node.number, node.parent, node.text, node.by, node.comment, node.thought)


ENDING_HEADERS = ("Result", "Reason", "Points")
"""Record headers that only a finished game has."""


def make_record(table: Session) -> Record:
    """Return the game as a record; its main line consists of the moves played first."""
    line = table.tree.record_line()
    last = table.tree.nodes[0]
    while last.children:
        last = table.tree.nodes[last.children[0]]
    outcome = last.position.outcome()
    match = MatchRecord(
        game=table.game.id,
        rules=table.game.rules,
        players=(_player_name(table, 0), _player_name(table, 1)),
        seed=table.seed,
        start=str(table.tree.nodes[0].position),
        moves=(),
        outcome=outcome or Outcome(None, "unfinished"),
    )
    headers = dict(Record.from_match(match, table.game).headers)
    del headers["Seed"]
    if outcome is None:
        headers = {name: text for name, text in headers.items() if name not in ENDING_HEADERS}
    is_second_first = table.tree.nodes[0].position.mover == 1
    first_ply = int(is_second_first and bool(line.moves))
    return replace(Record(headers), line=line, first_ply=first_ply)


def _player_name(table: Session, side: int) -> str:
    seat = table.seats[side]
    return "person" if seat.is_person else seat.spec
