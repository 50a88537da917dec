"""Downloads of published files from servers that work, fail or do not exist."""

import hashlib
import json
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ludus.cli.main import run
from ludus.core.errors import CannotFetch
from ludus.datasets import download
from ludus.datasets.download import NNMM, DataSource, RemoteFile, fetch, is_fetched
from support.command_line import Result
from support.facilities import external


class Behaviour:
    """Files of the server, and its fault."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.breaks_after: int | None = None
        """Bytes after which the connection is cut, once."""

        self.address = ""


class Handler(BaseHTTPRequestHandler):
    behaviour: Behaviour

    def do_GET(self) -> None:
        does = self.behaviour
        if self.path not in does.files:
            self.send_error(404)
            return
        body = does.files[self.path]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        end, does.breaks_after = does.breaks_after, None
        self.wfile.write(body[:end])
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@contextmanager
def serving() -> Iterator[Behaviour]:
    behaviour = Behaviour()
    handler = type("Here", (Handler,), {"behaviour": behaviour})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        behaviour.address = f"http://127.0.0.1:{server.server_port}"
        try:
            yield behaviour
        finally:
            server.shutdown()
            thread.join()


BODY = random.Random(1).randbytes(300_000)
REMOTE = RemoteFile(
    "folder/data.bin", "version/DATA.bin", len(BODY), hashlib.sha256(BODY).hexdigest()
)
PATH = "/version/DATA.bin"


@pytest.fixture
def server():
    with serving() as behaviour:
        behaviour.files[PATH] = BODY
        yield behaviour


def _fetch(base, folder):
    return sum(fetch(REMOTE, base, folder))


def _files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_file_comes_whole(server, tmp_path):
    assert not is_fetched(REMOTE, tmp_path)
    assert _fetch(server.address + "/", tmp_path) == len(BODY)
    assert (tmp_path / "folder/data.bin").read_bytes() == BODY
    assert _files(tmp_path) == {"folder/data.bin"}
    assert is_fetched(REMOTE, tmp_path)


def test_what_broke_off_leaves_nothing_and_is_fetched_by_the_same_command(server, tmp_path):
    server.breaks_after = 100_000
    with pytest.raises(CannotFetch):
        _fetch(server.address, tmp_path)
    assert _files(tmp_path) == set()
    assert _fetch(server.address, tmp_path) == len(BODY)
    assert (tmp_path / "folder/data.bin").read_bytes() == BODY


@pytest.mark.parametrize("body", [b"y" * len(BODY), BODY + b"more" * 100_000])
def test_another_file_is_refused(server, tmp_path, body):
    server.files[PATH] = body
    with pytest.raises(CannotFetch, match="is not the published file"):
        _fetch(server.address, tmp_path)
    assert _files(tmp_path) == set()


def test_a_file_of_the_users_is_not_overwritten(tmp_path):
    path = tmp_path / "folder/data.bin"
    path.parent.mkdir()
    path.write_text("mine")
    with pytest.raises(CannotFetch, match="move it away"):
        is_fetched(REMOTE, tmp_path)
    assert path.read_text() == "mine"


def _nobody():
    """Return an address without a server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


@pytest.mark.parametrize(
    ("base", "complaint"),
    [
        (None, "Connection refused"),
        ("http://there-is-no-such-host.invalid", "cannot fetch"),
        ("file:///etc", "does not begin with http"),
        ("nonsense", "does not begin with http"),
        ("http://[", "cannot fetch"),
        ("http://a b", "cannot fetch"),
        ("http://\0", "cannot fetch"),
    ],
)
def test_no_server_is_one_line(tmp_path, base, complaint):
    with pytest.raises(CannotFetch, match=complaint) as caught:
        _fetch(base or _nobody(), tmp_path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_on_the_server(server, tmp_path):
    server.files.clear()
    with pytest.raises(CannotFetch, match="the server says 404"):
        _fetch(server.address, tmp_path)


@pytest.fixture
def command(server, monkeypatch, capsys):
    """`ludus dataset fetch small`, from the server."""
    other = RemoteFile("b", "b", 3, hashlib.sha256(b"abc").hexdigest())
    server.files["/b"] = b"abc"
    source = DataSource("small", server.address, (REMOTE, other), ("be kind",))
    monkeypatch.setattr(download, "SOURCES", {"small": source})

    def call(*arguments):
        return Result(run(["dataset", "fetch", "small", *arguments]), *capsys.readouterr())

    return call


def test_the_command(command, server, tmp_path):
    folder = tmp_path / "new"
    result = command("--out", str(folder))
    assert (result.status, result.err) == (0, "")
    assert "2 files fetched, 0 were present" in result.out
    assert "be kind" in result.out
    assert _files(folder) == {"folder/data.bin", "b"}
    (folder / "b").unlink()
    again = json.loads(command("--out", str(folder), "--json").out)
    assert again["fetched"] == ["b"]
    assert [each["bytes"] for each in again["files"]] == [300_000, 3]
    refused = command("--out", str(tmp_path / "other"), "--from", "ftp://x")
    assert (refused.status, refused.out, refused.err.count("\n")) == (2, "", 1)


def test_the_command_stores_in_the_users_cache(command, tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert json.loads(command("--json").out)["out"] == str(tmp_path / "cache" / "small")
    assert _files(tmp_path / "cache" / "small") == {"folder/data.bin", "b"}


def test_an_unknown_name(capsys):
    assert run(["dataset", "fetch", "nnm"]) == 2
    assert "did you mean nnmm?" in capsys.readouterr().err


@pytest.mark.external("nnmm")
@pytest.mark.parametrize("remote", NNMM.files, ids=lambda remote: remote.name)
def test_the_checksums_are_those_of_the_authors_files(remote):
    content = external("nnmm", remote.name).read_bytes()
    assert (len(content), hashlib.sha256(content).hexdigest()) == (remote.num_bytes, remote.sha256)


def test_published_files_have_names_of_their_own():
    assert len({remote.name for remote in NNMM.files}) == len(NNMM.files)
    assert NNMM.base.startswith("https://")
    assert not any(remote.name.startswith(("/", "..")) for remote in NNMM.files)
