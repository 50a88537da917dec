"""The legality test (6.4): how often the networks keep the rules without being checked."""

from collections.abc import Iterator

from ludus.datasets import MoveBatch
from ludus.learn.nnmm import LEGALITY_STANDARDS, HitTable, MoveClasses, compute_legality
from ludus.reproduce import Conclusion, Context, Finding

from .data import HELD_OUT, STATES, WHOLE
from .systems import list_systems
from .test_tables import CountsBySet, measure_systems, report_tables

CAPTIONS = {
    WHOLE: "Moves in all positions of the published expansion of the dataset.",
    HELD_OUT: "Moves in its last tenth, which networks with the author's split have not learned.",
    STATES: "Moves in states of games that are not in the dataset, expanded likewise.",
}
AUTHOR = "author TFR"
BY = {"rules": "by the rules of the game", "author": "by the author's check"}


def run(context: Context) -> Iterator[Finding]:
    known = list_systems(context, context.published["ways"])
    found = measure_systems(context, known, CAPTIONS, "legality", compute_both_standards)
    for row in context.published.rows:
        key = row["system"], row["set"]
        if key in found:
            yield from found[key].row(row.name, f"{row['line']}, {BY[row['judge']]}")
    line = f"whole move, {BY['rules']}"
    for where in CAPTIONS:
        for system in known:
            yield from found[system.name, where].row(f"{system.name}, {where}: {line}", line)
    yield from report_tables(context, known, found, CAPTIONS)
    if any(system.name == AUTHOR for system in known):
        yield from draw_conclusions(found)


def draw_conclusions(found: CountsBySet) -> Iterator[Conclusion]:
    """Judge what 6.4 says of the networks by those of the author, on all entries."""

    def percent(line: str, judge: str) -> float:
        return found[AUTHOR, WHOLE].share(f"{line}, {BY[judge]}").percent or 0.0

    broken = {judge: 100 - percent("whole move", judge) for judge in BY}
    yield Conclusion(
        "6.4: the networks violate the rules in less than 1% of the cases",
        max(broken.values()) < 1,
        ", ".join(f"{broken[judge]:.2f}% {BY[judge]}" for judge in BY),
    )
    own = {
        judge: {part: percent(f"{part} self", judge) for part in ("TO", "FROM", "REMOVE")}
        for judge in BY
    }
    texts = [
        f"{BY[judge]} legal are {', '.join(f'{part} {each:.2f}%' for part, each in shares.items())}"
        for judge, shares in own.items()
    ]
    yield Conclusion(
        "6.4: the rules about removing a stone are the ones that are violated most",
        all(min(shares, key=lambda part: shares[part]) == "REMOVE" for shares in own.values()),
        "; ".join(texts),
    )


def compute_both_standards(entries: MoveBatch, predicted: MoveClasses) -> HitTable:
    """Return the lines by both standards, from one prediction."""
    return {
        f"{line}, {BY[judge]}": share
        for judge in LEGALITY_STANDARDS
        for line, share in compute_legality(entries, predicted, judge).items()
    }
