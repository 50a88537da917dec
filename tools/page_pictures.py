"""Take the pictures of the page that the documentation shows: `docs/pictures/*.webp`.

    PYTHONPATH=tests python tools/page_pictures.py [NAME…]

It starts the real server on an empty folder, and Debian's chromium. Needs the packages of `dev`.
"""

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, expect, sync_playwright

from support.page_server import Server
from support.page_views import VIEWS

TARGET = Path(__file__).parents[1] / "docs" / "pictures"
MILLISECONDS = 60_000
QUALITY = 82
PICTURES = {
    "game": ("welcome", (1280, 800), "light"),
    "opponents": ("new game", (1280, 800), "light"),
    "analysis": ("analysis", (1280, 800), "light"),
    "review": ("review", (1280, 800), "light"),
    "machines": ("machines", (1280, 1500), "light"),
    "puzzle": ("puzzle", (1280, 800), "dark"),
    "backgammon": ("backgammon", (1280, 800), "dark"),
    "phone": ("game", (390, 844), "dark"),
}
"""The view, the size of the window and the colours of each picture."""


def main() -> None:
    names = sys.argv[1:] or list(PICTURES)
    TARGET.mkdir(exist_ok=True)
    expect.set_options(timeout=MILLISECONDS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        try:
            for name in names:
                take_picture(chromium, server, name)
        finally:
            chromium.close()
            server.kill()


def take_picture(chromium: Browser, server: Server, name: str) -> None:
    """Open a view in a new window, and store what it shows."""
    view, (width, height), scheme = PICTURES[name]
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    with server.client() as client:
        VIEWS[view](page, server.base, client)
    page.wait_for_load_state("networkidle")
    file = TARGET / f"{name}.webp"
    Image.open(io.BytesIO(page.screenshot())).save(file, quality=QUALITY, method=6)
    print(f"{file.name}: {file.stat().st_size // 1000} kB")
    context.close()


if __name__ == "__main__":
    main()
