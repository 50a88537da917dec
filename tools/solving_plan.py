"""Print what it takes to solve Morris games beyond one machine: docs/solving_beyond.md.

    python tools/solving_plan.py

Slots of the board of 24 points are those of the solver (`ludus.oracles.morris.sectors`). For larger
boards the number of sets of points is divided by the order of the symmetry group, which is a little
too low: some sets are symmetric themselves.
"""

from collections.abc import Callable, Iterable, Sequence
from math import comb
from typing import NamedTuple

from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.sectors import (
    BYTES_PER_SLOT,
    SLOTS_PER_MINUTE,
    Sector,
    TableReferences,
    all_sectors,
    next_sectors,
    num_slots,
    sides_to_move,
)

SYMMETRIES = 16
"""Those of a square, with and without turning the board inside out."""

WORKING_BYTES = 4
"""Bytes of a slot while its sector is solved, if men can move in it: values and offers of both."""


class Variant(NamedTuple):
    """A game to be solved."""

    name: str
    rules: Rules
    num_points: int


class Plan(NamedTuple):
    """What it takes to solve a variant."""

    num_sectors: int
    slots: int
    largest: int
    """Slots of the largest sector."""

    resident: int
    """Bytes of tables in memory at most, with one worker that keeps what it needs again."""

    largest_work: int
    """Bytes that a worker needs for the most demanding sector, with the sectors it reads."""

    exchange: int
    """Bytes that workers read from the shared folder if none keeps a table, uncompressed."""


VARIANTS = (
    Variant("nine men, 24 points", Rules(), 24),
    Variant("Lasker's ten men, 24 points", Rules(men=10, place_or_move=True), 24),
    Variant("eleven men, 24 points", Rules(men=11), 24),
    Variant("twelve men, 24 points", Rules(men=12), 24),
    Variant("nine men, 32 points (four rings)", Rules(), 32),
    Variant("twelve men, 32 points (four rings)", Rules(men=12), 32),
    Variant("twelve men, 40 points (five rings)", Rules(men=12), 40),
)


def count_slots(num_points: int) -> Callable[[Sector], int]:
    """Return the function that counts the slots of a sector on a board."""
    if num_points == 24:
        return num_slots

    def count(sector: Sector) -> int:
        x, y, _, _ = sector
        return -(-comb(num_points, x) // SYMMETRIES) * comb(num_points - x, y)

    return count


def make_plan(variant: Variant) -> Plan:
    """Compute a plan sector by sector."""
    rules, count = variant.rules, count_slots(variant.num_points)
    sectors = all_sectors(rules)
    sizes = {each: count(each) * len(sides_to_move(rules, each)) for each in sectors}
    work, exchange = [], 0
    for sector in sectors:
        successors = sum(sizes[each] for each in next_sectors(rules, sector))
        is_sliding = rules.place_or_move or sector[2:] == (0, 0)
        own = WORKING_BYTES * count(sector) if is_sliding else sizes[sector]
        work.append(own + successors)
        exchange += successors
    return Plan(
        len(sectors),
        sum(sizes.values()),
        max(sizes.values()),
        find_resident(rules, sectors, sizes),
        max(work),
        exchange,
    )


def find_resident(rules: Rules, sectors: Sequence[Sector], sizes: dict[Sector, int]) -> int:
    """Return the bytes of tables in memory at most, in the order of solving."""
    needs, alive, peak = TableReferences(rules, sectors), dict[Sector, int](), 0
    for sector in sectors:
        alive[sector] = sizes[sector]
        peak = max(peak, sum(alive.values()))
        needs.release(sector, lambda each: alive.pop(each, None) and None)
    return peak


def find_parallel_work(variant: Variant) -> float:
    """Return the most that workers who take whole sectors gain: all work by the longest path."""
    rules, count = variant.rules, count_slots(variant.num_points)
    ends: dict[Sector, int] = {}
    total = 0
    for sector in all_sectors(rules):
        size = count(sector) * len(sides_to_move(rules, sector))
        total += size
        ends[sector] = size + max((ends[each] for each in next_sectors(rules, sector)), default=0)
    return total / max(ends.values())


def format_bytes(number: float) -> str:
    """Return a number of bytes for people."""
    units = iter(("MB", "GB", "TB", "PB", "EB"))
    number, unit = number / 1e6, next(units)
    while number >= 1000:
        number, unit = number / 1000, next(units)
    return f"{number:.3g} {unit}"


def format_rows(variants: Iterable[Variant]) -> Iterable[tuple[str, ...]]:
    """Return the rows of the table."""
    for variant in variants:
        plan = make_plan(variant)
        hours = plan.slots / SLOTS_PER_MINUTE / 60
        yield (
            variant.name,
            str(plan.num_sectors),
            f"{plan.slots:.3g}",
            format_bytes(plan.slots * BYTES_PER_SLOT),
            format_bytes(plan.resident),
            format_bytes(plan.largest_work),
            format_bytes(plan.exchange),
            f"{hours:,.3g}",
            f"{find_parallel_work(variant):.1f}",
        )


HEADINGS = (
    "game",
    "sectors",
    "slots",
    "files",
    "memory, all tables in use",
    "memory, largest sector",
    "read from the folder",
    "core hours",
    "speed-up by sectors",
)


def main() -> None:
    print(f"| {' | '.join(HEADINGS)} |")
    print(f"|---|{'--:|' * (len(HEADINGS) - 1)}")
    for row in format_rows(VARIANTS):
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
