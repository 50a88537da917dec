"""Table 1: three starters, two pairs of players, and every reading of what the paper leaves open.

The rows are measured under the plain reading, which was chosen before anything was measured. Then
all readings are compared by how probable they make the published counts.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.reproduce import Context, Figure, Finding, MatchTally, Measurement, Table

from .fuzzy_matches import compare_counts, plot_shares
from .interpretations import (
    GAME,
    QUESTIONS,
    Interpretation,
    Pair,
    Published,
    ScoredInterpretation,
    describe_starter,
    make_tables,
    rank_interpretations,
)


def run(context: Context) -> Iterator[Finding]:
    published = get_published_counts(context)
    plain = Interpretation(tuple(context.published["plain"][question] for question in QUESTIONS))
    tallies = {
        (pair, starter): play_matches(context, plain, pair, starter)
        for pair, cells in published.items()
        for starter in cells
    }
    for pair, starter, names in list_conditions(context):
        tally = tallies[pair, starter]
        for name, count in zip(names, tally.counts, strict=True):
            yield Measurement.proportion(name, count, tally.games)
    yield make_test_table(published, tallies)
    found = rank_interpretations(context, published, plain)
    yield from make_tables(context, found, plain)
    yield Figure(
        "Share of wins",
        draw_shares,
        compute_shares(published, tallies, found[0]),
        "Wins of the stronger player with 95% intervals; the published ones are of 100 games.",
    )


def get_published_counts(context: Context) -> Published:
    """The table of the paper; its percentages are counts, because it played 100 matches."""
    rows = {row.name: row for row in context.published.rows}
    counts: dict[Pair, dict[str, list[int]]] = {}
    for pair, starter, names in list_conditions(context):
        counts.setdefault(pair, {})[starter] = [int(rows[name].published or 0) for name in names]
    return counts


def list_conditions(context: Context) -> Iterator[tuple[Pair, str, list[str]]]:
    """Each condition with the names of its rows: the first player's wins, the second's, draws."""
    names: dict[tuple[Pair, str], list[str]] = {}
    for row in context.published.rows:
        first, second = row["pair"]
        names.setdefault(((first, second), row["starter"]), []).append(row.name)
    for (pair, starter), three in names.items():
        yield pair, starter, three


def play_matches(context: Context, reading: Interpretation, pair: Pair, starter: Any) -> MatchTally:
    first, second = (reading.player(name) for name in pair)
    games = context.setting("games")
    return context.matches(
        GAME, first, second, games, rules=reading.rules, starter=starter, compiled=True
    )


def make_test_table(published: Published, tallies: Mapping[tuple[Pair, str], MatchTally]) -> Table:
    """The paper's test of significance on its counts and on ours."""
    rows: list[list[Any]] = []
    for pair, cells in published.items():
        for starter, counts in cells.items():
            wins = tallies[pair, starter].wins
            tests = [
                [each, f"{p_value:.2g}" if p_value >= 1e-300 else "< 1e-300", is_significant]
                for each, p_value, is_significant in compare_counts(counts, tallies[pair, starter])
            ]
            is_same = (wins[0] > wins[1]) == (counts[0] > counts[1])
            names = f"{pair[0]} – {pair[1]}", describe_starter(pair, starter)
            rows.append([*names, *tests[0], *tests[1], is_same])
    headings = "p", "significant"
    return Table(
        "Binomial tests",
        ("pair", "begins", "published", *headings, "ours", *headings, "same side"),
        rows,
        "Exact, two-sided, of wins against losses with p = 1/2, draws left out.",
    )


def compute_shares(
    published: Published, tallies: Mapping[tuple[Pair, str], MatchTally], best: ScoredInterpretation
) -> list[Any]:
    """For each condition: a label, and wins and games of the paper, the plain and the best one."""
    return [
        [
            f"{pair[0]} – {pair[1]}\n{describe_starter(pair, starter)} first"
            if starter != "alternate"
            else f"{pair[0]} – {pair[1]}\nin turn",
            [counts[0], sum(counts)],
            [tallies[pair, starter].wins[0], tallies[pair, starter].games],
            [best.tallies[pair][starter][0], sum(best.tallies[pair][starter])],
        ]
        for pair, cells in published.items()
        for starter, counts in cells.items()
    ]


def draw_shares(axes: Any, data: list[Any]) -> None:
    """Published and ours beside each other."""
    for offset, (column, label, marker) in enumerate(
        ((1, "published", "o"), (2, "ours, plain reading", "s"), (3, "ours, best reading", "D"))
    ):
        places = [number + (offset - 1) * 0.2 for number in range(len(data))]
        style = {"fmt": marker, "label": label, "markersize": 5, "capsize": 3}
        plot_shares(axes, places, [line[column] for line in data], **style)
    axes.axhline(50, linewidth=0.8, linestyle="--", color="#808080")
    axes.set_xticks(range(len(data)), [line[0] for line in data], fontsize=8)
    axes.set_ylabel("wins of the stronger player, %")
    axes.set_ylim(0, 100)
    axes.legend(loc="lower right")
