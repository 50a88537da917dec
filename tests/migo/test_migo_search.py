"""The search for hypotheses, in worlds small enough to see through."""

import pytest

from ludus.learn.migo.program import Clause
from ludus.learn.migo.reasoner import Reasoner
from ludus.learn.migo.search import PUBLISHED, Background, Search
from ludus.learn.migo.world import World


class Graph:
    """A game that is drawn as a graph: states by name, those that are won and those drawn."""

    def __init__(self, moves, won="", drawn=""):
        self.moves, self.wins, self.draws = moves, won, drawn

    def move(self, state):
        return self.moves.get(state, "")

    def won(self, state):
        return state in self.wins

    def drawn(self, state):
        return state in self.draws


def _background(graph):
    reasoner = Reasoner(World(graph))
    return Background(reasoner), reasoner.world.number


def test_the_first_rule_that_explains_an_example_is_kept():
    background, number = _background(Graph({"a": "bcd", "d": "e"}, won="b", drawn="bc"))
    learn = Search(background, PUBLISHED, [number("b")]).run
    assert learn("p") == (Clause("p", "move", "postcond", "drawn"),)
    assert Search(background, PUBLISHED, [number("d")]).run("p") == ()


def test_newest_predicates_are_tried_first():
    background, number = _background(Graph({"a": "bc"}, won="b", drawn="c"))
    old, new = (Clause(name, "move", "postcond", "won") for name in ("old", "new"))
    background.add([old])
    background.add([new])
    found = Search(background, PUBLISHED, [number("b")]).run("p")
    assert found == (Clause("p", "new", "postcond", "won"),)


def test_a_second_clause_is_added_when_one_is_not_enough():
    background, number = _background(Graph({"a": "bc", "b": "d", "c": "d"}, won="b", drawn="c"))
    found = Search(background, PUBLISHED, [number("b"), number("c")]).run("p")
    assert found == (
        Clause("p", "move", "postcond", "drawn"),
        Clause("p", "move", "postcond", "won"),
    )


def test_a_predicate_is_invented_when_rules_need_two_conditions():
    """Only q tells wanted boards from others, and two negations are needed to say so."""
    graph = Graph({"a": "bcd", "c": "w", "d": "x"}, won="w", drawn="x")
    background, number = _background(graph)
    background.add([Clause("wins", "move", "postcond", "won")])
    background.add([Clause("draws", "move", "postcond", "drawn")])
    reasoner = background.reasoner
    clauses = (
        Clause("p_1", "move", "negation", "wins"),
        Clause("p", "p_1", "negation", "draws"),
    )
    concept = background.concepts_with(clauses)["p"]
    assert [reasoner.holds(concept, number(each)) for each in "bcd"] == [True, False, False]


def test_nothing_is_found_where_nothing_can_hold():
    graph = Graph({"a": "b", "b": "c"}, won="c")
    background, number = _background(graph)
    background.add([Clause("wins", "move", "postcond", "won")])
    assert Search(background, PUBLISHED, [number("b")]).run("p") == ()


@pytest.mark.parametrize(("metarule", "is_won"), [("negation", True), ("forcing", False)])
def test_forcing_wins_ask_for_a_reply(metarule, is_won):
    """Negation alone holds on a board without moves, be it a stalemate."""
    graph = Graph({"a": "b"}, drawn="b")
    background, number = _background(graph)
    concept = background.concepts_with([Clause("p", "move", metarule, "move")])["p"]
    assert background.reasoner.holds(concept, number("b")) == is_won
