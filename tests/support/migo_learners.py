"""What the tests of MIGO share: trained learners, and all positions."""

from functools import cache

from ludus.arena.regret import compute_expected_regret
from ludus.games import game
from ludus.learn import PerfectOpponent
from ludus.learn import train_learner as run_series
from ludus.learn.migo.games import StateGraph
from ludus.learn.migo.inference import Reasoner, Strategy
from ludus.learn.migo.learner import MigoOptions
from ludus.learn.migo.train import MigoLearner
from ludus.oracles import oracle as find_oracle


@cache
def opponent(spec):
    return PerfectOpponent(game(spec))


def train_learner(spec, games, seed, **settings):
    """A learner after this number of games, and the regret of each."""
    played = game(spec)
    learner = MigoLearner(played, MigoOptions(**settings))
    return learner, run_series(learner, games, seed, opponent=opponent(spec)).regrets


@cache
def train_program(spec, mode, games=200, seed=0):
    """The program that was learned."""
    return train_learner(spec, games, seed, mode=mode)[0].program


def exact(spec, program):
    """The mean regret of a program on the start boards: first solutions, else any move."""
    strategy = Strategy(Reasoner(StateGraph()), program)
    graph = strategy.reasoner.graph

    def policy(position):
        board = graph.state_id(position)
        decision = strategy.decide(board)
        wanted = decision.state_ids if decision.rule is None else decision.state_ids[:1]
        moves = dict(zip(graph.moves(board), position.legal_moves(), strict=True))
        return {moves[each]: 1 / len(wanted) for each in wanted}

    played = game(spec)
    return compute_expected_regret(find_oracle(played), policy, played.training_starts())


def all_boards(graph, first):
    """The numbers of all states that can follow one."""
    found = [graph.state_id(first)]
    seen = set(found)
    for board in found:
        for after in graph.moves(board):
            if after not in seen:
                seen.add(after)
                found.append(after)
    return found
