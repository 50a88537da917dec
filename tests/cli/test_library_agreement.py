"""Calls of the library play the same games as the commands of the same names."""

import json

from ludus.arena.shortcuts import match, regret


def test_a_match(ludus):
    found = match("hexapawn:size=4", "playouts:games=5", "random", games=6, seed=3)
    command = ["match", "hexapawn:size=4", "playouts:games=5", "random", "--games", "6"]
    printed = json.loads(ludus(*command, "--seed", "3", "--one-by-one", "--json").out)
    assert [*found.wins] == printed["wins"]
    assert found.score.reasons == printed["reasons"]
    assert [record.players[0] for record in found.records[:2]] == ["playouts:games=5", "random"]


def test_regret(ludus):
    found = regret("hexapawn", "random", games=6, seed=2, jobs=1)
    command = ["regret", "hexapawn", "random", "--games", "6", "--seed", "2", "--jobs", "1"]
    printed = json.loads(ludus(*command, "--json").out)
    assert found.mean == printed["mean_regret"]
    assert found.total.critical == printed["critical"] > 0
