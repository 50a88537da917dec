"""Beyond the paper: the effect of each change, in the figures of the paper."""

from collections.abc import Iterator, Sequence
from functools import cache
from statistics import fmean
from typing import Any

from ludus.arena import Policy, compute_expected_regret
from ludus.games import game as named_game
from ludus.learn import RunResult
from ludus.learn.migo import Reasoner, StateGraph, Strategy
from ludus.oracles import oracle as find_oracle
from ludus.reproduce import Context, Figure, Finding, Measurement, Table

from .runs import add_preset, collect_runs, draw_curves, get_final_regrets, make_curve, make_program

HEADINGS = (
    "learner",
    "cumulative regret",
    "last game with regret",
    "exact regret a game of what was learned",
    "programs that give nothing away, %",
)


def run(context: Context) -> Iterator[Finding]:
    curves: dict[str, list[object]] = {}
    tables: dict[str, list[list[str | float]]] = {}
    for row in context.published.rows:
        runs = int(context.setting("runs"))
        found = collect_runs(context, row.extra, runs, row.name)
        yield Measurement.mean(row.name, get_final_regrets(found))
        game, label = row["game"], row.name.partition(": ")[2]
        spec = add_preset(game, row.extra.get("preset", ""))
        exact = compute_exact_regrets(context, row.name, spec, found)
        tables.setdefault(game, []).append(make_row(label, found, exact))
        if row.extra.get("drawn", True):
            line = make_curve(
                label, found, row.extra.get("curve_game", ""), row.extra.get("curve", "")
            )
            curves.setdefault(game, []).append(line)
    for game, rows in tables.items():
        yield Table(f"What was learned in {game}", HEADINGS, rows)
    for game, lines in curves.items():
        caption = "Mean cumulative regret; dashed, where there is one, the published curve."
        yield Figure(f"Improvements in {game}", draw_curves, lines, caption)


def compute_exact_regrets(
    context: Context, name: str, spec: str, found: list[RunResult]
) -> list[float]:
    """The exact mean regret of the final program of each run."""

    def compute() -> list[float]:
        return [compute_program_regret(spec, each.learned) for each in found]

    return context.cached(f"exact {name} {spec}", compute)


def make_row(label: str, found: list[RunResult], exact: list[float]) -> list[str | float]:
    ends = get_final_regrets(found)
    last = [max((n for n, each in enumerate(m.regret, 1) if each), default=0) for m in found]
    return [
        label,
        round(fmean(ends), 2),
        round(fmean(last), 1),
        round(fmean(exact), 4),
        round(100 * sum(each == 0 for each in exact) / len(exact), 1),
    ]


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
    program = make_program(rules)
    strategy = Strategy(get_reasoner(spec), program)
    # Programs of the same meaning have the same regret.
    key = spec, tuple(strategy.concepts[name] for name in program.strategy)
    if key not in _known:
        game, policy = named_game(spec), make_policy(strategy)
        starts = game.training_starts()
        _known[key] = compute_expected_regret(find_oracle(game), policy, starts)
    return _known[key]


_known: dict[tuple[str, tuple[int, ...]], float] = {}
