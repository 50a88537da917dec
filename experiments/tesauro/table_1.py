"""Table 1: how much size, data, features, hidden units and noise matter."""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.learn.gammon import GammonNetwork, load_test_positions, play_native_games
from ludus.reproduce import Context, Figure, Measurement, Proportion, Remark, Table

from .networks import Curve, get_trained_network, make_config


def run(context: Context) -> Iterator[Any]:
    rows = [row for row in context.published.rows if "hidden" in row.extra]
    curves: dict[str, Curve] = {}
    wins: dict[str, float] = {}
    table = []
    for number, row in enumerate(rows):
        name = row.extra["row"]
        context.progress(number, len(rows), f"row {name}")
        curves[name], agreements, played = _measure_row(context, name, row.extra)
        yield _measure_agreement(f"{name}: test positions", agreements)
        won = sum(result["won"] for result in played)
        games = sum(result["games"] for result in played)
        wins[name] = won / games
        yield Measurement.proportion(f"{name}: games against tool", won, games)
        points = sum(result["points"] * result["games"] for result in played) / games
        low, high = Proportion(won, games).interval
        table.append([name, round(wins[name], 4), round((high - low) / 4, 4), round(points, 3)])
    yield from _compare_alternatives(context)
    yield Table(
        "Games against tool", ["row", "share won", "standard error", "points a game"], table
    )
    yield Remark(_format_order(wins))
    yield Figure("Agreement with the expert", draw_curves, curves, CAPTION)


def _measure_row(
    context: Context, name: str, row: Mapping[str, Any], **more: Any
) -> tuple[Curve, list[float], list[dict[str, Any]]]:
    """The first network's curve, every network's agreement on the test set, and their games."""
    seeds = context.setting("seeds")
    curves, played = [], []
    for seed in range(seeds):
        settings = make_config(row, context.seed + seed, **more)
        file, curve = get_trained_network(context, name, settings)
        curves.append(curve)

        def play(seed: int = seed, file: Any = file) -> dict[str, Any]:
            games = context.setting("games") // seeds
            dice = context.seed_for(name, seed)
            result = play_native_games(GammonNetwork.load(file), "tool", games, dice, context.jobs)
            return {
                "won": sum(result.wins),
                "games": result.games,
                "points": result.points_per_game,
            }

        played.append(context.cached(f"games of {name} {settings}", play))
    return curves[0], [curve[-1][1] for curve in curves], played


def _compare_alternatives(context: Context) -> Iterator[Measurement]:
    """The paper's plan for later: the network of row (a), with alternatives compared."""
    row = next(
        row
        for row in context.published.rows
        if row.extra.get("row") == "a" and "hidden" in row.extra
    )
    _, agreements, played = _measure_row(context, "comparison", row.extra, error="comparison")
    yield _measure_agreement("a, alternatives compared: test positions", agreements)
    won = sum(result["won"] for result in played)
    games = sum(result["games"] for result in played)
    yield Measurement.proportion("a, alternatives compared: games against tool", won, games)


def _measure_agreement(name: str, agreements: list[float]) -> Measurement:
    """The mean over networks, which all saw the same positions."""
    positions = len(load_test_positions())
    mean = sum(agreements) / len(agreements)
    return Measurement.proportion(name, round(mean * positions), positions)


def _format_order(wins: dict[str, float]) -> str:
    lost = {what: wins["a"] - wins[row] for what, row in EFFECTS.items()}
    ranked = sorted(lost, key=lambda what: -lost[what])
    return "What row (a) loses against tool: " + ", ".join(
        f"{100 * lost[what]:.1f} points without {what}" for what in ranked
    )


EFFECTS = {"features": "h", "noise": "g", "hidden units": "f", "half the positions": "c"}

CAPTION = (
    "Share of positions in which the network plays the expert's move, on the positions it learns "
    "from (dashed) and on the test positions."
)


def draw_curves(axes: Any, data: dict[str, Curve]) -> None:
    for name, curve in data.items():
        cycles = range(1, len(curve) + 1)
        (line,) = axes.plot(cycles, [test for _, test in curve], label=name)
        axes.plot(cycles, [learned for learned, _ in curve], "--", color=line.get_color())
    axes.set_xlabel("training cycles")
    axes.set_ylabel("agreement with the expert")
    axes.legend(ncols=2)
