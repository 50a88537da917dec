"""Files and folders: atomic writing, bounded reading, locks, user folders, texts of file errors."""

import json
import os
import platform
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Literal, TextIO, overload

from ludus.core.errors import CannotWrite, LudusError, quote

if TYPE_CHECKING:
    import sqlite3

PARTIAL_SUFFIX = ".partial"

MAX_FILE_BYTES = 64_000_000
"""Longest file that a learner writes."""

MAX_FILE_CHARACTERS = 1_000_000_000
"""Longest text file that is read at once."""


def quote_path(path: Path) -> str:
    """Return a path quoted for a one-line message."""
    return quote(str(path), 200)


def describe_os_error(error: Exception) -> str:
    """Return why a file could not be used, without its name.

    >>> describe_os_error(FileNotFoundError(2, "No such file or directory", "x"))
    'No such file or directory'
    """
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def cannot_write(path: Path, error: Exception) -> CannotWrite:
    """Return the error for a file that cannot be written."""
    return CannotWrite(f"cannot write {quote_path(path)}: {describe_os_error(error)}")


def check_replaceable(path: Path) -> None:
    """Raise CannotWrite for a link or a device: renaming would replace it, even /dev/stdout."""
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise CannotWrite(f"cannot write {quote_path(path)}: it is not a regular file")
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error


def add_suffix(path: Path, suffix: str) -> Path:
    """Return the path of a file beside another, with a longer name; CannotWrite if it has none."""
    if not path.name:
        raise CannotWrite(f"cannot write {quote_path(path)}: it is not the name of a file")
    return path.with_name(f"{path.name}{suffix}")


def check_writable(path: Path) -> None:
    """Raise CannotWrite if a file cannot be written; call it before long work."""
    check_replaceable(path)
    try:
        partial = _partial_path(path)
        partial.touch()
        partial.unlink()
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error


def check_output(path: Path, *inputs: Path | None, force: bool = False) -> None:
    """Raise CannotWrite unless a command may write a file; call it before long work.

    A file that the command reads is never overwritten, and any other file that exists only with
    `force`. Files that an interrupted command continues are not checked by this function.
    """
    check_writable(path)
    quoted = quote_path(path)
    if path.exists():
        if any(each is not None and _is_same_file(each, path) for each in inputs):
            raise CannotWrite(f"{quoted} is read by this command; write to another file")
        if not force:
            how = "overwrite it with --force (force=True in Python)"
            raise CannotWrite(f"{quoted} exists; name another file, or {how}")


def _is_same_file(one: Path, other: Path) -> bool:
    """Return whether a path names an existing file; a text that can be no path does not."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


@overload
def atomic_file(
    path: Path, mode: Literal["wb"], *, sync: bool = False
) -> AbstractContextManager[BinaryIO]: ...


@overload
def atomic_file(
    path: Path, mode: Literal["w"] = "w", *, sync: bool = False
) -> AbstractContextManager[TextIO]: ...


@contextmanager
def atomic_file(path: Path, mode: Literal["w", "wb"] = "w", *, sync: bool = False) -> Iterator[Any]:
    """Open a file for writing that gets its name when it is complete.

    An unwritable path is reported on entry, before any work is done. Text is UTF-8. With `sync` the
    file survives a power failure after the context ends.
    """
    check_replaceable(path)
    try:
        partial = _partial_path(path)
        partial.unlink(missing_ok=True)  # of a killed process with the same number
        file = partial.open(mode.replace("w", "x"), encoding=None if "b" in mode else "utf-8")
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error
    try:
        with file:
            yield file
            if sync:
                file.flush()
                os.fsync(file.fileno())
        partial.replace(path)
        if sync:
            _sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        partial.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes, *, sync: bool = False) -> None:
    """Write a file atomically."""
    with atomic_file(path, "wb", sync=sync) as file:
        file.write(data)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file atomically."""
    with atomic_file(path) as file:
        file.write(text)


def check_end(file: IO[Any]) -> None:
    """Raise ValueError for a device such as /dev/zero, which would fill the memory."""
    status = os.fstat(file.fileno())
    is_empty = status.st_rdev == os.stat(os.devnull).st_rdev
    if stat.S_ISCHR(status.st_mode) and not is_empty and not file.isatty():
        raise ValueError("it is a device")


def read_bytes(
    path: Path, max_bytes: int = MAX_FILE_BYTES, error: type[LudusError] = LudusError
) -> bytes:
    """Return the content of a file; raise `error` if it cannot be read or is longer."""
    try:
        with path.open("rb") as file:
            check_end(file)
            data = file.read(max_bytes + 1)
    except (OSError, ValueError) as reason:
        raise error(f"cannot read {quote_path(path)}: {describe_os_error(reason)}") from reason
    if len(data) > max_bytes:
        raise error(f"{quote_path(path)} is longer than {max_bytes} bytes")
    return data


def read_text(
    path: Path, max_characters: int = MAX_FILE_CHARACTERS, error: type[LudusError] = LudusError
) -> str:
    """Return the text of a UTF-8 file; raise `error` if it cannot be read or is longer."""
    try:
        with path.open(encoding="utf-8") as file:
            check_end(file)
            text = file.read(max_characters + 1)
    except UnicodeDecodeError:
        raise error(f"{quote_path(path)} is not valid UTF-8 text") from None
    except (OSError, ValueError) as reason:
        raise error(f"cannot read {quote_path(path)}: {describe_os_error(reason)}") from reason
    if len(text) > max_characters:
        raise error(f"{quote_path(path)} has more than {max_characters} characters")
    return text


