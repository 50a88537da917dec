"""What the server allows: every bound it keeps, in one place."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """Bounds and places; the defaults suit one machine with a few people at it."""

    games_file: Path | None = None
    """The SQLite file in which games outlive the server; None keeps them in memory alone."""

    tournament_file: Path | None = None
    """A tournament to show, which may be running."""

    results_file: Path | None = None
    """Its results, where they are not beside it."""

    curves_folder: Path | None = None
    """A folder with the curves of a training to show, which may be running."""

    hosts: frozenset[str] = frozenset({"localhost", "127.0.0.1", "[::1]"})
    """Names under which the page may be asked for, so that no foreign page can pose as ours."""

    max_games: int = 20_000
    """Games that are kept; the ones nobody has looked at for longest make room."""

    max_tables: int = 1_000
    """Games held in memory; the others wait in the file."""

    max_nodes: int = 2_000
    """Moves of one game, variations included."""

    max_body: int = 1_500_000
    """Bytes of one request; a pasted game is the largest."""

    max_message: int = 4_096
    """Bytes a websocket may send us at once; it has nothing to say but that it lives."""

    max_watchers: int = 400
    """Websockets in all."""

    max_watchers_of_one: int = 16
    """Websockets on one game."""

    requests_per_second: float = 400.0
    """From one address, on average; twice as many in a burst."""

    new_games_per_second: float = 20.0
    """From one address, on average; ten times as many in a burst."""

    thinkers: int = 2
    """Processes for players that take their time."""

    max_thinking: float = 30.0
    """Seconds after which a player is told to move, and soon after that stopped."""

    max_waiting: int = 200
    """Questions that may wait for a free process."""

    seconds_to_send: float = 10.0
    """A reader that takes longer for one message is cut off."""
