"""What Tables 2 to 5 have in common: settings of the Fuzzy player against the three heuristics.

The rows are measured with the preset `paper`, the reading under which the published counts of all
four tables are most probable (`readings.py`); a table beside them has the stronger preset `seed`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ludus.reproduce import Context, Figure, Finding, MatchTally, Measurement, Table, compare_wins

from .conclusions import draw_conclusions
from .fuzzy_matches import (
    Condition,
    add_preset,
    compute_percentage,
    draw_curve,
    make_curve_data,
    play_matches,
)

SIGNIFICANT = 0.05
PRESETS = ("paper", "seed")


def run_table(context: Context) -> Iterator[Finding]:
    """The published rows, both presets, tests, conclusions, and the table's parameter."""
    conditions = list_rows(context)
    tallies: dict[str, dict[Condition, MatchTally]] = {}
    for number, preset in enumerate(PRESETS):
        context.progress(number, len(PRESETS), f"settings of {preset}")
        tallies[preset] = {
            condition: play_matches(context, condition[0], add_preset(condition[1], preset))
            for condition in conditions
        }
    paper = tallies["paper"]
    for condition, names in conditions.items():
        for name, count in zip(names, paper[condition].counts, strict=True):
            yield Measurement.proportion(name, count, paper[condition].games)
    counts = get_published_counts(context, conditions)
    for preset in PRESETS:
        yield from draw_conclusions(
            context.published["conclusions"], tallies[preset], f"preset {preset}"
        )
    yield make_presets_table(counts, tallies)
    yield make_test_table(counts, paper)
    curve = context.published["curve"]
    yield Figure(
        f"Win rate over {curve['parameter']}",
        draw_curve,
        make_curve_data(context, curve, counts),
        "Games won by the Fuzzy player, preset `paper`, with 95% intervals; crosses are published,"
        " of 100 games.",
    )


def make_presets_table(
    counts: Mapping[Condition, Sequence[int]],
    tallies: Mapping[str, Mapping[Condition, MatchTally]],
) -> Table:
    """Wins with both presets, one row for each setting."""
    return Table(
        "Wins of the Fuzzy player with two presets",
        ("opponent", "options", "published, %", *(f"preset {name}, %" for name in PRESETS)),
        [
            [*each, counts[each][0], *(compute_percentage(tallies[name][each]) for name in PRESETS)]
            for each in counts
        ],
        "`paper`: the likeliest reading of the paper. `seed`: the same weights with moveThr as a"
        " rate, corner moves, and the best man taken, which is stronger.",
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
    """The paper's test of significance on its counts and on ours, preset `paper`."""
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
