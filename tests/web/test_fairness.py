"""What all clients share is given out in turns: nobody waits for all that another one has sent."""

import asyncio
import gc
import json
import socket
import weakref
from contextlib import ExitStack, suppress
from dataclasses import replace

import pytest
from starlette.websockets import WebSocketDisconnect

from ludus.core.errors import LudusError
from ludus.web.job_queue import FairPool, FairQueue, JobOwner, UsedTime, current_client
from ludus.web.routes.games import TRY_AGAIN_LATER, WatcherHub
from ludus.web.settings import Settings
from support.engines import children
from support.page_server import begin
from support.stored_games import games_in, order, run_apart

ENDLESS_TEXT = "a1 d1 " * 80_000
"""A list of moves that takes seconds to read."""


def start_as(client, work):
    """Start a coroutine as the work for a client."""
    current_client.set(client)
    return asyncio.create_task(work)


async def count_done(tasks):
    """Return how many have ended, and end the others."""
    done = sum(task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return done


def test_lists_of_players_are_made_in_turns():
    rules = [f"men={men},repetition={times}" for men in range(3, 12) for times in range(2, 7)]

    async def work():
        async with games_in(None) as games:
            many = [start_as("many", games.find_offers("nine_mens_morris", text)) for text in rules]
            await asyncio.sleep(0)
            one = start_as("one", games.find_offers("hexapawn", "size=4"))
            assert "random" in await one
            return await count_done(many)

    assert run_apart(work()) < 5


def test_equal_rules_have_one_list_and_the_usual_ones_are_kept():
    async def work():
        async with games_in(None) as games:
            usual = await games.find_offers("hexapawn", "size=3,")
            found = await games.find_offers("hexapawn", "size=4,")
            same = await games.find_offers("hexapawn", "size=4,,") is found
            for number in range(1_000):  # as many other rules would
                games._offers["nine_mens_morris", f"{number}"] = {}
            return same, await games.find_offers("hexapawn", "") is usual

    assert run_apart(work()) == (True, True)


def test_a_long_text_is_given_up_when_its_client_leaves():
    async def work():
        async with games_in(None) as games:
            body = {"game": "nine_mens_morris", "rules": "", "text": ENDLESS_TEXT}
            tasks = [start_as("many", games.workers.read_text("import", body)) for _ in range(20)]
            pool = games.workers._text_pool
            while not pool._tasks:  # until one of them is being read
                await asyncio.sleep(0.01)
            readers = {worker.pid for worker in pool._workers}
            assert await count_done(tasks) == 0
            short = {**body, "text": "1. d6 f4 2. d2"}
            async with asyncio.timeout(60):
                found = await start_as("many", games.workers.read_text("import", short))
            assert readers.isdisjoint(worker.pid for worker in pool._workers)
            return found["record"], len(pool._turns.queue)

    assert run_apart(work()) == ("1. d6 f4 2. d2", 0)


def test_a_client_that_leaves_while_a_process_starts_leaves_no_process(tmp_path):
    async def work():
        async with games_in(None) as games:
            body = {"game": "hexapawn", "rules": "", "text": "x" * 900_000}
            before = children()
            for _ in range(3):
                task = start_as("many", games.workers.read_text("import", body))
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            return len(children() - before), len(games.workers._text_pool._workers)

    assert run_apart(work()) == (0, 0)


def test_long_texts_keep_no_file_of_the_page_waiting(client, server):
    """Once they took all threads of the server, also those that read files."""
    body = json.dumps({"game": "nine_mens_morris", "text": ENDLESS_TEXT}).encode()
    head = (
        "POST /api/imports HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with ExitStack() as stack:
        raws = []
        for _ in range(45):
            raw = socket.create_connection(("127.0.0.1", server.port))
            raws.append(stack.enter_context(raw))
            raw.sendall(head.encode() + body)
        assert client.get("/static/main.js").status_code == 200
        assert begin(client, "hexapawn")["status"] == "yours"
        for raw in raws:
            raw.setblocking(False)
        answered = 0
        for raw in raws:
            with suppress(BlockingIOError):
                answered += bool(raw.recv(1))
        assert answered < 10
    short = {"game": "nine_mens_morris", "text": "1. d6 f4"}
    assert client.post("/api/imports", json=short).status_code == 200


def test_a_record_is_read_in_turns_and_says_what_is_wrong(tmp_path):
    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            session = await games.create(order(record="1. b1-b2 {bold} (1. a1-a2 b3xa2) a3xb2 *"))
            wrong = order(record="1. b1-b2 b1-b2 *")
            with pytest.raises(LudusError, match="legal"):
                await games.create(wrong)
            nodes = session.record.tree.nodes
            return [(node.text, node.parent, node.comment, node.by) for node in nodes[1:]]

    assert run_apart(work()) == [
        ("b1-b2", 0, "bold", "person"),
        ("a1-a2", 0, "", "person"),
        ("b3xa2", 2, "", "person"),
        ("a3xb2", 1, "", "person"),
    ]


def test_a_game_that_nobody_watches_makes_room_and_its_memory_is_free_at_once(tmp_path):
    """Also while a computer thinks in it, and without a collection, which is seldom made."""

    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            games._settings = replace(games._settings, max_sessions=1)
            first = weakref.ref(await games.create(order("random", None)))
            id_ = first().record.id
            gc.disable()
            try:
                second = await games.create(order())
                for _ in range(20):
                    await asyncio.sleep(0)
                assert first() is None
            finally:
                gc.enable()
            second.watchers.add(asyncio.Event())
            again = await games.find(id_)
            assert await games.find(second.record.id) is second
            await again.replies.settle()
            return [node.by for node in again.record.tree.nodes[1:]]

    assert run_apart(work()) == ["player"]


def test_work_on_the_event_loop_is_done_in_turns():
    """Eight large views of one client do not delay another client by more than one of them."""
    served = []

    async def show(pool, client):
        async with pool.turn(JobOwner(client)):
            served.append(client)

    async def work():
        pool = FairPool([None], 100)
        many = [start_as("many", show(pool, "many")) for _ in range(8)]
        while not served:
            await asyncio.sleep(0)
        await start_as("one", show(pool, "one"))
        await asyncio.gather(*many)

    run_apart(work())
    assert served.index("one") <= 2
    assert len(served) == 9


def test_a_ticket_waits_for_what_its_client_has_used_since():
    async def work():
        queue = FairQueue(100)
        queue.add(JobOwner("many", "a"))
        queue.add(JobOwner("one", "x"))
        queue.used.add(JobOwner("many", "b"), 1.0)
        queue.used.add(JobOwner("one", "y"), 0.5)
        return [queue.pop().owner.client for _ in range(2)]

    assert run_apart(work()) == ["one", "many"]


def test_who_is_next_is_found_without_looking_at_all_who_wait(monkeypatch):
    """Although each turn changes what a client has used, and so the order."""
    looks = []
    get = UsedTime.get
    monkeypatch.setattr(UsedTime, "get", lambda self, *key: looks.append(key) or get(self, *key))

    async def count_looks(size):
        queue = FairQueue(size)
        for number in range(size):
            queue.add(JobOwner(f"client {number % 4}", f"{number}"))
        looks.clear()
        while (ticket := queue.pop()) is not None:
            queue.used.add(ticket.owner, 1.0)
        return len(looks)

    fewer, more = (run_apart(count_looks(size)) for size in (200, 800))
    assert more <= 4.5 * fewer


class Socket:
    """The server's end of a connection without a network."""

    def __init__(self):
        self.closed = asyncio.Event()
        self.code = 0

    async def accept(self):
        pass

    async def send_text(self, text):
        pass

    async def receive_text(self):
        await self.closed.wait()
        raise WebSocketDisconnect

    async def close(self, code=1000, reason=""):
        self.code = self.code or code
        self.closed.set()


def test_each_client_has_a_share_of_the_connections(tmp_path):
    """Who has most loses the oldest connection when there are too many."""

    async def work():
        async with games_in(tmp_path / "games.sqlite") as games:
            hub = WatcherHub(Settings(max_watchers=12, max_watchers_per_game=3))
            sessions = [await games.create(order()) for _ in range(6)]
            sockets, tasks = [], []

            async def connect(client, session):
                sockets.append(Socket())
                tasks.append(start_as(client, hub.watch(sockets[-1], session, None)))
                for _ in range(20):
                    await asyncio.sleep(0)
                return sockets[-1]

            for number in range(14):
                await connect("many", sessions[number % 5])
            refused = [each.code for each in sockets]
            mine = await connect("one", sessions[5])
            closed = [bool(each.code) for each in sockets]
            for each in sockets:
                each.closed.set()
            await asyncio.gather(*tasks)
            return refused, closed, mine.code

    refused, closed, mine = run_apart(work())
    assert refused == [0] * 12 + [TRY_AGAIN_LATER] * 2
    assert closed == [True] + [False] * 11 + [True] * 2 + [False]
    assert mine == 1000
