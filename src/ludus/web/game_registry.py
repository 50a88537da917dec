"""All games of a server: new games, games in memory, and games in the store."""

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress

from cachetools import LRUCache
from pydantic import TypeAdapter

from ludus.core.errors import BadRecord, LudusError
from ludus.games import GAMES, registered_game
from ludus.web.errors import GameNotFound, OutOfTurn
from ludus.web.game_record import EarlierGames, GameRecord, Pace, Resignation
from ludus.web.game_tree import RECORD, GameTree
from ludus.web.job_queue import FairPool, JobOwner, current_client
from ludus.web.schemas.catalogue import OpponentView
from ludus.web.schemas.requests import NewGameRequest, SeatRequest
from ludus.web.seats import LearnedSpecs, OfferedPlayers, Seat
from ludus.web.session import Session
from ludus.web.settings import Settings
from ludus.web.store import GameStore, StoredNode, report_damage, restore_node, restore_start
from ludus.web.worker_pool import WorkerPool

MAX_OPPONENT_LISTS = 100
"""Cached lists of players for other rules than the usual ones, one per game and rules."""

MOVES_PER_TURN = 50
"""Moves of a game that are read at once while others wait; milliseconds."""

UNSTORED_REVISIONS = 1_000
"""More than the revisions of a game between two changes that are stored."""

ID_BYTES = 16
"""Random bytes per game id; enough that ids cannot be guessed."""