def parse_json_object(data: bytes | str) -> dict[str, Any] | None:
    """Return the JSON object that a file holds; None if it is anything else.

    >>> parse_json_object('{"version": 1}'), parse_json_object("[1")
    ({'version': 1}, None)
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def make_folder(path: Path) -> Path:
    """Return the folder, created with its parents if necessary."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        quoted = quote_path(path)
        raise CannotWrite(f"cannot make {quoted}: {describe_os_error(error)}") from error
    return path


@contextmanager
def lock_folder(folder: Path, is_shared: bool = False) -> Iterator[None]:
    """Create the folder if necessary and lock it against other writers.

    The lock ends with the process, however it ends. Partial files of killed processes are removed.
    With `is_shared` it is locked against writers alone that do not share it, and partial files of
    others are left alone.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _open_folder(folder)
    except (OSError, ValueError) as error:
        raise cannot_write(folder, error) from error
    with _lock_descriptor(descriptor, folder, is_shared):
        for partial in () if is_shared else folder.glob(f".*{PARTIAL_SUFFIX}"):
            partial.unlink(missing_ok=True)
        yield


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Create the file if necessary and lock it against other processes that do the same.

    The lock ends with the process, however it ends. It is apart from the locks of SQLite.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error
    with _lock_descriptor(descriptor, path):
        yield


if sys.platform == "win32":
    import msvcrt

    def _open_folder(folder: Path) -> int:
        """Open a file that stands for the folder, which cannot be locked itself."""
        return os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)

    def _lock(descriptor: int, is_shared: bool) -> None:
        """Lock an open file at once or raise OSError; those that share it go without a lock."""
        if not is_shared:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _open_folder(folder: Path) -> int:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    def _lock(descriptor: int, is_shared: bool) -> None:
        """Lock an open file or folder at once, alone or with others, or raise OSError."""
        fcntl.flock(descriptor, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


@contextmanager
def _lock_descriptor(descriptor: int, path: Path, is_shared: bool = False) -> Iterator[None]:
    """Hold the only lock on an open file or folder, or a shared one, and close it at the end."""
    try:
        try:
            _lock(descriptor, is_shared)
        except OSError as error:
            verb = "writing into" if path.is_dir() else "using"
            raise CannotWrite(f"another process is {verb} {quote_path(path)}") from error
        yield
    finally:
        os.close(descriptor)


def _partial_path(path: Path) -> Path:
    # The machine is named, too: several may write into a shared folder.
    return path.with_name(f".{path.name}.{platform.node()}.{os.getpid()}{PARTIAL_SUFFIX}")


def _sync_folder(folder: Path) -> None:
    """Sync the folder: a new name survives a power failure only when the folder is on disk, too."""
    if sys.platform == "win32":
        return  # where folders cannot be opened
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_sqlite_header(connection: "sqlite3.Connection") -> tuple[int, int, int]:
    """Return the application id, the version and the number of tables of a SQLite file."""
    queries = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    application, version, tables = (connection.execute(query).fetchone()[0] for query in queries)
    return application, version, tables


MAX_SQLITE_VALUE = 16_000_000
"""Longest text that is read from a SQLite file, in bytes."""


def check_sqlite_schema(connection: "sqlite3.Connection", schema: str) -> None:
    """Raise ValueError if the tables of a SQLite file are not those that `schema` creates.

    Views and triggers are refused: they would run when the file is read or written.
    """
    import sqlite3

    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_SQLITE_VALUE)
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(schema)
        wanted = _read_sqlite_schema(model)
    found = _read_sqlite_schema(connection)
    for kind, name in found:
        if kind in ("view", "trigger"):
            raise ValueError(f"it has the {kind} {quote(name)}, which this program does not make")
    for (kind, name), text in wanted.items():
        if (kind, name) not in found:
            raise ValueError(f"it has no {kind} {quote(name)}")
        if found[kind, name] != text:
            raise ValueError(f"its {kind} {quote(name)} is not as this program makes it")


def _read_sqlite_schema(connection: "sqlite3.Connection") -> dict[tuple[str, str], str]:
    """Return the statements that made tables, indexes, views and triggers, by kind and name."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL")
    return {(str(kind), str(name)): " ".join(str(text).split()) for kind, name, text in rows}


def create_sqlite_tables(
    connection: "sqlite3.Connection", schema: str, application: int, version: int
) -> None:
    """Create the tables that a SQLite file lacks, and set its application id and version."""
    connection.execute("PRAGMA journal_mode = WAL")
    # With WAL a killed process loses nothing that was committed; only a power cut may.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.executescript(
        f"BEGIN IMMEDIATE; {schema}"
        f"PRAGMA application_id = {application}; PRAGMA user_version = {version}; COMMIT;"
    )


def cache_folder() -> Path | None:
    """Return the folder for reproducible files: LUDUS_CACHE, or `ludus` in the cache folder."""
    if named := os.environ.get("LUDUS_CACHE"):
        return Path(named)
    from platformdirs import user_cache_path

    return _find(user_cache_path)


def data_folder() -> Path | None:
    """Return the folder for files that are expensive to make: `ludus` in the data folder."""
    from platformdirs import user_data_path

    return _find(user_data_path)


def _find(user_path: Callable[..., Path]) -> Path | None:
    """Return None where the home folder is unknown, as in some containers."""
    try:
        found = user_path("ludus", appauthor=False)
    except RuntimeError:
        return None
    return found if found.is_absolute() else None  # older versions return ~/…


def format_bytes(num_bytes: float) -> str:
    """Return a size with two digits and a unit, for users.

    >>> format_bytes(9e4), format_bytes(8.54e9), format_bytes(336e9)
    ('90 kB', '8.5 GB', '336 GB')
    """
    size, units = float(num_bytes), ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 999.5 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return f"{size:.0f} {units[0]}" if size >= 9.95 else f"{size:.2g} {units[0]}"
