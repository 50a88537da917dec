"""Connections and the order in which clients are served: slow, half-sent, foreign, too many."""

import asyncio
import random
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn
from websockets.asyncio.client import connect

from ludus.web import worker_pool
from ludus.web.errors import WorkerUnavailable
from ludus.web.job_queue import FairPool, FairQueue, JobOwner, current_client
from ludus.web.middleware import GuardMiddleware, name_client
from ludus.web.server import bind_socket, make_config
from ludus.web.settings import Settings
from ludus.web.worker_pool import ProcessPool
from support.repetition import repeat
from support.stored_games import run_apart

GET = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"


async def answer(scope, receive, send):
    """Answer with the address of the client, once the body is complete."""
    while (await receive()).get("more_body"):
        pass
    body = scope["client"][0].encode()
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def serving(app=answer, **settings):
    """The HTTP server of the page with another application; gives its port."""
    config = make_config(app, Settings(**settings), 1024)
    config.lifespan, config.log_level = "off", "critical"
    config.configure_logging()
    server = uvicorn.Server(config)
    with bind_socket("127.0.0.1", 0) as bound:
        task = asyncio.create_task(server.serve([bound]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield bound.getsockname()[1]
        finally:
            server.should_exit = True
            await task


async def talk(port, data, close=False):
    """Send bytes; return all that comes back until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    if close:
        writer.write_eof()
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()
        with suppress(ConnectionResetError, BrokenPipeError):
            await writer.wait_closed()


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", b""),
        (b"G", b"408 Request Timeout"),
        (GET[:-2], b"408 Request Timeout"),
        (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab", b""),
        (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab", b""),
        (GET + GET[:20], b"200 OK"),
    ],
)
def test_half_sent_requests_are_closed(data, found):
    # What is answered depends on what has come by then.
    seconds = 2.0 if found else 0.2

    async def work():
        async with serving(request_seconds=seconds) as port:
            async with asyncio.timeout(60):
                return await talk(port, data)

    assert run_apart(work()).partition(b"\r\n")[0].endswith(found)


def test_many_half_sent_requests_lock_nobody_out():
    async def work():
        async with serving(max_waiting_connections=20, request_seconds=600) as port:
            waiting = [asyncio.create_task(talk(port, GET[:-2])) for _ in range(repeat(100, 400))]
            async with asyncio.timeout(60):
                while sum(task.done() for task in waiting) < len(waiting) - 20:
                    await asyncio.sleep(0.01)
                found = await talk(port, GET.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
            num_closed = sum(task.done() for task in waiting)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            return found, len(waiting) - num_closed

    found, num_waiting = run_apart(work())
    assert found.startswith(b"HTTP/1.1 200")
    assert num_waiting <= 20


async def hold(scope, receive, send):
    """Accept a websocket and keep it."""
    await receive()
    await send({"type": "websocket.accept"})
    await receive()


def test_a_websocket_waits_for_no_request():
    """It is neither closed like a slow request, nor in the place of one."""

    async def work():
        async with serving(hold, max_waiting_connections=1, request_seconds=1) as port:
            async with connect(f"ws://localhost:{port}", host="127.0.0.1", proxy=None) as watching:
                waiting = [asyncio.create_task(talk(port, b"G")) for _ in range(2)]
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                await (await watching.ping())
            await asyncio.gather(*waiting)

    run_apart(work())


@pytest.mark.parametrize(("trusted", "seen"), [("", b"127.0.0.1"), ("127.0.0.1", b"6.6.6.6")])
def test_a_client_cannot_name_itself(trusted, seen):
    """Unless a proxy is trusted that names its clients, X-Forwarded-For is ignored."""
    request = GET.replace(b"\r\n\r\n", b"\r\nx-forwarded-for: 6.6.6.6\r\nconnection: close\r\n\r\n")

    async def work():
        async with serving(trusted_proxy=trusted) as port:
            return await talk(port, request)

    assert run_apart(work()).endswith(b"\r\n\r\n" + seen)


def test_addresses_of_one_network_are_one_client():
    assert name_client("2001:db8:1:2:3:4:5:6") == name_client("2001:db8:1:2::1%eth0")
    assert name_client("2001:db8:1:2::1") != name_client("2001:db8:1:3::1")
    assert name_client("::ffff:10.0.0.1") == name_client("10.0.0.1") == "10.0.0.1"
    assert name_client("") == ""


def make_scope(path="/api/puzzles", method="GET", kind="http", **headers):
    listed = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return {
        "type": kind,
        "method": method,
        "path": path,
        "client": ("10.0.0.1", 5),
        "server": ("192.168.0.7", 8642),
        "headers": [(b"host", b"localhost:8642"), *listed],
    }


async def ask(scope, messages=(), app=answer, **settings):
    """Send one request through the middleware; return the status, 0 for none."""
    found = []
    guard = GuardMiddleware(app, Settings(**settings), FairPool([None], 100))
    waiting = iter(messages or [{"type": "http.request", "body": b"", "more_body": False}])

    async def receive():
        for message in waiting:
            return message
        return await asyncio.Event().wait()

    async def send(message):
        found.append(message.get("status", message.get("code", 0)))

    await guard(scope, receive, send)
    return next(iter(found), 0)


OWN = "http://localhost:8642"


@pytest.mark.parametrize(
    ("scope", "status"),
    [
        (make_scope(), 200),
        (make_scope(sec_fetch_site="same-origin"), 200),
        (make_scope(sec_fetch_site="none"), 200),
        (make_scope(sec_fetch_site="cross-site"), 403),
        (make_scope(sec_fetch_site="same-site"), 403),
        (make_scope("/api/games", "POST", sec_fetch_site="cross-site"), 403),
        (make_scope("/", sec_fetch_site="cross-site"), 200),
        (make_scope("/game/x", sec_fetch_site="cross-site"), 200),
        (make_scope("/", "POST", sec_fetch_site="cross-site"), 403),
        (make_scope(origin=OWN), 200),
        (make_scope("/api/games", "POST", origin=OWN), 200),
        (make_scope("/api/games", "POST", origin="http://localhost:1"), 403),
        (make_scope("/api/games", "POST", origin="null"), 403),
        (make_scope("/api/games", "POST", origin="http://["), 403),
        (make_scope("/api/games", "POST", origin="http://[x]:99999999999"), 403),
        (make_scope(origin="http://evil.example"), 403),
        (make_scope(kind="websocket", origin="http://["), 1008),
        (make_scope(kind="websocket", sec_fetch_site="cross-site"), 1008),
    ],
)
def test_pages_of_other_sites_may_link_and_nothing_more(scope, status):
    assert run_apart(ask(scope)) == status


@pytest.mark.parametrize(
    ("host", "address", "status"),
    [
        ("192.168.0.7:8642", "192.168.0.7", 200),
        ("localhost", "192.168.0.7", 200),
        ("LOCALHOST:1", "::1", 200),
        ("[::1]:8642", "::1", 200),
        ("[fe80::1]", "fe80::1%eth0", 200),
        ("10.1.1.1", "::ffff:10.1.1.1", 200),
        ("mill.local:8642", "192.168.0.7", 200),
        ("192.168.0.8:8642", "192.168.0.7", 421),
        ("127.0.0.1", "192.168.0.7", 421),
        ("evil.example", "192.168.0.7", 421),
        ("", "192.168.0.7", 421),
        ("", "", 421),
    ],
)
def test_only_own_addresses_and_names_are_served(host, address, status):
    """A page of another site may give its own name the address of this server (DNS rebinding)."""
    scope = {**make_scope(), "headers": [(b"host", host.encode())], "server": (address, 8642)}
    assert run_apart(ask(scope, names=frozenset({"localhost", "mill.local"}))) == status


def test_hostile_headers_give_a_status():
    """Hosts, origins, lengths and sites of arbitrary bytes."""
    draw = random.Random(3)
    names = ["host", "origin", "content_length", "sec_fetch_site", "x_forwarded_for", "forwarded"]
    pieces = [
        "http://",
        "[",
        "]",
        "::",
        "@",
        "%",
        "\\",
        "localhost",
        ":",
        "9" * 30,
        "\x00",
        "ü",
        "",
    ]

    async def work():
        found = set()
        for _ in range(repeat(300, 30_000)):
            chosen = draw.sample(names, draw.randrange(1, 4))
            headers = {name: "".join(draw.choices(pieces, k=draw.randrange(6))) for name in chosen}
            scope = make_scope(method=draw.choice(["GET", "POST", "X"]), **headers)
            found.add(await ask(scope))
        return found

    assert run_apart(work()) <= {200, 403, 413, 421}


def test_work_for_a_client_that_has_gone_is_ended():
    seen = []

    async def work_long(scope, receive, send):
        seen.append(current_client.get())
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    gone = [{"type": "http.request", "body": b"", "more_body": False}, {"type": "http.disconnect"}]
    with suppress(asyncio.CancelledError):
        run_apart(ask(make_scope(), gone, work_long))
    assert seen == ["10.0.0.1", "cancelled"]


def test_requests_begin_in_turns():
    """A client that sends a hundred at once is not before all others, and its views count, too.

    Nor are requests of one connection before those of the client's other connections.
    """
    begun = []

    async def note(scope, receive, send):
        begun.append((current_client.get(), scope["client"][1]))

    async def work():
        turns = FairPool([None], 200)
        turns.queue.used.add(JobOwner("10.0.0.1", "watched"), 9.0)
        guard = GuardMiddleware(note, Settings(), turns)
        one, other = ({**make_scope("/"), "client": each} for each in (ONE, OTHER))
        for _ in range(9):
            await guard(one, None, None)
        begun.clear()
        many = [asyncio.create_task(guard(make_scope("/", "GET"), None, None)) for _ in range(100)]
        while not begun:
            await asyncio.sleep(0)
        late = asyncio.create_task(guard(other, None, None))
        await guard(one, None, None)
        await asyncio.gather(*many, late)

    run_apart(work())
    assert begun.index(ONE) < 5
    assert begun.index(OTHER) < 5
    assert len(begun) == 102


ONE, OTHER = ("10.0.0.2", 1), ("10.0.0.1", 6)
"""Another client, and another connection of the client of `make_scope`."""


def test_a_failure_of_the_application_is_not_hidden():
    async def fail(scope, receive, send):
        raise RuntimeError("a fault")

    with pytest.raises(RuntimeError, match="a fault"):
        run_apart(ask(make_scope(), app=fail))


def test_large_bodies_of_reading_requests_are_refused():
    body = [{"type": "http.request", "body": b"x" * 1000, "more_body": True}] * 3
    assert run_apart(ask(make_scope(), body, max_body=1500)) == 413


def pop_all(queue):
    return [ticket.owner.game for ticket in iter(queue.pop, None)]


def test_the_client_that_used_least_is_first_and_of_its_games_the_same():
    async def work():
        queue = FairQueue(100)
        for game in "pqr":
            queue.add(JobOwner("many", game))
        queue.add(JobOwner("one", "x"))
        queue.used.add(JobOwner("many", "r"), 9.0)
        queue.used.add(JobOwner("many", "q"), 3.0)
        queue.used.add(JobOwner("one", "y"), 5.0)
        assert queue.is_waiting.is_set()
        found = pop_all(queue)
        assert not queue.is_waiting.is_set()
        return found

    assert run_apart(work()) == ["x", "p", "q", "r"]


def test_a_new_game_does_not_wait_for_many_others():
    async def work():
        queue = FairQueue(300)
        for number in range(190):
            queue.add(JobOwner("one", f"{number}"))
            queue.used.add(JobOwner("one", f"{number}"), 1.0)
        queue.add(JobOwner("one", "new"))
        return pop_all(queue)

    assert run_apart(work())[0] == "new"


def test_a_full_queue_refuses_the_client_with_the_most():
    async def work():
        queue = FairQueue(3)
        tickets = [queue.add(JobOwner("many", game)) for game in "abc"]
        other = queue.add(JobOwner("one", "x"))
        with pytest.raises(WorkerUnavailable, match="busy"):
            await tickets[0].turn
        assert not other.turn.done()
        return pop_all(queue)

    assert sorted(run_apart(work())) == ["b", "c", "x"]


def test_tickets_of_cancelled_jobs_are_passed_over():
    async def work():
        queue = FairQueue(3)
        first, second = (queue.add(JobOwner("one", game)) for game in "ab")
        second.turn.cancel()
        assert queue.pop() is first
        assert queue.pop() is None

    run_apart(work())


ENDLESS = {
    "job": "choose",
    "game": "nine_mens_morris",
    "rules": "",
    "start": "start",
    "moves": [],
    "player": "negascout:nodes=1000000000000",
    "seed": 1,
}


def test_a_client_with_many_slow_games_does_not_keep_others_waiting(monkeypatch):
    """A search that others wait for gives its move early, and the other client is next."""
    monkeypatch.setattr(worker_pool, "BUSY_SECONDS", 0.2)

    async def run_as(pool, client, **more):
        current_client.set(client)
        return await pool.run({**ENDLESS, **more})

    async def work():
        pool = ProcessPool(1, 600.0, 100)
        try:
            slow = [asyncio.create_task(run_as(pool, "many", session=f"{n}")) for n in range(20)]
            await asyncio.sleep(0)
            quick = asyncio.create_task(run_as(pool, "one", player="newbie", session="x"))
            async with asyncio.timeout(100):
                await quick
            num_done = sum(task.done() for task in slow)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)
            return num_done
        finally:
            await pool.close()

    assert run_apart(work()) <= 1
