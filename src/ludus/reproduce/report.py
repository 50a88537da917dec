"""Everything a run leaves behind: results, figures, and the report in two forms."""

from pathlib import Path

from ludus.core.errors import LudusError
from ludus.reproduce.cells import slug, write_whole
from ludus.reproduce.figures import NoMatplotlib, drawn, on_paper
from ludus.reproduce.markdown import markdown
from ludus.reproduce.page import page
from ludus.reproduce.results import Results


def write_report(results: Results, folder: Path) -> tuple[list[Path], str]:
    """Write all files; which they are, and why figures are missing, if they are."""
    svgs, missing = _svgs(results)
    texts = {"results.json": results.text()}
    names = {name: f"{slug(name)}.svg" for name in svgs}
    texts |= {names[name]: on_paper(svg) for name, svg in svgs.items()}
    texts["report.md"] = markdown(results, names, missing)
    texts["report.html"] = page(results, svgs, missing)
    for name, text in texts.items():
        # Whatever an experiment puts into its texts, the report can be written.
        write_whole(folder / name, text.encode("utf-8", "backslashreplace").decode())
    return [folder / name for name in texts], missing


def _svgs(results: Results) -> tuple[dict[str, str], str]:
    try:
        return {figure.name: drawn(figure) for figure in results.findings.figures}, ""
    except NoMatplotlib as error:
        return {}, str(error)
    except LudusError as error:
        raise LudusError(f"{results.published.id}: {error}") from error
