"""All the games there are: new ones, those in memory, and those that wait in the store."""

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
from ludus.web.errors import NoSuchGame, TooMuch
from ludus.web.learning import Learning
from ludus.web.seats import Seat
from ludus.web.settings import Settings
from ludus.web.store import Store
from ludus.web.table import Pace, Table
from ludus.web.thinkers import Thinkers
from ludus.web.tree import Tree

MAX_OFFERS = 100
"""Games with rules of their own whose players are remembered."""

ID_BYTES = 16
"""As many as nobody can guess."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked for in a new game."""

    game: str
    rules: str = ""
    position: str = ""
    """Where to begin, in any notation of the game; empty for its start."""

    record: str = ""
    """A game to go on with."""

    seats: tuple[Seat, Seat] = field(default=(Seat(), Seat()))
    seed: int | None = None
    delay: float = 0.0
    after: str = ""
    """A game whose players may go on with what they have learned."""


class Hall:
    """The games of one server."""

    def __init__(self, settings: Settings, store: Store, thinkers: Thinkers) -> None:
        self._settings = settings
        self._means = store, thinkers
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._offers: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._finding = asyncio.Lock()

    async def opponents(self, name: str, rules: str) -> list[dict[str, Any]]:
        """Everybody who plays a game, found out once."""
        key = (name, rules)
        if key in self._offers:
            return self._offers[key]
        named_game(name, rules)
        # Many may ask at the same time; they wait for one answer.
        async with self._finding:
            if key not in self._offers:
                found = await self._means[1].work("opponents", {"game": name, "rules": rules})
                if len(self._offers) >= MAX_OFFERS:
                    self._offers.clear()
                self._offers[key] = found["players"]
            return self._offers[key]

    async def look_round(self) -> None:
        """Find out who plays which game before anybody asks."""
        for name in GAMES:
            with suppress(LudusError):
                await self.opponents(name, "")

    async def checked(self, seats: tuple[Seat, Seat], name: str, rules: str) -> tuple[Seat, Seat]:
        """The seats, if there is somebody for each."""
        if all(seat.is_person for seat in seats):
            return Seat(), Seat()
        offers = {offer["name"]: offer for offer in await self.opponents(name, rules)}
        first, second = (seat.check(offers) for seat in seats)
        return first, second

    async def open(self, order: Order) -> Table:
        """A new game."""
        tree, order = self._tree(order)
        seats = await self.checked(order.seats, order.game, order.rules)
        self._make_room()
        seed = secrets.randbits(53) if order.seed is None else order.seed
        table = Table(
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

    async def table(self, id_: str) -> Table:
        """A game by its id; NoSuchGame if there is none."""
        table = self._tables.get(id_)
        if table is None:
            loaded = await self._load(id_)
            # Somebody else may have asked at the same time; there is one table for each game.
            table = self._tables.setdefault(id_, loaded)
            table.go_on()
        self._tables.move_to_end(id_)
        return table

    async def _learned(self, id_: str) -> dict[str, str]:
        """What players have learned up to a game; nothing if there is none."""
        if id_ in self._tables:
            return self._tables[id_].learning.handed_on
        found = await self._means[0].load(id_) if id_ else None
        return {} if found is None else Learning.kept(found[0].state).handed_on

    def close(self) -> None:
        for table in self._tables.values():
            table.close()

    def _tree(self, order: Order) -> tuple[Tree, Order]:
        """The moves to begin with; a record may say itself which game it is of."""
        if not order.record:
            game = named_game(order.game, order.rules)
            return Tree(game, game.parse(order.position) if order.position else game.start()), order
        record = Record.parse(order.record)
        name = record.headers.get("Game", order.game)
        rules = record.headers.get("Rules", order.rules if name == order.game else "")
        check_length(f"{name}:{rules}", BadRecord)
        game = named_game(name, rules)
        tree = Tree(game, record.replay(game)[0])
        tree.nodes[0].comment = record.line.comment
        try:
            tree.go(tree.add_line(record.line, 0, self._settings.max_nodes))
        except RecursionError:
            raise BadRecord("the variations of this game lie too deep in each other") from None
        return tree, replace(order, game=game.id, rules=rules, position="")

    async def _load(self, id_: str) -> Table:
        found = await self._means[0].load(id_)
        if found is None:
            raise NoSuchGame("there is no such game")
        kept, nodes = found
        game = named_game(kept.name, kept.rules)
        tree = Tree(game, game.parse(kept.start))
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
        table = Table(
            kept.id,
            (kept.name, kept.rules),
            tree,
            (first, second),
            kept.seed,
            self._means,
            self._settings.max_nodes,
        )
        table.pace = Pace(kept.state["paused"], kept.state["delay"])
        table.learning = Learning.kept(kept.state)
        return table

    def _make_room(self) -> None:
        """Games that nobody looks at leave the memory; the store has them."""
        if len(self._tables) < self._settings.max_tables:
            return
        for id_, table in list(self._tables.items()):
            if not table.watchers and not table.is_thinking:
                del self._tables[id_]
                return
        raise TooMuch("too many games are being played; try again in a moment")
