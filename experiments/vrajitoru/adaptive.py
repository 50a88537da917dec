"""Distance of an adaptive player's score from its target, by strength of the opponent."""

import random
from collections.abc import Iterator, Mapping
from statistics import mean
from typing import Any

from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark

from .fuzzy_matches import GAME, play_in_turn

EARLY, LAST = 300, 100
"""Games after which it should have found its level, and those over which a level is averaged."""


def run(context: Context) -> Iterator[Finding]:
    worst = 0.0
    conditions = [
        (rules, target, opponent)
        for rules in context.published["rules"]
        for target in context.published["targets"]
        for opponent in context.published["opponents"]
    ]
    lines: dict[str, dict[str, Any]] = {}
    for number, (rules, target, opponent) in enumerate(conditions):
        context.progress(number, len(conditions), f"{opponent}, target {target:g}")

        def compute(rules: str = rules, target: float = target, opponent: str = opponent) -> Any:
            return play_games(context, rules, target, opponent)

        levels, results = context.cached(f"{rules} {target} {opponent}", compute)
        found = Measurement.mean("", [100 * result for result in results])
        name = f"{rules}, target {100 * target:.0f}%, {opponent}: points"
        early = 100 * mean(results[:EARLY])
        note = f"level {mean(levels[-LAST:]):.1f}; {early:.1f}% after {len(results[:EARLY])} games"
        yield Measurement(name, found.value, found.low, found.high, len(results), note, "%")
        worst = max(worst, abs(early - 100 * target))
        lines.setdefault(rules, {})[f"{opponent}, target {100 * target:.0f}%"] = levels
    yield Remark(
        f"After {min(EARLY, context.setting('games'))} games the farthest from its target is off by"
        f" {worst:.1f} points."
    )
    for rules, data in lines.items():
        yield Figure(f"Level, {rules} rules", draw_levels, data, "The level game by game.")


def play_games(context: Context, rules: str, target: float, opponent: str) -> list[list[float]]:
    """Levels before each game, and results; both begin in turn."""
    game = named_game(GAME, rules)
    adaptive: Any = named_player(f"adaptive:target={target}", game)
    other = named_player(opponent, game)
    seeds = random.Random(context.seed_for(rules, str(target), opponent))
    levels, results = [], []
    for number in range(context.setting("games")):
        results.append(play_in_turn(game, adaptive, other, number, seeds.getrandbits(62)))
        levels.append(adaptive.state.level)
    return [levels, results]


def draw_levels(axes: Any, data: Mapping[str, list[float]]) -> None:
    for name, levels in data.items():
        axes.plot(range(1, len(levels) + 1), levels, label=name, linewidth=1)
    axes.set_xlabel("game")
    axes.set_ylabel("level")
    axes.legend(fontsize=7)
