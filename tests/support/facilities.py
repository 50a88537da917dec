"""What a test may need beside the repository, and how to get it: facilities of the machine, data.

A test names a facility with `@pytest.mark.needs("pseudo-terminal")` and data with
`@pytest.mark.external("nnmm")`. Where it is missing the test is skipped, and the summary says so.
"""

import os
import pty
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from support.paths import ROOT

LEFT_OUT = "left out: needs "
"""How the reason of a skip begins that the summary reports; what follows says how to get it."""

OPEN_FILES = 4096
"""Files that a process must be able to have open at once, for tests with a thousand clients."""


@dataclass(frozen=True)
class Facility:
    """Something a machine usually has."""

    is_there: Callable[[], bool]

    advice: str
    """How to get it."""


@cache
def has_terminals() -> bool:
    try:
        ends = pty.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


@cache
def has_open_files() -> bool:
    """Whether enough files can be open at once; raises the limit where that is allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted == OPEN_FILES


@contextmanager
def limit_file_size(num_bytes: int) -> Iterator[None]:
    """Let every write beyond this size fail, as on a full disk; standard streams must be captured.

    Python ignores the signal that the system sends then.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


FACILITIES = {
    "pseudo-terminal": Facility(has_terminals, "mount -t devpts devpts /dev/pts"),
    "open files": Facility(has_open_files, f"ulimit -Hn {OPEN_FILES}"),
}


@dataclass(frozen=True)
class Data:
    """Published data that does not come with the repository."""

    variable: str
    """The environment variable that names its folder."""

    file: str
    """A file by which the folder is recognised."""

    folders: tuple[Path, ...]
    """Where it is looked for if the variable is not set."""

    advice: str
    """How to get it."""

    def folder(self) -> Path | None:
        """Where it is; None if it is not on this machine."""
        named = ENVIRONMENT.get(self.variable)
        places = (Path(named),) if named else self.folders
        return next((place for place in places if (place / self.file).is_file()), None)


ENVIRONMENT = dict(os.environ)
"""The user's own, before the tests have folders of their own; see `conftest.py`."""


def _user_cache() -> Path:
    if named := ENVIRONMENT.get("LUDUS_CACHE"):
        return Path(named)
    base = ENVIRONMENT.get("XDG_CACHE_HOME") or Path(ENVIRONMENT.get("HOME") or "~") / ".cache"
    return Path(base) / "ludus"


DATA = {
    "nnmm": Data(
        "LUDUS_NNMM_DATA",
        "dataset.txt",
        (_user_cache() / "nnmm", ROOT / "nnmm"),
        "`ludus dataset fetch nnmm`, or LUDUS_NNMM_DATA=DIR",
    ),
    "migo": Data(
        "LUDUS_MIGO_DATA",
        "migo_published_curves.csv",
        (_user_cache() / "migo",),
        "LUDUS_MIGO_DATA=DIR, a folder with the curves of the authors",
    ),
}


def external(source: str, name: str = "") -> Path:
    """A file or folder of published data, for a test that is marked `external(source)`.

    The test is skipped where the data is without this file: not all that was published is fetched.
    """
    data = DATA[source]
    folder = data.folder()
    assert folder is not None, f"a test without the marker external({source!r}) asks for its data"
    path = folder / name
    if not path.exists():
        pytest.skip(f"{LEFT_OUT}more of the data {source} than is fetched: {data.variable}=DIR")
    return path
