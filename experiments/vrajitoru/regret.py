"""Exact regret of each setting, if the solved game is available."""

from collections.abc import Iterator
from typing import Any

from ludus import LudusError, Record
from ludus.arena import GameConditions, RegretSchedule, RegretStatistics
from ludus.games import game as named_game
from ludus.oracles import Unsolved
from ludus.oracles import oracle as find_oracle
from ludus.reproduce import Context, Finding, Measurement, Remark, Table

GAME, RULES = "nine_mens_morris", "standard"


def run(context: Context) -> Iterator[Finding]:
    game = named_game(GAME, RULES)
    oracle = find_oracle(game, context.oracle)
    try:
        oracle.rate_moves(game.start())
    except Unsolved as error:
        yield Remark(
            f"Nothing was judged, because the oracle does not know the whole game: {error}"
        )
        return
    rows: list[list[Any]] = []
    players = context.published["players"]
    for number, (name, spec) in enumerate(players.items()):
        context.progress(number, len(players), name)

        def compute(spec: str = spec) -> dict[str, Any]:
            return measure_player(context, oracle, spec)

        found = context.cached(f"regret {spec}", compute)
        kept, critical = found["kept"]
        yield Measurement.proportion(f"{name}: critical moves kept", kept, critical)
        rows.append([name, spec, found["mean"], found["error"], found["per_move"]])
    yield Table(
        "Regret",
        ("player", "spec", "regret of a game", "standard error", "regret of a move"),
        rows,
        "A win is worth 1, a draw 0, a loss -1.",
    )


def measure_player(context: Context, oracle: Any, spec: str) -> dict[str, Any]:
    """Play games against one opponent and rate every move."""
    found = RegretStatistics(named_game(GAME, RULES), oracle)
    opponent, games = context.published["opponent"], context.setting("games")
    plan = RegretSchedule(GameConditions(GAME, RULES), spec, opponent, games, context.seed)
    jobs = {job.key: job for job in plan.schedule()}
    for result in context.pool.run(jobs.values()):
        if result.message:
            raise LudusError(f"{spec}: {result.message}")
        found.add(Record.parse(result.record), int(jobs[result.key].is_swapped))
    return {
        "mean": found.mean,
        "error": found.standard_error,
        "per_move": found.total.regret_per_move,
        "kept": [found.total.critical_kept, found.total.critical],
        "games": len(found.games),
    }
