"""Published files over HTTP: checked, whole or not there at all, and resumed after a break."""

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ludus.core.errors import quoted
from ludus.datasets.errors import CannotFetch
from ludus.datasets.sources import Remote

TIMEOUT = 30.0
"""Seconds without a sign of life from a server."""

BLOCK = 1 << 16
SCHEMES = ("http://", "https://")
PARTIAL, FROM_THE_START = 206, 416
"""Answers of a server: the rest comes; there is no such rest."""


def is_there(remote: Remote, folder: Path) -> bool:
    """Whether the file is there already; an error if another one is in its place."""
    path = folder / remote.name
    try:
        if not path.exists():
            return False
    except (OSError, ValueError) as error:
        raise CannotFetch(f"cannot use {quoted(str(folder), 200)}: {_reason(error)}") from error
    if _sha256(path) != remote.sha256:
        shown = quoted(str(path), 200)
        raise CannotFetch(f"{shown} is there and is not the published file; move it away")
    return True


def fetch(remote: Remote, base: str, folder: Path) -> Iterator[int]:
    """Fetch a file into a folder; yields how many bytes have come with each block.

    What an earlier attempt has left of it is used.
    """
    if not base.startswith(SCHEMES):
        raise CannotFetch(f"{quoted(base, 200)} does not begin with http:// or https://")
    path = folder / remote.name
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if part.exists() and part.stat().st_size >= remote.num_bytes:
            part.unlink()
        yield from _receive(f"{base.rstrip('/')}/{remote.address}", part, remote)
        if part.stat().st_size != remote.num_bytes or _sha256(part) != remote.sha256:
            part.unlink()
            raise CannotFetch(f"what came for {remote.name} is not the published file: {base}")
        part.replace(path)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = " ".join(_reason(error).split())
        raise CannotFetch(
            f"cannot fetch {remote.name} from {quoted(base, 100)}: {reason}; "
            "the same command goes on"
        ) from error


def _receive(address: str, part: Path, remote: Remote) -> Iterator[int]:
    """Append what is missing. A server that cannot go on in the middle begins anew."""
    have = part.stat().st_size if part.exists() else 0
    with _answer(address, have) as answer:
        if answer.status != PARTIAL:
            have = 0
        yield have
        with part.open("ab" if have else "wb") as file:
            # One byte more than there should be is enough to see that it is another file.
            while block := answer.read(min(BLOCK, remote.num_bytes + 1 - have)):
                file.write(block)
                have += len(block)
                yield len(block)
            file.flush()
            os.fsync(file.fileno())
    if have < remote.num_bytes:
        raise OSError(f"the connection ended after {have} of {remote.num_bytes} bytes")


def _answer(address: str, have: int) -> Any:
    headers = {"User-Agent": "ludus", **({"Range": f"bytes={have}-"} if have else {})}
    request = urllib.request.Request(address, headers=headers)
    try:
        return urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == FROM_THE_START and have:
            return _answer(address, 0)
        raise


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CannotFetch(f"cannot read {quoted(str(path), 200)}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server says {error.code}"
    if isinstance(error, urllib.error.URLError) and isinstance(error.reason, OSError):
        return _reason(error.reason)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
