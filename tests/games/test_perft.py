"""Perft tables from independent sources, for every engine of every game that has one."""

from collections import Counter

import pytest

import ludus
from support.paths import DATA
from support.repetition import repeat

TABLES = sorted((DATA / "perft").glob("*.txt"))
PYTHON_NODES = repeat(20_000, 60_000)
"""The readable engine counts up to here; the compiled one counts everything. In a game that has
none every position is looked at once, with the number of ways that lead to it."""

COMPILED = ("backgammon", "nine_mens_morris")


def rows(table):
    for line in table.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            rules, position, counts = (part.strip() for part in line.split("|"))
            yield rules, position, [int(word) for word in counts.split()]


CASES = [(table.stem, *row) for table in TABLES for row in rows(table)]


def test_every_game_has_a_table():
    assert [table.stem for table in TABLES] == sorted(ludus.GAMES)


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(("name", "rules", "position", "counts"), CASES)
def test_perft(name, rules, position, counts, engine):
    game = ludus.game(name, rules, engine)
    start = game.start() if position == "start" else game.parse(position)
    limit = float("inf") if engine == "native" and name in COMPILED else PYTHON_NODES
    for depth, nodes in enumerate(counts, start=1):
        if nodes <= limit:
            assert game.perft(start, depth) == nodes


@pytest.mark.parametrize(
    ("name", "rules", "position", "counts"), [case for case in CASES if case[0] not in COMPILED]
)
def test_every_depth_of_a_game_without_a_compiled_engine(name, rules, position, counts):
    game = ludus.game(name, rules)
    ways = Counter([game.start() if position == "start" else game.parse(position)])
    for depth, nodes in enumerate(counts, start=1):
        assert sum(number * len(here.legal_moves()) for here, number in ways.items()) == nodes
        after = Counter()
        for here, number in ways.items():
            for move in here.legal_moves() if depth < len(counts) else ():
                after[here.play(move)] += number
        ways = after
