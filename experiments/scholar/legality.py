"""How often a chain's moves are legal when nobody holds the rules up to them."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ludus.arena.choices import BATCH_SIZE
from ludus.datasets.morris import MoveBatch, read_dataset
from ludus.games import game as named_game
from ludus.games.nine_mens_morris.batch import moves_to_classes
from ludus.games.nine_mens_morris.rules import PRESETS
from ludus.learn.nnmm.evaluate import Proportion, ProportionTable, add_tables, compute_legality
from ludus.reproduce import Context, Finding, Measurement, Table

from ..galassi.data import folder, sample
from .exam import SETS
from .players import GAME, RULES, Examined, examined

PHASES = {1: "placing", 2: "moving", 3: "flying"}
WHOLE = "whole move"

Counts = Mapping[str, Sequence[int]]
"""Line to hits and cases, as JSON holds them."""


def run(context: Context) -> Iterator[Finding]:
    players = examined(context)
    for name in SETS:
        entries = asked(context, name)
        found = {player.name: counted(context, player, name, entries) for player in players}
        for player, lines in found.items():
            yield Measurement.proportion(
                f"{player}, {name}: {WHOLE}", lines[WHOLE][0], lines[WHOLE][1]
            )
        yield Table(
            f"All lines, {name}",
            ("%", *found),
            [
                [line, *(_percent(lines[line]) for lines in found.values())]
                for line in next(iter(found.values()))
            ],
            f"Moves in {len(entries)} positions that keep the rules of the game, by the tests of "
            "the thesis (6.4) and by phase.",
        )


def asked(context: Context, name: str) -> MoveBatch:
    """Entries of a set in which the game goes on, as many as the size allows."""
    entries = read_dataset(folder() / SETS[name])
    goes_on = ~entries.has_too_few_men(PRESETS[RULES])
    number = context.setting("positions")
    return sample(entries[goes_on], number, context.seed_for(name, number))


def counted(context: Context, player: Examined, name: str, entries: MoveBatch) -> Counts:
    def compute() -> dict[str, list[int]]:
        made, parts = player.made(context.seed_for(name)), []
        for first in range(0, len(entries), BATCH_SIZE):
            context.progress(first, len(entries), f"{player.name}, {name}")
            part = entries[first : first + BATCH_SIZE]
            positions = part.to_positions(named_game(GAME, RULES))
            # An entry without a legal move has nothing to choose.
            goes_on = np.array([position.outcome() is None for position in positions])
            moves = made.choose_many([positions[at] for at in np.flatnonzero(goes_on)])
            classes = moves_to_classes(choice.move for choice in moves)
            parts.append(_lines(part[goes_on], classes))
        return {line: [share.hits, share.total] for line, share in add_tables(parts).items()}

    return context.cached(f"legality {name} {player.key}", compute)


def _lines(entries: MoveBatch, classes: np.ndarray) -> ProportionTable:
    found = compute_legality(entries, classes)
    for number, phase in PHASES.items():
        there = entries.phases == number
        whole = (
            compute_legality(entries[there], classes[there])[WHOLE]
            if there.any()
            else Proportion(0, 0)
        )
        found[f"{WHOLE}, {phase}"] = whole
    return found


def _percent(counts: Sequence[int]) -> float | None:
    share = Proportion(*counts).percent
    return None if share is None else round(share, 3)
