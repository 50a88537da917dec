"""`ludus dataset fetch`: published data, from where its author keeps it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import Json
from ludus.cli.output import print_json, with_progress
from ludus.core.errors import UnknownName, quoted
from ludus.core.spec import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.datasets.sources import Remote

STEP = 1 << 14
"""Bytes for which the bar moves by one."""


def fetch(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="nnmm: the data of Neural Nine Men's Morris, 11 MB.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Put it here.", show_default="a folder of this name"
        ),
    ] = None,
    base: Annotated[
        str,
        typer.Option(
            "--from", metavar="URL", help="Another server.", show_default="the author's repository"
        ),
    ] = "",
    json: Json = False,
) -> None:
    """Fetch published data and check that it is what was published.

    Files that are there already are left alone, and what was interrupted goes on.
    """
    from ludus.datasets.fetching import is_there
    from ludus.datasets.sources import SOURCES

    if name not in SOURCES:
        raise UnknownName(f"there is no published data {quoted(name)}{suggestion(name, SOURCES)}")
    source = SOURCES[name]
    folder = out or Path(name)
    missing = [remote for remote in source.files if not is_there(remote, folder)]
    for remote in missing:
        _fetch(remote, base or source.base, folder)
    if json:
        files = [
            {"file": str(folder / each.name), "bytes": each.num_bytes, "sha256": each.sha256}
            for each in source.files
        ]
        fetched = [remote.name for remote in missing]
        print_json(name=name, out=str(folder), files=files, fetched=fetched)
        return
    there = len(source.files) - len(missing)
    print(f"{folder}: {len(missing)} files fetched, {there} were there; all checksums are right")
    for note in source.notes:
        print(note)


def _fetch(remote: "Remote", base: str, folder: Path) -> None:
    for _ in with_progress(_steps(remote, base, folder), remote.num_bytes // STEP, remote.name):
        pass


def _steps(remote: "Remote", base: str, folder: Path) -> "Iterator[int]":
    """One item for every STEP bytes."""
    from ludus.datasets.fetching import fetch

    rest = 0
    for num_bytes in fetch(remote, base, folder):
        steps, rest = divmod(rest + num_bytes, STEP)
        yield from range(steps)
