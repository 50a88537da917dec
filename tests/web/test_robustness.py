"""Hostile and broken clients: they get one clear line, and others are served."""

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from support.page_server import Server, begin, places_of, touch
from support.waiting import PATIENCE, wait_until

HUGE = "x" * 2_000_000


def refused(answer, *statuses):
    assert answer.status_code in statuses, answer.text
    detail = answer.json()["detail"]
    assert detail
    assert "\n" not in detail
    assert "Traceback" not in detail
    return detail


@pytest.mark.parametrize("body", [b"{", b"", b"[]", b"null", b"\xff\xfe", b'{"game": 3}', b"{}{}"])
def test_bad_json(client, body):
    headers = {"content-type": "application/json"}
    answer = client.post("/api/games", content=body, headers=headers)
    refused(answer, 422, 400)


@pytest.mark.parametrize(
    "order",
    [
        {"game": "chess"},
        {"game": "hexapawn", "rules": "size=99999999999999999999999999"},
        {"game": "hexapawn", "position": "\x00"},
        {"game": "hexapawn", "position": "\ud800"},
        {"game": "hexapawn", "record": '[Game "hexapawn"] 1. a1-a3 *'},
        {"game": "hexapawn", "record": "(" * 5000},
        {"game": "hexapawn", "seats": [{"player": "random"}]},
        {"game": "hexapawn", "seats": [{"player": "nobody"}, {}]},
        {"game": "hexapawn", "seats": [{"player": "perfect:oracle=/etc"}, {}]},
        {"game": "hexapawn", "seats": [{"player": "perfect", "choices": {"oracle": "/etc"}}, {}]},
        {"game": "hexapawn", "seats": [{"player": "external:cmd=id"}, {}]},
        {"game": "hexapawn", "seats": [{"player": "external", "choices": {"cmd": "id"}}, {}]},
        {"game": "backgammon", "seats": [{"player": "negascout"}, {}]},
        {"game": "nine_mens_morris", "seats": [{"player": "negascout", "level": 11}, {}]},
        {"game": "hexapawn", "seed": -1},
        {"game": "hexapawn", "nonsense": 1},
    ],
)
def test_orders_that_make_no_sense(client, order):
    text = json.dumps(order)
    headers = {"content-type": "application/json"}
    refused(client.post("/api/games", content=text.encode(), headers=headers), 422)


@pytest.mark.parametrize("name", ["a\nb", "\ud800", "\x00", "é" * 5000])
def test_fields_with_any_name_are_refused_in_one_line(client, name):
    body = json.dumps({"game": "hexapawn", name: 1}).encode()
    headers = {"content-type": "application/json"}
    assert len(refused(client.post("/api/games", content=body, headers=headers), 422)) < 500


def test_huge_requests(client):
    refused(client.post("/api/games", json={"game": "hexapawn", "record": HUGE}), 413)

    def without_length():
        for _ in range(200):
            yield HUGE[:10_000].encode()

    refused(client.post("/api/games", content=without_length()), 413)


def test_a_long_text_holds_nobody_up(client, server):
    """Reading it takes a while; on the server's own thread nobody else would be answered."""
    body = {"text": "a1 d1 " * 50_000, "game": "nine_mens_morris"}
    for path in ("/api/imports", "/api/games"):
        sent = body if path == "/api/imports" else {"record": body["text"], "game": body["game"]}
        with ThreadPoolExecutor(1) as other:
            reading = other.submit(httpx.post, server.base + path, json=sent, timeout=PATIENCE)
            answered = 0
            while not reading.done() and answered < 100:
                assert client.get("/api/kinds").status_code == 200
                answered += 1
            refused(reading.result(), 422)
        assert answered > 5


def test_moves_that_are_not_allowed(client):
    view = begin(client, "nine_mens_morris", None, "newbie")
    path = f"/api/games/{view['id']}"
    for place in ("z9", "a", "\x00", "d6d6"):
        refused(client.post(f"{path}/moves", json={"node": 0, "move": place}), 422)
        refused(client.get(f"{path}/entry", params={"touched": [place]}), 422)
    refused(client.post(f"{path}/moves", json={"node": 0, "move": "d6-d5"}), 422)
    refused(client.post(f"{path}/moves", json={"node": 7, "move": "d6"}), 409)
    refused(client.post(f"{path}/at", json={"node": 7}), 404)
    touched = touch(client, view, "d6")
    refused(client.post(f"{path}/moves", json={"node": 0, "move": "f4"}), 409)
    assert client.get(path).json()["moves"] == touched["moves"]


def test_out_of_turn(client):
    view = begin(client, "nine_mens_morris", "random", "random")
    path = f"/api/games/{view['id']}"
    client.post(f"{path}/pace", json={"paused": True})
    at = client.get(path).json()["at"]
    refused(client.post(f"{path}/moves", json={"node": at, "move": "d6"}), 409)
    refused(client.post(f"{path}/back"), 409)


