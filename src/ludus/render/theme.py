"""Colours of the drawn boards, light and dark, as one style sheet for all games."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from string import Template
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by role."""

    ground: str
    """Background around the board."""

    board: str
    """Board surface."""

    frame: str
    """Edge of the board, bar, trays."""

    line: str
    """Lines of the board, and between squares."""

    tone: str
    """Every second square or triangle."""

    shade: str
    """The other triangles."""

    ink: str
    """Letters and numbers."""

    white: str
    white_rim: str
    black: str
    black_rim: str
    cross: str
    nought: str
    arrow: str
    legal: str
    selected: str
    last: str
    good: str
    bad: str
    heat: str
    heat_rim: str


LIGHT = Palette(
    ground="#f8f4eb",
    board="#ecdfc4",
    frame="#c7b086",
    line="#5f4c30",
    tone="#c9a671",
    shade="#9c6b3f",
    ink="#3b3225",
    white="#fffcf5",
    white_rim="#55442c",
    black="#332d2b",
    black_rim="#0f0c0b",
    cross="#a23b2a",
    nought="#1d5c7c",
    arrow="#0d6485",
    legal="#1b6640",
    selected="#0a56a0",
    last="#7d4f00",
    good="#1b6640",
    bad="#a81e17",
    heat="#f07f3c",
    heat_rim="#a2460f",
)
"""Colours on a light page."""

DARK = Palette(
    ground="#15181c",
    board="#262c33",
    frame="#414b56",
    line="#a3afbb",
    tone="#3f4c58",
    shade="#5d6f7e",
    ink="#dfe4e9",
    white="#f4ecdb",
    white_rim="#8c8066",
    black="#0d0f12",
    black_rim="#b4bec9",
    cross="#ff9d86",
    nought="#7cc7ee",
    arrow="#5cc3e4",
    legal="#74d9a1",
    selected="#7dbdff",
    last="#f3bd55",
    good="#74d9a1",
    bad="#ff9086",
    heat="#b5400f",
    heat_rim="#ff9a5e",
)
"""Colours on a dark page."""

SHAPES = """
.line,.mark,.case,.stroke{fill:none;stroke-linecap:round;stroke-linejoin:round}
.line,.mark{stroke-width:2.5}
.edge{stroke-width:2}
.man,.die,.cube,.action{stroke-width:2.5;stroke-linejoin:round}
.used{opacity:.3}
.taken{stroke-width:2}
.stroke{stroke-width:7}
.dot{stroke:none}
.arrow{fill-opacity:.86;stroke-width:1;stroke-linejoin:round}
.mark.legal{stroke-dasharray:4.5 5}
.mark.selected{stroke-width:5}
.mark.take{stroke-width:4}
.case{stroke-width:6}
.case.selected,.case.take{stroke-width:8}
.heat{stroke-width:1.5}
.glyph{fill:none;stroke-width:2.2;stroke-linecap:round;stroke-linejoin:round}
text{font-family:system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;text-anchor:middle}
.label{font-size:13px}
.share{font-size:12px;font-weight:600}
.count{font-size:15px;font-weight:700}
.caption{font-size:14px;font-weight:600}
.place{fill:none;pointer-events:all}
"""
"""Rules that are the same for light and dark."""

COLOURS = """
.ground{fill:$ground}
.board{fill:$board}
.frame{fill:$frame}
.edge{fill:none;stroke:$frame}
.tone{fill:$tone}
.shade{fill:$shade}
.line{stroke:$line}
.dot{fill:$line}
.label,.share,.caption{fill:$ink}
.man.white,.die.white{fill:$white;stroke:$white_rim}
.man.black,.die.black{fill:$black;stroke:$black_rim}
.cube{fill:$white;stroke:$white_rim}
.action{fill:$board;stroke:$frame}
.count.white{fill:$black}
.count.black{fill:$white}
.pip.white{fill:$black}
.pip.black{fill:$white}
.stroke.cross{stroke:$cross}
.stroke.nought{stroke:$nought}
.heat{fill:$heat;stroke:$heat_rim}
.arrow{fill:$arrow;stroke:$ground}
.mark.legal{stroke:$legal}
.mark.selected{stroke:$selected}
.mark.last{stroke:$last}
.mark.good{stroke:$good}
.mark.bad,.mark.take{stroke:$bad}
.badge.good{fill:$good}
.badge.bad{fill:$bad}
.case,.glyph{stroke:$ground}
"""
"""Colours by class; `$name` is a field of Palette."""


def format_palette(palette: Palette) -> str:
    """Return the colour rules of one palette."""
    return scope_rules(Template(COLOURS).substitute(asdict(palette)))


def scope_rules(rules: str) -> str:
    """Restrict rules, one per line, to drawings, so that they do not affect the page."""
    written = []
    for rule in rules.strip().splitlines():
        selectors, brace, body = rule.partition("{")
        inside = ",".join(f".ludus {selector}" for selector in selectors.split(","))
        written.append(f"{inside}{brace}{body}")
    return "\n".join(written)


Theme = Literal["light", "dark"]

PALETTES: Mapping[Theme, Palette] = MappingProxyType({"light": LIGHT, "dark": DARK})


def format_style(theme: Theme) -> str:
    """Return the style sheet of one theme, whatever the system prefers."""
    return f"{scope_rules(SHAPES)}\n{format_palette(PALETTES[theme])}"


STYLE = f"""
{scope_rules(SHAPES)}
{format_palette(LIGHT)}
@media (prefers-color-scheme:dark){{
{format_palette(DARK)}
}}
"""
"""The style sheet inside every drawing."""
