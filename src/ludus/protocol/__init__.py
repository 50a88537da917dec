"""Communication with other programs: the text engine, and players backed by other engines."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.protocol.gnubg import RankingRequest, get_shared_gnubg

__all__ = ["RankingRequest", "get_shared_gnubg"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