class GameRegistry:
    """The games of one server."""

    def __init__(
        self, settings: Settings, store: GameStore, workers: WorkerPool, turns: FairPool[None]
    ) -> None:
        self._settings = settings
        self._store, self._workers, self._turns = store, workers, turns
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._usual_offers: dict[str, OfferedPlayers] = {}
        """Players by game for the usual rules, which are never dropped."""

        self._offers: LRUCache[tuple[str, str], OfferedPlayers] = LRUCache(MAX_OPPONENT_LISTS)

    async def find_offers(self, name: str, rules: str) -> OfferedPlayers:
        """Return the players for a game by name, the weakest first; what was found is cached."""
        game = registered_game(name, rules)
        text = game.format_rules(game.rules)
        is_usual = game.rules == registered_game(name).rules
        known = self._usual_offers.get(name) if is_usual else self._offers.get((name, text))
        if known is not None:
            return known
        result = await self._workers.run_job("opponents", {"game": name, "rules": text})
        players = TypeAdapter(list[OpponentView]).validate_python(result["players"])
        found = {offer.name: offer for offer in players}
        if is_usual:
            self._usual_offers[name] = found
        else:
            self._offers[name, text] = found
        return found

    async def preload_opponents(self) -> None:
        """Find the players for all games with the usual rules."""
        for name in GAMES:
            with suppress(LudusError):
                await self.find_offers(name, "")

    async def make_seats(
        self, seats: Sequence[SeatRequest], name: str, rules: str
    ) -> tuple[Seat, Seat]:
        """Return the requested seats after checking that each player is available."""
        first, second = (Seat(**seat.model_dump()) for seat in seats)
        if first.is_person and second.is_person:
            return Seat(), Seat()
        offers = await self.find_offers(name, rules)
        return first.check(offers), second.check(offers)

    async def create(self, request: NewGameRequest) -> Session:
        """Create a game."""
        tree, game_spec, headers = await self._build_tree(request)
        seats = await self._find_seats(request, game_spec, headers)
        seed = secrets.randbits(53) if request.seed is None else request.seed
        session = self._make_session(secrets.token_urlsafe(ID_BYTES), game_spec, tree, seats, seed)
        record = session.record
        record.pace = Pace(is_paused=bool(request.record), delay=request.delay)
        record.learned_specs.initial = await self._load_learned_specs(request.after)
        if request.continues:
            record.earlier = add_up_games((await self.find(request.continues)).record, record)
        await record.open()
        self._evict()
        self._sessions[record.id] = session
        return session

    async def _find_seats(
        self, request: NewGameRequest, game_spec: tuple[str, str], headers: Mapping[str, str]
    ) -> tuple[Seat, Seat]:
        """Return the requested seats or, for a record without a request, the players it names."""
        if not request.record or "seats" in request.model_fields_set:
            return await self.make_seats(request.seats, *game_spec)
        offers = await self.find_offers(*game_spec)
        sides = registered_game(*game_spec).sides
        first, second = (
            Seat.from_spec(headers.get(side.capitalize(), ""), offers) for side in sides
        )
        return first, second

    async def find(self, id_: str) -> Session:
        """Return a game by its id; raise GameNotFound if it does not exist."""
        session = self._sessions.get(id_)
        if session is None:
            loaded = await self._load(id_)
            # A concurrent request may have loaded it; keep one session per game.
            session = self._sessions.get(id_)
            if session is None:
                self._evict()
                session = self._sessions[id_] = loaded
            session.replies.resume()
            session.replies.warm_up_analyst()
        self._sessions.move_to_end(id_)
        return session

    async def _load_learned_specs(self, id_: str) -> dict[str, str]:
        """Return the specs that players learned up to a game; empty if it is unknown."""
        if id_ in self._sessions:
            return self._sessions[id_].record.learned_specs.for_next_game
        found = await self._store.load(id_) if id_ else None
        if found is None:
            return {}
        with report_damage(id_):
            _, state = restore_start(found[0])
        return LearnedSpecs(*state.learned).for_next_game

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()

    async def _build_tree(
        self, request: NewGameRequest
    ) -> tuple[GameTree, tuple[str, str], Mapping[str, str]]:
        """Return the initial tree, game and rules, which a record may name, and its headers."""
        if not request.record:
            game = registered_game(request.game, request.rules)
            start = game.parse(request.position) if request.position else game.start()
            return GameTree(game, start), (request.game, request.rules), {}
        job = {"text": request.record, "game": request.game, "rules": request.rules}
        found = await self._workers.read_text(
            "record", {**job, "max_nodes": self._settings.max_nodes}
        )
        game = registered_game(*found["game"])
        tree = GameTree(game, game.parse(found["start"]))
        tree.nodes[0].comment = found["comment"]
        rows = enumerate(found["nodes"], 1)
        await self._add_moves(
            tree,
            [
                StoredNode(n, parent, text, RECORD, comment, None)
                for n, (parent, text, comment) in rows
            ],
        )
        tree.go_to(found["last"])
        return tree, found["game"], found["headers"]

    async def _add_moves(self, tree: GameTree, nodes: Sequence[StoredNode]) -> None:
        """Add stored moves to a tree, in turns with the work for others."""
        for begin in range(0, len(nodes), MOVES_PER_TURN):
            async with self._turns.turn(JobOwner(current_client.get())):
                for node in nodes[begin : begin + MOVES_PER_TURN]:
                    restore_node(tree, node)

    async def _load(self, id_: str) -> Session:
        found = await self._store.load(id_)
        if found is None:
            raise GameNotFound("there is no such game")
        stored, nodes = found
        with report_damage(id_):
            tree, state = restore_start(stored)
            await self._add_moves(tree, nodes)
            if state.at >= len(tree.nodes):
                raise BadRecord(f"move {state.at} is missing")
            tree.go_to(state.at)
        first, second = (Seat(**seat.model_dump()) for seat in state.seats)
        game_spec = stored.name, stored.rules
        session = self._make_session(stored.id, game_spec, tree, (first, second), stored.seed)
        record = session.record
        record.pace = Pace(state.paused, state.delay)
        # Later than what pages may have, even if the clock was set back.
        record.revision = max(record.revision, state.revision + UNSTORED_REVISIONS)
        record.learned_specs = LearnedSpecs(*state.learned)
        record.resignation = state.resigned and Resignation(*state.resigned)
        *score, num_games = state.earlier
        record.earlier = EarlierGames((score[0], score[1]), num_games)
        return session

    def _make_session(
        self,
        id_: str,
        game_spec: tuple[str, str],
        tree: GameTree,
        seats: tuple[Seat, Seat],
        seed: int,
    ) -> Session:
        max_nodes = self._settings.max_nodes
        record = GameRecord(id_, game_spec, tree, seats, seed, self._store, max_nodes)
        return Session(record, self._workers, self._turns, self.find_offers)

    def _evict(self) -> None:
        """Keep a number of games in memory beside those that are watched; the store has all."""
        sessions = self._sessions.values()
        idle = [each for each in sessions if not each.watchers and not each.record.is_changing]
        for session in idle[: max(0, len(idle) - self._settings.max_sessions + 1)]:
            session.close()
            del self._sessions[session.record.id]


def add_up_games(last: GameRecord, following: GameRecord) -> EarlierGames:
    """Return the points of a money session with its last game; OutOfTurn if that is not over."""
    outcome = last.outcome_at(last.tree.current)
    is_session = last.game.rules == following.game.rules and last.game.has_sessions
    if outcome is None or not is_session:
        raise OutOfTurn("only a money game that is over is followed by another one")
    score = [*last.earlier.score]
    if outcome.winner is not None:
        score[outcome.winner] += outcome.points
    if last.seats != following.seats and last.seats == following.seats[::-1]:
        score.reverse()
    return EarlierGames((score[0], score[1]), last.earlier.num_games + 1)
