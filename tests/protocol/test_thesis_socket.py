"""The socket of the thesis: answers, dialects, hostile clients, and a clean end."""

import asyncio
import signal
import socket
from contextlib import ExitStack, suppress

import pytest

from ludus.cli.main import run
from ludus.datasets import parse_lines
from ludus.learn.nnmm.parts import points_to_classes
from ludus.learn.nnmm.weights import import_galassi_networks, save_weights
from support.facilities import external
from support.nnmm_chains import saved_chain
from support.paths import ROOT
from support.thesis_clients import NONSENSE, SECONDS, Clients, Server, known_answers
from support.waiting import wait_until, wait_until_at_work

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
