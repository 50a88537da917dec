"""The tables in tests/perft: numbers of move sequences from independent sources."""

from pathlib import Path

import pytest

import ludus

TABLES = Path(__file__).parents[1] / "perft"


def rows(name):
    for line in (TABLES / f"{name}.txt").read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            rules, position, counts = (part.strip() for part in line.split("|"))
            yield pytest.param(name, rules, position, counts, id=f"{name}:{rules}:{position}")


@pytest.mark.parametrize(
    ("name", "rules", "position", "counts"), [*rows("noughts_and_crosses"), *rows("hexapawn")]
)
def test_perft(name, rules, position, counts):
    game = ludus.game(name, rules)
    root = game.start() if position == "start" else game.parse(position)
    expected = [int(count) for count in counts.split()]
    assert [game.perft(root, depth + 1) for depth in range(len(expected))] == expected
