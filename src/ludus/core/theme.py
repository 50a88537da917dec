"""The colours of the drawn boards, by day and by night, as one style sheet for all games.

Every class of a drawing is given its colours here and its widths once, so that the dark sheet
only swaps colours. A kind of mark is told apart by its shape as well, never by colour alone.
"""

from dataclasses import asdict, dataclass
from string import Template


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by the part they play."""

    ground: str
    """Around the board."""

    board: str
    """The wood."""

    frame: str
    """The edge of the board, the bar, the trays."""

    line: str
    """Lines on which men stand or which part squares."""

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

SHAPES = """
.line,.mark,.case,.stroke{fill:none;stroke-linecap:round;stroke-linejoin:round}
.line,.mark{stroke-width:2.5}
.edge{stroke-width:2}
.man,.die{stroke-width:2.5;stroke-linejoin:round}
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
.said{font-size:14px;font-weight:600}
.place{fill:none;pointer-events:all}
"""
"""What does not change by night."""

COLOURS = """
.ground{fill:$ground}
.board{fill:$board}
.frame{fill:$frame}
.edge{fill:none;stroke:$frame}
.tone{fill:$tone}
.shade{fill:$shade}
.line{stroke:$line}
.dot{fill:$line}
.label,.share,.said{fill:$ink}
.man.white,.die.white{fill:$white;stroke:$white_rim}
.man.black,.die.black{fill:$black;stroke:$black_rim}
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
"""Colours by class; a word after a dollar is a field of a palette."""


def sheet(palette: Palette) -> str:
    """The colour rules of one palette."""
    return scoped(Template(COLOURS).substitute(asdict(palette)))


def scoped(rules: str) -> str:
    """Rules, one a line, made to hold inside a drawing only, not in the page around it."""
    written = []
    for rule in rules.strip().splitlines():
        selectors, brace, body = rule.partition("{")
        inside = ",".join(f".ludus {selector}" for selector in selectors.split(","))
        written.append(f"{inside}{brace}{body}")
    return "\n".join(written)


STYLE = f"""
{scoped(SHAPES)}
{sheet(LIGHT)}
@media (prefers-color-scheme:dark){{
{sheet(DARK)}
}}
"""
"""The style sheet inside every drawing."""
