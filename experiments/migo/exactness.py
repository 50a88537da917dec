"""What a learned program gives away, without playing a game."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from ludus.arena.regret import Policy, compute_expected_regret
from ludus.games import game as named_game
from ludus.learn.migo.games import StateGraph
from ludus.learn.migo.inference import Reasoner, Strategy
from ludus.learn.migo.program import Program, parse_program
from ludus.oracle import oracle_for
from ludus.oracle.memory import solve_backwards
from ludus.oracle.oracle import ORDER, Value


def program_of(rules: Sequence[str]) -> Program:
    """A program from its clauses, as `Marks.learned` has them."""
    return parse_program("\n".join(("% ludus migo 1", *rules))).program


def policy_of(strategy: Strategy) -> Policy:
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
def reasoner_of(spec: str) -> Reasoner:
    """One for all programs of a game: most of them mean the same and differ in names alone."""
    return Reasoner(StateGraph())


def regret_of_program(spec: str, rules: Sequence[str]) -> float:
    """The exact mean regret of a game from the start boards, against the optimal opponent."""
    reasoner, program = reasoner_of(spec), program_of(rules)
    concepts = reasoner.concepts(program)
    return _regret_of(spec, program, tuple(concepts[name] for name in program.strategy))


def _regret_of(spec: str, program: Program, meaning: tuple[int, ...]) -> float:
    """Computed once for all programs that mean the same."""
    if (spec, meaning) not in _known:
        game, strategy = named_game(spec), Strategy(reasoner_of(spec), program)
        policy = policy_of(strategy)
        _known[spec, meaning] = compute_expected_regret(
            oracle_for(game), policy, game.training_starts()
        )
    return _known[spec, meaning]


_known: dict[tuple[str, tuple[int, ...]], float] = {}


def solve(graph: StateGraph, first: int) -> dict[int, Value]:
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


def errors(strategy: Strategy, values: dict[int, Value], starts: Sequence[int]) -> tuple[int, int]:
    """The decisions that the strategy can come to, whatever the opponent plays, and how many err.

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
