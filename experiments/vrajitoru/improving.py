"""An adaptive player and a fixed one against an opponent that becomes stronger step by step."""

import random
from collections.abc import Iterator
from itertools import pairwise
from math import inf
from statistics import mean
from typing import Any

from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.reproduce import Conclusion, Context, Figure, Finding, Measurement

from .fuzzy_matches import GAME, RULES, play_in_turn


def run(context: Context) -> Iterator[Finding]:
    stages, target = context.published["stages"], context.published["target"]
    players = {"adaptive": f"adaptive:target={target}", "fixed": "fuzzy"}
    found: dict[str, list[list[list[float]]]] = {}
    for name, spec in players.items():
        found[name] = []
        for seed in range(context.setting("seeds")):
            context.progress(seed, context.setting("seeds"), name)

            def compute(spec: str = spec, seed: int = seed) -> list[list[float]]:
                return play_stages(context, spec, stages, seed)

            found[name].append(context.cached(f"{spec} {stages} {seed}", compute))
    errors: dict[str, list[float]] = {name: [] for name in players}
    for name, runs in found.items():
        for number, stage in enumerate(stages):
            points = [100 * mean(_take_second_half(context, each, number)) for each, _ in runs]
            row = Measurement.mean(f"{name}, opponent {stage}: points", points, unit="%")
            yield row
            errors[name].append(abs(row.value - 100 * target))
    yield Conclusion(
        "adaptive stays nearer to an even score than a fixed player while the opponent improves",
        mean(errors["adaptive"]) < mean(errors["fixed"]),
        f"mean distance from {100 * target:.0f}%: {mean(errors['adaptive']):.1f} against "
        f"{mean(errors['fixed']):.1f} points; the farthest stage {max(errors['adaptive']):.1f} "
        f"against {max(errors['fixed']):.1f}",
    )
    levels = [levels for _, levels in found["adaptive"]]
    by_stage = [
        [mean(_take_second_half(context, each, number)) for each in levels]
        for number in range(len(stages))
    ]
    for stage, values in zip(stages, by_stage, strict=True):
        yield Measurement.mean(f"adaptive, opponent {stage}: level", values)
    yield conclude_rising(by_stage)
    yield Figure(
        "Level while the opponent improves",
        draw_levels,
        {"levels": levels, "games": context.setting("games"), "stages": stages},
        "The level game by game, one line for each run; vertical lines are steps of the opponent.",
    )


def conclude_rising(by_stage: list[list[float]]) -> Conclusion:
    """Decide by the steps of the level within runs; `by_stage` has a level for each run."""
    steps = [
        Measurement.mean("", [b - a for a, b in zip(earlier, later, strict=True)])
        for earlier, later in pairwise(by_stage)
    ]
    lows = [-inf if step.low is None else step.low for step in steps]
    highs = [inf if step.high is None else step.high for step in steps]
    rising = sum(all(a < b for a, b in pairwise(run)) for run in zip(*by_stage, strict=True))
    return Conclusion(
        "its level rises with every step of the opponent",
        True if min(lows) > 0 else False if min(highs) < 0 else None,
        "steps of "
        + ", ".join(
            f"{step.value:+.2f} ({low:+.2f} to {high:+.2f})"
            for step, low, high in zip(steps, lows, highs, strict=True)
        )
        + f"; all of them upwards in {rising} of {len(by_stage[0])} runs",
    )


def play_stages(context: Context, spec: str, stages: list[str], seed: int) -> list[list[float]]:
    """Results of one player that stays, and its levels (0 if it has none), stage by stage."""
    game = named_game(GAME, RULES)
    own: Any = named_player(spec, game)
    seeds = random.Random(context.seed_for(spec, seed))
    results, levels = [], []
    for stage in stages:
        opponent = named_player(stage, game)
        for number in range(context.setting("games")):
            levels.append(own.state.level if spec.startswith("adaptive") else 0.0)
            results.append(play_in_turn(game, own, opponent, number, seeds.getrandbits(62)))
    return [results, levels]


def _take_second_half(context: Context, values: list[float], stage: int) -> list[float]:
    games = context.setting("games")
    return values[stage * games + games // 2 : (stage + 1) * games]


def draw_levels(axes: Any, data: dict[str, Any]) -> None:
    for levels in data["levels"]:
        axes.plot(range(1, len(levels) + 1), levels, linewidth=1)
    top = max(max(levels) for levels in data["levels"])
    for number, stage in enumerate(data["stages"]):
        axes.axvline(number * data["games"], linewidth=0.6, linestyle="--", color="#808080")
        axes.text(number * data["games"] + 1, top, stage, fontsize=7, va="top")
    axes.set_xlabel("game")
    axes.set_ylabel("level")
