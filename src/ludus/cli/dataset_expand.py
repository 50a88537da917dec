"""`ludus dataset expand`: every entry as its symmetric images."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.dataset_stats import DatasetFile
from ludus.cli.files import whole_file
from ludus.cli.options import Json
from ludus.cli.output import print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.datasets.morris.entries import Entries

Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="Write here.", show_default=False)]


def expand(
    file: DatasetFile,
    out: Out,
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            metavar="RECIPE",
            help="symmetries: all 16, no state twice. published: as in Galassi's thesis.",
        ),
    ] = "symmetries",
    json: Json = False,
) -> None:
    """Write every entry as its symmetric images, the entry itself first."""
    from ludus.datasets.morris.expansion import expand_parts
    from ludus.datasets.morris.lines import write_lines

    began = time.perf_counter()
    source = _Source(file)
    written = 0
    with whole_file(out) as target:
        for part in expand_parts(source.parts(), recipe):
            target.write(write_lines(part).decode("ascii"))
            written += len(part)
    seconds = time.perf_counter() - began
    if json:
        print_json(
            recipe=recipe,
            entries=source.entries,
            written=written,
            out=str(out),
            seconds=round(seconds, 3),
        )
    else:
        print(f"{source.entries} entries became {written} in {seconds:.1f} s")


class _Source:
    """A file that is read while its entries are counted; bad lines end it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.entries = 0

    def parts(self) -> "Iterator[Entries]":
        from ludus.datasets.morris.files import read_parts, refuse

        for part in read_parts(self._file):
            refuse(self._file, part.bad)
            self.entries += len(part.entries)
            yield part.entries
