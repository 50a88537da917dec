"""Results while they come in, read in a worker process: a tournament's table, a training's curves.

The files are named on the command line, never in a request.
"""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, quoted

MAX_FILES = 50
MAX_BYTES = 4_000_000
"""Of one file of curves; of a longer one the end is shown."""

MAX_POINTS = 400
"""Of one curve; of more, every so manieth is shown."""


def tournament(job: Mapping[str, Any]) -> dict[str, Any]:
    """The standings of a tournament as far as it has been played."""
    from ludus.arena.report import report
    from ludus.arena.store import Store
    from ludus.arena.tournament_file import read_tournament

    plan, path = read_tournament(Path(job["plan"])), Path(job["store"])
    if not path.exists():
        return {"tournaments": []}
    with Store(path) as store:
        found = report(plan, store.results(plan.id))
    told = found.as_json()
    keys = ("name", "game", "games", "players", "pairs")
    shown = {key: told[key] for key in keys} | {"planned": plan.num_games}
    shown["name"] = shown["name"] or Path(job["plan"]).stem
    return {"tournaments": [shown]}


def training(job: Mapping[str, Any]) -> dict[str, Any]:
    """The curves in a folder: files of JSON lines, each with `step`, `name` and `value`."""
    folder = Path(job["folder"])
    if not folder.is_dir():
        raise LudusError(f"cannot read {quoted(str(folder), 200)}: there is no such folder")
    try:
        paths = sorted(path for path in folder.glob("*.jsonl") if path.is_file())[:MAX_FILES]
        found: dict[str, list[tuple[float, float]]] = {}
        for path in paths:
            for name, step, value in _points(path):
                found.setdefault(f"{path.stem}: {name}", []).append((step, value))
    except OSError as error:
        raise LudusError(f"cannot read {quoted(str(folder), 200)}: {error.strerror}") from error
    return {"curves": [_curve(name, points) for name, points in found.items()]}


def _points(path: Path) -> Iterator[tuple[str, float, float]]:
    """What a file holds; a line that is being written, or is something else, is left out."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - MAX_BYTES, 0))
        for line in file.read(MAX_BYTES).splitlines():
            try:
                found = json.loads(line)
                name, step, value = str(found["name"]), float(found["step"]), float(found["value"])
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
            if math.isfinite(step) and math.isfinite(value):
                yield name[:100], step, value


def _curve(name: str, points: list[tuple[float, float]]) -> dict[str, Any]:
    every = math.ceil(len(points) / MAX_POINTS)
    shown = points[::-1][::every][::-1]
    return {"name": name, "steps": [step for step, _ in shown], "values": [v for _, v in shown]}
