"""The legality test (6.4): how often the networks keep the rules without being checked."""

from collections.abc import Iterator

from ludus.datasets import MoveBatch
from ludus.learn.nnmm import LEGALITY_STANDARDS, MoveClasses, ProportionTable, compute_legality
from ludus.reproduce import Context, Finding, Remark

from .data import HELD_OUT, STATES, WHOLE
from .systems import find_first_own_system, list_systems
from .test_tables import get_published_lines, make_table, measure_system

CAPTIONS = {
    WHOLE: "Moves in all positions of the published expansion of the dataset.",
    HELD_OUT: "Moves in its last tenth, which networks with the author's split have not learned.",
    STATES: "Moves in states of games that are not in the dataset, expanded likewise.",
}
BY = {"rules": "by the rules of the game", "author": "by the author's check"}


def run(context: Context) -> Iterator[Finding]:
    known = list_systems(context, context.published["ways"])
    found = {
        (system.name, where): measure_system(
            context, system, where, "legality", compute_both_standards
        )
        for where in CAPTIONS
        for system in known
    }
    ours = find_first_own_system(known)
    found |= {("ours", where): found[ours.name, where] for where in CAPTIONS if ours is not None}
    for row in context.published.rows:
        key = row["system"], row["set"]
        if key in found:
            yield from found[key].row(row.name, f"{row['line']}, {BY[row['judge']]}")
    line = f"whole move, {BY['rules']}"
    for where in CAPTIONS:
        for system in known:
            yield from found[system.name, where].row(f"{system.name}, {where}: {line}", line)
    if ours is None:
        yield Remark("No networks of ours are there, so the thesis's figures stand alone.")
    for where in CAPTIONS:
        columns = {system.name: found[system.name, where] for system in known}
        yield make_table(
            f"All lines, {where}", columns, get_published_lines(context, where), CAPTIONS[where]
        )


def compute_both_standards(entries: MoveBatch, predicted: MoveClasses) -> ProportionTable:
    """The lines of both judges, so that networks are asked once."""
    return {
        f"{line}, {BY[judge]}": share
        for judge in LEGALITY_STANDARDS
        for line, share in compute_legality(entries, predicted, judge).items()
    }
