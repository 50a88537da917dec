"""Output shared by all commands: JSON for programs, tables for people."""

import dataclasses
import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")


def print_json(**values: Any) -> None:
    """Print one JSON object on one line, flushed for programs that wait for it."""
    print(json.dumps(values, default=str), flush=True)


def dataclass_as_json(rules: Any) -> dict[str, Any]:
    """Return rules or a player's options as a dictionary, empty for None."""
    return {} if rules is None else dataclasses.asdict(rules)


def make_console(*, stderr: bool = False) -> "Console":
    """Return a rich console, without colours if NO_COLOR is set or the terminal has none."""
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
    """Print a table without borders."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, no_wrap=number == 0, overflow="fold")
    for row in rows:
        table.add_row(*row)
    make_console().print(table)
