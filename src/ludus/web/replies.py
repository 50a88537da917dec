"""The moves of players in a game: which one is thinking, why one failed, and what one learned."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Set
from contextlib import suppress
from typing import Any

from ludus.core.errors import LudusError
from ludus.web.explanations import ChosenMove, MoveExplanation
from ludus.web.game_record import Change, GameRecord
from ludus.web.seats import OfferedPlayers, Seat, learner_key
from ludus.web.store import BadGameFile
from ludus.web.worker_pool import WorkerPool

MIN_REVIEWED_NODES = 8
"""Moves of a game from which on a review may soon be asked for."""


RETRY_SECONDS = 5.0
"""Pause after a move that could not be stored."""


class Replies:
    """Requests a move from the player to move, whenever there is one."""

    def __init__(
        self,
        record: GameRecord,
        workers: WorkerPool,
        find_offers: Callable[[str, str], Awaitable[OfferedPlayers]],
        watchers: Set[asyncio.Event],
    ) -> None:
        self.failure = ""
        """Why a player failed to move; empty if none did."""

        self._record, self._workers = record, workers
        self._find_offers, self._watchers = find_offers, watchers
        self._task: asyncio.Task[None] | None = None
        self._wanted: tuple[int, Seat] | None = None
        """The node for which a move was requested, and from whom."""

        self._offers: OfferedPlayers | None = None
        self._result_task: asyncio.Task[None] | None = None
        self._hurry_event = asyncio.Event()

    async def settle(self) -> None:
        """Wait until no player is thinking or learning."""
        while tasks := [t for t in (self._task, self._result_task) if t and not t.done()]:
            await asyncio.wait(tasks)

    def hurry(self) -> None:
        """Request an immediate move from the player that is thinking."""
        self._hurry_event.set()

    def follow(self, change: Change) -> None:
        """Stop, start and prepare players after a change of the game."""
        if change == "setting":
            if self._find_wanted() != self._wanted:
                self._stop()
            self.failure = ""
            self._warm_up_players()
        if change != "note":
            self.resume()
            self.warm_up_analyst()
        if change == "move" and self._record.tree.current.position.outcome() is not None:
            self._report_result()

    def resume(self) -> None:
        """Start the player to move, unless the game is paused, over, failed or unwatched."""
        wanted = self._find_wanted()
        is_thinking = self._task is not None and not self._task.done()
        if wanted is None or self.failure or (is_thinking and wanted == self._wanted):
            return
        self._hurry_event, self._wanted = asyncio.Event(), wanted
        self._task = asyncio.create_task(self._think(*wanted))

    def _find_wanted(self) -> tuple[int, Seat] | None:
        """Return the node at which a player is to move, and the player; None if none is."""
        record, node = self._record, self._record.tree.current
        if record.pace.is_paused or record.outcome_at(node) is not None:
            return None
        seat = record.seats[node.position.mover]
        if seat.is_person or not (record.people or self._watchers):
            return None
        return node.number, seat

    def warm_up_analyst(self) -> None:
        """Load what a review needs in time, once a game has some moves."""
        if len(self._record.tree.nodes) >= MIN_REVIEWED_NODES:
            self._workers.warm_up_analyst(*self._record.game_spec)

    def close(self) -> None:
        self._stop()
        if self._result_task is not None:
            self._result_task.cancel()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _warm_up_players(self) -> None:
        """Warm up the players while a person is to move."""
        record, node = self._record, self._record.tree.current
        if node.position.outcome() is not None or not record.seats[node.position.mover].is_person:
            return
        for seat in record.seats:
            if not seat.is_person:
                self._workers.warm_up({**record.job(node.number), "player": seat.spec})

    async def _think(self, number: int, seat: Seat) -> None:
        """Request a move from the player to move, and play it; a failure is shown to the person."""
        try:
            await self._reply(number)
        except Exception as error:
            # Any error, even one of this program: without a message it would look like thinking.
            why = (
                str(error) if isinstance(error, LudusError) else f"{type(error).__name__}: {error}"
            )
            self.failure = f"{seat.title} gave no move: {why}"
            self._record.announce_notes(())
            if isinstance(error, BadGameFile):  # such as a lock by another program
                asyncio.get_running_loop().call_later(RETRY_SECONDS, self._retry)
            if not isinstance(error, LudusError):
                raise

    def _retry(self) -> None:
        if self.failure:
            self.failure = ""
            self.resume()
            self._record.announce_notes(())

    async def _reply(self, number: int) -> None:
        began, record = time.monotonic(), self._record
        side = record.node(number).position.mover
        spec = record.seats[side].spec
        job = {**record.job(number), **await self._player_job(side)}
        job["seed"] = random.Random(f"{record.seed} {number} {spec}").getrandbits(62)
        chosen = ChosenMove.model_validate(await self._workers.choose(job, self._hurry_event))
        if not record.people:
            await asyncio.sleep(max(0.0, record.pace.delay - (time.monotonic() - began)))
        if chosen.wants_results:
            record.learned_specs.display_names[spec] = chosen.name
        explanation = MoveExplanation(
            comment=chosen.comment, scores=chosen.scores, pictures=chosen.pictures
        )
        await record.play_reply(number, chosen.move, explanation)

    async def _player_job(self, side: int) -> dict[str, Any]:
        """Return the job fields that identify the player of a side.

        The seats may come from a file of games, so they are checked like those of a request.
        """
        record = self._record
        if self._offers is None:
            self._offers = await self._find_offers(*record.game_spec)
        seat = record.seats[side].check(self._offers)
        begin = random.Random(f"{record.seed} {side} {seat.spec}").getrandbits(62)
        spec = record.learned_specs.spec(record.game_spec, seat)
        return {"session": record.id, "player": spec, "begin": begin}

    def _report_result(self) -> None:
        if self._record.learned_specs.display_names:
            number = self._record.tree.current_number
            self._result_task = asyncio.create_task(self._teach(number))

    async def _teach(self, number: int) -> None:
        """Send the outcome to players that learn, and keep their specs for the next game."""
        record = self._record
        specs: dict[str, str] = {}
        display_names: dict[str, str] = {}
        for side, seat in enumerate(record.seats):
            if seat.is_person or seat.spec not in record.learned_specs.display_names:
                continue
            with suppress(LudusError):
                fields = await self._player_job(side)
                job = {**record.job(number), **fields, "seed": 0, "side": side}
                response = await self._workers.run_job("end", job)
                specs[learner_key(record.game_spec, seat)] = response["spec"]
                display_names[seat.spec] = response["name"]
        await record.set_learned(specs, display_names)
