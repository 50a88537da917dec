"""Drawings as pixels: PNG, and animated GIF, with the letters of a typeface that is shipped."""

import io
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from ludus.core.extras import require_package
from ludus.render.canvas import Drawing

FONT = "DejaVu Sans"

MAX_COLOURS = 256
"""Colours of a GIF, the same in all frames: of the shapes, and of their smooth edges."""


@cache
def _list_fonts() -> list[str]:
    """Return the paths of the shipped typeface, so that pictures are the same everywhere."""
    folder = files(__package__).joinpath("fonts")
    return [str(folder.joinpath(f"DejaVuSans{style}.ttf")) for style in ("", "-Bold")]


def render_png(drawing: Drawing, width: int) -> bytes:
    """Return a drawing as a PNG file of this width in pixels."""
    renderer = require_package("resvg_py", "drawing pixels")
    return bytes(
        renderer.svg_to_bytes(
            svg_string=drawing.svg(has_places=False),
            width=width,
            skip_system_fonts=True,
            font_files=_list_fonts(),
            sans_serif_family=FONT,
        )
    )


def render_gif(drawings: Sequence[Drawing], width: int, seconds: Sequence[float]) -> bytes:
    """Return drawings of equal size as an animated GIF; each is seen for its seconds."""
    image = require_package("PIL.Image", "a GIF")
    pixels = [image.open(io.BytesIO(render_png(each, width))).convert("RGB") for each in drawings]
    palette = _choose_palette(image, [pixels[0], pixels[len(pixels) // 2], pixels[-1]])
    frames = [each.quantize(palette=palette, dither=image.Dither.NONE) for each in pixels]
    file = io.BytesIO()
    frames[0].save(
        file,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[round(1000 * each) for each in seconds],
        loop=0,
    )
    return file.getvalue()


def _choose_palette(image: Any, samples: Sequence[Any]) -> Any:
    """Return the colours of some frames, side by side, as a picture with a palette."""
    width, height = samples[0].size
    joined = image.new("RGB", (width * len(samples), height))
    for number, each in enumerate(samples):
        joined.paste(each, (number * width, 0))
    return joined.quantize(MAX_COLOURS, image.Quantize.MAXCOVERAGE, dither=image.Dither.NONE)
