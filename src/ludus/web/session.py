"""A game in progress: its tree, its seats, its watchers and the player that is thinking.

Everything runs on the server's event loop. Each change of a game takes its lock and is saved to the
store; only then is it made in memory and announced to the watchers. So a change that cannot be
stored is not made at all.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.game import CHANCE, AnyGame, Move, Outcome
from ludus.core.record import Record
from ludus.games.move_entry import get_move_entry
from ludus.oracles.interface import Verdict
from ludus.web.errors import GameNotFound, LimitReached, OutOfTurn
from ludus.web.game_tree import MAX_FORCED, PERSON, PLAYER, GameNode, GameTree, LinePlan
from ludus.web.seats import LearnedSpecs, OfferedPlayers, Seat
from ludus.web.store import GameStore, StoredGame, StoredNode
from ludus.web.worker_pool import WorkerPool

MIN_REVIEWED_NODES = 8
"""Moves of a game from which on a review may soon be asked for."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How players continue by themselves."""

    is_paused: bool = False
    delay: float = 0.0
    """Minimum seconds per move when players play each other."""


@dataclass(frozen=True, slots=True)
class Resignation:
    """A side that gave up, where, and what: 1 for a single game, 2 for a gammon, …"""

    node: int
    side: int
    level: int = 1


@dataclass(frozen=True, slots=True)
class EarlierGames:
    """What was won in the games of a money session before this one."""

    score: tuple[int, int] = (0, 0)
    num_games: int = 0


