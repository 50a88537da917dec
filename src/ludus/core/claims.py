"""Claims on pieces of work that several processes, on any machines, share through a folder.

A claim is a file that exactly one process can create. Its owner touches it regularly; a claim that
nobody touches for a while belongs to a process that is gone, and may be taken over. Only operations
that network file systems keep atomic are used: exclusive creation, renaming and removal. Times of
different machines are never compared: a process watches with its own clock whether a file changes.
"""

import os
import platform
import sys
import threading
import time
import uuid
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from ludus.core.files import cannot_write, make_folder, read_text

EXPIRY_SECONDS = 60.0
"""Seconds without a sign of its owner after which a claim is void."""

TOUCHES_PER_EXPIRY = 6
"""How often the owner touches a claim within that time."""

SUFFIX = ".claim"


class ClaimFolder(AbstractContextManager["ClaimFolder"]):
    """The claims of one process in a folder. Leaving the context releases them."""

    def __init__(self, folder: Path, expiry_seconds: float = EXPIRY_SECONDS) -> None:
        self._folder = make_folder(folder)
        self._expiry = expiry_seconds
        self._owner = f"{platform.node()} {os.getpid()} {uuid.uuid4().hex}"
        self._held: set[Path] = set()
        self._seen: dict[Path, tuple[tuple[str, int], float]] = {}
        """Owner and time of change of others' claims, and when this process first saw them."""
        self._is_closing = threading.Event()
        self._toucher = threading.Thread(target=self._touch_claims, daemon=True)
        self._toucher.start()

    def __exit__(self, *error: object) -> None:
        self._is_closing.set()
        self._toucher.join()
        for path in list(self._held):
            self.release(path.name.removesuffix(SUFFIX))
        with suppress(OSError):  # others hold claims in it
            self._folder.rmdir()

    def acquire(self, name: str) -> bool:
        """Claim a piece of work; return False if another process has it."""
        path = self._folder / f"{name}{SUFFIX}"
        if self._create(path):
            return True
        return self._is_void(path) and self._remove_void(path) and self._create(path)

    def release(self, name: str) -> None:
        """Give up a claim, after the work is done or when it cannot be done."""
        path = self._folder / f"{name}{SUFFIX}"
        self._held.discard(path)
        if self._read_owner(path) == self._owner:  # else it was taken over
            path.unlink(missing_ok=True)

    def _create(self, path: Path) -> bool:
        make_folder(self._folder)  # the last process to leave removes it
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return False
        except OSError as error:
            raise cannot_write(path, error) from error
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(self._owner)
        self._held.add(path)
        self._seen.pop(path, None)
        return True

    def _read_owner(self, path: Path) -> str:
        try:
            return read_text(path)
        except Exception:  # it was removed, or is being written
            return ""

    def _is_void(self, path: Path) -> bool:
        """Return whether the owner of a claim is gone."""
        owner = self._read_owner(path)
        if _is_dead_here(owner):
            return True
        try:
            state = owner, path.stat().st_mtime_ns
        except OSError:
            return False  # it is being released
        now = time.monotonic()
        known, since = self._seen.get(path, (None, now))
        if known != state:
            self._seen[path] = state, now
            return False
        return now - since > self._expiry

    def _remove_void(self, path: Path) -> bool:
        """Remove a void claim; return False if another process did it first.

        Renaming succeeds for one process alone. If what was renamed turns out to be a new claim of
        a quicker process, it is put back.
        """
        owner = self._seen[path][0][0] if path in self._seen else self._read_owner(path)
        aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        try:
            path.rename(aside)
        except OSError:
            return False
        is_expected = self._read_owner(aside) == owner
        if not is_expected:
            with suppress(OSError):
                os.link(aside, path)
        aside.unlink(missing_ok=True)
        self._seen.pop(path, None)
        return is_expected

    def _touch_claims(self) -> None:
        while not self._is_closing.wait(self._expiry / TOUCHES_PER_EXPIRY):
            for path in list(self._held):
                with suppress(OSError):  # it was taken over, since this process stood still
                    os.utime(path)


def _is_dead_here(owner: str) -> bool:
    """Return whether a claim's owner was a process of this machine that is gone."""
    host, _, rest = owner.partition(" ")
    pid = rest.partition(" ")[0]
    if host != platform.node() or not pid.isdecimal() or sys.platform == "win32":
        return False  # on Windows there is no asking whether a process lives
    try:
        os.kill(int(pid), 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False
