"""The socket of the thesis: answers, dialects, hostile clients, and a clean end."""

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

import ludus
from ludus.cli.main import run
from ludus.datasets import parse_lines
from ludus.games.nine_mens_morris import to_thesis, to_thesis_move
from ludus.learn.nnmm.parts import points_to_classes
from ludus.learn.nnmm.weights import import_galassi_networks, save_weights
from support.facilities import external
from support.morris import positions
from support.nnmm import saved_chain
from support.paths import ROOT
from support.waiting import PATIENCE, wait_until, wait_until_at_work

SECONDS = PATIENCE
"""After so long an answer is taken not to come."""

NONSENSE = (
    b"hello",
    b"\0\0\0",
    b"\xff\xfe\xfd",
    b"M" * 28,
    b"OOOOOOOOOOOOOOOOOOOOOOOO990",
    b"OOOOOOOOOOOOOOOOOOOOOOOO9901",
    b"OOOOOOOOOOOOOOOOOOOOOOOO9900-d6",
    b"MOOOOOOOOOOOOOOOOOOOOOOO0010",
    b"x" * 900,
    b"GET / HTTP/1.1",
    "OOOOOOOOOOOOOOOOOOOOOOOO٩٩٠٠".encode(),
)
"""Lines that are no state of a game that goes on."""


