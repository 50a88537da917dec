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
    previous_game: str = ""
    """Id of a game whose players continue with what they learned."""


class GameRegistry:
    """The games of one server."""

    def __init__(self, settings: Settings, store: GameStore, workers: WorkerPool) -> None:
        self._settings = settings
        self._store, self._workers = store, workers
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._opponents: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._opponents_lock = asyncio.Lock()

    async def opponents(self, name: str, rules: str) -> list[dict[str, Any]]:
        """Return the players for a game; the list is cached."""
        key = (name, rules)
        if key in self._opponents:
            return self._opponents[key]
        named_game(name, rules)
        # Concurrent requests share one computation.
        async with self._opponents_lock:
            if key not in self._opponents:
                result = await self._workers.run_job("opponents", {"game": name, "rules": rules})
                if len(self._opponents) >= MAX_OPPONENT_LISTS:
                    self._opponents.clear()
                self._opponents[key] = result["players"]
            return self._opponents[key]

    async def preload_opponents(self) -> None:
        """Fill the cache of opponents for all games with default rules."""
        for name in GAMES:
            with suppress(LudusError):
                await self.opponents(name, "")

    async def check_seats(
        self, seats: tuple[Seat, Seat], name: str, rules: str
    ) -> tuple[Seat, Seat]:
        """Return the seats after checking that each player is available."""
        if all(seat.is_person for seat in seats):
            return Seat(), Seat()
        offers = {offer["name"]: offer for offer in await self.opponents(name, rules)}
        first, second = (seat.check(offers) for seat in seats)
        return first, second

    async def create(self, setup: GameSetup) -> Session:
        """Create a game."""
        tree, setup = self._build_tree(setup)
        seats = await self.check_seats(setup.seats, setup.game, setup.rules)
        self._evict()
        seed = secrets.randbits(53) if setup.seed is None else setup.seed
        session = Session(
            secrets.token_urlsafe(ID_BYTES),
            (setup.game, setup.rules),
            tree,
            seats,
            seed,
            self._store,
            self._workers,
            self._settings.max_nodes,
        )
        session.pace = Pace(is_paused=bool(setup.record), delay=setup.delay)
        session.learned_specs.initial = await self._load_learned_specs(setup.previous_game)
        self._sessions[session.id] = session
        await session.open()
        return session

    async def find(self, id_: str) -> Session:
        """Return a game by its id; raise GameNotFound if it does not exist."""
        session = self._sessions.get(id_)
        if session is None:
            loaded = await self._load(id_)
            # A concurrent request may have loaded it; keep one session per game.
            session = self._sessions.setdefault(id_, loaded)
            session.resume()
        self._sessions.move_to_end(id_)
        return session

    async def _load_learned_specs(self, id_: str) -> dict[str, str]:
        """Return the specs that players learned up to a game; empty if it is unknown."""
        if id_ in self._sessions:
            return self._sessions[id_].learned_specs.for_next_game
        stored = await self._store.load(id_) if id_ else None
        return {} if stored is None else LearnedSpecs.from_json(stored[0].state).for_next_game

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()

    def _build_tree(self, setup: GameSetup) -> tuple[GameTree, GameSetup]:
        """Return the initial tree and the setup; a record may name its game and rules itself."""
        if not setup.record:
            game = named_game(setup.game, setup.rules)
            return GameTree(
                game, game.parse(setup.position) if setup.position else game.start()
            ), setup
        record = Record.parse(setup.record)
        name = record.headers.get("Game", setup.game)
        rules = record.headers.get("Rules", setup.rules if name == setup.game else "")
        check_length(f"{name}:{rules}", BadRecord)
        game = named_game(name, rules)
        tree = GameTree(game, record.replay(game)[0])
        tree.nodes[0].comment = record.line.comment
        try:
            tree.go_to(tree.add_line(record.line, 0, self._settings.max_nodes))
        except RecursionError:
            raise BadRecord("the variations of this game lie too deep in each other") from None
        return tree, replace(setup, game=game.id, rules=rules, position="")

    async def _load(self, id_: str) -> Session:
        stored = await self._store.load(id_)
        if stored is None:
            raise GameNotFound("there is no such game")
        game_data, nodes = stored
        game = named_game(game_data.name, game_data.rules)
        tree = GameTree(game, game.parse(game_data.start))
        tree.nodes[0].comment = game_data.state["comment"]
        for node in nodes:
            before = tree.nodes[node.parent].position
            move = game.parse_move(node.move, before)
            added = tree.add(node.parent, move, node.made_by, node.comment, node.explanation)
            if added.number != node.number:
                raise LudusError(f"the game {game_data.id} is damaged at move {node.number}")
        tree.go_to(game_data.state["at"])
        first, second = (Seat.from_json(seat) for seat in game_data.state["seats"])
        self._evict()
        session = Session(
            game_data.id,
            (game_data.name, game_data.rules),
            tree,
            (first, second),
            game_data.seed,
            self._store,
            self._workers,
            self._settings.max_nodes,
        )
        session.pace = Pace(game_data.state["paused"], game_data.state["delay"])
        session.learned_specs = LearnedSpecs.from_json(game_data.state)
        return session

    def _evict(self) -> None:
        """Evict an unwatched game from memory if the limit is reached; the store keeps it."""
        if len(self._sessions) < self._settings.max_sessions:
            return
        for id_, session in list(self._sessions.items()):
            if not session.watchers and not session.is_thinking:
                del self._sessions[id_]
                return
        raise LimitReached("too many games are being played; try again in a moment")
