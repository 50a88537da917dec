"""Displays in notebooks: every result has well-formed, escaped HTML or SVG."""

import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import ludus
from ludus.arena.progress import track_playing
from ludus.learn.gammon import load_shipped_chances
from ludus.learn.gammon.network import load_network
from ludus.learn.nnmm.chain import find_shipped_weights
from ludus.learn.nnmm.weights import load_committee
from ludus.learn.patterns import PatternNetwork
from ludus.learn.scholar import find_shipped_weights as find_scholars
from ludus.learn.scholar import load_weights


class Shown:
    """The displays of one value, parsed."""

    def __init__(self, value):
        self.root = ElementTree.fromstring(value._repr_html_())

    @property
    def text(self):
        return " ".join(self.root.itertext())

    @property
    def num_pictures(self):
        return len(self.root.findall(".//{http://www.w3.org/2000/svg}svg"))


@pytest.mark.parametrize("name", list(ludus.GAMES))
def test_games_and_positions(name):
    game = ludus.game(name)
    shown = Shown(game)
    assert game.title in shown.text
    assert shown.num_pictures == 1
    assert all(field in shown.text for field in game.rules.__dataclass_fields__)
    assert ElementTree.fromstring(game.start()._repr_svg_()).tag.endswith("svg")


def test_results_of_games():
    players = ["random", "playouts:games=2"]
    match = ludus.match("hexapawn", *players, games=4)
    assert str(match) == "random 2, playouts:games=2 1, draws 1 (p = 1)"
    assert "4 games, p = 1" in Shown(match).text
    report = ludus.tournament("hexapawn", players, games=4, jobs=1)
    assert all(f"{number}." in Shown(report).text for number in (1, 2))
    found = ludus.regret("noughts_and_crosses", "random", games=3, jobs=1)
    assert "first error" in Shown(found).text
    assert f"{found.mean:.4f}" in Shown(found).text
    review = ludus.analyse("hexapawn", match.records[0])
    assert "marked" in Shown(review).text


def test_analyses_show_the_board():
    found = ludus.analyse("hexapawn", ludus.game("hexapawn").start())
    assert Shown(found).num_pictures == 1
    assert all(str(each.move) in Shown(found).text for each in found.moves)


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (lambda: load_shipped_chances("selfplay"), ["257", "chances of a win"]),
        (lambda: load_network("paper"), ["459-", "parameters"]),
        (lambda: load_committee(find_shipped_weights()["thesis", "TFR"]).sets[0], ["TFR", "FROM"]),
        (lambda: load_weights(find_scholars()["scorer", "small"]), ["27", "perfect play"]),
        (PatternNetwork, ["0 of", "training games"]),
    ],
)
def test_networks(load, words):
    text = Shown(load()).text
    assert all(word in text for word in words)


class FakeDisplay:
    """The part of IPython's display that progress uses; the real one runs when docs are built."""

    def __init__(self):
        self.shown = []

    def display(self, value, display_id):
        self.update(value)
        return self

    def update(self, value):
        self.shown.append(value._repr_mimebundle_()["text/html"])


def test_progress_shows_in_a_notebook_only(monkeypatch, capsys):
    assert list(track_playing("abc", 3)) == ["a", "b", "c"]
    fake = FakeDisplay()
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=fake.display))
    monkeypatch.setattr("ludus.arena.progress.UPDATE_SECONDS", 0)
    assert list(track_playing("abc", 3)) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", "")
    assert fake.shown[0].startswith("playing <progress")
    assert "3 of 3" in fake.shown[-2]
    assert fake.shown[-1] == ""
