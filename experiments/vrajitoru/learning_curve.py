"""Strength of the Fuzzy player by the number of games that its network has learned."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ludus.learn.patterns import PatternConfig, load_network_file
from ludus.reproduce import Context, Figure, Finding, Measurement, Table

from .fuzzy_matches import OPPONENTS, get_trained_network, measure_network


def run(context: Context) -> Iterator[Finding]:
    numbers = range(context.setting("networks"))
    points: dict[str, dict[str, list[Any]]] = {}
    known: list[list[Any]] = []
    for scale in context.setting("scales"):
        plan = PatternConfig(own=scale, mixed=scale, strong=scale // 10)
        moves = [count_known_moves(context, plan, number) for number in numbers]
        known.append([plan.games, sum(moves) / len(moves)])
        for player, options in context.published["players"].items():
            for opponent in OPPONENTS:
                shares = [
                    measure_win_share(context, plan, options, opponent, number)
                    for number in numbers
                ]
                name = f"{plan.games} games learned, {player}, {opponent}: wins"
                found = Measurement.mean(name, [100 * share for share in shares], unit="%")
                yield found
                line = points.setdefault(player, {}).setdefault(opponent, [])
                line.append([plan.games, found.value, found.low, found.high])
    for player, lines in points.items():
        yield Figure(
            f"Learning curve, {player}",
            draw_lines,
            lines,
            "Mean of independently trained networks, with Student's 95% interval.",
        )
    yield Table("Moves that the network knows", ("games learned", "moves"), known)


def count_known_moves(context: Context, plan: PatternConfig, number: int) -> int:
    """Moves that a trained network knows."""

    def compute() -> int:
        network = load_network_file(find_network(context, plan, number))
        return sum(map(len, network.edges.values()))

    return context.cached(f"moves {plan.games} {number}", compute)


def find_network(context: Context, plan: PatternConfig, number: int) -> Path:
    """The file of a network trained by this plan."""
    seeded = plan.replace(seed=context.seed_for("network", plan.games, number))
    return get_trained_network(context, seeded, f"{plan.games}-{number}")


def measure_win_share(
    context: Context, plan: PatternConfig, options: str, opponent: str, number: int
) -> float:
    """The share of games won with one network."""

    def compute() -> float:
        network = find_network(context, plan, number)
        seed = context.seed_for("games", plan.games, number)
        return measure_network(context, network, options, opponent, seed)

    return context.cached(f"wins {plan.games} {options} {opponent} {number}", compute)


def draw_lines(axes: Any, data: Mapping[str, list[Any]]) -> None:
    """A line for each heuristic over the games learned."""
    for opponent, points in data.items():
        games = [max(point[0], 1) for point in points]
        values = [point[1] for point in points]
        axes.plot(games, values, marker="o", markersize=3, label=f"against {opponent}")
        if all(point[2] is not None for point in points):
            lows, highs = [point[2] for point in points], [point[3] for point in points]
            axes.fill_between(games, lows, highs, alpha=0.2)
    axes.axhline(50, linewidth=0.8, linestyle="--", color="#808080")
    axes.set_xscale("log")
    axes.set_xlabel("games learned (none stands at 1)")
    axes.set_ylabel("games won, %")
    axes.set_ylim(0, 100)
    axes.legend()
