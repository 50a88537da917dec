"""A network to look at: scores by hand, moves in both directions, drawings."""

import xml.etree.ElementTree as ElementTree

import pytest

from ludus.learn.patterns.drawing import svg, text, texts
from ludus.learn.patterns.inspecting import View
from ludus.learn.patterns.network import Network
from ludus.learn.patterns.settings import Settings
from ludus.learn.patterns.shipped import network


def test_figure_2_drawn():
    assert text(61) == ["·─────·─────·", "  ●───●───●  ", "    ●─·─●    "]
    assert texts([61, 0])[-1].split() == ["61", "0"]
    assert len(texts(list(range(7)))) == 9


def test_the_scores_shown_are_those_that_are_played_with():
    view = View(network("seed"), Settings(k=2))
    vertex = view.vertex(61)
    whole = 10 * vertex.mill + vertex.token / 3 + 3 * vertex.freq + vertex.mutual
    assert (vertex.mill, vertex.token) == (1, 5)
    assert vertex.score == pytest.approx(whole**2)


def test_the_best_patterns_come_first():
    view = View(network("seed"), Settings())
    best = view.best(30)
    assert [vertex.score for vertex in best] == sorted((v.score for v in best), reverse=True)
    assert best[0].score == max(view.vertex(number).score for number in view.seen())


def test_weights_are_probabilities_and_both_directions_agree():
    view = View(network("seed"), Settings())
    onwards = view.onwards(61)
    assert sum(move.weight for move in onwards) == pytest.approx(1)
    for move in onwards:
        back = {each.pattern: each for each in view.back(move.pattern)}
        assert back[61].count == move.count
        assert back[61].weight == pytest.approx(move.weight)


def test_the_picture_holds_every_pattern():
    view = View(network("seed"), Settings())
    picture = svg(view.best(9), "Patterns of <seed> & others")
    root = ElementTree.fromstring(picture)
    shown = [vertex.pattern for vertex in view.best(9)]
    labels = "".join(root.itertext())
    assert all(f"{number}: score" in labels for number in shown)
    men = [each for each in root.iter() if each.get("class") == "man black"]
    assert len(men) == sum(number.bit_count() for number in shown)


def test_an_empty_network_has_nothing_to_show():
    view = View(Network(), Settings())
    assert view.best(5) == view.onwards(0) == view.back(0) == []
    assert ElementTree.fromstring(svg([], "nothing")) is not None
