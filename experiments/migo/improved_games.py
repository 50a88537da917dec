"""Larger games, learned from self-play alone, and checked against what is solved."""

from collections.abc import Iterator
from random import Random
from typing import Any

from ludus.learn.migo.pupil import Pupil
from ludus.learn.migo.reasoner import Reasoner
from ludus.learn.migo.settings import Settings
from ludus.learn.migo.strategy import Strategy
from ludus.learn.migo.subjects import Subject, subject
from ludus.reproduce import Context, Finding, Measured, Remark, Row

from .exactness import errors, program_of, solve


def run(context: Context) -> Iterator[Finding]:
    chosen = [row for row in context.published.rows if row["game"] in context.setting("games")]
    for row in chosen:
        context.progress(chosen.index(row), len(chosen), row.name)
        yield from _findings(context, row)


def _findings(context: Context, row: Row) -> Iterator[Finding]:
    spec, games = row["game"], row["games_a_run"]
    learned = context.cell(f"learned {spec}", lambda: learn(spec, games, context.seed))
    found = context.cell(f"checked {spec}", lambda: check(spec, learned["rules"]))
    yield Measured(row.name, found["positions"], note="exact")
    name = row["short"]
    yield Measured(f"{name}: levels of wins learned", learned["levels"])
    yield Measured(f"{name}: decisions it can come to", found["decisions"])
    yield Measured(f"{name}: of these wrong", found["wrong"])
    yield Remark(
        f"{name}: the start is a {found['start']}; of {found['starts']} start boards "
        f"{found['won']} are won, {found['drawn']} drawn and {found['lost']} lost."
    )


def learn(spec: str, games: int, seed: int) -> dict[str, Any]:
    """A program from so many games against itself."""
    chosen, source = subject(spec), Random(seed)
    settings = Settings(mode="improved", selfplay=True)
    pupil = Pupil(chosen.world, settings, chosen.game)
    for _ in range(games):
        start = chosen.world.number(source.choice(chosen.starts))
        practice = pupil.play_itself(start, source)
        if practice is not None:
            pupil.learn(*practice)
    return {
        "rules": [str(clause) for clause in pupil.program.clauses],
        "levels": len(pupil.program.levels("win")),
    }


def check(spec: str, rules: list[str]) -> dict[str, Any]:
    """Every decision the program can come to, beside the value of the position."""
    chosen: Subject = subject(spec)
    world = chosen.world
    first = world.number(chosen.first)
    values = solve(world, first)
    starts = [world.number(start) for start in chosen.starts]
    strategy = Strategy(Reasoner(world), program_of(rules))
    decisions, wrong = errors(strategy, values, starts)
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
