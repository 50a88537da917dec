"""Larger games, learned from self-play alone, and checked against what is solved."""

from collections.abc import Iterator, Sequence
from typing import Any

from ludus.learn import fit
from ludus.learn.migo import (
    MigoConfig,
    MigoTraining,
    Reasoner,
    StateGraph,
    Strategy,
    TargetGame,
    find_target_game,
)
from ludus.oracles import ORDER, Value, solve_backwards
from ludus.reproduce import Context, Finding, Measurement, PublishedRow, Remark

from .runs import make_program


def run(context: Context) -> Iterator[Finding]:
    chosen = [row for row in context.published.rows if row["game"] in context.setting("games")]
    for row in chosen:
        context.progress(chosen.index(row), len(chosen), row.name)
        yield from _findings(context, row)


def _findings(context: Context, row: PublishedRow) -> Iterator[Finding]:
    spec, games = row["game"], row["games_a_run"]
    learned = context.cached(f"learned {spec}", lambda: learn(spec, games, context.seed))
    found = context.cached(f"checked {spec}", lambda: check(spec, learned["rules"]))
    yield Measurement(row.name, found["positions"], note="exact")
    name = row["short"]
    yield Measurement(f"{name}: levels of wins learned", learned["levels"])
    yield Measurement(f"{name}: decisions it can come to", found["decisions"])
    yield Measurement(f"{name}: of these wrong", found["wrong"])
    yield Remark(
        f"{name}: the start is a {found['start']}; of {found['starts']} start boards "
        f"{found['won']} are won, {found['drawn']} drawn and {found['lost']} lost."
    )


def learn(spec: str, games: int, seed: int) -> dict[str, Any]:
    """Learn a program from this number of games of self-play."""
    training = MigoTraining(MigoConfig(game=spec, games=games, seed=seed, selfplay=True))
    fit(training)
    program = training.strategy_learner.program
    return {
        "rules": [str(clause) for clause in program.clauses],
        "levels": len(program.levels("win")),
    }


def check(spec: str, rules: list[str]) -> dict[str, Any]:
    """Check every decision that can arise against the value of the position."""
    chosen: TargetGame = find_target_game(spec)
    graph = chosen.graph
    first = graph.state_id(chosen.start_state)
    values = solve_graph(graph, first)
    starts = [graph.state_id(start) for start in chosen.start_states]
    strategy = Strategy(Reasoner(graph), make_program(rules))
    decisions, wrong = count_errors(strategy, values, starts)
    results = [values[start].result for start in starts]
    return {
        "positions": len(values),
        "start": values[first].result,
        "starts": len(starts),
        "won": results.count("win"),
        "drawn": results.count("draw"),
        "lost": results.count("loss"),
        "decisions": decisions,
        "wrong": wrong,
    }


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
