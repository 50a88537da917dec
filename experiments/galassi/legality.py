"""The legality test (6.4): how often the networks keep the rules without being checked."""

from collections.abc import Iterator

from ludus.datasets.morris import MoveBatch
from ludus.learn.nnmm.evaluate import (
    LEGALITY_STANDARDS,
    MoveClasses,
    ProportionTable,
    compute_legality,
)
from ludus.reproduce import Context, Finding, Remark

from .data import HELD_OUT, STATES, WHOLE
from .lines import counted, published_of, table
from .systems import first_of_ours, systems

CAPTIONS = {
    WHOLE: "Moves in all positions of the published expansion of the dataset.",
    HELD_OUT: "Moves in its last tenth, which networks with the author's split have not learned.",
    STATES: "Moves in states of games that are not in the dataset, expanded likewise.",
}
BY = {"rules": "by the rules of the game", "author": "by the author's check"}


def run(context: Context) -> Iterator[Finding]:
    known = systems(context, context.published["ways"])
    found = {
        (system.name, where): counted(context, system, where, "legality", by_all)
        for where in CAPTIONS
        for system in known
    }
    ours = first_of_ours(known)
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
        yield table(f"All lines, {where}", columns, published_of(context, where), CAPTIONS[where])


def by_all(entries: MoveBatch, predicted: MoveClasses) -> ProportionTable:
    """The lines of both judges, so that networks are asked once."""
    return {
        f"{line}, {BY[judge]}": share
        for judge in LEGALITY_STANDARDS
        for line, share in compute_legality(entries, predicted, judge).items()
    }
