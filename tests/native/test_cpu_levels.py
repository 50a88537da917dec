"""The native core is built for several instruction-set levels, and the right one is loaded."""

import os
import subprocess
import sys

import pytest

import ludus._native as native
from ludus._native.cpu import supported_levels

BUILT = ["x86_64_v2", "x86_64_v3"]

# Prints the level and results of the hot code: perft, playouts, a search and a solved sector.
PROGRAM = """
import ludus
import ludus._native as native
from ludus._native.search import Search
from ludus._native.solver import Solver

game, backgammon = ludus.game("nine_mens_morris"), ludus.game("backgammon")
start = game.start()
solver = Solver(game.rules)
solver.solve((3, 3, 0, 0))
found = Search(game.rules).run(start.bits, start.hands, start.mover, depth=5)
print(native.LEVEL)
print(
    game.perft(start, 4),
    backgammon.perft(backgammon.start(), 2),
    start.playouts(100, 1),
    found,
    solver.tally((3, 3, 0, 0), True),
)
"""


@pytest.mark.parametrize(
    ("built", "supported", "requested", "selected"),
    [
        (BUILT, ["x86_64_v3", "x86_64_v2"], "", "x86_64_v3"),
        (BUILT, ["x86_64_v2"], "", "x86_64_v2"),
        (BUILT[:1], ["x86_64_v3", "x86_64_v2"], "", "x86_64_v2"),
        (BUILT, ["x86_64_v3", "x86_64_v2"], "x86_64_v2", "x86_64_v2"),
        (["generic"], ["generic"], "", "generic"),
        (["custom"], [], "", "custom"),
    ],
)
def test_the_newest_level_that_build_and_processor_share_is_selected(
    built, supported, requested, selected
):
    assert native.select_level(built, supported, requested) == selected


@pytest.mark.parametrize(
    ("built", "supported", "requested", "message"),
    [
        (BUILT, [], "", "was built for x86_64_v2, x86_64_v3,"),
        ([], ["generic"], "", "was built for no processor"),
        (BUILT, ["x86_64_v2"], "x86_64_v3", "LUDUS_CPU_LEVEL=x86_64_v3 cannot be used here"),
    ],
)
def test_no_usable_level_is_an_error_that_says_what_to_do(built, supported, requested, message):
    with pytest.raises(ImportError, match=message):
        native.select_level(built, supported, requested)


def run_program(level: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "LUDUS_CPU_LEVEL": level},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_all_levels_give_the_same_results():
    selected, *expected = run_program("")
    assert selected == native.LEVEL
    others = [level for level in supported_levels() if level != selected]
    if native.LEVEL == native.CUSTOM or not others:
        pytest.skip("this build has one level only")
    for level in others:
        assert run_program(level) == [level, *expected]
