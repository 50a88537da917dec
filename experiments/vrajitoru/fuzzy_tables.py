"""What Tables 2 to 5 have in common: settings of the Fuzzy player against the three heuristics.

The rows are measured under the reading of the player's defaults. Then other readings are compared
by how probable they make the published counts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ludus.arena.binomial import compare
from ludus.reproduce import Context, Figure, Finding, Measured, Table, Tally

from .readings import log_likelihood

GAME, RULES = "nine_mens_morris", "vrajitoru"
OPPONENTS = ("newbie", "basic", "focused")
SIGNIFICANT = 0.05

READINGS = {
    "moveThr as a rate": "",
    "moveThr as a least count": "moveThr=0,seen=5",
    "no moveThr": "moveThr=0",
}
TAKES = ("best", "share", "random")

Condition = tuple[str, str]
"""Opponent, and options of the Fuzzy player."""


def run_table(context: Context) -> Iterator[Finding]:
    """The published rows, tests, readings, and the influence of the table's parameter."""
    conditions = rows_of(context)
    tallies = {}
    for number, condition in enumerate(conditions):
        context.progress(number, len(conditions), "settings")
        tallies[condition] = play(context, *condition)
    for condition, names in conditions.items():
        for name, count in zip(names, tallies[condition].counts, strict=True):
            yield Measured.share(name, count, tallies[condition].games)
    counts = published_counts(context, conditions)
    yield tests_table(counts, tallies)
    yield readings_table(context, counts)
    curve = context.published["curve"]
    yield Figure(
        f"Win rate over {curve['parameter']}",
        draw_curve,
        curve_data(context, curve, counts),
        "Games won by the Fuzzy player, with 95% intervals; crosses are published, of 100 games.",
    )


def rows_of(context: Context) -> dict[Condition, list[str]]:
    """Each condition with its three rows: the player's wins, the opponent's, draws."""
    names: dict[Condition, list[str]] = {}
    for row in context.published.rows:
        names.setdefault((row["opponent"], row["options"]), []).append(row.name)
    return names


def published_counts(
    context: Context, conditions: Mapping[Condition, Sequence[str]]
) -> dict[Condition, list[int]]:
    """The table of the paper; its percentages are counts, because it played 100 games."""
    rows = {row.name: row for row in context.published.rows}
    return {
        condition: [int(rows[name].published or 0) for name in names]
        for condition, names in conditions.items()
    }


def play(context: Context, opponent: str, options: str) -> Tally:
    spec = f"fuzzy:{options}" if options else "fuzzy"
    return context.matches(GAME, spec, opponent, context.setting("games"), rules=RULES)


def tests_table(
    counts: Mapping[Condition, Sequence[int]], tallies: Mapping[Condition, Tally]
) -> Table:
    """The paper's test of significance on its counts and on ours."""
    rows: list[list[Any]] = []
    for (opponent, options), published in counts.items():
        theirs = compare(published[0], published[1])
        ours = tallies[opponent, options]
        test = compare(*ours.wins)
        rows.append(
            [
                opponent,
                options,
                f"{published[0]}:{published[1]}",
                theirs.p_value,
                theirs.p_value < SIGNIFICANT,
                f"{ours.wins[0]}:{ours.wins[1]}",
                test.p_value,
                test.p_value < SIGNIFICANT,
            ]
        )
    headings = ("opponent", "options", "published", "p", "significant")
    return Table(
        "Binomial tests",
        (*headings, "ours", "p", "significant"),
        rows,
        "Exact, two-sided, of wins against losses with p = 1/2, draws left out.",
    )


def readings_table(context: Context, counts: Mapping[Condition, Sequence[int]]) -> Table:
    """How well each reading explains the published table."""
    rows: list[list[Any]] = []
    for reading, changes in READINGS.items():
        if changes and all("moveThr=0" in options for _, options in counts):
            continue  # this table knows no moveThr
        for take in TAKES:
            extra = ",".join(filter(None, (changes, f"take={take}")))
            found = {
                condition: play(context, condition[0], joined(condition[1], extra))
                for condition in counts
            }
            score = sum(log_likelihood(counts[each], found[each].counts) for each in counts)
            rows.append([reading, f"take={take}", *means(found), score])
    return Table(
        "Readings of the paper",
        ("threshold", "man taken", *(f"{name}, %" for name in OPPONENTS), "log-likelihood"),
        sorted(rows, key=lambda row: -row[-1]),
        "Mean share of wins against each heuristic over the table's settings, and the logarithm"
        " of the probability of the published counts.",
    )


def joined(options: str, extra: str) -> str:
    """Options with others added; what both name is as the later ones say."""
    pairs = dict(part.split("=") for part in f"{options},{extra}".split(",") if part)
    return ",".join(f"{key}={value}" for key, value in pairs.items())


def means(found: Mapping[Condition, Tally]) -> list[float]:
    """The mean percentage of wins against each heuristic."""
    shares: dict[str, list[float]] = {name: [] for name in OPPONENTS}
    for (opponent, _), tally in found.items():
        shares[opponent].append(100 * tally.wins[0] / tally.games)
    return [sum(each) / len(each) for each in shares.values()]


def curve_data(
    context: Context, curve: Mapping[str, Any], counts: Mapping[Condition, Sequence[int]]
) -> dict[str, Any]:
    """For each opponent our points (value, wins, games) and the published ones."""
    values = {(row["opponent"], row["options"]): row["value"] for row in context.published.rows}
    ours: dict[str, list[Any]] = {}
    for opponent in OPPONENTS:
        ours[opponent] = []
        for value in curve["values"]:
            options = joined(curve["others"], f"{curve['parameter']}={value}")
            tally = play(context, opponent, options)
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
        found = [Measured.share("", wins, games) for _, wins, games in points]
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
