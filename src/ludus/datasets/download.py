"""Published datasets: their URLs and checksums, and verified downloads."""

import hashlib
import http.client
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ludus.core.errors import CannotFetch, quote, to_one_line
from ludus.core.files import (
    cache_folder,
    check_end,
    describe_os_error,
    make_folder,
    quote_path,
    write_bytes,
)
from ludus.core.spec import check_choice


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One published file."""

    name: str
    """Local path, relative to the folder of the data source."""

    address: str
    """URL relative to the base URL of the data source."""

    num_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DataSource:
    """A set of published files that belong together."""

    title: str
    base: str
    """Base URL of all files."""

    files: tuple[RemoteFile, ...]
    notes: tuple[str, ...] = ()
    """Remarks for users: licence, citation, omissions."""


_DATA = "4f8997bbd5ee562e77e5b20275b98e33929fee51/datasets"
_NETWORKS = "40ba8d70eb776c739ded812250638529ccdf9875/trained_networks"

_CHECKSUMS = {
    "TFR": (
        "6fcf093ce51427b703a161081a2bd261e139c48b9b0760749cecf8e479d5bc11",
        "6674bef746cdd22f5298904a0df8f8dde4f991bc103961b837a8e2277f6514c7",
        "21302cb5a0579e8773fd7a252a6a2f8e9ade8cb208f99d75fcbdfe8285c13e39",
    ),
    "FTR": (
        "81740c09b52f31d357553c88077bf73cf5c6590e6fd4889892ab3905bc4ca1b6",
        "3c1fe8ace5024e3dab6bdde98ee7291f8ea2e2dcbb6d71165e59c31a1a0fb968",
        "4b053d8e6919dfee1c6d28fc4ab438948af3a5025a974e43f257ecfdf4b64a21",
    ),
    "RFT": (
        "14e737f75e582ae4d20347047b6dd93e9f17935eb974b1d4ca52f1cf90fc9efc",
        "f79e1465fcdc03e23dd8aa84291011a3d131642041cc456801ddae9a30ad6fbc",
        "67f0a82dc12167d2777db3cc7683d577a4bf6e2244eb2e60cccff99137cc80e8",
    ),
}
"""Of the networks of each order of parts; a network also gets the parts before its own."""


def _list_networks() -> Iterator[RemoteFile]:
    for order, checksums in _CHECKSUMS.items():
        for number, (letter, sha256) in enumerate(zip(order, checksums, strict=True)):
            part = {"T": "TO", "F": "FROM", "R": "REMOVE"}[letter]
            name = f"TEST-rawest-{order}_{part}.npz"
            address = f"{_NETWORKS}/{order}/{name}"
            yield RemoteFile(f"npz/{name}", address, 1_151_214 + 40_000 * number, sha256)


NNMM = DataSource(
    title="Neural Nine Men's Morris: good moves, states, and nine trained networks",
    base="https://raw.githubusercontent.com/AGalassi/NNMM",
    files=(
        RemoteFile(
            "dataset.txt",
            f"{_DATA}/DATASET.complete.txt",
            3_520_126,
            "9c84e9013bafb92a5f92b366a388a778a0e1127aace29d84124f96b5e5729a96",
        ),
        RemoteFile(
            "states.txt",
            f"{_DATA}/STATES.complete.txt",
            3_651_930,
            "a3996fd37df842c80505f32814cc4a44634003c098e87a8981ddb3c96fbbf068",
        ),
        *_list_networks(),
        RemoteFile(
            "LICENSE.upstream.txt",
            "8b46fd9e159005ac3ccb5d0eec93f468f965a7b1/LICENSE.txt",
            1_102,
            "212901077d1775957209d544e87555e106c5a00d2fa451e0be0fbbe45b2b0a48",
        ),
    ),
    notes=(
        "MIT licence; cite Chesani, Galassi, Lippi and Mello, IEEE Transactions on Games 10(4)",
        "dataset_gaming.txt is published as a RAR archive only and is not fetched",
    ),
)

SOURCES: Mapping[str, DataSource] = MappingProxyType({"nnmm": NNMM})
"""Data sources by name."""


TIMEOUT = 30.0
"""Seconds without data from the server before the download fails."""

CHUNK_BYTES = 1 << 16
SCHEMES = ("http://", "https://")


def default_folder(name: str) -> Path:
    """Return the folder in which published data is stored: `name` in the user's cache folder."""
    return (cache_folder() or Path()) / name


