"""The report as one HTML file that needs nothing else, light or dark as the reader likes."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from ludus.reproduce.results import Results
from ludus.reproduce.texts import EXPLANATION, HEADINGS, cell, cells_of, is_numeric

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #ffffff; --soft: #59636e;
  --line: #d1d9e0; --yes: #1a7f37; --no: #b35900; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #14171c; --soft: #9aa4af;
  --line: #353c45; --yes: #4cc26b; --no: #e8a145; } }
body { margin: 2rem auto; max-width: 82rem; padding: 0 1rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
h1, p, ul, figure { max-width: 62rem; }
h1 { line-height: 1.2; } h2 { margin-top: 2.2rem; }
p.source, figcaption, caption { color: var(--soft); }
.wide { overflow-x: auto; }
.wide:focus-visible { outline: 2px solid var(--soft); outline-offset: 3px; }
table { border-collapse: collapse; font-size: .94rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .5rem; }
th, td { padding: .3rem .7rem .3rem 0; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { vertical-align: bottom; } th:last-child, td:last-child { padding-right: 0; }
td:first-child:not(.number) { min-width: 8rem; }
th.number, td.number { text-align: right; } td.number { white-space: nowrap; }
td.yes { color: var(--yes); } td.no { color: var(--no); font-weight: 600; }
figure { margin: 0; } figure svg { max-width: 100%; height: auto; color: var(--ink); }
"""


def page(results: Results, figures: Mapping[str, str], missing: str = "") -> str:
    """The report; `figures` are names to SVG texts, `missing` says why there are none."""
    return "\n".join(_lines(results, figures, missing)) + "\n"


def _lines(results: Results, figures: Mapping[str, str], missing: str) -> Iterator[str]:
    published, found = results.published, results.findings
    title = escape(published.title)
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>"
    about = f"{published.source}. {published.id}, size {results.size}, seed {results.seed}."
    yield f'<p class="source">{escape(about)}</p>'
    yield from _list(found.remarks)
    yield "<h2>Published and ours</h2>"
    rows = [cells_of(row) for row in results.rows]
    yield from _table(HEADINGS, rows, [0 < column < 8 for column in range(9)])
    yield f"<p>{_emphasised(EXPLANATION)}</p>"
    for figure in found.figures:
        caption = f"<figcaption>{escape(figure.caption)}</figcaption>"
        drawing = figures.get(figure.name, f"<p>Not drawn: {escape(missing)}.</p>")
        yield f"<h2>{escape(figure.name)}</h2>\n<figure>{drawing}{caption}</figure>"
    for table in found.tables:
        yield f"<h2>{escape(table.name)}</h2>"
        columns = list(zip(*table.rows, strict=True)) or [()] * len(table.headings)
        texts = [[cell(value) for value in row] for row in table.rows]
        yield from _table(table.headings, texts, list(map(is_numeric, columns)), table.caption)
    yield "<h2>Differences from the paper</h2>"
    yield from _list(published.differences) if published.differences else ["<p>None known.</p>"]
    yield "</body>\n</html>"


def _list(texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def _table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    is_number: Sequence[bool],
    caption: str = "",
) -> Iterator[str]:
    # A table that is wider than the window can be scrolled, also with the keyboard.
    yield '<div class="wide" tabindex="0" role="group" aria-label="table"><table>'
    if caption:
        yield f"<caption>{escape(caption)}</caption>"
    yield f"<thead><tr>{_cells('th', headings, is_number)}</tr></thead>\n<tbody>"
    for row in rows:
        yield f"<tr>{_cells('td', row, is_number)}</tr>"
    yield "</tbody></table></div>"


def _cells(tag: str, texts: Sequence[str], is_number: Sequence[bool]) -> str:
    return "".join(map(_cell, [tag] * len(texts), texts, is_number))


def _cell(tag: str, text: str, is_number: bool) -> str:
    names = [
        name for name, is_so in (("number", is_number), (text, text in ("yes", "no"))) if is_so
    ]
    attribute = f' class="{" ".join(names)}"' if names else ""
    return f"<{tag}{attribute}>{escape(text)}</{tag}>"


def _emphasised(text: str) -> str:
    """Words between asterisks set off, as Markdown does."""
    parts = escape(text).split("*")
    return "".join(f"<em>{part}</em>" if odd % 2 else part for odd, part in enumerate(parts))
