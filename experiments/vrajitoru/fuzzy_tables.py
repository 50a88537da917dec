"""What Tables 2 to 5 have in common: settings of the Fuzzy player against the three heuristics.

The rows are measured with the preset `paper`, the reading under which the published counts of all
four tables are most probable (`readings.py`); a table beside them has the stronger preset `seed`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ludus.reproduce import (
    Conclusion,
    Context,
    Figure,
    Finding,
    MatchTally,
    Measurement,
    Proportion,
    Table,
    compute_difference_interval,
)

from .fuzzy_matches import (
    OPPONENTS,
    Condition,
    add_preset,
    compare_counts,
    compute_percentage,
    draw_curve,
    make_curve_data,
    play_matches,
)

PRESETS = ("paper", "seed")

Tallies = Mapping[Condition, MatchTally]


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
        theirs, ours = compare_counts(published, tallies[opponent, options])
        rows.append([opponent, options, *theirs, *ours])
    headings = ("opponent", "options", "published", "p", "significant")
    return Table(
        "Binomial tests",
        (*headings, "ours", "p", "significant"),
        rows,
        "Exact, two-sided, of wins against losses with p = 1/2, draws left out.",
    )


def draw_conclusions(
    claims: list[Mapping[str, Any]], tallies: Tallies, reading: str
) -> Iterator[Conclusion]:
    """Decide each claim of the TOML file.

    A claim has either `better` and `than`, settings compared against each of its `opponents`, or
    `settings` and `above`, the percentage of wins that each of them exceeds. It holds if every
    comparison is significant (95%), fails if one is significant the other way, and is otherwise
    open.
    """
    for claim in claims:
        opponents = claim.get("opponents", OPPONENTS)
        compared = list(
            _compare_settings(claim, tallies, opponents)
            if "better" in claim
            else _compare_with_percentage(claim, tallies, opponents)
        )
        lowest = min(low for _, low, _ in compared)
        is_refuted = any(high < 0 for *_, high in compared)
        holds = True if lowest > 0 else False if is_refuted else None
        evidence = "; ".join(text for text, *_ in compared)
        yield Conclusion(f"{reading}: {claim['text']}", holds, f"{evidence}.")


def _compare_settings(
    claim: Mapping[str, Any], tallies: Tallies, opponents: list[str]
) -> Iterator[tuple[str, float, float]]:
    for opponent in opponents:
        ours = _get_wins(tallies, opponent, claim["better"])
        for options in claim["than"]:
            other = _get_wins(tallies, opponent, options)
            low, high = compute_difference_interval(
                ours.value, ours.interval, other.value, other.interval
            )
            text = f"{opponent} {100 * ours.value:.1f} to {100 * other.value:.1f}% for {options}"
            yield text, low, high


def _compare_with_percentage(
    claim: Mapping[str, Any], tallies: Tallies, opponents: list[str]
) -> Iterator[tuple[str, float, float]]:
    for opponent in opponents:
        for options in claim["settings"]:
            wins = _get_wins(tallies, opponent, options)
            low, high = wins.interval
            limit = claim["above"] / 100
            yield f"{opponent} {100 * wins.value:.1f}% with {options}", low - limit, high - limit


def _get_wins(tallies: Tallies, opponent: str, options: str) -> Proportion:
    tally = tallies[opponent, options]
    return Proportion(tally.wins[0], tally.games)
