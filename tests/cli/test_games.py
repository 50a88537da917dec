"""`ludus perft`, `games` and `players`; players of other modules and packages."""

import json

import pytest

import ludus as library
from ludus.core.spec import Registry


def test_perft_counts_as_open_spiel_does(ludus):
    result = ludus("perft", "nine_mens_morris", "5", "--json")
    assert json.loads(result.out)["nodes"] == 5140800
    assert result.out.count("\n") == 1


def test_perft_of_both_engines_and_of_the_parts_agree(ludus):
    arguments = ("perft", "nine_mens_morris:lasker", "3", "--rules", "men=3", "--json")
    native = json.loads(ludus(*arguments, "--divide").out)
    python = json.loads(ludus(*arguments, "--engine", "python").out)
    assert native["nodes"] == python["nodes"] == sum(native["divide"].values())
    assert native["rules"]["men"] == 3
    assert "divide" not in python


@pytest.mark.parametrize(("depth", "nodes"), [(0, 1), (1, 0), (3, 0)])
def test_perft_of_a_game_that_is_over(ludus, depth, nodes):
    over = ("--position", "XXX/OO./... o")
    result = ludus("perft", "noughts_and_crosses", str(depth), "--divide", "--json", *over)
    assert json.loads(result.out)["nodes"] == nodes


def test_perft_for_people(ludus):
    lines = ludus("perft", "hexapawn", "2", "--divide").out.splitlines()
    assert lines[:3] == ["a1-a2: 3", "b1-b2: 4", "c1-c2: 3"]
    assert lines[3].startswith("10 nodes in ")


def test_every_game_and_player_is_listed(ludus):
    games = {game["id"]: game for game in json.loads(ludus("games", "--json").out)["games"]}
    assert next(iter(games["nine_mens_morris"]["presets"])) == "standard"
    assert games["hexapawn"]["presets"]["four"]["size"] == 4
    players = json.loads(ludus("players", "hexapawn", "--json").out)["players"]
    names = [player["name"] for player in players]
    assert names[:2] == ["random", "playouts"]
    assert all("hexapawn" in player["games"] for player in players)
    assert all(name in ludus("games").out for name in games)
    assert all(name in ludus("players").out for name in names)


CAREFUL = """
import ludus

class Careful(ludus.Player):
    title = "plays its last legal move"

    def choose(self, position, limit=ludus.Limit()):
        return ludus.Choice(position.legal_moves()[-1])
"""


def test_a_player_is_named_by_its_module_and_class(ludus, tmp_path, monkeypatch):
    (tmp_path / "my_players.py").write_text(CAREFUL)
    monkeypatch.syspath_prepend(tmp_path)
    result = ludus("match", "hexapawn", "my_players:Careful", "random", "--games", "2")
    assert result.status == 0
    assert "my_players:Careful" in result.out
    for spec, message in {
        "my_players:Careless": "the module my_players has no 'Careless'",
        "my_players:ludus": "is not a class of players",
        "my_player:Careful": "there is no player 'my_player' and no module .* PYTHONPATH=FOLDER",
    }.items():
        with pytest.raises(library.LudusError, match=message):
            library.player(spec, library.game("hexapawn"))


def test_installed_packages_add_names_by_entry_points(tmp_path, monkeypatch):
    """Of a kind that no other test adds names to."""
    folder = tmp_path / "mine-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[ludus.robots]\ncareful = my_plugin:Careful\n")
    (tmp_path / "my_plugin.py").write_text(CAREFUL)
    monkeypatch.syspath_prepend(tmp_path)
    robots = Registry("robot", {"random": "ludus.players.random_play:RandomPlayer"})
    assert list(robots) == ["random", "careful"]
    assert robots["careful"].title == "plays its last legal move"
    assert "careful" in Registry("robot", {})
    assert "careful" not in Registry("game", {})
