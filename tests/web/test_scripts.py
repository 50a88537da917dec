"""The scripts of the page: typed, and light."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import ludus.web
from ludus.games import GAMES
from ludus.web.app import build_stylesheet

STATIC = Path(ludus.web.__file__).parent / "static"

MOST = 300_000
"""Bytes of everything that a page can ask for, uncompressed."""

FIRST = 200_000
"""Bytes of what a game needs before the first click, uncompressed; no touch needs more."""

PICTURED = ("figtree.woff2", "fraunces.woff2", "wood.webp")
"""The typefaces, and what a board is made of."""


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
    sheets = ("index.html", "page.css", "board.css", "icon.svg")
    names = [*find_first_scripts(), *sheets, *PICTURED]
    size = sum((STATIC / name).stat().st_size for name in names) + len(build_stylesheet())
    assert size < FIRST


def test_all_scripts_of_the_first_visit_are_requested_at_once():
    document = (STATIC / "index.html").read_text()
    assert re.findall(r'modulepreload" href="/static/([^"]+)"', document) == find_first_scripts()


def test_nothing_is_inline_and_nothing_comes_from_elsewhere():
    document = (STATIC / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*src=)", document)
    for path in (*STATIC.glob("*.js"), *STATIC.glob("*.css"), *STATIC.glob("*.svg")):
        found = re.findall(r"https?://[^\"'\s)]+", path.read_text())
        assert set(found) <= {"http://www.w3.org/2000/svg"}, path


def test_every_script_that_is_named_is_there():
    for path in STATIC.glob("*.js"):
        for name in re.findall(r'(?:from |import\()"\./([a-z]+\.js)"', path.read_text()):
            assert (STATIC / name).exists()


def test_every_styled_class_is_used():
    used = "".join(path.read_text() for path in STATIC.iterdir() if path.suffix in (".js", ".html"))
    styled = set(re.findall(r"\.([a-z][a-z_-]+)", (STATIC / "page.css").read_text()))
    games = {name for name in styled if name in GAMES}
    assert {name for name in styled - games if name.removesuffix("-") not in used} == set()


def to_typescript(schema: dict[str, Any]) -> str:
    """Write a JSON schema as a type."""
    if "$ref" in schema:
        return find_type_name(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " | ".join(map(to_typescript, schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(each) for each in schema.get("enum", [schema.get("const")]))
    match schema.get("type"):
        case "array" if "prefixItems" in schema:
            return f"[{', '.join(map(to_typescript, schema['prefixItems']))}]"
        case "array":
            return f"({to_typescript(schema['items'])})[]"
        case "object" if "properties" in schema:
            # An answer has all fields, also those that have a default.
            is_request = schema["title"].endswith("Request")
            required = schema.get("required", ()) if is_request else schema["properties"]
            fields = (
                f"{name}{'' if name in required else '?'}: {to_typescript(each)}"
                for name, each in schema["properties"].items()
            )
            return f"{{ {'; '.join(fields)} }}"
        case "object":
            return f"Record<string, {to_typescript(schema['additionalProperties'])}>"
        case "integer" | "number":
            return "number"
        case kind:
            return str(kind)


def find_type_name(schema: str) -> str:
    """Return the name that the page has for a type of the library's JSON."""
    return schema.removesuffix("Json").removesuffix("-Output")


@pytest.mark.needs_debian("node-typescript")
def test_types_are_those_of_the_description(client, tmp_path):
    """What the page takes an answer for is what the server says that it sends."""
    schemas = client.get("/api/openapi.json").json()["components"]["schemas"]
    described = {find_type_name(name): to_typescript(each) for name, each in schemas.items()}
    text = (STATIC / "types.js").read_text()
    declared = re.findall(r"@typedef \{.*?\} (\w+)", text.replace("\n", " "))
    compared = sorted({*declared} & {*described} - {"GameChange"})
    assert len(compared) > 40
    assert [name for name in declared if name.endswith("View") and name not in described] == [
        "ShownView"
    ]
    lines = ['import type * as page from "./types.js";']
    lines += [f"type {name} = {form};" for name, form in described.items()]
    for name in compared:
        lines.append(f"export const from{name} = (each: page.{name}): {name} => each;")
        if not name.endswith("Request"):
            lines.append(f"export const to{name} = (each: {name}): page.{name} => each;")
    (tmp_path / "types.js").write_text(text)
    (tmp_path / "check.ts").write_text("\n".join(lines))
    command = ["tsc", "--noEmit", "--strict", "--allowJs", "--target", "es2022", "check.ts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)
