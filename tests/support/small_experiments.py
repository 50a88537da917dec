"""Small experiments in a folder of their own, as a person would write them."""

from pathlib import Path

TOML = """
id = "smith-table-1"
title = "Throws of a coin"
source = "Smith 1900, Table 1"
differences = ["The coin is a generator of random numbers.", "It is thrown less often."]

[sizes.quick]
cost = "1 s"
games = 40

[sizes.certain]
cost = "2 s"
games = 400

[[rows]]
name = "heads"
published = 52
unit = "%"
games = 100

[[rows]]
name = "length"
published = 3.5
error = 0.25

[[rows]]
name = "not measured"
published = 1
"""

CODE = '''
"""Throws of a coin, and games of hexapawn."""

from ludus.reproduce import Figure, Measurement, Remark, Table


def run(context):
    games = context.setting("games")
    tally = context.matches("hexapawn", "random", "random", games)
    heads = context.cached("heads", lambda: games // 2)
    yield Measurement.proportion("heads", heads, games)
    yield Measurement.mean("length", [3.0, 3.5, 4.0], note="of three")
    yield Measurement.proportion("first player wins", tally.wins[0], tally.games)
    yield Table("Endings", ("reason", "games"), sorted(tally.reasons.items()), "How games end.")
    yield Figure("Figure 1", draw, [heads, games - heads], "Heads and tails.")
    yield Remark("A coin is fair.")


def draw(axes, data):
    axes.bar(["heads", "tails"], data)
'''


def write(folder: Path, code: str = CODE, toml: str = TOML) -> Path:
    """The folder of experiments, with `smith-table-1` in it."""
    place = folder / "experiments" / "smith"
    place.mkdir(parents=True, exist_ok=True)
    (place / "table_1.py").write_text(code)
    (place / "table_1.toml").write_text(toml)
    return place.parent
