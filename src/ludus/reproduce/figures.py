"""Figures as SVG: the same bytes for the same data, and readable on light and dark pages."""

import io
import re
from typing import Any

from ludus.core.errors import LudusError, quoted
from ludus.reproduce.cells import slug
from ludus.reproduce.findings import Figure

INK = "#010203"
"""Drawn wherever ink is black; then replaced by what the page writes with."""

PAPER_INK = "#1f2328"

COLOURS = ("#2f86c6", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""Okabe and Ito's, which colour-blind people can tell apart; the blue lighter, for dark pages."""

STYLE: dict[Any, Any] = {
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


class NoMatplotlib(LudusError):
    """Figures cannot be drawn here; tables can."""


def drawn(figure: Figure) -> str:
    """A figure as SVG text for a page, drawn with `currentColor`."""
    try:
        import matplotlib
        from cycler import cycler
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise NoMatplotlib("figures need matplotlib: pip install 'ludus[learn]'") from None
    style = {**STYLE, "svg.hashsalt": figure.name, "axes.prop_cycle": cycler(color=COLOURS)}
    with matplotlib.rc_context(style):
        canvas = Canvas(figsize=figure.size, layout="constrained")
        try:
            figure.draw(canvas.subplots(), figure.data)
            file = io.StringIO()
            # Neither a date nor matplotlib's version: the same data give the same bytes.
            nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
            canvas.savefig(file, format="svg", metadata=nothing)
        except LudusError:
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise LudusError(f"the figure {quoted(figure.name)} cannot be drawn: {what}") from error
    return _for_pages(file.getvalue(), slug(figure.name))


def on_paper(svg: str) -> str:
    """The same as a file of its own, dark on white."""
    box = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', svg)
    width, height = box.groups() if box else ("100%", "100%")
    sheet = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    opened, end, rest = svg.partition(">")
    text = opened + end + sheet + rest
    return text.replace("currentColor", PAPER_INK) + "\n"


def _for_pages(svg: str, name: str) -> str:
    """Without what only files have, and with ids that no other figure of the page has."""
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(?<= id=")', f"{name}-", svg)
    svg = re.sub(r"(?<=url\(#)|(?<=href=\"#)", f"{name}-", svg)
    return svg.replace(INK, "currentColor")
