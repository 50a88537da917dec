"""The page itself: one document, its scripts and styles, and the colours of the drawn boards."""

from dataclasses import asdict
from functools import cache
from importlib.resources import files

from fastapi import FastAPI, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

from ludus.core.theme import DARK, LIGHT, SHAPES, Palette, scoped, sheet

FOLDER = files(__package__).joinpath("static")

REVALIDATE = {"Cache-Control": "no-cache"}
"""A page is small and the server near: ask each time whether something is new."""

ADDRESSES = ("/", "/game/{id}", "/new", "/puzzles", "/tournament", "/training", "/open")


class _Fresh(StaticFiles):
    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers.update(REVALIDATE)
        return response


def mount(app: FastAPI) -> None:
    """Serve the page under each of its addresses."""
    for address in ADDRESSES:
        app.get(address, include_in_schema=False, response_class=HTMLResponse)(_document)
    app.get("/colours.css", include_in_schema=False)(_colours)
    app.mount("/static", _Fresh(directory=str(FOLDER)))


async def _document() -> HTMLResponse:
    text = FOLDER.joinpath("index.html").read_text(encoding="utf-8")
    return HTMLResponse(text, headers=REVALIDATE)


async def _colours() -> Response:
    return Response(colours(), media_type="text/css", headers=REVALIDATE)


@cache
def colours() -> str:
    """The theme of the drawn boards, for the boards and for everything around them.

    By day, by night as the system says, and either one where the person has chosen.
    """
    day, night = _rules(LIGHT), _rules(DARK)
    return "\n".join(
        (
            scoped(SHAPES),
            f":root{{\ncolor-scheme:light;\n{_variables(LIGHT)}\n}}",
            day,
            f"@media (prefers-color-scheme:dark){{\n:root:not([data-theme=light]){{\n"
            f"color-scheme:dark;\n{_variables(DARK)}\n{night}\n}}\n}}",
            f":root[data-theme=dark]{{\ncolor-scheme:dark;\n{_variables(DARK)}\n{night}\n}}",
        )
    )


def _rules(palette: Palette) -> str:
    return sheet(palette)


def _variables(palette: Palette) -> str:
    """The palette as `--ground` and so on."""
    return "\n".join(
        f"--{name.replace('_', '-')}:{colour};" for name, colour in asdict(palette).items()
    )
