"""Larger games, learned from self-play alone, and checked against what is solved."""

from collections.abc import Iterator
from typing import Any

from ludus.learn import fit
from ludus.learn.migo import (
    MigoConfig,
    MigoTraining,
    Reasoner,
    Strategy,
    TargetGame,
    find_target_game,
)
from ludus.reproduce import Context, Finding, Measurement, PublishedRow, Remark

from .exact_analysis import count_errors, make_program, solve_graph


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
