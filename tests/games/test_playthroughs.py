"""No game lacks a playthrough, and every engine plays it the same way."""

import pytest

from support.games import VARIANTS
from support.playthroughs import FOLDER, playthrough


def test_every_variant_has_one():
    files = {path.stem for path in FOLDER.glob("*.txt")}
    assert files == {f"{name}.{preset}" for name, preset in VARIANTS}


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(("name", "preset"), VARIANTS)
def test_playthrough(name, preset, engine):
    assert playthrough(name, preset, engine) == (FOLDER / f"{name}.{preset}.txt").read_text()
