"""Learned programs in real Prolog: the printed text runs, and chooses the same moves."""

import subprocess

import pytest

from ludus.games import game
from ludus.learn.migo.games import StateGraph
from ludus.learn.migo.inference import Reasoner, Strategy
from ludus.learn.migo.program import format_prolog, format_prolog_term
from support.migo_learners import all_boards, train_program

ASK = """
answer(S) :- ( choose(S,B) -> true ; B = none ), findall(C,move(S,C),Cs), writeln(B/Cs).
"""


def _ask(tmp_path, text, terms):
    """Return Prolog's choice in each state, and all its moves, as texts."""
    queries = "".join(f":- answer({term}).\n" for term in terms)
    file = tmp_path / "strategy.pl"
    file.write_text(f"{text}{ASK}{queries}:- halt.\n")
    done = subprocess.run(
        ["swipl", "-q", str(file)], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.needs_debian("swi-prolog-nox")
@pytest.mark.parametrize(
    ("spec", "mode", "step"),
    [
        ("noughts_and_crosses", "faithful", 9),
        ("noughts_and_crosses", "improved", 9),
        ("hexapawn", "faithful", 1),
        ("hexapawn", "improved", 1),
        ("hexapawn:migo", "faithful", 1),
        ("hexapawn:size=4", "faithful", 101),
        ("hexapawn:size=4", "improved", 101),
    ],
)
def test_prolog_makes_the_same_moves(tmp_path, spec, mode, step):
    """The rules of the games are written anew in Prolog, so they are compared as well."""
    played, program = game(spec), train_program(spec, mode)
    strategy = Strategy(Reasoner(StateGraph()), program)
    graph = strategy.reasoner.graph
    boards = all_boards(graph, played.start())[::-step]
    answers = _ask(
        tmp_path,
        format_prolog(program, played),
        [format_prolog_term(graph.states[b]) for b in boards],
    )
    assert len(answers) == len(boards)
    for board, answer in zip(boards, answers, strict=True):
        moves = [format_prolog_term(graph.states[each]) for each in graph.moves(board)]
        decision = strategy.decide(board)
        chosen = "none"
        if decision.rule is not None:
            chosen = format_prolog_term(graph.states[decision.state_ids[0]])
        assert answer == f"{chosen}/[{','.join(moves)}]"
