"""core.extras: packages that only some of Ludus needs."""

import sys
import tomllib
from pathlib import Path

import pytest

from ludus.core.errors import LudusError
from ludus.core.extras import EXTRAS, PACKAGES, require_package

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_a_package_that_is_installed_is_returned():
    assert require_package("json.decoder", "this test") is sys.modules["json.decoder"]


@pytest.mark.parametrize("module", [*EXTRAS, "bgbot_cpp"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(module, monkeypatch):
    name = module.partition(".")[0]
    monkeypatch.setitem(sys.modules, name, None)
    package = PACKAGES.get(name, name)
    line = f"this test needs {package}: pip install 'ludus-games[{EXTRAS[package]}]'"
    with pytest.raises(LudusError) as raised:
        require_package(module, "this test")
    assert str(raised.value) == line


def test_the_extras_bring_the_packages():
    extras = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    for package, extra in EXTRAS.items():
        assert any(each.startswith(package) for each in extras[extra]), package
