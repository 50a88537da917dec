"""The author's networks and retrained ones against the ladder of the gaming test, by colour."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ludus import LudusError
from ludus.reproduce import Context, Finding, Measurement, Remark, Table, read_published

from .games import COLOURS, Contestant, play_pairing
from .systems import list_systems

RESULTS = {"WIN": "won", "DRAW": "drawn", "LOSS": "lost"}

RETRAINED = "ours retrained"
"""The set that `on_gpu.py` trains without the entries of regular games; it is not shipped."""

Results = Mapping[str, Counter[str]]
"""Results of all games by colour."""


def run(context: Context) -> Iterator[Finding]:
    ladder = read_published(Path(__file__).with_name("gaming.toml"), "galassi-gaming")
    opponents = [Contestant(name, spec) for name, spec in ladder["opponents"].items()]
    opponents.append(Contestant(ladder["teacher_name"], context.setting("teacher")))
    player = context.published.rows[0]["player"]
    systems = {each.name: each for each in list_systems(context, ladder["ways"][:1])}
    if player not in systems:
        raise LudusError(f"the networks {player} are not here")
    results, table = play_ladder(context, systems[player].to_contestant(), opponents)
    for row in context.published.rows:
        (colour,) = row["colours"]
        counts = results[colour]
        yield Measurement.proportion(row.name, counts[row["result"]], counts.total())
    yield table
    yield _summarise("The author's networks", results)
    if RETRAINED not in systems:
        return
    results, table = play_ladder(context, systems[RETRAINED].to_contestant(), opponents)
    for colour, counts in results.items():
        for result, word in RESULTS.items():
            name = f"retrained as {colour}, {word}"
            yield Measurement.proportion(name, counts[result], counts.total())
    yield table
    yield _summarise("The networks retrained without regular games", results)


def play_ladder(
    context: Context, one: Contestant, opponents: Sequence[Contestant]
) -> tuple[Results, Table]:
    """Return the results of all games of a set of networks, and a table of them by opponent."""
    totals = {colour: Counter[str]() for colour in COLOURS}
    lines = []
    for other in opponents:
        found = {colour: Counter[str]() for colour in COLOURS}
        for game in play_pairing(context, one, other):
            found[game.colour][game.result] += 1
        lines.append([other.name, *(_format_results(found[colour]) for colour in COLOURS)])
        for colour in COLOURS:
            totals[colour] += found[colour]
    caption = "Won – drawn – lost by the networks."
    return totals, Table(f"Results of {one.name}", ("opponent", *COLOURS), lines, caption)


def _summarise(name: str, results: Results) -> Remark:
    points = [100 * _count_points(results[each]) / results[each].total() for each in COLOURS]
    return Remark(
        f"{name} have {points[0]:.1f}% of the points as White and {points[1]:.1f}% as Black; "
        "published 70.6 and 55.9%, of 17 games each."
    )


def _format_results(results: Counter[str]) -> str:
    return " – ".join(str(results[each]) for each in RESULTS)


def _count_points(results: Counter[str]) -> float:
    return results["WIN"] + results["DRAW"] / 2
