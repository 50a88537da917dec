"""Limits and file locations of the server."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and paths; the defaults suit one machine with a few users."""

    games_file: Path | None = None
    """SQLite file for games; None keeps them in memory only."""

    tournament_file: Path | None = None
    """Tournament to show, which may be running."""

    results_file: Path | None = None
    """Its results; by default the file beside it."""

    curves_folder: Path | None = None
    """Folder with training curves to show; the training may be running."""

    own_player: str = ""
    """A player with any options that the owner named at the start, offered beside the others."""

    names: frozenset[str] = frozenset({"localhost"})
    """Accepted names in Host headers, besides the address that a request came to.

    Others are refused, since a page of another site may lead its own name to this server.
    """

    trusted_proxy: str = ""
    """Address of a proxy whose X-Forwarded-For header names the client; none by default.

    The header of any other sender is ignored: rate limits would be avoided with it.
    """

    max_games: int = 20_000
    """Stored games; beyond, the least recently used are deleted that nobody played."""

    max_bytes: int = 4_000_000_000
    """Size of the file of games."""

    client_bytes: int = 20_000_000
    """Bytes that a client of another machine may store in a day; a new game counts as 20,000."""

    max_sessions: int = 1_000
    """Games in memory beside those that are watched; the others are only in the file."""

    max_nodes: int = 2_000
    """Moves of one game, including variations."""

    max_body: int = 1_500_000
    """Bytes of one request; a pasted record is the largest."""

    max_message: int = 4_096
    """Bytes of one WebSocket message from a client, which is only a keep-alive."""

    max_watchers: int = 2_000
    """WebSockets in total; beyond, one of the client with the most is closed."""

    max_watchers_per_game: int = 16
    """WebSockets per game."""

    requests_per_second: float = 400.0
    """Average rate per address; a burst may be twice as large."""

    new_games_per_second: float = 20.0
    """Average rate per address; a burst may be ten times as large."""

    max_waiting_connections: int = 1_000
    """Connections without a complete request; beyond, the one that waits longest is closed."""

    request_seconds: float = 20.0
    """Seconds for sending one request, from its first byte; slower clients are disconnected."""

    num_slow_workers: int = 2
    """Processes for slow players."""

    max_choice_seconds: float = 30.0
    """Seconds after which a player must move; it is killed shortly after."""

    max_queued_jobs: int = 2_000
    """Jobs that may wait for a free process; beyond, the client with the most is refused one."""

    send_timeout: float = 10.0
    """Seconds for sending one WebSocket message; slower clients are disconnected."""