BYTES_PER_STEP = 1 << 14
"""Number of bytes per step of progress."""

Track = Callable[[Iterable[int], int, str], Iterable[int]]
"""Passes on the steps of a file, whose number is given, and shows progress."""


@dataclass(frozen=True, slots=True)
class FetchedData:
    """Published data in a folder."""

    source: DataSource
    folder: Path
    fetched: tuple[str, ...]
    """Files that were downloaded; the others were there."""


def fetch_source(
    name: str,
    folder: Path | None = None,
    base: str = "",
    track: Track = lambda steps, count, label: steps,
) -> FetchedData:
    """Download the files of a data source that are missing, and verify all checksums."""
    check_choice("there is no published data", name, SOURCES)
    source, folder = SOURCES[name], folder or default_folder(name)
    missing = [remote for remote in source.files if not is_fetched(remote, folder)]
    for remote in missing:
        steps = _count_steps(fetch(remote, base or source.base, folder))
        for _ in track(steps, remote.num_bytes // BYTES_PER_STEP, remote.name):
            pass
    return FetchedData(source, folder, tuple(remote.name for remote in missing))


def _count_steps(blocks: Iterable[int]) -> Iterator[int]:
    """Yield one item for every BYTES_PER_STEP bytes."""
    rest = 0
    for num_bytes in blocks:
        steps, rest = divmod(rest + num_bytes, BYTES_PER_STEP)
        yield from range(steps)


def is_fetched(remote: RemoteFile, folder: Path) -> bool:
    """Return whether the file has been downloaded; raise CannotFetch if it is a different file."""
    path = folder / remote.name
    try:
        if not path.exists():
            return False
    except (OSError, ValueError) as error:
        raise CannotFetch(f"cannot use {quote_path(folder)}: {_format_reason(error)}") from error
    if compute_sha256(path) != remote.sha256:
        shown = quote_path(path)
        raise CannotFetch(f"{shown} exists and is not the published file; move it away")
    return True


def fetch(remote: RemoteFile, base: str, folder: Path) -> Iterator[int]:
    """Download a file into a folder, verify it, and yield the number of bytes of each block."""
    if not base.startswith(SCHEMES):
        raise CannotFetch(f"{quote(base, 200)} does not begin with http:// or https://")
    request = (f"{base.rstrip('/')}/{remote.address}", None, {"User-Agent": "ludus"})
    data = bytearray()
    try:
        with urllib.request.urlopen(urllib.request.Request(*request), timeout=TIMEOUT) as answer:
            # One byte over the expected size is enough to recognise a different file.
            while block := answer.read(min(CHUNK_BYTES, remote.num_bytes + 1 - len(data))):
                data += block
                yield len(block)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = to_one_line(_format_reason(error))
        raise CannotFetch(
            f"cannot fetch {remote.name} from {quote(base, 100)}: {reason}; "
            "the same command goes on"
        ) from error
    if hashlib.sha256(data).hexdigest() != remote.sha256:
        raise CannotFetch(
            f"what came for {remote.name}, {len(data)} of {remote.num_bytes} bytes, "
            f"is not the published file: {base}"
        )
    path = folder / remote.name
    make_folder(path.parent)
    write_bytes(path, bytes(data), sync=True)


def compute_sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            check_end(file)
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise CannotFetch(f"cannot read {quote_path(path)}: {_format_reason(error)}") from error


def _format_reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server says {error.code}"
    if isinstance(error, urllib.error.URLError) and isinstance(error.reason, OSError):
        return _format_reason(error.reason)
    return describe_os_error(error) or type(error).__name__
