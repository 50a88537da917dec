"""The picture of judged games: critical positions kept by phase, and regret move by move."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ludus.render.canvas import Canvas, Drawing

STYLE: Final = """
.ludus .ground { fill: #fff }
.ludus .title { font: bold 15px sans-serif; text-anchor: middle; fill: #222 }
.ludus .heading { font: bold 12px sans-serif; text-anchor: middle; fill: #444 }
.ludus .label { font: 12px sans-serif; text-anchor: end; fill: #333 }
.ludus .value { font: 11px sans-serif; text-anchor: middle; fill: #333 }
.ludus .axis { stroke: #999; stroke-width: 1 }
.ludus .grid { stroke: #e4e4e4; stroke-width: 1 }
.ludus .all { fill: #e8e8e8 }
.ludus .bar0, .ludus .bar4 { fill: #3572b0 }
.ludus .bar1, .ludus .bar5 { fill: #c8741a }
.ludus .bar2, .ludus .bar6 { fill: #3c8d5a }
.ludus .bar3, .ludus .bar7 { fill: #8a5aa8 }
.ludus .curve0, .ludus .curve4 { fill: none; stroke: #3572b0; stroke-width: 2 }
.ludus .curve1, .ludus .curve5 { fill: none; stroke: #c8741a; stroke-width: 2 }
.ludus .curve2, .ludus .curve6 { fill: none; stroke: #3c8d5a; stroke-width: 2 }
.ludus .curve3, .ludus .curve7 { fill: none; stroke: #8a5aa8; stroke-width: 2 }
.ludus .curve4, .ludus .curve5, .ludus .curve6, .ludus .curve7 { stroke-dasharray: 6 4 }
"""

NUM_COLOURS: Final = 8
WIDTH: Final = 760
LABEL_WIDTH: Final = 190
BAR_WIDTH: Final = 300
ROW: Final = 24
TOP: Final = 96
PLOT_HEIGHT: Final = 200
MARGIN: Final = 60
NUM_TICKS: Final = 5
NUM_COLUMNS: Final = 3
"""Names of players beside each other in the legend."""


@dataclass(frozen=True, slots=True)
class PhaseBar:
    """A phase of a player's games."""

    player: str
    phase: str
    critical: int
    kept: int
    regret: float | None
    """Mean regret of a move; None if none is judged."""


@dataclass(frozen=True, slots=True)
class RegretCurve:
    """A player's regret after each of its moves, beginning with 0."""

    player: str
    points: tuple[float, ...]


def draw_judgement(
    title: str, subtitle: str, bars: Sequence[PhaseBar], curves: Sequence[RegretCurve]
) -> Drawing:
    """Draw a bar for each player and phase, and below a curve for each player."""
    plot_top = TOP + ROW * len(bars) + 60
    height = plot_top + PLOT_HEIGHT + 50 + 18 * -(-len(curves) // NUM_COLUMNS)
    summary = "; ".join(
        f"{each.player} {each.phase} {each.kept} of {each.critical}" for each in bars
    )
    canvas = Canvas(WIDTH, height, title, f"critical positions kept: {summary}", style=STYLE)
    canvas.rect((0, 0), WIDTH, height, "ground")
    canvas.text((WIDTH / 2, 22), title, "title")
    canvas.text((WIDTH / 2, 44), subtitle, "value")
    colours = {each.player: number % NUM_COLOURS for number, each in enumerate(curves)}
    _draw_bars(canvas, bars, colours)
    if any(each.regret is not None for each in bars):
        _draw_curves(canvas, curves, plot_top)
    return canvas.drawing()


def _draw_bars(canvas: Canvas, bars: Sequence[PhaseBar], colours: dict[str, int]) -> None:
    left = LABEL_WIDTH + 10
    canvas.text((left + BAR_WIDTH / 2, TOP - 18), "share of critical positions kept", "heading")
    canvas.text((left + BAR_WIDTH + 60, TOP - 18), "number", "heading")
    canvas.text((left + BAR_WIDTH + 165, TOP - 18), "regret a move", "heading")
    for row, each in enumerate(bars):
        y = TOP + ROW * row
        canvas.text((LABEL_WIDTH, y + ROW / 2), f"{_shorten(each.player)}, {each.phase}", "label")
        if each.critical:
            canvas.rect((left, y + 3), BAR_WIDTH, ROW - 6, "all")
            kept = BAR_WIDTH * each.kept / each.critical
            canvas.rect((left, y + 3), kept, ROW - 6, f"bar{colours[each.player]}")
        shown = f"{each.kept} of {each.critical}" if each.critical else "none"
        canvas.text((left + BAR_WIDTH + 60, y + ROW / 2), shown, "value")
        regret = "not judged" if each.regret is None else f"{each.regret:.3f}"
        canvas.text((left + BAR_WIDTH + 165, y + ROW / 2), regret, "value")


def _draw_curves(canvas: Canvas, curves: Sequence[RegretCurve], top: float) -> None:
    step, most = _choose_step(max(max(each.points) for each in curves))
    stride, longest = _choose_step(max(len(each.points) - 1 for each in curves))
    left, width, bottom = MARGIN, WIDTH - 2 * MARGIN, top + PLOT_HEIGHT
    canvas.text((WIDTH / 2, top - 18), "regret of a game up to each move of the player", "heading")
    for tick in range(round(most / step) + 1):
        y = bottom - PLOT_HEIGHT * tick * step / most
        canvas.line((left, y), (left + width, y), "grid" if tick else "axis")
        canvas.text((left - 22, y), f"{tick * step:g}", "value")
    for tick in range(round(longest / stride) + 1):
        x = left + width * tick * stride / longest
        canvas.text((x, bottom + 14), f"{tick * stride:g}", "value")
    for number, each in enumerate(curves):
        steps: list[str | float] = []
        for move, value in enumerate(each.points):
            x, y = left + width * move / longest, bottom - PLOT_HEIGHT * value / most
            steps += ["M", x, y] if not move else ["H", x, "V", y]
        canvas.path(f"curve{number % NUM_COLOURS}", *steps)
        row, column = divmod(number, NUM_COLUMNS)
        x, y = left + column * width / NUM_COLUMNS, bottom + 40 + 18 * row
        canvas.line((x, y), (x + 24, y), f"curve{number % NUM_COLOURS}")
        canvas.text((x + 40 + 3.2 * len(_shorten(each.player)), y), _shorten(each.player), "value")


def _choose_step(most: float) -> tuple[float, float]:
    """Return the distance of some round numbers from 0 up, and the last of them.

    >>> _choose_step(7), _choose_step(88)
    ((2, 8), (20, 100))
    """
    power = 10 ** math.floor(math.log10(most or 1))
    step = next(power * each for each in (0.2, 0.5, 1, 2) if most <= NUM_TICKS * power * each)
    return step, step * math.ceil(most / step or 1)


def _shorten(name: str) -> str:
    """Return a name as it fits beside a bar."""
    return name if len(name) <= 20 else f"{name[:19]}…"
