"""Solving a whole game in the background, so that every evaluation becomes exact."""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludus.core.workers import Worker, WorkerLost
from ludus.games import registered_game
from ludus.web.errors import RequestRefused
from ludus.web.schemas.analysis import SolveView

STOP_SECONDS = 20.0
"""Seconds for writing the last table before the process is killed."""

WATCH_SECONDS = 0.5

NICENESS = 15
"""Games that are being played come first."""

FORBIDDEN = "only the owner of this server can do that, on the machine itself"
"""What others are told."""


class GameSolver:
    """At most one process that solves a game."""

    def __init__(self, on_new_tables: Callable[[], None]) -> None:
        self._on_new_tables = on_new_tables
        self._game_spec = ("", "")
        self._worker: Worker | None = None
        self._watching: asyncio.Task[None] | None = None
        self._progress: dict[str, Any] = {}
        self._error = ""
        self._began = 0.0
        self._lock = asyncio.Lock()

    @property
    def is_running(self) -> bool:
        return self._watching is not None and not self._watching.done()

    async def describe(self, name: str, rules: str) -> SolveView:
        """Return whether a game can be solved here, and how far that is."""
        view = await asyncio.to_thread(self._describe, name, rules)
        if not view.available or self._game_spec != (name, rules) or view.state == "done":
            return view
        if self.is_running:
            return view.model_copy(update=self._describe_progress())
        if self._error:
            return view.model_copy(update={"state": "failed", "why": self._error})
        return view

    def _describe(self, name: str, rules: str) -> SolveView:
        from ludus.web.solve_plan import find_obstacle, find_shortage, make_plan

        game = registered_game(name, rules)
        if why := find_obstacle(game):
            return SolveView(available=False, state="none", why=why)
        if why := find_shortage(game):
            return SolveView(available=False, state="too_large", why=why)
        plan = make_plan(game, name)
        is_begun = bool(plan.solved_slots)
        return SolveView(
            available=True,
            state="done" if plan.is_complete else "paused" if is_begun else "none",
            done=1.0 if plan.is_complete else plan.solved_slots / plan.slots,
            minutes=plan.minutes * (1 - plan.solved_slots / plan.slots),
            gigabytes=plan.gigabytes,
        )

    async def start(self, name: str, rules: str) -> None:
        """Start or resume solving a game."""
        from ludus.web.solve_plan import make_plan

        async with self._lock:
            view = await self.describe(name, rules)
            if not view.available:
                raise RequestRefused(view.why)
            if view.state == "done":
                raise RequestRefused("this game is solved already")
            if self.is_running:
                raise RequestRefused("a game is being solved; stop that first")
            title = f"{name}-{rules or 'standard'}"
            plan = await asyncio.to_thread(make_plan, registered_game(name, rules), title)
            self._game_spec, self._progress, self._error = (name, rules), {}, ""
            self._began = time.monotonic()
            self._worker = Worker(NICENESS)
            self._watching = asyncio.create_task(
                self._watch(self._worker, name, rules, plan.folder)
            )

    async def stop(self) -> None:
        """Stop solving; what is written stays, and the next start resumes."""
        async with self._lock:
            if self._worker is None or self._watching is None:
                return
            self._worker.stop()
            await asyncio.wait((self._watching,), timeout=STOP_SECONDS)
            self._worker.kill()
            await self._watching

    async def _watch(self, worker: Worker, name: str, rules: str, folder: Path) -> None:
        from ludus.web.solve_plan import solve_in_background

        task = asyncio.wrap_future(worker.ask(solve_in_background, name, rules, folder))
        num_tables = -1
        while not (await asyncio.wait((task,), timeout=WATCH_SECONDS))[0]:
            with suppress(ValueError):
                self._progress = json.loads(worker.note)
            if self._progress.get("tables", num_tables) != num_tables:
                num_tables = self._progress["tables"]
                self._on_new_tables()
        if not isinstance(task.exception(), WorkerLost | None):
            self._error = str(task.exception())
        worker.kill()
        self._on_new_tables()

    def _describe_progress(self) -> dict[str, object]:
        done, total = self._progress.get("done", 0), self._progress.get("total", 1)
        fresh = done - self._progress.get("resumed", 0)
        seconds = time.monotonic() - self._began
        left = (total - done) * seconds / fresh / 60 if fresh > 0 else None
        return {"state": "running", "done": done / total, "minutes": left}
