"""A simplified program chooses the same moves, by fewer clauses."""

import pytest

from ludus.games import game
from ludus.learn import PerfectOpponent, RunConfig, train_learner, train_series
from ludus.learn import learner as named_learner
from ludus.learn.migo.games import StateGraph
from ludus.learn.migo.inference import Reasoner, Strategy
from ludus.learn.migo.program import load_shipped_program, parse_program
from ludus.learn.migo.simplify import simplify
from support.migo_learners import all_boards


def parse(text):
    return parse_program(f"% ludus migo 1\n{text}").program


def decide_everywhere(program, graph, boards):
    """The moves that a program allows on each board, in order, or all if no rule gives one."""
    strategy = Strategy(Reasoner(graph), program)
    return [strategy.decide(each).state_ids for each in boards]


@pytest.mark.parametrize(
    ("spec", "learner"),
    [
        ("noughts_and_crosses", "migo"),
        ("noughts_and_crosses", "migo:learning=separated"),
        ("noughts_and_crosses", "migo:mode=improved"),
        ("hexapawn:migo", "migo"),
        ("hexapawn", "migo:mode=improved"),
    ],
)
def test_the_same_moves_on_all_boards(spec, learner):
    played = game(spec)
    graph = StateGraph()
    boards = [each for each in all_boards(graph, played.start()) if graph.moves(each)]
    opponent = PerfectOpponent(played)
    for seed in range(3):
        training = train_learner(named_learner(learner, played), 60, seed, opponent=opponent)
        learned = training.learner.program
        simple = simplify(learned)
        assert decide_everywhere(simple, graph, boards) == decide_everywhere(learned, graph, boards)
        assert len(simple.clauses) <= len(learned.clauses)
        bodies = [str(each).partition(":-")[2] for each in simple.clauses]
        assert len(bodies) == len(set(bodies))
        assert simplify(simple) == simple


def test_repeated_conditions_and_levels_that_never_decide_go():
    learned = parse(
        "win_1_1_1(A,B) :- move(A,B), won(B).\n"
        "win_1(A,B) :- win_1_1_1(A,B), won(B).\n"
        "draw_1_1_1(A,B) :- move(A,B), not(win_1(B,_)).\n"
        "draw_1(A,B) :- draw_1_1_1(A,B), not(win_1(B,_)).\n"
        "draw_2_1_1(A,B) :- move(A,B), drawn(B).\n"
        "draw_2(A,B) :- draw_1(A,B), not(draw_2_1_1(B,_))."
    )
    assert simplify(learned) == parse(
        "win_1(A,B) :- move(A,B), won(B).\ndraw_1(A,B) :- move(A,B), not(win_1(B,_))."
    )


def test_conditions_on_what_follows_a_finished_game_go():
    learned = parse(
        "win_1(A,B) :- move(A,B), won(B).\n"
        "safe(A,B) :- move(A,B), not(win_1(B,_)).\n"
        "draw_1(A,B) :- safe(A,B), drawn(B)."
    )
    assert [str(each) for each in simplify(learned).clauses] == [
        "win_1(A,B) :- move(A,B), won(B).",
        "draw_1(A,B) :- move(A,B), drawn(B).",
    ]


def test_a_rule_that_cannot_hold_goes():
    learned = parse(
        "win_1(A,B) :- move(A,B), won(B).\n"
        "win_2(A,B) :- move(A,B), move(B,_), not(win_1(B,_)).\n"
        "draw_1(A,B) :- win_2(A,B), drawn(B)."
    )
    assert [str(each) for each in simplify(learned).clauses] == [
        "win_1(A,B) :- move(A,B), won(B).",
        "win_2(A,B) :- move(A,B), move(B,_), not(win_1(B,_)).",
    ]


@pytest.mark.parametrize("mode", ["faithful", "improved"])
def test_shipped_programs_are_simple(mode):
    program = load_shipped_program("noughts_and_crosses", mode).program
    assert simplify(program) == program


def test_rules_that_a_transfer_left_without_use_go():
    earlier = RunConfig("migo", "noughts_and_crosses", 60, 3)
    config = RunConfig("migo", "hexapawn:migo", 40, 3, after=earlier)
    learned = train_series(config).learner.program
    simple = simplify(learned)
    used = {name for each in simple.clauses for name in (each.first, each.second)}
    assert set(simple) <= used | set(simple.strategy)
    assert len(simple.clauses) < len(learned.clauses)
    graph = StateGraph()
    boards = all_boards(graph, game("hexapawn:migo").start())
    boards = [each for each in boards if graph.moves(each)]
    assert decide_everywhere(simple, graph, boards) == decide_everywhere(learned, graph, boards)
    assert any(each.head.startswith("given_") for each in learned.clauses)
