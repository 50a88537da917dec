"""The report as Markdown, beside which the figures lie as SVG files."""

from collections.abc import Iterator, Mapping, Sequence

from ludus.reproduce.results import Results
from ludus.reproduce.texts import EXPLANATION, HEADINGS, cell, cells_of, is_numeric


def markdown(results: Results, figures: Mapping[str, str], missing: str = "") -> str:
    """The report; `figures` are names to files, `missing` says why there are none."""
    return "\n".join(_lines(results, figures, missing))


def _lines(results: Results, figures: Mapping[str, str], missing: str) -> Iterator[str]:
    published, found = results.published, results.findings
    yield f"# {_plain(published.title)}\n"
    how = f"`{published.id}`, size {results.size}, seed {results.seed}"
    yield f"{_plain(published.source)}. {how}.\n"
    yield from (f"- {_plain(remark)}" for remark in found.remarks)
    yield "\n## Published and ours\n"
    rows = [cells_of(row) for row in results.rows]
    yield from _table(HEADINGS, rows, ["---", *["--:"] * 7, "---"])
    yield f"\n{EXPLANATION}"
    for figure in found.figures:
        yield f"\n## {_plain(figure.name)}\n"
        if figure.name in figures:
            yield f"![{_plain(figure.caption or figure.name)}]({figures[figure.name]})\n"
        else:
            yield f"Not drawn: {missing}.\n"
        yield _plain(figure.caption)
    for table in found.tables:
        yield f"\n## {_plain(table.name)}\n"
        if table.caption:
            yield f"{_plain(table.caption)}\n"
        columns = list(zip(*table.rows, strict=True)) or [()] * len(table.headings)
        rules = ["--:" if is_numeric(column) else "---" for column in columns]
        yield from _table(table.headings, [[cell(v) for v in row] for row in table.rows], rules)
    yield "\n## Differences from the paper\n"
    yield from [f"- {_plain(line)}" for line in published.differences] or ["None known."]
    yield ""


def _table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], rules: Sequence[str]
) -> Iterator[str]:
    yield f"| {' | '.join(map(_plain, headings))} |"
    yield f"|{'|'.join(rules)}|"
    for row in rows:
        yield f"| {' | '.join(map(_plain, row))} |"


def _plain(text: str) -> str:
    """A text on one line that does not end a cell or begin a tag."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
