"""Tables as text: columns one beside the other, folded where the room is less than they need."""

import textwrap
from collections.abc import Iterable, Sequence

Table = tuple[Sequence[str], Sequence[tuple[str, ...]]]
"""Headings and rows."""

GAP = "  "
MIN_WIDTH = 6
"""Columns are made no narrower than this."""


def format_text_table(
    headings: Sequence[str], rows: Iterable[Sequence[object]], width: int | None = None
) -> str:
    """Return a table of a heading and rows; columns without any content are left out.

    The widest columns are folded until the lines have at most `width` characters.

    >>> print(format_text_table(("move", "", "value"), [("a1-a2", "", "win"), ("b1-b2", "", "")]))
    move   value
    a1-a2  win
    b1-b2
    """
    cells = [[str(cell) for cell in row] for row in rows]
    columns = [list(column) for column in zip(*cells, strict=True)] if cells else []
    if cells:
        kept = [number for number, column in enumerate(columns) if any(column)]
        headings = [headings[number] for number in kept]
        columns = [columns[number] for number in kept]
    texts = [[heading, *column] for heading, column in zip(headings, columns, strict=False)]
    texts = texts or [[heading] for heading in headings]
    widths = [max(map(len, column)) for column in texts]
    if width is not None:
        widths = _narrow(widths, texts, width - len(GAP) * (len(widths) - 1))
    lines: list[str] = []
    for row in zip(*texts, strict=True):
        parts = [_fold(cell, size) for cell, size in zip(row, widths, strict=True)]
        for number in range(max(map(len, parts))):
            line = [
                (part[number] if number < len(part) else "").ljust(size)
                for part, size in zip(parts, widths, strict=True)
            ]
            lines.append(GAP.join(line).rstrip())
    return "\n".join(lines)


def _narrow(widths: list[int], texts: list[list[str]], room: int) -> list[int]:
    """Return widths that fit: folded between words where that is enough, else within words, too."""
    longest = [
        max((len(word) for cell in column for word in cell.split()), default=0) for column in texts
    ]
    for least in (longest, [MIN_WIDTH] * len(widths)):
        found = list(widths)
        while sum(found) > room:
            spare = [number for number, size in enumerate(found) if size > least[number]]
            if not spare:
                break
            found[max(spare, key=found.__getitem__)] -= 1
        if sum(found) <= room:
            break
    return found


def _fold(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, 1), break_on_hyphens=False) or [""]
