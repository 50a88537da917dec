"""How often the Fuzzy player wins as one of its parameters varies: data and drawing."""

from collections.abc import Mapping, Sequence
from typing import Any

from ludus.reproduce import Context, Measurement

from .fuzzy_play import OPPONENTS, Condition, join_options, play_matches


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
            tally = play_matches(context, opponent, options, context.setting("curve_games"))
            ours[opponent].append([value, tally.wins[0], tally.games])
    published: dict[str, list[Any]] = {name: [] for name in OPPONENTS}
    others = set(filter(None, curve["others"].split(",")))
    for condition, (wins, losses, draws) in counts.items():
        if others <= set(condition[1].split(",")):
            published[condition[0]].append([values[condition], wins, wins + losses + draws])
    return {"parameter": curve["parameter"], "ours": ours, "published": published}


def draw_curve(axes: Any, data: Mapping[str, Any]) -> None:
    """A line for each heuristic; crosses where the paper has a figure."""
    for number, (opponent, points) in enumerate(data["ours"].items()):
        found = [Measurement.proportion("", wins, games) for _, wins, games in points]
        below = [each.value - (each.low or 0) for each in found]
        above = [(each.high or 0) - each.value for each in found]
        values = [point[0] for point in points]
        colour = f"C{number}"
        axes.errorbar(
            values,
            [each.value for each in found],
            (below, above),
            color=colour,
            marker="o",
            markersize=3,
            capsize=2,
            label=f"against {opponent}",
        )
        published = data.get("published", {}).get(opponent, [])
        if published:
            shares = [100 * wins / games for _, wins, games in published]
            axes.plot([point[0] for point in published], shares, "x", color=colour)
    axes.axhline(50, linewidth=0.8, linestyle="--", color="#808080")
    axes.set_xlabel(data["parameter"])
    axes.set_ylabel("games won, %")
    axes.set_ylim(0, 100)
    axes.legend()
