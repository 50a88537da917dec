"""Pictures of positions and games to share: a card with the board, and the moves one by one."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ludus.core.errors import BadSpec, quote
from ludus.core.files import write_bytes
from ludus.core.game import CHANCE, AnyGame, Position
from ludus.core.marks import Marks
from ludus.core.movetext import format_move_number
from ludus.core.record import Record
from ludus.games.move_entry import get_move_entry
from ludus.games.registry import resolve_game
from ludus.render.canvas import Area, Canvas, Drawing, format_number
from ludus.render.raster import render_gif, render_png
from ludus.render.theme import Theme, format_style, scope_rules

CARD_SIZE: Final = (1200, 630)
"""Width and height of a card, as link previews show them."""

FRAME_WIDTH: Final = 600
FRAME_MARGIN: Final = 10
CAPTION_HEIGHT: Final = 52

MARGIN: Final = 50
BOARD_SHARE: Final = 0.62
"""Share of a card's width that the board may take."""

CARD_STYLE: Final = """
.heading{font-size:50px;font-weight:700;text-anchor:start}
.sentence{font-size:31px;text-anchor:start}
.maker{font-size:24px;text-anchor:start;opacity:.65}
.move{font-size:25px;font-weight:700}
.heading,.sentence,.maker,.move{fill:currentColor}
"""

WOOD: Final[Mapping[Theme, Mapping[str, str]]] = MappingProxyType(
    {
        "light": {
            "board": "#e0bd87 #c99b5f",
            "frame": "#85522d #6a3f21",
            "white": "#fffdf6 #dccfae",
            "black": "#5a524c #1c1714",
            "line": "#4a2f18",
            "tone": "#b06a35",
            "shade": "#7b4a28",
            "mark": "#12508f",
            "case": "#fbf3e2",
        },
        "dark": {
            "board": "#5b4029 #46301e",
            "frame": "#2f1e13 #241710",
            "white": "#f7edd6 #c9b78f",
            "black": "#3a3430 #0f0c0a",
            "line": "#c9a677",
            "tone": "#80552f",
            "shade": "#3b2718",
            "mark": "#ffd166",
            "case": "#181411",
        },
    }
)
"""Colours of a wooden board by class; two are those of a gradient."""

WOODEN_STYLE: Final = """
.board{fill:url(#board)}
.frame{fill:url(#frame)}
.edge{fill:none;stroke:url(#frame);stroke-width:5}
.line{stroke:$line}
.dot{fill:$line}
.tone{fill:$tone}
.shade{fill:$shade}
.man.white{fill:url(#white);stroke:#8c7448}
.man.black{fill:url(#black);stroke:#0c0908}
.mark.last{stroke:$mark}
.case.last{stroke:$case}
"""

CAPTION: Final = 'class="caption"'

SUFFIXES: Final = (".png", ".gif", ".svg")

MAX_FRAMES: Final = 400
"""Positions of an animation; of longer games the last ones are shown."""

PACE: Final = 1.0
"""Seconds for which a move is seen."""

LAST_SECONDS: Final = 4.0
"""Seconds for which the end is seen."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A position of a game, the move that led to it, and what is to be written beside it."""

    position: Any
    caption: str
    places: tuple[str, ...] = ()
    """Places of the last move."""

    is_roll: bool = False


class _MadeMove(NamedTuple):
    mover: int
    move: Any


def list_scenes(game: AnyGame, record: Record) -> list[Scene]:
    """Return the positions of a recorded game, each with the move that led to it."""
    positions, entry = record.replay(game), get_move_entry(game)
    scenes = [Scene(positions[0], describe_task(positions[0]))]
    path: list[_MadeMove] = []
    for ply, (before, after, node) in enumerate(
        zip(positions, positions[1:], record.line.moves, strict=False), record.first_ply
    ):
        move = game.parse_move(node.move, before)
        path.append(_MadeMove(before.mover, move))
        is_roll = before.mover == CHANCE
        number = "" if game.chances(positions[0]) else f"{format_move_number(ply)} "
        side = game.turn(after) if is_roll else before.mover
        verb = " rolls" if is_roll else ""
        caption = f"{number}{game.sides[side].capitalize()}{verb} {move}"
        scenes.append(Scene(after, caption, entry.last_places(path), is_roll))
    return scenes


