"""Figures as SVG: the same bytes for the same data, readable on light and dark pages."""

import io
import re
from typing import Any

from ludus.core.errors import LudusError, quote
from ludus.reproduce.cache import make_slug
from ludus.reproduce.findings import Figure

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


class NoMatplotlib(LudusError):
    """Figures cannot be drawn because matplotlib is not installed; tables can."""


def draw_svg(figure: Figure) -> str:
    """Draw a figure as inline SVG that uses `currentColor`."""
    try:
        import matplotlib
        from cycler import cycler
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise NoMatplotlib("figures need matplotlib: pip install 'ludus[learn]'") from None
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
