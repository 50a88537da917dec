"""All games of a server: new games, games in memory, and games in the store."""

import asyncio
import secrets
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from ludus.core.errors import BadRecord, LudusError, check_length
from ludus.core.record import Record
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.web.errors import GameNotFound, LimitReached
from ludus.web.game_tree import GameTree
from ludus.web.seats import LearnedSpecs, Seat
from ludus.web.session import Pace, Session
from ludus.web.settings import Settings
from ludus.web.store import GameStore
from ludus.web.worker_pool import WorkerPool

MAX_OPPONENT_LISTS = 100
"""Cached lists of players, one per game and rules."""

ID_BYTES = 16
"""Random bytes per game id; enough that ids cannot be guessed."""


@dataclass(frozen=True, slots=True)
class GameSetup:
    """Options of a new game."""

    game: str
    rules: str = ""
    position: str = ""
    """Start position in any notation of the game; empty for the default."""

    record: str = ""
    """Record of a game to continue."""

    seats: tuple[Seat, Seat] = field(default=(Seat(), Seat()))
    seed: int | None = None
    delay: float = 0.0
    after: str = ""
    """Id of a game whose players continue with what they learned."""


class GameRegistry:
    """The games of one server."""

    def __init__(self, settings: Settings, store: GameStore, thinkers: WorkerPool) -> None:
        self._settings = settings
        self._means = store, thinkers
        self._tables: OrderedDict[str, Session] = OrderedDict()
        self._offers: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._finding = asyncio.Lock()

    async def opponents(self, name: str, rules: str) -> list[dict[str, Any]]:
        """Return the players for a game; the list is cached."""
        key = (name, rules)
        if key in self._offers:
            return self._offers[key]
        named_game(name, rules)
        # Concurrent requests share one computation.
        async with self._finding:
            if key not in self._offers:
                found = await self._means[1].work("opponents", {"game": name, "rules": rules})
                if len(self._offers) >= MAX_OPPONENT_LISTS:
                    self._offers.clear()
                self._offers[key] = found["players"]
            return self._offers[key]

    async def look_round(self) -> None:
        """Fill the cache of opponents for all games with default rules."""
        for name in GAMES:
            with suppress(LudusError):
                await self.opponents(name, "")

    async def checked(self, seats: tuple[Seat, Seat], name: str, rules: str) -> tuple[Seat, Seat]:
        """Return the seats after checking that each player is available."""
        if all(seat.is_person for seat in seats):
            return Seat(), Seat()
        offers = {offer["name"]: offer for offer in await self.opponents(name, rules)}
        first, second = (seat.check(offers) for seat in seats)
        return first, second

    async def open(self, order: GameSetup) -> Session:
        """Create a game."""
        tree, order = self._tree(order)
        seats = await self.checked(order.seats, order.game, order.rules)
        self._make_room()
        seed = secrets.randbits(53) if order.seed is None else order.seed
        table = Session(
            secrets.token_urlsafe(ID_BYTES),
            (order.game, order.rules),
            tree,
            seats,
            seed,
            self._means,
            self._settings.max_nodes,
        )
        table.pace = Pace(is_paused=bool(order.record), delay=order.delay)
        table.learning.begun = await self._learned(order.after)
        self._tables[table.id] = table
        await table.open()
        return table

    async def table(self, id_: str) -> Session:
        """Return a game by its id; raise GameNotFound if it does not exist."""
        table = self._tables.get(id_)
        if table is None:
            loaded = await self._load(id_)
            # A concurrent request may have loaded it; keep one session per game.
            table = self._tables.setdefault(id_, loaded)
            table.go_on()
        self._tables.move_to_end(id_)
        return table

    async def _learned(self, id_: str) -> dict[str, str]:
        """Return the specs that players learned up to a game; empty if it is unknown."""
        if id_ in self._tables:
            return self._tables[id_].learning.handed_on
        found = await self._means[0].load(id_) if id_ else None
        return {} if found is None else LearnedSpecs.kept(found[0].state).handed_on

    def close(self) -> None:
        for table in self._tables.values():
            table.close()

    def _tree(self, order: GameSetup) -> tuple[GameTree, GameSetup]:
        """Return the initial tree and the setup; a record may name its game and rules itself."""
        if not order.record:
            game = named_game(order.game, order.rules)
            return GameTree(
                game, game.parse(order.position) if order.position else game.start()
            ), order
        record = Record.parse(order.record)
        name = record.headers.get("Game", order.game)
        rules = record.headers.get("Rules", order.rules if name == order.game else "")
        check_length(f"{name}:{rules}", BadRecord)
        game = named_game(name, rules)
        tree = GameTree(game, record.replay(game)[0])
        tree.nodes[0].comment = record.line.comment
        try:
            tree.go(tree.add_line(record.line, 0, self._settings.max_nodes))
        except RecursionError:
            raise BadRecord("the variations of this game lie too deep in each other") from None
        return tree, replace(order, game=game.id, rules=rules, position="")

    async def _load(self, id_: str) -> Session:
        found = await self._means[0].load(id_)
        if found is None:
            raise GameNotFound("there is no such game")
        kept, nodes = found
        game = named_game(kept.name, kept.rules)
        tree = GameTree(game, game.parse(kept.start))
        tree.nodes[0].comment = kept.state["comment"]
        for node in nodes:
            before = tree.nodes[node.parent].position
            move = game.parse_move(node.move, before)
            added = tree.add(node.parent, move, node.by, node.comment, node.thought)
            if added.number != node.number:
                raise LudusError(f"the game {kept.id} is damaged at move {node.number}")
        tree.go(kept.state["at"])
        first, second = (Seat.from_json(seat) for seat in kept.state["seats"])
        self._make_room()
        table = Session(
            kept.id,
            (kept.name, kept.rules),
            tree,
            (first, second),
            kept.seed,
            self._means,
            self._settings.max_nodes,
        )
        table.pace = Pace(kept.state["paused"], kept.state["delay"])
        table.learning = LearnedSpecs.kept(kept.state)
        return table

    def _make_room(self) -> None:
        """Evict an unwatched game from memory if the limit is reached; the store keeps it."""
        if len(self._tables) < self._settings.max_tables:
            return
        for id_, table in list(self._tables.items()):
            if not table.watchers and not table.is_thinking:
                del self._tables[id_]
                return
        raise LimitReached("too many games are being played; try again in a moment")
