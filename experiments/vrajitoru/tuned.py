"""The best settings against the heuristics, and the effect of each part of the player."""

from collections.abc import Iterator
from typing import Any

from ludus.reproduce import Context, Finding, Measurement, Table, compare_wins

from .fuzzy_matches import OPPONENTS, join_options, play_matches


def run(context: Context) -> Iterator[Finding]:
    for row in context.published.rows:
        tally = play_matches(context, row["opponent"], row["options"])
        p_value = compare_wins(*tally.wins).p_value
        test = f"p = {p_value:.2g}" if p_value else "p < 1e-300"
        yield Measurement.proportion(row.name, tally.wins[0], tally.games, test)
    for preset in ("seed", "tuned"):
        yield make_ablation_table(context, preset)


def make_ablation_table(context: Context, preset: str) -> Table:
    """Wins without one part at a time, and how far that is from the whole."""
    rows: list[list[Any]] = []
    whole: dict[str, float] = {}
    parts = context.published["ablation"]
    for number, (name, change) in enumerate(parts.items()):
        context.progress(number, len(parts), f"without parts of {preset}")
        options = join_options(f"preset={preset}", change)
        wins = {
            opponent: 100 * tally.wins[0] / tally.games
            for opponent in OPPONENTS
            for tally in [play_matches(context, opponent, options)]
        }
        whole = whole or wins
        changes = (wins[opponent] - whole[opponent] for opponent in OPPONENTS)
        rows.append([name, *wins.values(), *changes])
    against = tuple(f"{name}, %" for name in OPPONENTS)
    return Table(
        f"Without one part: preset {preset}",
        ("what is changed", *against, *(f"change, {name}" for name in OPPONENTS)),
        rows,
        "Games won. With 2,000 games a difference of 4.3 points is more than chance (95%).",
    )
