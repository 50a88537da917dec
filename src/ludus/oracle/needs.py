"""Which tables must be in memory while sectors are worked through in their order."""

from collections import Counter
from collections.abc import Callable, Sequence

from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.sectors import Sector, halves, next_sectors, num_slots


class Needs:
    """Counts for every sector how many of those still to be worked on look into it."""

    def __init__(self, rules: Rules, waiting: Sequence[Sector]) -> None:
        self._rules = rules
        self._counts: Counter[Sector] = Counter()
        for sector in waiting:
            self._counts.update(next_sectors(rules, sector))

    def finished(self, sector: Sector, drop: Callable[[Sector], None]) -> None:
        """A sector is done with: drop what nobody looks into any more, perhaps itself."""
        for seen in next_sectors(self._rules, sector):
            self._counts[seen] -= 1
            if self._counts[seen] == 0:
                drop(seen)
        if self._counts[sector] == 0:
            drop(sector)


def peak_bytes(rules: Rules, waiting: Sequence[Sector]) -> int:
    """Memory that tables take at most while these sectors are solved one after the other.

    While men can slide a slot takes four bytes: values and offers for both sides. The sector solved
    before is kept until it is written.
    """
    needs, peak = Needs(rules, waiting), 0
    sizes = {sector: num_slots(sector) * len(halves(rules, sector)) for sector in waiting}
    alive: dict[Sector, int] = {}

    def drop(sector: Sector) -> None:
        alive.pop(sector, None)

    for number, sector in enumerate(waiting):
        is_sliding = rules.place_or_move or sector[2:] == (0, 0)
        working = 4 * num_slots(sector) if is_sliding else sizes[sector]
        peak = max(peak, sum(alive.values()) + working)
        alive[sector] = sizes[sector]
        if number > 0:
            needs.finished(waiting[number - 1], drop)
    return peak