class Session:
    """One game in progress and the operations on it."""

    def __init__(
        self,
        id_: str,
        game_spec: tuple[str, str],
        tree: GameTree,
        seats: tuple[Seat, Seat],
        seed: int,
        store: GameStore,
        workers: WorkerPool,
        find_offers: Callable[[str, str], Awaitable[OfferedPlayers]],
        max_nodes: int,
    ) -> None:
        self.id = id_
        self.game_spec = game_spec
        """Names of the game and its rules."""

        self.tree = tree
        self.seats = seats
        self.seed = seed
        self.pace = Pace()
        self.resignation: Resignation | None = None
        self.earlier = EarlierGames()
        self.move_entry = get_move_entry(tree.game)
        # Based on time, so it keeps increasing when the game is reloaded and pages can order views.
        self.revision = time.time_ns() // 1_000_000
        self.failure = ""
        """Why a player failed to move; empty if none did."""

        self.watchers: set[asyncio.Event] = set()
        """Set on each change, one per client; an event carries no data, so no backlog builds up."""

        self.verdicts: dict[int, tuple[Verdict | None, str]] = {}
        """Exact verdicts by node, as far as requested, or None and why there is none."""

        self.hints: dict[int, list[dict[str, Any]]] = {}
        """Advised moves by node, best first."""

        self.evaluations: dict[int, dict[str, Any]] = {}
        """Evaluations of nodes and their moves, as `PositionAnalysis` in JSON."""

        self.reviewed: dict[int, dict[str, Any]] = {}
        """Reviewed moves by the node they lead to, as `ReviewedMove` in JSON."""

        self.learned_specs = LearnedSpecs()
        self._store = store
        self._workers = workers
        self._find_offers = find_offers
        self._max_nodes = max_nodes
        self._lock = asyncio.Lock()
        self._choice_task: asyncio.Task[None] | None = None
        self._result_task: asyncio.Task[None] | None = None
        self._hurry_event = asyncio.Event()

    @property
    def game(self) -> AnyGame:
        return self.tree.game

    @property
    def is_thinking(self) -> bool:
        return self._choice_task is not None and not self._choice_task.done()

    @property
    def is_busy(self) -> bool:
        """Whether the game is being changed, or a player is thinking or learning."""
        return (
            self._lock.locked()
            or self.is_thinking
            or bool(self._result_task and not self._result_task.done())
        )

    @property
    def people(self) -> frozenset[int]:
        """The sides played by persons."""
        return frozenset(side for side, seat in enumerate(self.seats) if seat.is_person)

    def node(self, number: int) -> GameNode:
        if not 0 <= number < len(self.tree.nodes):
            raise GameNotFound(f"this game has no move {number}")
        return self.tree.nodes[number]

    def job(self, number: int) -> dict[str, Any]:
        """Return the job fields that identify a node."""
        start, *line = self.tree.path_to(number)
        return {
            "game": self.game_spec[0],
            "rules": self.game_spec[1],
            "start": str(start.position),
            "moves": [node.text for node in line],
        }

    async def play(self, number: int, find: Callable[[Any], Any]) -> None:
        """Play a person's move, found in the position of a node, which must be the current one."""
        async with self._lock:
            current = self.tree.current
            if number != current.number:
                raise OutOfTurn("the game has changed since; reload it")
            is_over = self.outcome_at(current) is not None
            if is_over or not self.move_entry.is_decision(current.position, self.people):
                raise OutOfTurn("it is not a person’s turn")
            await self._play_move(find(current.position), PERSON)
        self.warm_up_analyst()

    async def open(self) -> None:
        """Save a new game and play its forced first moves, such as a dice roll."""
        async with self._lock:
            line = LinePlan(self.tree, self.tree.current)
            line.play_forced_moves(self.move_entry, self.seed)
            self.tree.attach(line.new_nodes)
            self.tree.go_to(line.last.number)
            await self._save(self.tree.nodes[1:])
        self._warm_up_players()
        self.warm_up_analyst()
        self.resume()

    def outcome_at(self, node: GameNode) -> Outcome | None:
        """Return how the game ended at a node: by its rules, or because a side resigned there."""
        given_up = self.resignation
        if given_up is not None and given_up.node == node.number:
            return self.game.resignation_outcome(node.position, given_up.side, given_up.level)
        return node.position.outcome()

    def find_resigning_side(self) -> int:
        """Return the person that is to move or, against a player, the person."""
        node = self.tree.current
        if self.outcome_at(node) is not None or not self.people:
            raise OutOfTurn("there is no game to resign")
        mover = node.position.mover
        return mover if mover in self.people else min(self.people)

    async def resign(self, level: int = 1) -> None:
        """Resign for a person; `level` is that of `Game.resignation_levels`."""
        async with self._lock:
            side = self.find_resigning_side()
            resignation = Resignation(self.tree.current_number, side, level)
            await self._save(resignation=resignation)
            self._stop_thinking()
            self.resignation = resignation
            self._changed()

    async def go_to(self, number: int) -> None:
        """Make another node current; a player to move there is paused."""
        async with self._lock:
            node = self.node(number)
            outcome, mover = self.outcome_at(node), node.position.mover
            is_players = outcome is None and mover != CHANCE and not self.seats[mover].is_person
            pace = replace(self.pace, is_paused=self.pace.is_paused or is_players)
            await self._save(at=node.number, pace=pace)
            self._stop_thinking()
            self.tree.go_to(node.number)
            self.pace = pace
            self._changed()

    async def take_back(self) -> None:
        """Go back to the last node where a person had a choice."""
        for node in reversed(self.tree.path_to(self.tree.current_number)[:-1]):
            if self.move_entry.is_decision(node.position, self.people):
                await self.go_to(node.number)
                return
        raise OutOfTurn("there is nothing to take back")

    async def change_seats(self, seats: tuple[Seat, Seat]) -> None:
        """Replace the persons or players of both sides."""
        async with self._lock:
            pace = replace(self.pace, is_paused=False)
            await self._save(seats=seats, pace=pace)
            self._stop_thinking()
            self.seats, self.pace = seats, pace
            self._warm_up_players()
            self._changed()

    async def set_pace(self, is_paused: bool, delay: float) -> None:
        """Pause or resume players and set the delay between their moves."""
        async with self._lock:
            pace = Pace(is_paused, delay)
            await self._save(pace=pace)
            if is_paused:
                self._stop_thinking()
            self.pace = pace
            self._changed()

    async def set_comment(self, number: int, comment: str) -> None:
        """Set the comment of a move."""
        async with self._lock:
            node = self.node(number)
            if node.parent is None:
                await self._save(comment=comment)
            else:
                await self._save([replace(node, comment=comment)])
            node.comment = comment
            self._notify_watchers()

    async def fetch_verdict(self, number: int) -> tuple[Verdict | None, str]:
        """Return the exact verdict on a node and its source, or None and why there is none."""
        self.node(number)
        if number not in self.verdicts:
            result = await self._workers.run_job("values", self.job(number))
            verdict = Verdict.from_json(result) if result["known"] else None
            self.verdicts[number] = verdict, result["why"]
        return self.verdicts[number]

    def request_move_now(self) -> None:
        """Request an immediate move from the player that is thinking."""
        self._hurry_event.set()

    def add_watcher(self) -> asyncio.Event:
        watcher = asyncio.Event()
        self.watchers.add(watcher)
        self.resume()
        return watcher

    def resume(self) -> None:
        """Start the player to move, unless the game is paused, over, failed or unwatched."""
        position = self.tree.current.position
        if self.is_thinking or self.pace.is_paused or self.failure:
            return
        if self.outcome_at(self.tree.current) is not None or self.seats[position.mover].is_person:
            return
        if not self.people and not self.watchers:
            return
        self._hurry_event = asyncio.Event()
        self._choice_task = asyncio.create_task(self._think(self.tree.current_number))

    def close(self) -> None:
        self._stop_thinking()
        if self._result_task is not None:
            self._result_task.cancel()

    async def _think(self, number: int) -> None:
        """Request a move from the player to move, and play it; a failure is shown to the person."""
        seat = self.seats[self.node(number).position.mover]
        try:
            await self._play_players_move(number, seat)
        except Exception as error:
            # Any error, even one of this program: without a message it would look like thinking.
            why = (
                str(error) if isinstance(error, LudusError) else f"{type(error).__name__}: {error}"
            )
            self.failure = f"{seat.title} gave no move: {why}"
            self._choice_task = None
            self._notify_watchers()
            if not isinstance(error, LudusError):
                raise

    async def _play_players_move(self, number: int, seat: Seat) -> None:
        began = time.monotonic()
        position = self.node(number).position
        job = {**self.job(number), **await self._player_job(position.mover)}
        job["seed"] = random.Random(f"{self.seed} {number} {seat.spec}").getrandbits(62)
        response = await self._workers.choose(job, self._hurry_event)
        if not self.people:
            await asyncio.sleep(max(0.0, self.pace.delay - (time.monotonic() - began)))
        async with self._lock:
            if self.tree.current_number != number:
                return
            move = self.game.parse_move(response["move"], position)
            explanation = {name: response[name] for name in ("comment", "scores", "pictures")}
            if response["wants_results"]:
                self.learned_specs.display_names[seat.spec] = response["name"]
            # The next player may start while this task still ends.
            self._choice_task = None
            await self._play_move(move, PLAYER, explanation)

    async def _play_move(
        self, move: Move, made_by: str, explanation: dict[str, Any] | None = None
    ) -> None:
        """Play a move and the forced moves after it."""
        if len(self.tree.nodes) + MAX_FORCED > self._max_nodes:
            raise LimitReached("this game has reached the largest number of moves")
        line = LinePlan(self.tree, self.tree.current)
        line.play(move, made_by, explanation=explanation)
        line.play_forced_moves(self.move_entry, self.seed)
        await self._save(line.new_nodes, at=line.last.number)
        self.tree.attach(line.new_nodes)
        self.tree.go_to(line.last.number)
        self._notify_watchers()
        self.resume()
        if line.last.position.outcome() is not None and self.learned_specs.display_names:
            self._result_task = asyncio.create_task(self._report_result(line.last.number))

    def warm_up_analyst(self) -> None:
        """Load what a review needs in time, once a game has some moves."""
        if len(self.tree.nodes) >= MIN_REVIEWED_NODES:
            self._workers.warm_up_analyst(*self.game_spec)

    def _warm_up_players(self) -> None:
        """Warm up the players while a person is to move."""
        position = self.tree.current.position
        if position.outcome() is not None or not self.seats[position.mover].is_person:
            return
        for seat in self.seats:
            if not seat.is_person:
                self._workers.warm_up({**self.job(self.tree.current_number), "player": seat.spec})

    async def _player_job(self, side: int) -> dict[str, Any]:
        """Return the job fields that identify the player of a side.

        The seats may come from a file of games, so they are checked like those of a request.
        """
        seat = self.seats[side].check(await self._find_offers(*self.game_spec))
        begin = random.Random(f"{self.seed} {side} {seat.spec}").getrandbits(62)
        spec = self.learned_specs.spec(self.game_spec, seat)
        return {"session": self.id, "player": spec, "begin": begin}

    async def _report_result(self, number: int) -> None:
        """Send the outcome to players that learn, and keep their specs for the next game."""
        display_names: dict[str, str] = {}
        for side, seat in enumerate(self.seats):
            if seat.is_person or seat.spec not in self.learned_specs.display_names:
                continue
            with suppress(LudusError):
                fields = await self._player_job(side)
                job = {**self.job(number), **fields, "seed": 0, "side": side}
                response = await self._workers.run_job("end", job)
                self.learned_specs.set_final(self.game_spec, seat, response["spec"])
                display_names[seat.spec] = response["name"]
        async with self._lock:
            with suppress(LudusError):  # what was learned is stored with the next change
                await self._save()
            self.learned_specs.display_names |= display_names
            self._notify_watchers()

    def _changed(self) -> None:
        self.failure = ""
        self._notify_watchers()
        self.resume()

    def _notify_watchers(self) -> None:
        self.revision += 1
        for watcher in self.watchers:
            watcher.set()

    def _stop_thinking(self) -> None:
        if self._choice_task is not None:
            self._choice_task.cancel()
            self._choice_task = None

    async def _save(
        self,
        nodes: Sequence[GameNode] = (),
        *,
        at: int | None = None,
        seats: tuple[Seat, Seat] | None = None,
        pace: Pace | None = None,
        comment: str | None = None,
        resignation: Resignation | None = None,
    ) -> None:
        """Store the game with new or changed nodes and fields, before they change in memory."""
        pace = pace or self.pace
        resignation = resignation or self.resignation
        state = {
            "at": self.tree.current_number if at is None else at,
            "seats": [seat.as_json() for seat in seats or self.seats],
            "paused": pace.is_paused,
            "delay": pace.delay,
            "comment": self.tree.nodes[0].comment if comment is None else comment,
            "learned": [self.learned_specs.initial, self.learned_specs.final],
            "resigned": None if resignation is None else _format_resignation(resignation),
            "earlier": [*self.earlier.score, self.earlier.num_games],
        }
        start = str(self.tree.nodes[0].position)
        stored = StoredGame(self.id, *self.game_spec, start, self.seed, state)
        moves = [
            StoredNode(n.number, n.parent, n.text, n.made_by, n.comment, n.explanation)
            for n in nodes
            if n.parent is not None
        ]
        await self._store.save(stored, moves)


def _format_resignation(resignation: Resignation) -> list[int]:
    """Return node and side, and what was resigned unless it was a single game."""
    return list(astuple(resignation))[: 2 if resignation.level == 1 else 3]


def make_record(session: Session) -> Record:
    """Return the game as a record; its main line consists of the moves played first."""
    tree, start = session.tree, session.tree.nodes[0].position
    first, second = ("person" if seat.is_person else seat.spec for seat in session.seats)
    last = tree.nodes[0]
    while last.children:
        last = tree.nodes[last.children[0]]
    return Record.from_line(
        tree.game,
        (first, second),
        str(start),
        start.mover,
        tree.record_line(),
        session.outcome_at(last),
    )
