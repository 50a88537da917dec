"""Exact regret of a learned program, computed without playing."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from ludus.arena import Policy, compute_expected_regret
from ludus.games import game as named_game
from ludus.learn.migo import Program, Reasoner, StateGraph, Strategy, parse_program
from ludus.oracles import ORDER, Value, solve_backwards
from ludus.oracles import oracle as find_oracle


def make_program(rules: Sequence[str]) -> Program:
    """Return a program from clauses in the form of `Marks.learned`."""
    return parse_program("\n".join(("% ludus migo 1", *rules))).program


def make_policy(strategy: Strategy) -> Policy:
    """The first move of the first rule that gives one; any move if none does."""
    graph = strategy.reasoner.graph

    def policy(position: Any) -> dict[Any, float]:
        board = graph.state_id(position)
        decision = strategy.decide(board)
        wanted = decision.state_ids if decision.rule is None else decision.state_ids[:1]
        legal, after = position.legal_moves(), graph.moves(board)
        return {legal[after.index(each)]: 1 / len(wanted) for each in wanted}

    return policy


@cache
def get_reasoner(spec: str) -> Reasoner:
    """Return one reasoner for all programs of a game; most of them differ in names alone."""
    return Reasoner(StateGraph())


def compute_program_regret(spec: str, rules: Sequence[str]) -> float:
    """The exact mean regret of a game from the start boards, against the optimal opponent."""
    reasoner, program = get_reasoner(spec), make_program(rules)
    concepts = reasoner.concepts(program)
    return _compute_regret(spec, program, tuple(concepts[name] for name in program.strategy))


def _compute_regret(spec: str, program: Program, meaning: tuple[int, ...]) -> float:
    """Compute the regret once for all equivalent programs."""
    if (spec, meaning) not in _known:
        game, strategy = named_game(spec), Strategy(get_reasoner(spec), program)
        policy = make_policy(strategy)
        _known[spec, meaning] = compute_expected_regret(
            find_oracle(game), policy, game.training_starts()
        )
    return _known[spec, meaning]


_known: dict[tuple[str, tuple[int, ...]], float] = {}


def solve_graph(graph: StateGraph, first: int) -> dict[int, Value]:
    """The value of every state that can follow a state, to the side to move."""
    boards, places = [first], {first: 0}
    replies: list[list[int]] = []
    for board in boards:  # which grows on the way
        after = graph.moves(board)
        for each in after:
            if each not in places:
                places[each] = len(boards)
                boards.append(each)
        replies.append([places[each] for each in after])
    ends = {True: Value("loss", 0), False: Value("draw")}
    known = [
        None if after else ends[graph.won(b)] for b, after in zip(boards, replies, strict=True)
    ]
    return dict(zip(boards, solve_backwards(replies, known), strict=True))


def count_errors(
    strategy: Strategy, values: dict[int, Value], starts: Sequence[int]
) -> tuple[int, int]:
    """Count the decisions that can arise against any opponent, and those that are errors.

    Where no rule gives a move, every move counts as a decision.
    """
    graph = strategy.reasoner.graph
    met, seen, wrong, decisions = list(starts), set(starts), 0, 0
    for board in met:  # which grows on the way
        decision = strategy.decide(board)
        wanted = decision.state_ids if decision.rule is None else decision.state_ids[:1]
        best = min(
            ORDER.index(values[each].for_previous_mover().result) for each in graph.moves(board)
        )
        for after in wanted:
            decisions += 1
            wrong += ORDER.index(values[after].for_previous_mover().result) > best
            new = [each for each in graph.moves(after) if graph.moves(each) and each not in seen]
            seen.update(new)
            met += new
    return decisions, wrong