@pytest.mark.parametrize("id_", ["x" * 22, "../../etc/passwd", "a" * 500, "%00", "' OR 1=1 --"])
def test_foreign_ids(client, id_):
    refused(client.get(f"/api/games/{id_}"), 404, 422)


def test_other_sites_are_turned_away(client, server):
    foreign = {"origin": "http://evil.example"}
    refused(client.post("/api/games", json={}, headers=foreign), 403)
    refused(client.get("/api/kinds", headers={"host": "evil.example"}), 421)
    with pytest.raises(Exception, match=r"403|1008|rejected"):
        connect(f"ws://127.0.0.1:{server.port}/api/games/x/live", origin="http://evil.example")


def test_static_files_stay_in_their_folder(client, server):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"):
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            raw.sendall(request.encode())
            answer = b"".join(iter(lambda raw=raw: raw.recv(65_536), b""))
            assert answer.startswith(b"HTTP/1.1 404")


def live(server, id_, **more):
    address = f"ws://127.0.0.1:{server.port}/api/games/{id_}/live"
    return connect(address, open_timeout=PATIENCE, close_timeout=PATIENCE, **more)


def test_websockets_tell_every_change(client, server):
    view = begin(client, "nine_mens_morris")
    with live(server, view["id"]) as socket_:
        assert json.loads(socket_.recv())["at"] == 0
        touch(client, view, "d6")
        assert json.loads(socket_.recv())["at"] == 1


def test_websockets_of_no_game_and_with_huge_messages(client, server):
    with live(server, "nothing-of-that-name-here") as socket_, pytest.raises(ConnectionClosed):
        socket_.recv()
    view = begin(client, "nine_mens_morris")
    with live(server, view["id"]) as socket_:
        socket_.recv()
        socket_.send("x" * 100_000)
        with pytest.raises(ConnectionClosed, match="1009"):
            socket_.recv()


def test_invalid_text_on_a_websocket_closes_it_and_leaves_no_traceback(tmp_path, capfd):
    server = Server(tmp_path)
    try:
        with server.client() as own:
            id_ = begin(own, "hexapawn")["id"]
        with live(server, id_) as socket_:
            socket_.recv()
            socket_.send(b"\xff\xfe", text=True)
            with pytest.raises(ConnectionClosed, match="1007"):
                socket_.recv()
    finally:
        server.stop()
    assert "Traceback" not in capfd.readouterr().err


def test_one_game_has_only_so_many_onlookers(client, server):
    view = begin(client, "nine_mens_morris")
    with ExitStack() as stack:
        sockets = [stack.enter_context(live(server, view["id"])) for _ in range(16)]
        for each in sockets:
            each.recv()
        with live(server, view["id"]) as last, pytest.raises(ConnectionClosed, match="1013"):
            last.recv()


def test_a_reader_that_does_not_read_holds_nobody_up(client, server):
    view = begin(client, "nine_mens_morris")
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        request = (
            f"GET /api/games/{view['id']}/live HTTP/1.1\r\nHost: localhost\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        raw.sendall(request.encode())
        for number in range(60):
            body = {"node": 0, "text": f"{number}"}
            assert client.post(f"/api/games/{view['id']}/remarks", json=body).status_code == 200


@pytest.mark.needs("open files")
def test_a_thousand_connections_disturb_nobody(client, server):
    view = begin(client, "nine_mens_morris", None, "newbie")
    before = memory(server)
    with ExitStack() as stack:
        for number in range(1_000):
            raw = socket.create_connection(("127.0.0.1", server.port))
            stack.enter_context(raw)
            if number % 2:
                raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        # The idle connection of the first client waits longest, and may be closed at any moment.
        other = stack.enter_context(server.client())
        for place in ("d6", "f4", "b4"):
            if place in places_of(view):
                view = touch(other, view, place)
        assert len(view["moves"]) > 2
        assert memory(server) - before < 100_000_000


def memory(server):
    """Bytes that the server process holds."""
    with open(f"/proc/{server.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.fixture
def flooded_server(tmp_path):
    """A server of its own, since the other tests would be refused as well."""
    server = Server(tmp_path)
    yield server
    server.kill()


@pytest.mark.slow
def test_too_many_requests_are_slowed_down(flooded_server):
    """A flood from one address is refused; it is heard again when it has calmed down."""
    server = flooded_server
    found: list[int] = []

    def flood():
        with server.client() as own:
            found.extend(own.get("/api/shown").status_code for _ in range(700))

    threads = [threading.Thread(target=flood) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) <= {200, 429}
    with server.client() as own:
        wait_until(lambda: own.get("/api/shown").status_code == 200, "it is heard again")