def describe_task(position: Position) -> str:
    """Return what is to be done in a position, as its drawing has it in the title."""
    title: str = position.drawing().title
    return title.partition(": ")[2]


def describe_game(game: AnyGame, position: Position, record: Record | None) -> tuple[str, ...]:
    """Return who plays, and how the game stands or ended."""
    outcome = position.outcome()
    lines = []
    if record is not None:
        names = [record.headers.get(side.capitalize(), "") for side in game.sides]
        lines += [
            f"{side.capitalize()}: {name}"
            for side, name in zip(game.sides, names, strict=True)
            if name
        ]
    lines.append(describe_task(position) if outcome is None else game.describe_outcome(outcome))
    return tuple(lines)


def draw_card(
    game: AnyGame | str, what: Position | Record | str, theme: Theme = "light"
) -> Drawing:
    """Draw a position, or the last one of a game, with its title and who plays beside it.

    >>> draw_card("hexapawn", "BBB/.../WWW w").width
    1200
    """
    chosen = resolve_game(game)
    scene, record = _find_scene(chosen, what)
    width, height = CARD_SIZE
    board = draw_scene(scene)
    view = board.view or Area(0, 0, board.width, board.height)
    scale = min(BOARD_SHARE * width / view.width, (height - MARGIN) / view.height)
    size = scale * view.width, scale * view.height
    area = Area(MARGIN / 2, (height - size[1]) / 2, *size)
    lines = describe_game(chosen, scene.position, record)
    canvas = _make_canvas(width, height, chosen.title, ", ".join(lines), theme)
    left = area.x + area.width + MARGIN / 2
    room = width - left - MARGIN / 2
    y = MARGIN * 1.6
    for css, letter_width, step, texts in (
        ("heading", 30, 58, [chosen.title]),
        ("sentence", 17.5, 42, lines),
    ):
        for text in texts:
            for part in textwrap.wrap(text, max(8, int(room / letter_width))):
                canvas.text((left, y), part, css)
                y += step
            y += 14
    canvas.text((left, height - MARGIN), "Ludus", "maker")
    return _add_board(canvas, board, area, theme)


def draw_frames(
    game: AnyGame | str, record: Record, theme: Theme = "light"
) -> tuple[list[Drawing], list[float]]:
    """Draw the positions of a game one by one, and for how many seconds each is to be seen."""
    chosen = resolve_game(game)
    scenes = list_scenes(chosen, record)[-MAX_FRAMES:]
    outcome = scenes[-1].position.outcome()
    if outcome is not None:
        caption = f"{scenes[-1].caption}. {chosen.describe_outcome(outcome)}"
        scenes[-1] = replace(scenes[-1], caption=caption)
    seconds = [PACE / 2 if scene.is_roll else PACE for scene in scenes]
    seconds[-1] = LAST_SECONDS
    return [_draw_frame(chosen, scene, theme) for scene in scenes], seconds


def _draw_frame(game: AnyGame, scene: Scene, theme: Theme) -> Drawing:
    board = draw_scene(scene)
    view = board.view or Area(0, 0, board.width, board.height)
    height = FRAME_WIDTH * view.height / view.width
    canvas = _make_canvas(FRAME_WIDTH, height + CAPTION_HEIGHT, game.title, scene.caption, theme)
    size = min(25.0, 1.6 * FRAME_WIDTH / max(len(scene.caption), 1))
    canvas.text((FRAME_WIDTH / 2, height + CAPTION_HEIGHT / 2 - 4), scene.caption, "move")
    style = scope_rules(f".move{{font-size:{format_number(size)}px}}")
    area = Area(FRAME_MARGIN, FRAME_MARGIN, FRAME_WIDTH - 2 * FRAME_MARGIN, height - FRAME_MARGIN)
    return _add_board(canvas, board, area, theme, style)


