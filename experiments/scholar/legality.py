"""How often a chain's moves are legal without a legality check."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ludus.arena import BATCH_SIZE
from ludus.datasets import MoveBatch, read_dataset
from ludus.games import game as named_game
from ludus.games.nine_mens_morris import PRESETS
from ludus.learn.nnmm import (
    Hits,
    HitTable,
    add_tables,
    compute_legality,
    moves_to_classes,
)
from ludus.reproduce import Context, Finding, Measurement, Table

from ..galassi.data import find_data_folder, sample_entries
from .critical_positions import SETS
from .players import GAME, RULES, TestedPlayer, list_players

PHASES = {1: "placing", 2: "moving", 3: "flying"}
WHOLE = "whole move"

Counts = Mapping[str, Sequence[int]]
"""Line to hits and cases, as JSON holds them."""


def run(context: Context) -> Iterator[Finding]:
    players = list_players(context)
    for name in SETS:
        entries = sample_ongoing_entries(context, name)
        found = {
            player.name: count_legal_moves(context, player, name, entries) for player in players
        }
        for player, lines in found.items():
            yield Measurement.proportion(
                f"{player}, {name}: {WHOLE}", lines[WHOLE][0], lines[WHOLE][1]
            )
        yield Table(
            f"All lines, {name}",
            ("%", *found),
            [
                [line, *(_to_percentage(lines[line]) for lines in found.values())]
                for line in next(iter(found.values()))
            ],
            f"Moves in {len(entries)} positions that keep the rules of the game, by the tests of "
            "the thesis (6.4) and by phase.",
        )


def sample_ongoing_entries(context: Context, name: str) -> MoveBatch:
    """Sample entries of a set that are not over, as many as the size of the run allows."""
    entries = read_dataset(find_data_folder() / SETS[name])
    goes_on = ~entries.has_too_few_men(PRESETS[RULES])
    number = context.setting("positions")
    return sample_entries(entries[goes_on], number, context.seed_for(name, number))


def count_legal_moves(
    context: Context, player: TestedPlayer, name: str, entries: MoveBatch
) -> Counts:
    def compute() -> dict[str, list[int]]:
        made, parts = player.create(context.seed_for(name)), []
        for first in range(0, len(entries), BATCH_SIZE):
            context.progress(first, len(entries), f"{player.name}, {name}")
            part = entries[first : first + BATCH_SIZE]
            positions = part.to_positions(named_game(GAME, RULES))
            # An entry without a legal move has nothing to choose.
            goes_on = np.array([position.outcome() is None for position in positions])
            moves = made.choose_many([positions[at] for at in np.flatnonzero(goes_on)])
            classes = moves_to_classes(choice.move for choice in moves)
            parts.append(_compute_table(part[goes_on], classes))
        return {line: [share.hits, share.total] for line, share in add_tables(parts).items()}

    return context.cached(f"legality {name} {player.key}", compute)


def _compute_table(entries: MoveBatch, classes: np.ndarray) -> HitTable:
    found = compute_legality(entries, classes)
    for number, phase in PHASES.items():
        there = entries.phases == number
        whole = (
            compute_legality(entries[there], classes[there])[WHOLE] if there.any() else Hits(0, 0)
        )
        found[f"{WHOLE}, {phase}"] = whole
    return found


def _to_percentage(counts: Sequence[int]) -> float | None:
    share = Hits(*counts).percent
    return None if share is None else round(share, 3)
