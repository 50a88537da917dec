"""Displays of results: short and printed texts, and escaped HTML or SVG in notebooks."""

import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import ludus
from ludus.analysis import Analyst, review_records
from ludus.arena.progress import track_playing
from ludus.cli.main import run
from ludus.core.record import Record
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
    assert repr(match) == "<MatchResult of hexapawn: random 2:1 playouts:games=2, 1 draws>"
    assert "4 games, p = 1" in Shown(match).text
    report = ludus.tournament("hexapawn", players, games=4, jobs=1)
    assert all(f"{number}." in Shown(report).text for number in (1, 2))
    found = ludus.regret("noughts_and_crosses", "random", games=3, jobs=1)
    assert "first error" in Shown(found).text
    assert f"{found.mean:.4f}" in Shown(found).text
    review = ludus.analyse("hexapawn", match.records[0])
    assert "marked" in Shown(review).text


def list_results():
    """What users print: results of calls, and what these are made of."""
    hexapawn, gammon = ludus.game("hexapawn"), ludus.game("backgammon")
    match = ludus.match(hexapawn, "random", "random", games=100)
    position, oracle = hexapawn.start(), ludus.oracle(hexapawn)
    rolled = gammon.parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31")
    analysis = ludus.analyse(hexapawn, position)
    record = Record.from_game(match.records[0], hexapawn)
    return {
        "match": match,
        "game": match.records[0],
        "record": record,
        "tournament": ludus.tournament(hexapawn, ["random", "perfect"], games=2, jobs=1),
        "regret": ludus.regret(hexapawn, "random", games=2, jobs=1),
        "training": ludus.train("menace", games=5),
        "analysis": analysis,
        "evaluated move": analysis.best,
        "review": ludus.analyse(hexapawn, record),
        "records": review_records([record], Analyst(hexapawn)),
        "oracle": oracle,
        "verdict": oracle.verdict(position),
        "rated move": oracle.verdict(position).moves[0],
        "position": rolled,
        "choice": ludus.player("gammon:net=selfplay", gammon).choose(rolled),
        **{f"move of {name}": ludus.game(name).start().legal_moves()[0] for name in ludus.GAMES},
    }


def test_every_result_has_a_short_form_and_one_to_read():
    """`repr` is for lists and the debugger, one line; `print` shows what the command shows."""
    for name, value in list_results().items():
        short = repr(value)
        assert short.startswith("<"), name
        assert len(short) < 130, name
        assert "\n" not in short, name
        assert "object at" not in str(value) + short, name
        assert "(frm=" not in str(value), name


@pytest.mark.parametrize(
    ("line", "result"),
    [
        (("match", "hexapawn", "random", "random"), "match"),
        (("regret", "hexapawn", "random", "--games", "2", "--jobs", "1"), "regret"),
        (("analyse", "hexapawn", "start"), "analysis"),
    ],
)
def test_what_is_printed_is_what_the_command_shows(capsys, line, result):
    assert run(line) == 0
    assert capsys.readouterr().out == f"{list_results()[result]}\n"


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
