"""Inspection of a network: scores, moves in both directions, drawings."""

import xml.etree.ElementTree as ElementTree

import pytest

from ludus.learn.patterns.inference import FuzzySettings
from ludus.learn.patterns.inspection import (
    NetworkView,
    draw_patterns,
    format_pattern,
    format_patterns,
)
from ludus.learn.patterns.network import PatternNetwork
from ludus.learn.patterns.network_file import load_network


def test_figure_2_drawn():
    assert format_pattern(61) == ["·─────·─────·", "  ●───●───●  ", "    ●─·─●    "]
    assert format_patterns([61, 0])[-1].split() == ["61", "0"]
    assert len(format_patterns(list(range(7)))) == 9


def test_the_scores_shown_are_those_that_are_played_with():
    view = NetworkView(load_network("seed"), FuzzySettings(k=2))
    vertex = view.vertex(61)
    whole = 10 * vertex.mill + vertex.token / 3 + 3 * vertex.freq + vertex.mutual
    assert (vertex.mill, vertex.token) == (1, 5)
    assert vertex.score == pytest.approx(whole**2)


def test_the_best_patterns_come_first():
    view = NetworkView(load_network("seed"), FuzzySettings())
    best = view.top(30)
    assert [vertex.score for vertex in best] == sorted((v.score for v in best), reverse=True)
    assert best[0].score == max(view.vertex(number).score for number in view.list_observed())


def test_weights_are_probabilities_and_both_directions_agree():
    view = NetworkView(load_network("seed"), FuzzySettings())
    onwards = view.outgoing(61)
    assert sum(move.weight for move in onwards) == pytest.approx(1)
    for move in onwards:
        back = {each.pattern: each for each in view.incoming(move.pattern)}
        assert back[61].count == move.count
        assert back[61].weight == pytest.approx(move.weight)


def test_the_picture_holds_every_pattern():
    view = NetworkView(load_network("seed"), FuzzySettings())
    picture = draw_patterns(view.top(9), "Patterns of <seed> & others")
    root = ElementTree.fromstring(picture)
    shown = [vertex.pattern for vertex in view.top(9)]
    labels = "".join(root.itertext())
    assert all(f"{number}: score" in labels for number in shown)
    men = [each for each in root.iter() if each.get("class") == "man black"]
    assert len(men) == sum(number.bit_count() for number in shown)


def test_an_empty_network_has_nothing_to_show():
    view = NetworkView(PatternNetwork(), FuzzySettings())
    assert view.top(5) == view.outgoing(0) == view.incoming(0) == []
    assert ElementTree.fromstring(draw_patterns([], "nothing")) is not None
