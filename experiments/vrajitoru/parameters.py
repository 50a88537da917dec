"""How often the Fuzzy player wins as each of its parameters varies."""

from collections.abc import Iterator
from typing import Any

from ludus.reproduce import Context, Figure, Finding, Measurement, Table

from .fuzzy_matches import OPPONENTS, draw_curve, play_matches

__all__ = ["draw_curve", "run"]


def run(context: Context) -> Iterator[Finding]:
    best: list[list[Any]] = []
    curves = context.published["curves"]
    for number, (parameter, values) in enumerate(curves.items()):
        context.progress(number, len(curves), parameter)
        ours = {
            opponent: [
                [value, tally.wins[0], tally.games]
                for value in values
                for tally in [play_matches(context, opponent, f"{parameter}={value}")]
            ]
            for opponent in OPPONENTS
        }
        yield Figure(
            f"Win rate over {parameter}",
            draw_curve,
            {"parameter": parameter, "ours": ours},
            "The other parameters have the values of the paper's last tables.",
        )
        for value, wins, games in ours["focused"]:
            yield Measurement.proportion(f"{parameter}={value}, focused: fuzzy wins", wins, games)
        shares = [100 * wins / games for _, wins, games in ours["focused"]]
        top = max(range(len(values)), key=lambda index: shares[index])
        best.append([parameter, values[top], shares[top], min(shares)])
    best.sort(key=lambda row: row[3] - row[2])
    yield Table(
        "What matters against focused",
        ("parameter", "best value", "wins there, %", "wins at its worst, %"),
        best,
        "The parameter with the widest range first. The best of several values was also lucky.",
    )
