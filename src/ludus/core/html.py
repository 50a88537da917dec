"""HTML that notebooks show: tables, facts and pictures side by side, with all texts escaped."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape


def format_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; cells are texts, and all but the first column are aligned to the right.

    >>> format_table([], [("a<b",)])[-32:]
    'a&lt;b</td></tr></tbody></table>'
    """
    head = "".join(_format_cell("th", number, text) for number, text in enumerate(headings))
    body = "".join(
        f"<tr>{''.join(_format_cell('td', number, cell) for number, cell in enumerate(row))}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _format_cell(tag: str, number: int, content: object) -> str:
    alignment = "left" if number == 0 else "right"
    style = f"text-align: {alignment}; padding: 0.1em 0.6em"
    return f'<{tag} style="{style}">{escape(str(content))}</{tag}>'


def format_facts(facts: Mapping[str, object]) -> str:
    """Return a table of names and values."""
    rows = "".join(
        f'<tr><th style="text-align: left">{escape(name)}</th>'
        f'<td style="text-align: left">{escape(str(value))}</td></tr>'
        for name, value in facts.items()
    )
    return f"<table><tbody>{rows}</tbody></table>"


def format_panel(title: str, *parts: str) -> str:
    """Return a title above parts that are HTML or SVG already, side by side where there is room."""
    boxes = "".join(f"<div>{part}</div>" for part in parts)
    style = "display: flex; flex-wrap: wrap; gap: 1.5em; align-items: flex-start"
    return f'<div><strong>{escape(title)}</strong><div style="{style}">{boxes}</div></div>'
