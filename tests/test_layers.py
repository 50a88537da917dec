"""Modules that registries name by strings lie in the same layer or below, like imports.

import-linter sees import statements alone; here the same layers are applied to every string of
`src/ludus` that begins with the name of a module, such as `ludus.learn.migo.player:MigoPlayer`.
"""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ludus
from ludus.datasets import GENERATORS
from ludus.learn import LEARNERS

ROOT = Path(__file__).parents[1]
SOURCES = Path(ludus.__file__).parent
MODULE_NAME = re.compile(r"(ludus(?:\.\w+)+)\.?(?::(\w+))?")


def read_layers():
    """Package to the number of its layer, 0 for the lowest, from the settings of import-linter."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contract = next(each for each in settings["contracts"] if each["type"] == "layers")
    return {
        package.strip("() "): number
        for number, layer in enumerate(reversed(contract["layers"]))
        for package in layer.split("|")
    }


LAYERS = read_layers()


def find_layer(module):
    """The layer of a module; `ludus` itself is above all others."""
    return LAYERS.get(".".join(module.split(".")[:2]), len(LAYERS))


def list_modules():
    for path in sorted(SOURCES.rglob("*.py")):
        parts = path.relative_to(SOURCES.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


MODULES = dict(list_modules())


def test_every_module_can_be_imported():
    for module in MODULES:
        if not module.endswith("__main__"):
            importlib.import_module(module)


def find_named_modules(source):
    """The modules that the strings of a source name, as (module, attribute or None)."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = MODULE_NAME.fullmatch(node.value)
            if match and match[1] in MODULES:
                yield match[1], match[2]


def is_allowed(module, named):
    """Whether a module may name another: one in its own package or in a lower layer."""
    same_package = module.split(".")[:2] == named.split(".")[:2]
    return same_package or find_layer(named) < find_layer(module)


@pytest.mark.parametrize("module", MODULES)
def test_strings_name_only_lower_modules(module):
    named = list(find_named_modules(MODULES[module].read_text(encoding="utf-8")))
    assert [each for each, _ in named if not is_allowed(module, each)] == []


def test_strings_are_found():
    """The check would notice the registry that it was written for."""
    source = (
        'PLAYERS = {"migo": "ludus.learn.migo.player:MigoPlayer"}; import_module(f"ludus.web.{x}")'
    )
    found = list(find_named_modules(source))
    assert found == [("ludus.learn.migo.player", "MigoPlayer"), ("ludus.web", None)]
    assert not is_allowed("ludus.players", "ludus.learn.migo.player")
    assert not is_allowed("ludus.protocol", "ludus.learn.migo.player"), "siblings are independent"
    assert is_allowed("ludus.learn", "ludus.learn.migo.player")
    assert is_allowed("ludus.web.app", "ludus.learn.migo.player")
    assert is_allowed("ludus", "ludus.cli.main")


def test_every_package_has_a_layer():
    packages = {".".join(module.split(".")[:2]) for module in MODULES} - {"ludus"}
    assert packages == set(LAYERS)


@pytest.mark.parametrize("registry", [ludus.GAMES, ludus.PLAYERS, LEARNERS, GENERATORS])
def test_registered_names_exist(registry):
    for name in registry:
        assert isinstance(registry[name], type)


def test_registries_are_complete_whatever_is_imported_first():
    """A process that imports one package alone knows the players of all packages."""
    code = "from ludus.players import PLAYERS; print(*PLAYERS)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"random", "migo", "external"} <= set(found.stdout.split())


def test_the_page_loads_no_class_by_a_name():
    """`ludus.games.game` imports what `module:Class` names; requests must not get there."""
    for module, path in MODULES.items():
        if module.startswith("ludus.web"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                is_import = isinstance(node, ast.ImportFrom) and node.module == "ludus.games"
                names = {each.name for each in node.names} if is_import else set()
                assert "game" not in names, f"{path}: registered_game takes registered names alone"
