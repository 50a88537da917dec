"""Communication with other programs: the text engine, and players backed by other engines."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.protocol.gnubg import GnubgProcess, RankingRequest
    from ludus.protocol.gnubg_generator import score_position

__all__ = ["GnubgProcess", "RankingRequest", "score_position"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
