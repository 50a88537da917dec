"""The author's networks against the ladder of the gaming test, as White and as Black."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ludus import LudusError
from ludus.reproduce import Context, Finding, Measurement, Remark, Table, read_published

from .games import COLOURS, Contestant, play_pairing
from .systems import list_systems

RESULTS = ("WIN", "DRAW", "LOSS")


def run(context: Context) -> Iterator[Finding]:
    ladder = read_published(Path(__file__).with_name("gaming.toml"), "galassi-gaming")
    opponents = [Contestant(name, spec) for name, spec in ladder["opponents"].items()]
    opponents.append(Contestant(ladder["teacher_name"], context.setting("teacher")))
    player = context.published.rows[0]["player"]
    systems = {each.name: each for each in list_systems(context, ladder["ways"][:1])}
    if player not in systems:
        raise LudusError(f"the networks {player} are not here")
    one = systems[player].to_contestant()
    totals = {colour: Counter[str]() for colour in COLOURS}
    lines = []
    for other in opponents:
        found = {colour: Counter[str]() for colour in COLOURS}
        for game in play_pairing(context, one, other):
            found[game.colour][game.result] += 1
        lines.append([other.name, *(_format_results(found[colour]) for colour in COLOURS)])
        for colour in COLOURS:
            totals[colour] += found[colour]
    for row in context.published.rows:
        (colour,) = row["colours"]
        results = totals[colour]
        yield Measurement.proportion(row.name, results[row["result"]], results.total())
    yield Table(
        "Results by colour", ("opponent", *COLOURS), lines, "Won – drawn – lost by the networks."
    )
    points = [100 * _count_points(totals[each]) / totals[each].total() for each in COLOURS]
    yield Remark(
        f"As White the networks have {points[0]:.1f}% of the points, as Black {points[1]:.1f}%; "
        "published 70.6 and 55.9%, of 17 games each."
    )


def _format_results(results: Counter[str]) -> str:
    return " – ".join(str(results[each]) for each in RESULTS)


def _count_points(results: Counter[str]) -> float:
    return results["WIN"] + results["DRAW"] / 2
