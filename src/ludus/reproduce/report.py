"""Figures as SVG: the same bytes for the same data, readable on light and dark pages."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, quote
from ludus.core.extras import MissingPackage, require_package
from ludus.core.files import make_folder, write_text
from ludus.reproduce.findings import ComparedRow, Conclusion, Figure, TableCell, make_slug
from ludus.reproduce.results import ExperimentResults, Item

INK = "#010203"
"""Placeholder for black ink, which is replaced by the page's text colour."""

PAPER_INK = "#1f2328"

COLOURS = ("#2f86c6", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""Palette of Okabe and Ito for colour-blind readers, with a lighter blue for dark pages."""

MATPLOTLIB_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#8080804d",
}


def draw_svg(figure: Figure) -> str:
    """Draw a figure as inline SVG that uses `currentColor`."""
    require_package("matplotlib", "a figure")
    import matplotlib
    from cycler import cycler
    from matplotlib.figure import Figure as Canvas

    style = {
        **MATPLOTLIB_STYLE,
        "svg.hashsalt": figure.name,
        "axes.prop_cycle": cycler(color=COLOURS),
    }
    with matplotlib.rc_context(style):
        canvas = Canvas(figsize=figure.size, layout="constrained")
        try:
            figure.draw(canvas.subplots(), figure.data)
            file = io.StringIO()
            # Without date and matplotlib's version the same data give the same bytes.
            nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
            canvas.savefig(file, format="svg", metadata=nothing)
        except LudusError:
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise LudusError(f"the figure {quote(figure.name)} cannot be drawn: {what}") from error
    return _to_inline_svg(file.getvalue(), make_slug(figure.name))


def to_standalone_svg(svg: str) -> str:
    """Convert inline SVG to a file of its own, dark on white."""
    box = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', svg)
    width, height = box.groups() if box else ("100%", "100%")
    sheet = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    opened, end, rest = svg.partition(">")
    text = opened + end + sheet + rest
    return text.replace("currentColor", PAPER_INK) + "\n"


def _to_inline_svg(svg: str, name: str) -> str:
    """Remove what only files need, and make ids unique within the page."""
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(?<= id=")', f"{name}-", svg)
    svg = re.sub(r"(?<=url\(#)|(?<=href=\"#)", f"{name}-", svg)
    return svg.replace(INK, "currentColor")


COMPARISON_HEADINGS = (
    "", "published", "ours", "difference", "95% interval",
    "within", "agree", "of", "note",
)  # fmt: skip

COMPARISON_NOTE = (
    "*Within*: the published figure lies in our 95% interval. *Agree*: the difference can be chance"
    " at 5%, given what either figure may be off by."
)

MISSING_CELL = "–"
MINUS_SIGN = "\N{MINUS SIGN}"


def format_number(value: float | None, sign: bool = False) -> str:
    """Format a number with two decimals, or three significant digits if it is small.

    >>> format_number(83.4159), format_number(10000)
    ('83.42', '10000')
    >>> format_number(-0.25, sign=True), format_number(0.000123)
    ('−0.25', '0.000123')
    """
    if value is None:
        return MISSING_CELL
    is_small = 0 < abs(value) < 0.1
    text = format(value, ("+" if sign and value else "") + (".3g" if is_small else ".2f"))
    if not is_small:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", MINUS_SIGN, 1) if text.startswith("-") else text


REFERENCE_COLUMN = 2
"""Reports show references beside the published numbers, in a column of their own."""


def format_comparison(
    rows: Sequence[ComparedRow],
) -> tuple[Sequence[str], list[Sequence[str]]]:
    """Format the headings and rows of the comparison table; references only where there are any."""
    headings, lines = list(COMPARISON_HEADINGS), [list(_format_row(row)) for row in rows]
    if any(row.published_row.reference is not None for row in rows):
        headings.insert(REFERENCE_COLUMN, "reference")
        for line, row in zip(lines, rows, strict=True):
            line.insert(REFERENCE_COLUMN, _format_reference(row) or MISSING_CELL)
    return headings, [*lines]


def _format_reference(row: ComparedRow) -> str:
    """Format the reference of a row with its source; empty if it has none."""
    reference = row.published_row.reference
    if reference is None:
        return ""
    unit = f" {row.unit}" if row.unit else ""
    return f"{format_number(reference)}{unit} ({row.published_row.reference_source})"


def _format_row(row: ComparedRow) -> Sequence[str]:
    """Format a row under COMPARISON_HEADINGS."""
    unit = f" {row.unit}" if row.unit else ""
    interval = row.interval
    ends = (
        MISSING_CELL
        if interval is None
        else f"{format_number(interval[0])} … {format_number(interval[1])}"
    )
    ours = row.ours
    return (
        row.name,
        MISSING_CELL
        if row.published_row.published is None
        else format_number(row.published_row.published) + unit,
        MISSING_CELL if ours is None else format_number(float(ours.value)) + unit,
        format_number(row.difference, sign=True),
        ends,
        format_bool(row.is_within),
        format_bool(row.agrees),
        MISSING_CELL if ours is None or ours.count is None else str(ours.count),
        "" if ours is None else ours.note,
    )


ITEM_HEADINGS = ("experiment", "item", "published", "ours", "95% interval", "result", "reason")


def format_item(item: Item) -> tuple[str, ...]:
    """Format an item under ITEM_HEADINGS."""
    unit = f" {item.unit}" if item.unit else ""
    numbers = [
        MISSING_CELL if number is None else format_number(number) + unit
        for number in (item.published, item.ours)
    ]
    ends = MISSING_CELL if item.interval is None else " … ".join(map(format_number, item.interval))
    return (item.experiment, item.name, *numbers, ends, item.status, item.reason)


CONCLUSION_HEADINGS = ("conclusion", "holds", "ours")


def format_conclusion(conclusion: Conclusion) -> tuple[str, str, str]:
    """Format a conclusion of the paper under CONCLUSION_HEADINGS."""
    holds = "open" if conclusion.holds is None else format_bool(conclusion.holds)
    return conclusion.text, holds, conclusion.evidence


def format_bool(is_so: bool | None) -> str:
    return MISSING_CELL if is_so is None else "yes" if is_so else "no"


def format_cell(value: TableCell) -> str:
    """Format a cell of an additional table."""
    if value is None or isinstance(value, bool):
        return format_bool(value)
    return value if isinstance(value, str) else format_number(value)


def is_numeric(column: Sequence[TableCell]) -> bool:
    """Return whether a column is right-aligned."""
    numbers = [value for value in column if value is not None]
    return bool(numbers) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in numbers
    )


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of texts, as both forms of the report have it."""

    name: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    is_number: Sequence[bool]
    """Which columns are right-aligned."""

    caption: str = ""
    note: str = ""
    """Text below the table, with emphasis between asterisks."""


def list_own_tables(results: ExperimentResults) -> Iterator[ReportTable]:
    """Yield the comparison with the published numbers, and the conclusions if there are any."""
    headings, rows = format_comparison(results.rows)
    is_number = [False, *[True] * (len(headings) - 2), False]
    yield ReportTable("Published and ours", headings, rows, is_number, note=COMPARISON_NOTE)
    conclusions = [format_conclusion(each) for each in results.findings.conclusions]
    if conclusions:
        name = "Conclusions of the paper"
        yield ReportTable(name, CONCLUSION_HEADINGS, conclusions, [False] * 3)


def list_further_tables(results: ExperimentResults) -> Iterator[ReportTable]:
    """Yield the tables that the experiment has made."""
    for table in results.findings.tables:
        columns = list(zip(*table.rows, strict=True)) or [()] * len(table.headings)
        rows = [[format_cell(value) for value in row] for row in table.rows]
        is_number = list(map(is_numeric, columns))
        yield ReportTable(table.name, table.headings, rows, is_number, table.caption)


def iterate_markdown(
    results: ExperimentResults, figures: Mapping[str, str], missing: str
) -> Iterator[str]:
    """Yield the lines of the report as Markdown.

    `figures` maps names to SVG files; `missing` is the reason if there are none.
    """
    published, found = results.published, results.findings
    yield f"# {_escape_markdown(published.title)}\n"
    how = f"`{published.id}`, size {results.size}, seed {results.seed}"
    yield f"{_escape_markdown(published.source)}. {how}.\n"
    yield from (f"- {_escape_markdown(remark)}" for remark in found.remarks)
    for table in list_own_tables(results):
        yield from _format_markdown_table(table)
    for figure in found.figures:
        yield f"\n## {_escape_markdown(figure.name)}\n"
        if figure.name in figures:
            yield f"![{_escape_markdown(figure.caption or figure.name)}]({figures[figure.name]})\n"
        else:
            yield f"Not drawn: {missing}.\n"
        yield _escape_markdown(figure.caption)
    for table in list_further_tables(results):
        yield from _format_markdown_table(table)
    yield "\n## Differences from the paper\n"
    yield from [f"- {_escape_markdown(line)}" for line in published.differences] or ["None known."]
    yield ""


def _format_markdown_table(table: ReportTable) -> Iterator[str]:
    yield f"\n## {_escape_markdown(table.name)}\n"
    if table.caption:
        yield f"{_escape_markdown(table.caption)}\n"
    yield f"| {' | '.join(map(_escape_markdown, table.headings))} |"
    yield f"|{'|'.join('--:' if is_number else '---' for is_number in table.is_number)}|"
    for row in table.rows:
        yield f"| {' | '.join(map(_escape_markdown, row))} |"
    if table.note:
        yield f"\n{table.note}"


def _escape_markdown(text: str) -> str:
    """Return a text on one line, escaped for a Markdown table cell."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


CSS = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #ffffff; --soft: #59636e;
  --line: #d1d9e0; --yes: #1a7f37; --no: #b35900; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #14171c; --soft: #9aa4af;
  --line: #353c45; --yes: #4cc26b; --no: #e8a145; } }
body { margin: 2rem auto; max-width: 82rem; padding: 0 1rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
h1, p, ul, figure { max-width: 62rem; }
h1 { line-height: 1.2; } h2 { margin-top: 2.2rem; }
p.source, figcaption, caption { color: var(--soft); }
.wide { overflow-x: auto; margin-bottom: 1.2rem; }
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


def format_html_page(title: str) -> Iterator[str]:
    """Yield the beginning of a page for light and dark colour schemes, its body open."""
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title>\n<style>{CSS}</style>\n</head>\n<body>"


def iterate_html(
    results: ExperimentResults, figures: Mapping[str, str], missing: str
) -> Iterator[str]:
    """Yield the report as one self-contained HTML file for light and dark colour schemes.

    `figures` maps names to SVG texts; `missing` is the reason if there are none.
    """
    published, found = results.published, results.findings
    yield from format_html_page(published.title)
    yield f"<h1>{escape(published.title)}</h1>"
    about = f"{published.source}. {published.id}, size {results.size}, seed {results.seed}."
    yield f'<p class="source">{escape(about)}</p>'
    yield from _format_html_list(found.remarks)
    for table in list_own_tables(results):
        yield from format_html_table(table)
    for figure in found.figures:
        caption = f"<figcaption>{escape(figure.caption)}</figcaption>"
        drawing = figures.get(figure.name, f"<p>Not drawn: {escape(missing)}.</p>")
        yield f"<h2>{escape(figure.name)}</h2>\n<figure>{drawing}{caption}</figure>"
    for table in list_further_tables(results):
        yield from format_html_table(table)
    yield "<h2>Differences from the paper</h2>"
    yield from (
        _format_html_list(published.differences)
        if published.differences
        else ["<p>None known.</p>"]
    )
    yield "</body>\n</html>\n"


def _format_html_list(texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def format_html_table(table: ReportTable) -> Iterator[str]:
    """Yield a table below its name, if it has one."""
    if table.name:
        yield f"<h2>{escape(table.name)}</h2>"
    # A wide table can be scrolled, also with the keyboard.
    yield '<div class="wide" tabindex="0" role="group" aria-label="table"><table>'
    if table.caption:
        yield f"<caption>{escape(table.caption)}</caption>"
    headings = _format_html_cells("th", table.headings, table.is_number)
    yield f"<thead><tr>{headings}</tr></thead>\n<tbody>"
    for row in table.rows:
        yield f"<tr>{_format_html_cells('td', row, table.is_number)}</tr>"
    yield "</tbody></table></div>"
    if table.note:
        yield f"<p>{_emphasize(table.note)}</p>"


def _format_html_cells(tag: str, texts: Sequence[str], is_number: Sequence[bool]) -> str:
    cells = []
    for text, is_right in zip(texts, is_number, strict=True):
        names = ["number"] * is_right + [text] * (text in ("yes", "no"))
        attribute = f' class="{" ".join(names)}"' if names else ""
        cells.append(f"<{tag}{attribute}>{escape(text)}</{tag}>")
    return "".join(cells)


def _emphasize(text: str) -> str:
    """Convert text between asterisks to emphasis, as in Markdown."""
    parts = escape(text).split("*")
    return "".join(f"<em>{part}</em>" if odd % 2 else part for odd, part in enumerate(parts))


def write_report(results: ExperimentResults, folder: Path) -> tuple[list[Path], str]:
    """Write results, figures and reports; return the files and why figures are missing, if they
    are.
    """
    svgs, missing = _draw_figures(results)
    texts = {"results.json": results.text()}
    names = {name: f"{make_slug(name)}.svg" for name in svgs}
    texts |= {names[name]: to_standalone_svg(svg) for name, svg in svgs.items()}
    texts["report.md"] = "\n".join(iterate_markdown(results, names, missing))
    texts["report.html"] = "\n".join(iterate_html(results, svgs, missing))
    make_folder(folder)
    for name, text in texts.items():
        # Texts of an experiment may contain characters that UTF-8 cannot encode.
        write_text(folder / name, text.encode("utf-8", "backslashreplace").decode())
    return [folder / name for name in texts], missing


def _draw_figures(results: ExperimentResults) -> tuple[dict[str, str], str]:
    try:
        return {figure.name: draw_svg(figure) for figure in results.findings.figures}, ""
    except MissingPackage as error:
        return {}, str(error)
    except LudusError as error:
        raise LudusError(f"{results.published.id}: {error}") from error
