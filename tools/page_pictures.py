"""Take the pictures of the page that the documentation shows: `docs/pictures/*.webp`.

    PYTHONPATH=tests python tools/page_pictures.py [NAME…]
    PYTHONPATH=tests python tools/page_pictures.py --all

With `--all` forty pictures are taken into `build/page`, of every game in every size and both colour
schemes, to be looked at. It starts the real server on an empty folder, and Debian's chromium. Needs
the packages of `dev`.
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
DESKTOP, WIDE, UPRIGHT, SIDEWAYS = (1280, 800), (1920, 1080), (390, 844), (844, 390)
PICTURES = {
    "game": ("welcome", DESKTOP, "light"),
    "mill": ("mill", DESKTOP, "dark"),
    "opponents": ("new game", DESKTOP, "light"),
    "analysis": ("analysis", DESKTOP, "light"),
    "review": ("review", DESKTOP, "light"),
    "machines": ("machines", (1280, 1500), "light"),
    "puzzle": ("puzzle", DESKTOP, "dark"),
    "backgammon": ("race", DESKTOP, "dark"),
    "noughts": ("won line", DESKTOP, "dark"),
    "phone": ("game", UPRIGHT, "dark"),
}
"""The view, the size of the window and the colours of each picture of the documentation."""

BOARDS = ("mill", "race", "hexapawn", "won line")
ALL_PICTURES = {
    f"{view}-{width}x{height}-{scheme}".replace(" ", "-"): (view, (width, height), scheme)
    for views, sizes, schemes in (
        (BOARDS, (DESKTOP, WIDE, UPRIGHT), ("light", "dark")),
        (BOARDS, (SIDEWAYS,), ("light",)),
        (("welcome", "analysis", "review", "puzzle"), (DESKTOP,), ("light",)),
        (("analysis", "review", "puzzle", "new game"), (UPRIGHT,), ("dark",)),
        (("machines", "my games", "rules", "editor"), (DESKTOP,), ("dark",)),
    )
    for view in views
    for width, height in sizes
    for scheme in schemes
}
"""Pictures to be looked at: every game, and every panel."""


def main() -> None:
    is_all = sys.argv[1:] == ["--all"]
    pictures = ALL_PICTURES if is_all else PICTURES
    names = list(pictures) if is_all else sys.argv[1:] or list(pictures)
    target = TARGET.parents[1] / "build" / "page" if is_all else TARGET
    target.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=MILLISECONDS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        try:
            for name in names:
                take_picture(chromium, server, target / f"{name}.webp", *pictures[name])
        finally:
            chromium.close()
            server.kill()


def take_picture(
    chromium: Browser, server: Server, file: Path, view: str, size: tuple[int, int], scheme: str
) -> None:
    """Open a view in a new window, and store what it shows."""
    width, height = size
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        service_workers="block",
    )
    page = context.new_page()
    with server.client() as client:
        VIEWS[view](page, server.base, client)
    page.wait_for_load_state("networkidle")
    Image.open(io.BytesIO(page.screenshot())).save(file, quality=QUALITY, method=6)
    print(f"{file.name}: {file.stat().st_size // 1000} kB", flush=True)
    context.close()


if __name__ == "__main__":
    main()
