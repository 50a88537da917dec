"""What all commands share in writing: JSON for programs, tables and bars for people."""

import dataclasses
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")


def print_json(**values: Any) -> None:
    """Print one JSON object on one line, flushed for programs that wait for it."""
    print(json.dumps(values, default=str), flush=True)


def rules_as_json(rules: Any) -> dict[str, Any]:
    """Rules, or a player's options, as an object; an empty one where there are none."""
    return {} if rules is None else dataclasses.asdict(rules)


def console(*, stderr: bool = False) -> "Console":
    """A rich console that is plain where colour is unwanted or the terminal has none."""
    from rich.console import Console

    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "") in ("dumb", "unknown")
    return Console(
        stderr=stderr,
        highlight=False,
        markup=False,
        emoji=False,
        color_system=None if is_plain else "auto",
    )


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table without lines."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, no_wrap=number == 0, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console().print(table)


def with_progress(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """The items, with a bar on standard error while somebody can see it."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as bars:
        yield from bars.track(items, total=total, description=label)