class Server:
    """`ludus serve nnmm` at a free port."""

    def __init__(self, player: str, *options: str) -> None:
        command = [sys.executable, "-m", "ludus.cli", "serve", "nnmm", "--port", "0", "--json"]
        self.process = subprocess.Popen(
            [*command, "--player", player, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        assert self.process.stdout is not None
        self.startup = json.loads(self.process.stdout.readline())
        self.port = self.startup["port"]

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    @property
    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def kilobytes(self) -> int:
        """Memory in use."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Stop the server; return its exit status and its error output."""
        self.process.send_signal(how)
        _, complaints = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, complaints

    def ask(self, data: bytes, ends: bool = True) -> bytes:
        """Return the answer to some bytes; with `ends` the client closes its sending side."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as client:
            client.sendall(data)
            if ends:
                client.shutdown(socket.SHUT_WR)
            answer = b""
            while chunk := client.recv(4096):
                answer += chunk
            return answer


def known_answers(player: str, games: int = 4) -> dict[bytes, bytes]:
    """States, and the lines that the player answers them with."""
    game = ludus.game("nine_mens_morris")
    states = sorted({to_thesis(position) for position in positions(games)})
    choices = ludus.player(player, game).choose_many([game.parse(state) for state in states])
    return {
        state.encode(): to_thesis_move(choice.move).encode()
        for state, choice in zip(states, choices, strict=True)
    }


class Clients:
    """Clients that send requests to a server in parallel until they are stopped."""

    def __init__(self, port: int, known: dict[bytes, bytes]) -> None:
        self.port = port
        self.known = known
        self.sent: Counter[str] = Counter()
        """Per manner, how many lines want an answer."""

        self.answered: Counter[str] = Counter()
        """And how many had the right one."""

        self._is_over = False

    async def run(self, number: int, seconds: float) -> None:
        """This number of clients, with the behaviours in turn, each repeatedly."""
        manners = (self.polite, self.broken, self.slow, self.endless, self.stalled, self.fickle)
        tasks = [
            asyncio.create_task(self._repeat(manners[each % len(manners)], random.Random(each)))
            for each in range(number)
        ]
        await asyncio.sleep(seconds)
        self._is_over = True
        await asyncio.gather(*tasks)

    async def _repeat(self, manner, source: random.Random) -> None:
        name = manner.__name__
        while not self._is_over:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            try:
                await manner(name, reader, writer, source)
            finally:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()

    async def _expect(self, name: str, reader: asyncio.StreamReader, wanted: bytes) -> None:
        self.sent[name] += 1
        line = await asyncio.wait_for(reader.readline(), SECONDS)
        is_right = line.startswith(wanted) if wanted == b"error: " else line == wanted + b"\n"
        assert is_right, f"{name}: {line!r} instead of {wanted!r}"
        self.answered[name] += 1

    async def polite(self, name, reader, writer, source) -> None:
        """Whole states, one by one or several at once, in whatever pieces."""
        for _ in range(5):
            states = source.sample(sorted(self.known), source.randint(1, 4))
            data = b"".join(state + source.choice((b"\n", b"\r\n")) for state in states)
            cut = source.randrange(len(data))
            writer.write(data[:cut])
            await writer.drain()
            await asyncio.sleep(0.001)
            writer.write(data[cut:])
            for state in states:
                await self._expect(name, reader, self.known[state])

    async def broken(self, name, reader, writer, source) -> None:
        """Send invalid bytes, and a state that must still be answered."""
        for line in source.sample(NONSENSE, 4):
            writer.write(line + b"\n")
            await self._expect(name, reader, b"error: ")
        state = source.choice(sorted(self.known))
        writer.write(state + b"\n")
        await self._expect(name, reader, self.known[state])

    async def slow(self, name, reader, writer, source) -> None:
        """A state in small pieces, and its answer is not fetched at once."""
        state = source.choice(sorted(self.known))
        for place in range(0, len(state) + 1, 4):
            writer.write((state + b"\n")[place : place + 4])
            await writer.drain()
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        await self._expect(name, reader, self.known[state])

    async def endless(self, name, reader, writer, source) -> None:
        """A line that never ends."""
        writer.write(source.choice((b"M", b"x", b"\0")) * 5000)
        await self._expect(name, reader, b"error: ")
        with suppress(OSError):  # shown the door
            for _ in range(20):
                writer.write(b"O" * 5000)
                await writer.drain()
                await asyncio.sleep(0.01)

    async def stalled(self, name, reader, writer, source) -> None:
        """Half a state, and then nothing."""
        state = source.choice(sorted(self.known))
        writer.write(state[: source.randint(1, 27)])
        await self._expect(name, reader, b"error: ")
        assert await asyncio.wait_for(reader.read(), SECONDS) == b""

    async def fickle(self, name, reader, writer, source) -> None:
        """Disconnect before a state, within one, or before its answer."""
        state = source.choice(sorted(self.known)) + b"\n"
        writer.write(state[: source.choice((0, 10, len(state)))])
        await asyncio.sleep(source.random() / 50)
        if source.random() < 0.5:
            # The connection is broken off, not closed.
            found = writer.get_extra_info("socket")
            found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            writer.transport.abort()


START = b"OOOOOOOOOOOOOOOOOOOOOOOO9900"


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    """A player of random networks."""
    return f"nnmm:weights={saved_chain(tmp_path_factory.mktemp('socket'))}"


@pytest.fixture(scope="module")
def known(player):
    return known_answers(player)


@pytest.fixture(scope="module")
def server(player):
    with Server(player, "--line-time", "3") as found:
        yield found
        status, complaints = found.end()
        assert (status, complaints) == (0, "")


def test_a_state_comes_in_and_the_move_goes_out(server, known):
    states = list(known)[:50]
    answer = server.ask(b"".join(state + b"\n" for state in states))
    assert answer.split() == [known[state] for state in states]


def test_the_last_line_needs_no_end_and_empty_lines_do_not_count(server, known):
    state = next(iter(known))
    assert server.ask(b"\n\r\n" + state) == known[state] + b"\n"
    assert server.ask(b"") == b""


def test_nonsense_is_answered_with_one_line_each(server, known):
    state = next(iter(known))
    for line in NONSENSE:
        answer = server.ask(line + b"\n" + state + b"\n").split(b"\n")
        assert answer[0].startswith(b"error: "), line
        assert answer[0].isascii()
        assert len(answer[0]) < 400
        assert answer[1:] == [known[state], b""]


def test_a_line_without_end_and_a_state_that_does_not_come_get_a_message(server):
    assert server.ask(b"M" * 100_000, ends=False) == b"error: a line is longer than 1000 bytes\n"
    assert server.ask(START[:20], ends=False) == b"error: no whole state has come in time\n"


def test_the_player_of_2018_speaks_in_numbers(player, known):
    with Server(player, "--compat", "2018", "--line-time", "3") as server:
        assert server.startup["dialect"] == "2018"
        for state, move in list(known.items())[::15]:
            (numbers,) = points_to_classes(parse_lines(state + b"-" + move).moves.points).tolist()
            wanted = "".join(f"{number}\n" for number in numbers).encode()
            # A line, a string of Java's, and the bare state.
            for sent in (state + b"\r\n", b"\0\x1c" + state, state):
                assert server.ask(sent) == wanted
        several = list(known)[:7]
        answer = server.ask(b"".join(b"\0\x1c" + state for state in several))
        assert len(answer.split()) == 21
        for sent in (b"M" * 28, b"Mister\n", b"OOO"):
            assert server.ask(sent).startswith(b"error: ")
        assert server.ask(b"\0" * 5000, ends=False).startswith(b"error: more than 1000 bytes")
        assert server.end() == (0, "")


@pytest.mark.external("nnmm")
def test_the_conversation_in_the_docs_is_true(tmp_path):
    save_weights(tmp_path / "author", import_galassi_networks(external("nnmm", "npz")))
    page = (ROOT / "docs" / "nnmm.md").read_text(encoding="utf-8")
    block = page.split("```text\n")[1].split("```")[0].splitlines()
    sent = [line[2:] for line in block if line.startswith("> ")]
    answers = [line for line in block if not line.startswith("> ")]
    with Server(f"nnmm:weights={tmp_path / 'author'}") as server:
        assert server.ask("\n".join(sent).encode()).decode().splitlines() == answers


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_cleanly_with_any_clients(player, how):
    with Server(player) as server, ExitStack() as stack:
        clients = [stack.enter_context(connected(server)) for _ in range(20)]
        for number, client in enumerate(clients):
            client.sendall((START + b"\n")[: 3 * number])
        assert server.end(how) == (0, "")
        for client in clients:
            # One that had just sent something may be told so harshly.
            with suppress(ConnectionResetError):
                while client.recv(100):
                    pass


def test_a_player_that_cannot_be_stopped_does_not_keep_it_from_ending():
    with Server("playouts:games=100000000") as server, connected(server) as client:
        client.sendall(START + b"\n")
        wait_until_at_work(server.process, "morris", signal.SIGTERM)
        assert server.end(signal.SIGTERM) == (0, "")


def connected(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS)


@pytest.mark.slow
def test_more_clients_than_wanted_are_sent_away(player, known):
    state = next(iter(known))
    with Server(player, "--clients", "2", "--line-time", "3") as server:
        staying = [connected(server) for _ in range(2)]
        for client in staying:
            client.sendall(state + b"\n")
            assert client.recv(100) == known[state] + b"\n"
        assert server.ask(state + b"\n") == b"error: there are 2 clients already\n"
        for client in staying:
            client.close()
        wait_until(
            lambda: server.ask(state + b"\n") == known[state] + b"\n", "somebody is let in again"
        )


def test_who_waits_gets_the_place_of_one_who_goes(player, known):
    state = next(iter(known))
    with (
        Server(player, "--clients", "1", "--line-time", "30") as server,
        connected(server) as first,
        connected(server) as waiting,
    ):
        waiting.sendall(state + b"\n")
        first.sendall(state + b"\n")
        assert first.recv(100) == known[state] + b"\n"
        first.close()
        assert waiting.recv(100) == known[state] + b"\n"


def test_a_client_that_never_listens_is_dropped(server, known):
    state, before = next(iter(known)), server.open_files
    with connected(server) as client:
        client.sendall(state + b"\n")
        assert client.recv(100) == known[state] + b"\n"
        # Nobody takes the answers, so that the buffers between both fill up.
        with suppress(ConnectionError):
            client.sendall(b"x\n" * 400_000)
        wait_for_files(server, before)
    assert server.ask(state) == known[state] + b"\n"


def wait_for_files(server, number):
    """Wait until the server has at most this number of open files, connections included."""
    wait_until(lambda: server.open_files <= number, "no connection is left open")


def crowd(server, known, seconds):
    """Run 200 clients of all behaviours; check their counts and that no file stays open."""
    before = server.open_files
    clients = Clients(server.port, known)
    asyncio.run(clients.run(200, seconds))
    assert clients.sent == clients.answered
    assert set(clients.sent) == {"polite", "broken", "slow", "endless", "stalled"}
    wait_for_files(server, before)
    assert server.process.poll() is None
    return clients


@pytest.mark.slow
def test_200_clients_at_once_are_all_answered_and_nothing_is_left(player, known):
    state = next(iter(known))
    with Server(player, "--line-time", "8") as server:
        assert server.ask(state) == known[state] + b"\n", "all that is loaded once is loaded"
        crowd(server, known, 3)
        assert server.ask(state) == known[state] + b"\n"
        assert server.end() == (0, "")


@pytest.mark.slow
def test_200_clients_for_a_minute(player, known):
    # On a busy machine the clients themselves may pause for long within a line.
    with Server(player, "--line-time", "60") as server:
        crowd(server, known, 5)
        memory = server.kilobytes
        clients = crowd(server, known, 60)
        print(dict(clients.answered), f"{memory} kB, then {server.kilobytes} kB")
        assert server.kilobytes < memory + 20_000
        assert server.end() == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--compat", "2017"),
        ("--player", "nobody"),
        ("--player", "nnmm:weights=/nowhere"),
        ("--host", "no.such.host.invalid"),
        ("--host", "\0"),
        ("--host", ""),
        ("--port", "70000"),
        ("--line-time", "0"),
        ("--line-time", "nan"),
        ("--idle-time", "-1"),
        ("--clients", "0"),
    ],
)
def test_what_cannot_be_served_is_reported_in_one_line(player, arguments, capsys):
    given = arguments if "--player" in arguments else ("--player", player, *arguments)
    assert run(["serve", "nnmm", "--port", "0", *given]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("ludus: ")
    assert err.count("\n") == 1


def test_a_port_that_is_taken_is_reported_in_one_line(player, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["serve", "nnmm", "--port", port, "--player", player]) == 2
    assert "cannot listen" in capsys.readouterr().err
