"""The record of a game: its tree, its seats and its pace, each change stored before it is made.

Everything runs on the server's event loop. Each change takes the game's lock and is saved to the
store; only then is it made in memory and announced. So a change that cannot be stored is not made
at all.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from typing import Any, Literal

from ludus.core.errors import LudusError
from ludus.core.game import CHANCE, AnyGame, Move, Outcome
from ludus.core.movetext import MAX_DEPTH
from ludus.core.record import Record
from ludus.games.move_entry import get_move_entry
from ludus.web.errors import GameNotFound, LimitReached, OutOfTurn
from ludus.web.explanations import MoveExplanation
from ludus.web.game_tree import MAX_FORCED, PERSON, PLAYER, GameNode, GameTree, LinePlan
from ludus.web.seats import LearnedSpecs, Seat
from ludus.web.store import GameStore, StoredGame, StoredNode


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


Change = Literal["move", "setting", "note"]
"""A move; another change after which a player may have to move, or stop; a comment or a mark."""


class GameRecord:
    """One game and the changes that persons and players make to it."""

    def __init__(
        self,
        id_: str,
        game_spec: tuple[str, str],
        tree: GameTree,
        seats: tuple[Seat, Seat],
        seed: int,
        store: GameStore,
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
        self.learned_specs = LearnedSpecs()
        self.move_entry = get_move_entry(tree.game)
        self.max_nodes = max_nodes
        # Based on time, so it keeps increasing when the game is reloaded and pages can order views.
        self.revision = time.time_ns() // 1_000_000
        self.on_change: Callable[[Change], None] = lambda change: None
        """Called after each change."""

        self._store = store
        self._lock = asyncio.Lock()

    @property
    def game(self) -> AnyGame:
        return self.tree.game

    @property
    def is_changing(self) -> bool:
        return self._lock.locked()

    @property
    def people(self) -> frozenset[int]:
        """The sides played by persons."""
        return frozenset(side for side, seat in enumerate(self.seats) if seat.is_person)

    @property
    def player_names(self) -> tuple[str, str]:
        """The human names of the players, empty without one."""
        first, second = (seat.persona for seat in self.seats)
        return first, second

    def node(self, number: int) -> GameNode:
        if not 0 <= number < len(self.tree.nodes):
            raise GameNotFound(f"this game has no move {number}")
        return self.tree.nodes[number]

    def job(self, number: int) -> dict[str, Any]:
        """Return the fields of a worker's job that identify a node."""
        start, *line = self.tree.path_to(number)
        return {
            "game": self.game_spec[0],
            "rules": self.game_spec[1],
            "start": str(start.position),
            "moves": [node.text for node in line],
        }

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

    async def open(self) -> None:
        """Save a new game and play its forced first moves, such as a dice roll."""
        async with self._lock:
            line = LinePlan(self.tree, self.tree.current)
            line.play_forced_moves(self.move_entry, self.seed)
            self.tree.attach(line.new_nodes)
            self.tree.go_to(line.last.number)
            await self._save(self.tree.nodes[1:])
            self._announce("setting")

    async def play(self, number: int, text: str) -> None:
        """Play a person's move at a node, which must be the current one."""
        async with self._lock:
            current = self.tree.current
            if number != current.number:
                raise OutOfTurn("the game has changed since; reload it")
            is_over = self.outcome_at(current) is not None
            if is_over or not self.move_entry.is_decision(current.position, self.people):
                raise OutOfTurn("it is not a person’s turn")
            await self._play_move(self.game.parse_move(text, current.position), PERSON)

    async def play_reply(self, number: int, text: str, explanation: MoveExplanation) -> None:
        """Play a player's move at a node, unless the game has gone elsewhere since."""
        async with self._lock:
            if self.tree.current_number == number:
                move = self.game.parse_move(text, self.tree.current.position)
                await self._play_move(move, PLAYER, explanation)

    async def resign(self, level: int = 1) -> None:
        """Resign for a person; `level` is that of `Game.resignation_levels`."""
        async with self._lock:
            side = self.find_resigning_side()
            resignation = Resignation(self.tree.current_number, side, level)
            await self._save(resignation=resignation)
            self.resignation = resignation
            self._announce("setting")

    async def go_to(self, number: int) -> None:
        """Make another node current; a player to move there is paused."""
        async with self._lock:
            node = self.node(number)
            outcome, mover = self.outcome_at(node), node.position.mover
            is_players = outcome is None and mover != CHANCE and not self.seats[mover].is_person
            pace = replace(self.pace, is_paused=self.pace.is_paused or is_players)
            await self._save(at=node.number, pace=pace)
            self.tree.go_to(node.number)
            self.pace = pace
            self._announce("setting")

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
            self.seats, self.pace = seats, pace
            self._announce("setting")

    async def set_pace(self, is_paused: bool, delay: float) -> None:
        """Pause or resume players and set the delay between their moves."""
        async with self._lock:
            pace = Pace(is_paused, delay)
            await self._save(pace=pace)
            self.pace = pace
            self._announce("setting")

    async def set_comment(self, number: int, comment: str) -> None:
        """Set the comment of a move."""
        async with self._lock:
            node = self.node(number)
            if node.parent is None:
                await self._save(comment=comment)
            else:
                await self._save([replace(node, comment=comment)])
            node.comment = comment
            self.announce_notes([number])

    async def set_learned(self, specs: dict[str, str], display_names: dict[str, str]) -> None:
        """Keep the specs of players that have learned from the game."""
        async with self._lock:
            self.learned_specs.final |= specs
            with suppress(LudusError):  # what was learned is stored with the next change
                await self._save()
            self.learned_specs.display_names |= display_names
            self._announce("note")

    def announce_notes(self, numbers: Sequence[int]) -> None:
        """Announce that comments or marks of these nodes have changed."""
        self._announce("note", [self.node(number) for number in numbers])

    async def _play_move(
        self, move: Move, made_by: str, explanation: MoveExplanation | None = None
    ) -> None:
        """Play a move and the forced moves after it."""
        if len(self.tree.nodes) + MAX_FORCED > self.max_nodes:
            raise LimitReached("this game has reached the largest number of moves")
        if self.tree.depth_after(move) > MAX_DEPTH:
            raise LimitReached(f"variations may lie {MAX_DEPTH} deep in each other")
        line = LinePlan(self.tree, self.tree.current)
        line.play(move, made_by, explanation=explanation)
        line.play_forced_moves(self.move_entry, self.seed)
        await self._save(line.new_nodes, at=line.last.number)
        self.tree.attach(line.new_nodes)
        self.tree.go_to(line.last.number)
        self._announce("move", line.new_nodes)

    def _announce(self, change: Change, nodes: Sequence[GameNode] = ()) -> None:
        self.revision += 1
        for node in nodes:
            node.revision = self.revision
        self.on_change(change)

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
            "seats": [seat.model_dump() for seat in seats or self.seats],
            "paused": pace.is_paused,
            "delay": pace.delay,
            "comment": self.tree.nodes[0].comment if comment is None else comment,
            "learned": [self.learned_specs.initial, self.learned_specs.final],
            "resigned": None if resignation is None else _format_resignation(resignation),
            "earlier": [*self.earlier.score, self.earlier.num_games],
            "revision": self.revision + 1,
        }
        start = str(self.tree.nodes[0].position)
        stored = StoredGame(self.id, *self.game_spec, start, self.seed, state)
        await self._store.save(stored, [_store_node(node) for node in nodes])

    def to_record(self) -> Record:
        """Return the game as a record; its main line consists of the moves played first."""
        tree, start = self.tree, self.tree.nodes[0].position
        first, second = ("person" if seat.is_person else seat.spec for seat in self.seats)
        last = tree.nodes[0]
        while last.children:
            last = tree.nodes[last.children[0]]
        return Record.from_line(
            tree.game,
            (first, second),
            str(start),
            start.mover,
            tree.record_line(),
            self.outcome_at(last),
        )


def _store_node(node: GameNode) -> StoredNode:
    assert node.parent is not None
    explanation = None if node.explanation is None else node.explanation.model_dump()
    return StoredNode(node.number, node.parent, node.text, node.made_by, node.comment, explanation)


def _format_resignation(resignation: Resignation) -> list[int]:
    """Return node and side, and what was resigned unless it was a single game."""
    return list(astuple(resignation))[: 2 if resignation.level == 1 else 3]
