"""Solving in the background: it reports tables, is stopped, and goes on where it was."""

import asyncio

import pytest

from ludus.games import registered_game
from ludus.web.errors import RequestRefused
from ludus.web.solve_plan import make_plan
from ludus.web.solving import GameSolver
from support.engines import children
from support.stored_games import run_apart
from support.waiting import PATIENCE

GAME = ("nine_mens_morris", "men=6")
"""Takes most of a minute, so that it is not over before it is stopped."""


async def wait_for(find):
    """Return what is found as soon as it is."""
    async with asyncio.timeout(PATIENCE):
        while not (found := await find()):
            await asyncio.sleep(0.05)
    return found


async def count_written_slots():
    """Return how much is in the files; the progress that is shown includes the table in work."""
    return make_plan(registered_game(*GAME), "").solved_slots


def test_it_is_stopped_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_ORACLE", str(tmp_path))
    tables = []

    async def work():
        solver = GameSolver(lambda: tables.append(1))
        assert (await solver.describe(*GAME)).state == "none"
        before = children()
        await solver.start(*GAME)
        with pytest.raises(RequestRefused, match="a game is being solved"):
            await solver.start(*GAME)
        await wait_for(count_written_slots)
        assert (await solver.describe(*GAME)).state == "running"
        assert len(children() - before) == 1
        await solver.stop()
        assert not children() - before
        paused = await solver.describe(*GAME)
        await solver.start(*GAME)
        resumed = await solver.describe(*GAME)
        await solver.stop()
        await solver.stop()
        return paused, resumed

    paused, resumed = run_apart(work())
    assert (paused.state, resumed.state) == ("paused", "running")
    assert 0 < paused.done < 1
    assert len(tables) >= 2


def test_what_stops_it_is_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_ORACLE", str(tmp_path))

    async def work():
        solver = GameSolver(lambda: None)
        await solver.start(*GAME)

        async def find_end():
            view = await solver.describe(*GAME)
            return view if view.state != "running" else None

        return await wait_for(find_end)

    (tmp_path / "nine-mens-morris-men-6").write_text("a file of someone else")
    failed = run_apart(work())
    assert failed.state == "failed"
    assert failed.why
