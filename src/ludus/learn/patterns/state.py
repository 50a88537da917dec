"""What an adaptive player keeps of its opponent from day to day: a small JSON file."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, quoted
from ludus.learn.patterns.ladder import HIGHEST
from ludus.learn.patterns.whole import reason, write_whole

FORMAT, VERSION = "ludus-adaptive", 1

RECENT = 20
"""Results that are kept."""

MAX_FILE = 100_000
MAX_GAMES = 10**12
LONGEST_POSITION = 1000


class BadState(LudusError):
    """A file is not the state of an adaptive player, or cannot be read."""


@dataclass(frozen=True, slots=True)
class State:
    """Where an adaptive player stands."""

    level: float
    games: int = 0
    """Games whose result it knows."""

    recent: tuple[float, ...] = ()
    """The last results, the newest one last: 1 for a win of the player, ½ or 0."""

    waiting: str = ""
    """The position after the player's last move in a game whose result it does not know yet."""

    def after(self, level: float, result: float) -> "State":
        """The state after one more game."""
        return State(level, self.games + 1, (*self.recent, result)[-RECENT:])


def save(state: State, path: Path) -> None:
    """Write a state as a whole or not at all."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **asdict(state)}) + "\n"
    write_whole(path, text.encode("ascii"))


def load(path: Path) -> State | None:
    """The state of a file; None if there is none yet."""
    name = quoted(str(path), 200)
    try:
        if not path.exists():
            return None
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except (OSError, ValueError) as error:
        raise BadState(f"cannot read {name}: {reason(error)}") from error
    found = _object(data)
    if found is None or found.get("format") != FORMAT:
        raise BadState(f"{name} is not the state of an adaptive player")
    if found.get("version") != VERSION:
        raise BadState(f"{name} has version {quoted(str(found.get('version')))}, not {VERSION}")
    state = _state(found)
    if state is None:
        raise BadState(f"{name} is damaged: its level, games or results cannot be")
    return state


def _object(data: bytes) -> dict[str, Any] | None:
    if len(data) > MAX_FILE:
        return None
    try:
        found = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _state(found: dict[str, Any]) -> State | None:
    level: Any = found.get("level")
    games, recent = found.get("games"), found.get("recent")
    if type(level) not in (int, float) or type(games) is not int or not isinstance(recent, list):
        return None
    if not (0 <= level <= HIGHEST and 0 <= games <= MAX_GAMES and len(recent) <= RECENT):
        return None
    waiting = found.get("waiting", "")
    if not isinstance(waiting, str) or len(waiting) > LONGEST_POSITION:
        return None
    if any(type(result) not in (int, float) or result not in (0, 0.5, 1) for result in recent):
        return None
    return State(float(level), games, tuple(map(float, recent)), waiting)