def draw_scene(scene: Scene) -> Drawing:
    """Draw the board of a scene with its last move."""
    marks = Marks(points=dict.fromkeys(scene.places, "last"), viewer=0)
    board: Drawing = scene.position.drawing(marks)
    # Whose turn it is stands beside the board.
    return replace(board, shapes=tuple(each for each in board.shapes if CAPTION not in each))


def _make_canvas(width: float, height: float, title: str, description: str, theme: Theme) -> Canvas:
    ink, ground = {"light": ("#33291f", "#f6f1e8"), "dark": ("#ece4d8", "#181411")}[theme]
    rules = f"{CARD_STYLE}.ground{{fill:{ground}}}\n.label{{fill:{ink}}}"
    style = f"{format_style(theme)}\n.ludus{{color:{ink}}}\n{scope_rules(rules)}"
    canvas = Canvas(width, height, title, description, style=style)
    canvas.rect((0, 0), width, height, "ground")
    return canvas


def _add_board(
    canvas: Canvas, board: Drawing, area: Area, theme: Theme, style: str = ""
) -> Drawing:
    """Return a picture with a board, which is of wood if men stand on it."""
    if not any('class="man ' in shape for shape in board.shapes):
        return canvas.drawing().with_shapes([board.nested(area)], style)
    colours = WOOD[theme]
    rules = scope_rules(Template(WOODEN_STYLE).substitute(colours))
    names = ("board", "frame", "white", "black")
    gradients = "".join(_make_gradient(name, *colours[name].split()) for name in names)
    shapes = [f"<defs>{gradients}</defs>", board.nested(area)]
    return canvas.drawing().with_shapes(shapes, f"\n{rules}\n{style}")


def _make_gradient(name: str, light: str, dark: str) -> str:
    """Return a gradient from the upper left, round for men."""
    is_round = name in ("white", "black")
    tag, place = (
        ("radialGradient", 'cx="0.36" cy="0.3" r="0.8"')
        if is_round
        else ("linearGradient", 'x1="0" y1="0" x2="1" y2="1"')
    )
    stops = f'<stop offset="0" stop-color="{light}"/><stop offset="1" stop-color="{dark}"/>'
    return f'<{tag} id="{name}" {place}>{stops}</{tag}>'


def _find_scene(game: AnyGame, what: Position | Record | str) -> tuple[Scene, Record | None]:
    if isinstance(what, Record):
        return list_scenes(game, what)[-1], what
    position = game.parse(what) if isinstance(what, str) else what
    return Scene(position, describe_task(position)), None


def render_card(
    game: AnyGame | str,
    what: Position | Record | str,
    suffix: str = ".png",
    theme: Theme = "light",
    width: int | None = None,
) -> bytes:
    """Return a picture of a position or a game as the contents of a file.

    A .gif shows the moves of a game one by one; .png and .svg show its last position.
    """
    if suffix not in SUFFIXES:
        raise BadSpec(f"a picture cannot be {quote(suffix)}; there are {', '.join(SUFFIXES)}")
    if suffix == ".gif":
        if not isinstance(what, Record):
            raise BadSpec("a position has no moves to animate; .png and .svg are for positions")
        frames, seconds = draw_frames(game, what, theme)
        return render_gif(frames, width or FRAME_WIDTH, seconds)
    card = draw_card(game, what, theme)
    if suffix == ".svg":
        return card.svg(has_places=False).encode()
    return render_png(card, width or CARD_SIZE[0])


def save_card(
    game: AnyGame | str,
    what: Position | Record | str,
    path: str | Path,
    theme: Theme = "light",
    width: int | None = None,
) -> None:
    """Write a picture of a position or a game: .png, .svg, or .gif with all moves of a game."""
    path = Path(path)
    write_bytes(path, render_card(game, what, path.suffix.lower(), theme, width))
