"""What Tables 2 to 5 have in common: settings of the Fuzzy player against the three heuristics.

The rows are measured under the reading of the player's defaults. Then other readings are compared
by how probable they make the published counts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ludus.reproduce import Context, Figure, Finding, MatchTally, Measurement, Table, compare_wins

from .fuzzy_curves import draw_curve, make_curve_data
from .fuzzy_interpretations import make_tables, rank_interpretations
from .fuzzy_play import Condition, play_matches

SIGNIFICANT = 0.05


def run_table(context: Context) -> Iterator[Finding]:
    """The published rows, tests, readings, and the influence of the table's parameter."""
    conditions = list_rows(context)
    tallies = {}
    for number, condition in enumerate(conditions):
        context.progress(number, len(conditions), "settings")
        tallies[condition] = play_matches(context, *condition)
    for condition, names in conditions.items():
        for name, count in zip(names, tallies[condition].counts, strict=True):
            yield Measurement.proportion(name, count, tallies[condition].games)
    counts = get_published_counts(context, conditions)
    yield make_test_table(counts, tallies)
    yield from make_tables(rank_interpretations(context, counts), counts, tallies)
    curve = context.published["curve"]
    yield Figure(
        f"Win rate over {curve['parameter']}",
        draw_curve,
        make_curve_data(context, curve, counts),
        "Games won by the Fuzzy player, with 95% intervals; crosses are published, of 100 games.",
    )


def list_rows(context: Context) -> dict[Condition, list[str]]:
    """Each condition with its three rows: the player's wins, the opponent's, draws."""
    names: dict[Condition, list[str]] = {}
    for row in context.published.rows:
        names.setdefault((row["opponent"], row["options"]), []).append(row.name)
    return names


def get_published_counts(
    context: Context, conditions: Mapping[Condition, Sequence[str]]
) -> dict[Condition, list[int]]:
    """The table of the paper; its percentages are counts, because it played 100 games."""
    rows = {row.name: row for row in context.published.rows}
    return {
        condition: [int(rows[name].published or 0) for name in names]
        for condition, names in conditions.items()
    }


def make_test_table(
    counts: Mapping[Condition, Sequence[int]], tallies: Mapping[Condition, MatchTally]
) -> Table:
    """The paper's test of significance on its counts and on ours."""
    rows: list[list[Any]] = []
    for (opponent, options), published in counts.items():
        theirs = compare_wins(published[0], published[1])
        ours = tallies[opponent, options]
        test = compare_wins(*ours.wins)
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
