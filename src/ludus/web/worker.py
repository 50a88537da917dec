"""Jobs that worker processes do for the server, which players can neither block nor crash."""

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.files import describe_os_error, quote_path
from ludus.core.spec import load_target
from ludus.core.workers import describe_error, on_stop
from ludus.web.explanations import explain_choice
from ludus.web.worker_cache import (
    Job,
    drop_player,
    load_player,
    load_position,
    record_move,
    wants_results,
)

MAX_CURVE_FILES = 50
MAX_CURVE_BYTES = 4_000_000
"""Bytes read from the end of one curve file."""

MAX_CURVE_POINTS = 400
"""Points per curve; longer curves are subsampled evenly."""


def load_standings(job: Job) -> dict[str, Any]:
    """Return the standings of a tournament that may still be running.

    The paths come from the command line, never from a request.
    """
    from ludus.arena.report import make_report
    from ludus.arena.result_store import ResultStore
    from ludus.arena.tournament import read_tournament

    plan, path = read_tournament(Path(job["plan"]), builds_players=False), Path(job["store"])
    if not path.exists():
        return {"tournaments": []}
    with ResultStore(path) as store:
        report = make_report(plan, store.results(plan.id))
    summary = report.as_json()
    keys = ("name", "game", "games", "players", "pairs")
    shown = {key: summary[key] for key in keys} | {"planned": plan.num_games}
    shown["name"] = shown["name"] or Path(job["plan"]).stem
    return {"tournaments": [shown]}


def load_curves(job: Job) -> dict[str, Any]:
    """Return the curves of a folder of JSON lines files with keys `step`, `name` and `value`.

    The path comes from the command line, never from a request.
    """
    folder = Path(job["folder"])
    if not folder.is_dir():
        raise LudusError(f"cannot read {quote_path(folder)}: there is no such folder")
    try:
        paths = sorted(path for path in folder.glob("*.jsonl") if path.is_file())[:MAX_CURVE_FILES]
        curves: dict[str, list[tuple[float, float]]] = {}
        for path in paths:
            for name, step, value in _read_points(path):
                curves.setdefault(f"{path.stem}: {name}", []).append((step, value))
    except OSError as error:
        raise LudusError(f"cannot read {quote_path(folder)}: {describe_os_error(error)}") from error
    return {"curves": [_thin_curve(name, points) for name, points in curves.items()]}


def _read_points(path: Path) -> Iterator[tuple[str, float, float]]:
    """Yield name, step and value per line; skip incomplete or invalid lines."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - MAX_CURVE_BYTES, 0))
        for line in file.read(MAX_CURVE_BYTES).splitlines():
            try:
                row = json.loads(line)
                name, step, value = str(row["name"]), float(row["step"]), float(row["value"])
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
            if math.isfinite(step) and math.isfinite(value):
                yield name[:100], step, value


def _thin_curve(name: str, points: list[tuple[float, float]]) -> dict[str, Any]:
    every = math.ceil(len(points) / MAX_CURVE_POINTS)
    shown = points[::-1][::every][::-1]
    return {"name": name, "steps": [step for step, _ in shown], "values": [v for _, v in shown]}


SLOW_SECONDS = 1.0
"""Warm up a player only once if its first choice takes longer than this."""


def choose_move(job: Job) -> dict[str, Any]:
    """Return a player's move with its explanation."""
    position = load_position(job)
    side = position.mover
    player = load_player(job, side)
    with on_stop(getattr(player, "stop", None)):
        choice = player.choose(position)
    if choice.move not in position.legal_moves():
        raise LudusError(f"{job['player']} wants to play {choice.move}, which is not legal")
    record_move(job, side, str(choice.move))
    return {
        "move": str(choice.move),
        **explain_choice(player, position, choice).model_dump(),
        "name": player.name,
        "wants_results": wants_results(type(player)),
    }


def warm_up(job: Job) -> dict[str, Any]:
    """Load a player and let it choose a move, so that its first real move is fast.

    The response holds the seconds for a choice once everything is loaded.
    """
    seconds = []
    for _ in (0, 1):
        began = time.perf_counter()
        choose_move(job)
        seconds.append(time.perf_counter() - began)
        if seconds[0] > SLOW_SECONDS:
            break
    return {"seconds": min(seconds)}


def end_game(job: Job) -> dict[str, Any]:
    """Pass a game's outcome to the player of one side and return its spec for the next game.

    A player that learns from game to game provides that spec as `next_spec`.
    """
    outcome = load_position(job).outcome()
    player = load_player(job, job["side"])
    if outcome is not None:
        player.finish_game(outcome)
    drop_player(job, job["side"])
    return {"spec": getattr(player, "next_spec", job["player"]), "name": player.name}


def _lazy_job(target: str) -> Callable[[Job], dict[str, Any]]:
    """Return a job handler whose module is imported on first use."""
    return lambda job: load_target(f"ludus.web.{target}")(job)


JOBS: Mapping[str, Callable[[Job], dict[str, Any]]] = {
    "choose": choose_move,
    "warm_up": warm_up,
    "end": end_game,
    "evaluate": _lazy_job("evaluations:evaluate_node"),
    "load_analyst": _lazy_job("evaluations:prepare_analyst"),
    "review": _lazy_job("evaluations:review_line"),
    "puzzle_kinds": _lazy_job("puzzles:list_puzzle_kinds"),
    "puzzle": _lazy_job("puzzles:make_puzzle"),
    "rules_test": _lazy_job("rules_test:make_rules_test"),
    "import": _lazy_job("imports:read_import"),
    "record": _lazy_job("imports:read_record"),
    "opponents": _lazy_job("opponents:list_opponents"),
    "picture": _lazy_job("sharing:draw_shared"),
    "shared": _lazy_job("sharing:list_shared"),
    "tournament": load_standings,
    "training": load_curves,
}


def run_job(job: Job) -> tuple[dict[str, Any] | LudusError, int]:
    """Return the response to a job, or its error, and the memory that this process holds."""
    response: dict[str, Any] | LudusError
    try:
        response = JOBS[job["job"]](job)
    except LudusError as error:
        response = LudusError(str(error))
    except Exception as error:  # players are third-party code
        response = describe_error(error)
    return response, measure_memory()


def measure_memory() -> int:
    """Return the bytes that this process holds; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
