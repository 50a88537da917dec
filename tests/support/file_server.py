"""A local server of files, with selectable faults."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Behaviour:
    """Files of the server, its faults, and the requests it received."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.knows_ranges = True
        self.breaks_after: int | None = None
        """Bytes after which the connection is cut, once."""

        self.requests: list[tuple[str, str | None]] = []
        """Path and range of every request."""

        self.address = ""


class Handler(BaseHTTPRequestHandler):
    behaviour: Behaviour

    def do_GET(self) -> None:
        does = self.behaviour
        wanted = self.headers.get("Range")
        does.requests.append((self.path, wanted))
        if self.path not in does.files:
            self.send_error(404)
            return
        body = does.files[self.path]
        found = re.fullmatch("bytes=([0-9]+)-", wanted or "")
        first = int(found[1]) if found and does.knows_ranges else 0
        if first > len(body):
            self.send_error(416)
            return
        self.send_response(206 if first else 200)
        self.send_header("Content-Length", str(len(body) - first))
        self.end_headers()
        end = len(body)
        if does.breaks_after is not None:
            end, does.breaks_after = first + does.breaks_after, None
        self.wfile.write(body[first:end])
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
