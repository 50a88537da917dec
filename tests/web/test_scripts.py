"""The scripts of the page: typed, and light."""

import re
import subprocess
from pathlib import Path

import pytest

import ludus.web
from ludus.games import GAMES
from ludus.web.app import build_stylesheet

STATIC = Path(ludus.web.__file__).parent / "static"

MOST = 300_000
"""Bytes of everything that a page can ask for, uncompressed."""

FIRST = 131_000
"""Bytes of what a game needs before the first click, uncompressed."""


def find_first_scripts() -> list[str]:
    """Return the scripts that are loaded with main.js."""
    found, left = [], ["main.js"]
    while left:
        name = left.pop(0)
        if name not in found:
            found.append(name)
            imports = r'^(?:import|\}) .*from "\./([a-z]+\.js)"'
            left += re.findall(imports, (STATIC / name).read_text(), re.MULTILINE)
    return found


@pytest.mark.needs_debian("node-typescript")
def test_types_hold():
    command = ["tsc", "-p", str(STATIC / "jsconfig.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout, done.returncode) == ("", 0)


def test_the_page_is_light():
    files = [path for path in STATIC.iterdir() if path.suffix in (".js", ".css", ".html", ".svg")]
    assert sum(path.stat().st_size for path in files) + len(build_stylesheet()) < MOST


def test_the_first_visit_loads_only_what_it_needs():
    names = [*find_first_scripts(), "index.html", "page.css", "board.css", "icon.svg"]
    size = sum((STATIC / name).stat().st_size for name in names) + len(build_stylesheet())
    assert size < FIRST


def test_all_scripts_of_the_first_visit_are_requested_at_once():
    document = (STATIC / "index.html").read_text()
    assert re.findall(r'modulepreload" href="/static/([^"]+)"', document) == find_first_scripts()


def test_nothing_is_inline_and_nothing_comes_from_elsewhere():
    document = (STATIC / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*src=)", document)
    for path in STATIC.glob("*.*s*"):
        found = re.findall(r"https?://[^\"'\s)]+", path.read_text())
        assert set(found) <= {"http://www.w3.org/2000/svg"}, path


def test_every_script_that_is_named_is_there():
    for path in STATIC.glob("*.js"):
        for name in re.findall(r'(?:from |import\()"\./([a-z]+\.js)"', path.read_text()):
            assert (STATIC / name).exists()


def test_every_styled_class_is_used():
    used = "".join(path.read_text() for path in STATIC.iterdir() if path.suffix != ".css")
    styled = set(re.findall(r"\.([a-z][a-z_-]+)", (STATIC / "page.css").read_text()))
    games = {name for name in styled if name in GAMES}
    assert {name for name in styled - games if name.removesuffix("-") not in used} == set()
