"""Matches of the Fuzzy player against the heuristics, and curves over one of its parameters."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ludus import play_game
from ludus.games import game as named_game
from ludus.learn import train
from ludus.learn.patterns import (
    PatternConfig,
    load_network_file,
    measure_win_rate,
    parse_options,
)
from ludus.reproduce import Context, MatchTally, Measurement, compare_wins

GAME, RULES = "nine_mens_morris", "vrajitoru"
SIGNIFICANT = 0.05
OPPONENTS = ("newbie", "basic", "focused")

Condition = tuple[str, str]
"""Opponent, and options of the Fuzzy player."""


def play_matches(context: Context, opponent: str, options: str, games: int = 0) -> MatchTally:
    """Play the number of games of the size, or as many as given."""
    spec = f"fuzzy:{options}" if options else "fuzzy"
    games = games or context.setting("games")
    return context.matches(GAME, spec, opponent, games, rules=RULES, compiled=True)


def play_in_turn(game: Any, own: Any, opponent: Any, number: int, seed: int) -> float:
    """Play a game of a series in which both begin in turn; return the points of `own`."""
    side = number % 2
    players = (own, opponent) if side == 0 else (opponent, own)
    winner = play_game(game, players, seed=seed).outcome.winner
    return 0.5 if winner is None else float(winner == side)


def compute_percentage(tally: MatchTally) -> float:
    return 100 * tally.wins[0] / tally.games


def compare_counts(published: Sequence[int], ours: MatchTally) -> list[list[Any]]:
    """The binomial tests of published counts and of ours: wins, p value, whether significant."""
    tests = []
    for wins in (published[:2], ours.wins):
        p_value = compare_wins(*wins).p_value
        tests.append([f"{wins[0]}:{wins[1]}", p_value, p_value < SIGNIFICANT])
    return tests


def join_options(options: str, extra: str) -> str:
    """Merge options; later ones override earlier ones."""
    pairs = dict(part.split("=") for part in f"{options},{extra}".split(",") if part)
    return ",".join(f"{key}={value}" for key, value in pairs.items())


def add_preset(options: str, preset: str) -> str:
    """Options of the table with a preset; `moveThr=0` says that the table names no moveThr."""
    others = "seen=1" if preset == "paper" and "moveThr=0" in options else ""
    return join_options(options, ",".join(filter(None, (f"preset={preset}", others))))


def get_trained_network(context: Context, plan: PatternConfig, name: str) -> Path:
    """Return the file of a network trained by this plan; made once and kept."""
    path = context.folder("networks") / f"{name}.patterns"
    if not path.exists():
        context.progress(0, 1, f"learning {plan.games} games")
        train("patterns", plan, out=path)
    return path


def measure_network(
    context: Context, network: Path, options: str, opponent: str, seed: int
) -> float:
    """The share of games won with the network of a file."""
    return measure_win_rate(
        named_game(GAME, RULES),
        load_network_file(network),
        parse_options(options).to_settings(),
        opponent,
        context.setting("games"),
        seed >> 16,
        context.jobs,
    )


def make_curve_data(
    context: Context, curve: Mapping[str, Any], counts: Mapping[Condition, Sequence[int]]
) -> dict[str, Any]:
    """For each opponent our points (value, wins, games) and the published ones."""
    values = {(row["opponent"], row["options"]): row["value"] for row in context.published.rows}
    ours: dict[str, list[Any]] = {}
    for opponent in OPPONENTS:
        ours[opponent] = []
        for value in curve["values"]:
            options = join_options(curve["others"], f"{curve['parameter']}={value}")
            options = add_preset(options, "paper")
            tally = play_matches(context, opponent, options, context.setting("curve_games"))
            ours[opponent].append([value, tally.wins[0], tally.games])
    published: dict[str, list[Any]] = {name: [] for name in OPPONENTS}
    others = set(filter(None, curve["others"].split(",")))
    for condition, (wins, losses, draws) in counts.items():
        if others <= set(condition[1].split(",")):
            published[condition[0]].append([values[condition], wins, wins + losses + draws])
    return {"parameter": curve["parameter"], "ours": ours, "published": published}


def plot_shares(
    axes: Any, places: Sequence[float], counts: Sequence[Sequence[int]], **style: Any
) -> None:
    """Plot percentages with their intervals; `counts` has wins and games for each place."""
    found = [Measurement.proportion("", wins, games) for wins, games in counts]
    below = [each.value - (each.low or 0) for each in found]
    above = [(each.high or 0) - each.value for each in found]
    axes.errorbar(places, [each.value for each in found], (below, above), **style)


def draw_curve(axes: Any, data: Mapping[str, Any]) -> None:
    """Draw a line for each heuristic, and crosses for the paper's figures."""
    for number, (opponent, points) in enumerate(data["ours"].items()):
        values, counts = [point[0] for point in points], [point[1:] for point in points]
        colour = f"C{number}"
        style = {"color": colour, "marker": "o", "markersize": 3, "capsize": 2}
        plot_shares(axes, values, counts, label=f"against {opponent}", **style)
        published = data.get("published", {}).get(opponent, [])
        if published:
            shares = [100 * wins / games for _, wins, games in published]
            axes.plot([point[0] for point in published], shares, "x", color=colour)
    axes.axhline(50, linewidth=0.8, linestyle="--", color="#808080")
    axes.set_xlabel(data["parameter"])
    axes.set_ylabel("games won, %")
    axes.set_ylim(0, 100)
    axes.legend()
