"""Logs of trainings: output files of `ludus train scholar --json`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus import LudusError
from ludus.reproduce import quote

FOLDER = Path(__file__).with_name("trainings")

MAX_BYTES = 10_000_000
PERFECT = "perfect play"


@dataclass(frozen=True)
class Point:
    """State of a training at one moment."""

    seconds: float
    examples: float | None
    """Positions learned from so far, if that was written down."""

    kept: Mapping[str, float]
    """Evaluation set to the share of critical positions kept."""


@dataclass(frozen=True)
class Training:
    """One training from its beginning to its end."""

    name: str
    teacher: str
    parameters: float | None
    points: tuple[Point, ...]
    losses: tuple[str | None, str | None] = (None, None)
    """Games lost as White and as Black at the end of the training, such as `13 of 500`."""

    @property
    def last(self) -> Point:
        return self.points[-1]


def read_training_logs(folder: Path = FOLDER) -> list[Training]:
    """Read all logs, by the names of their files."""
    return [_read_log(path) for path in sorted(folder.glob("*.json"))]


def _read_log(path: Path) -> Training:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError("it is too long")
        facts = json.loads(path.read_text())
        points = [_parse_point(each) for each in facts.get("history", [])]
        points.append(
            _parse_point({**_add_total_examples(facts), "kept": _parse_kept(facts["exams"])})
        )
        return Training(
            str(facts.get("name") or path.stem),
            str(facts.get("teacher") or PERFECT),
            _parse_number(facts.get("parameters")),
            tuple(points),
            _parse_losses(facts.get("games")),
        )
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        shown = quote(path.name, 100)
        raise LudusError(f"{shown} tells of no training: {quote(str(error), 100)}") from error


def _parse_point(facts: Mapping[str, Any]) -> Point:
    proportions = facts["kept"].items()
    kept = {str(name): float(share) for name, share in proportions if share is not None}
    if not all(0 <= share <= 1 for share in kept.values()):
        raise ValueError("a share is not from 0 to 1")
    return Point(float(facts["seconds"]), _parse_number(facts.get("examples")), kept)


def _add_total_examples(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts with the total number of examples, by the mean of a step so far."""
    history = facts.get("history")
    if not history or not history[-1].get("examples"):
        return dict(facts)
    last = history[-1]
    return {"examples": last["examples"] / last["steps"] * facts["steps"], **facts}


def _parse_losses(games: Mapping[str, Any] | None) -> tuple[str | None, str | None]:
    if games is None:
        return None, None
    white, black = (int(games[f"lost_as_{colour}"]) for colour in ("white", "black"))
    return f"{white} of {games['games']}", f"{black} of {games['games']}"


def _parse_kept(sets: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each["kept"] for name, each in sets.items()}


def _parse_number(value: Any) -> float | None:
    return None if value is None else float(value)
