"""How far a run through sectors has come, counted in slots."""

from collections.abc import Sequence

from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.sectors import Sector, halves, num_slots
from ludus.oracle.solver import SectorSolver


class Work:
    """Slots to work on and slots done; read by one thread while another works."""

    def __init__(self, rules: Rules, sectors: Sequence[Sector], solver: SectorSolver) -> None:
        self._rules = rules
        self._solver = solver
        self._done = 0
        self.current: Sector | None = None
        """The sector that is being worked on."""

        self.total = sum(map(self._slots, sectors))
        """Slots of all sectors."""

        self.resumed = 0
        """Slots that needed no work."""

    def begin(self, sector: Sector) -> None:
        self.current = sector

    def finish(self, sector: Sector, is_resumed: bool = False) -> None:
        self.current = None
        self._done += self._slots(sector)
        self.resumed += self._slots(sector) if is_resumed else 0

    @property
    def done(self) -> int:
        """Slots done, with a guess for the sector that is being worked on."""
        sector = self.current
        if sector is None:
            return self._done
        rows = self._solver.progress[0] / max(1, self._solver.shape(sector)[0])
        # Where men can slide, finding all that placing and taking offer is about half the work.
        is_sliding = self._rules.place_or_move or sector[2:] == (0, 0)
        share = min(1.0, rows) / 2 if is_sliding else min(1.0, rows)
        return self._done + int(share * self._slots(sector))

    def _slots(self, sector: Sector) -> int:
        return num_slots(sector) * len(halves(self._rules, sector))
