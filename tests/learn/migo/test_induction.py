"""The search for hypotheses, in small games with known answers."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ludus.learn.migo.games import StateGraph
from ludus.learn.migo.induction import PUBLISHED_METARULES, BackgroundKnowledge, HypothesisSearch
from ludus.learn.migo.inference import Reasoner
from ludus.learn.migo.program import Clause


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
    reasoner = Reasoner(StateGraph(graph))
    return BackgroundKnowledge(reasoner), reasoner.graph.state_id


def test_the_first_rule_that_explains_an_example_is_kept():
    background, number = _background(Graph({"a": "bcd", "d": "e"}, won="b", drawn="bc"))
    learn = HypothesisSearch(background, PUBLISHED_METARULES, [number("b")]).run
    assert learn("p") == (Clause("p", "move", "postcond", "drawn"),)
    assert HypothesisSearch(background, PUBLISHED_METARULES, [number("d")]).run("p") == ()


def test_newest_predicates_are_tried_first():
    background, number = _background(Graph({"a": "bc"}, won="b", drawn="c"))
    old, new = (Clause(name, "move", "postcond", "won") for name in ("old", "new"))
    background.add([old])
    background.add([new])
    found = HypothesisSearch(background, PUBLISHED_METARULES, [number("b")]).run("p")
    assert found == (Clause("p", "new", "postcond", "won"),)


def test_a_second_clause_is_added_when_one_is_not_enough():
    background, number = _background(Graph({"a": "bc", "b": "d", "c": "d"}, won="b", drawn="c"))
    found = HypothesisSearch(background, PUBLISHED_METARULES, [number("b"), number("c")]).run("p")
    assert found == (
        Clause("p", "move", "postcond", "drawn"),
        Clause("p", "move", "postcond", "won"),
    )


@given(some.randoms(use_true_random=False))
def test_no_hypothesis_is_smaller_and_every_example_is_proved(source):
    """In random games: beside all sets of clauses, each with the examples that it proves."""
    states = "abcdefgh"
    moves = {a: [b for b in states if b > a and source.random() < 0.5] for a in states}
    ends = [state for state in states if not moves[state]]
    won = [state for state in ends if source.random() < 0.5]
    graph = Graph(moves, won, [state for state in ends if state not in won])
    background, number = _background(graph)
    background.add([Clause("wins", "move", "postcond", "won")])
    background.add([Clause("draws", "move", "postcond", "drawn")])
    examples = [number(state) for state in source.sample(states, 3)]
    proved = {
        clause: {each for each in examples if _holds(background, (clause,), each)}
        for clause in _all_clauses(background.names_newest_first)
    }
    found = HypothesisSearch(background, PUBLISHED_METARULES, examples).run("p")
    sizes = [
        size
        for size in (1, 2, 3)
        if any(
            set().union(*(proved[each] for each in chosen)) == set(examples)
            for chosen in combinations(proved, size)
        )
    ]
    assert len(found) == min(sizes, default=0)
    assert all(_holds(background, found, each) for each in examples) == bool(found)


def _holds(background, clauses, board):
    if not clauses:
        return False
    return background.reasoner.holds(background.concepts_with(clauses)["p"], board)


def _all_clauses(names):
    fluents = [Clause("p", name, "postcond", each) for name in names for each in ("won", "drawn")]
    return fluents + [Clause("p", a, "negation", b) for a in names for b in names]


def test_nothing_is_found_where_nothing_can_hold():
    graph = Graph({"a": "b", "b": "c"}, won="c")
    background, number = _background(graph)
    background.add([Clause("wins", "move", "postcond", "won")])
    assert HypothesisSearch(background, PUBLISHED_METARULES, [number("b")]).run("p") == ()


@pytest.mark.parametrize(("metarule", "is_won"), [("negation", True), ("forcing", False)])
def test_forcing_wins_ask_for_a_reply(metarule, is_won):
    """Negation alone holds on a board without moves, be it a stalemate."""
    graph = Graph({"a": "b"}, drawn="b")
    background, number = _background(graph)
    concept = background.concepts_with([Clause("p", "move", metarule, "move")])["p"]
    assert background.reasoner.holds(concept, number("b")) == is_won
