"""Solving in the background: it reports tables, is stopped, and goes on where it was."""

import asyncio

import pytest

from ludus.web.errors import RequestRefused
from ludus.web.solving import GameSolver
from support.engines import children
from support.stored_games import run_apart
from support.waiting import PATIENCE

GAME = ("nine_mens_morris", "men=5")


async def wait_for_state(solver, is_wanted):
    async with asyncio.timeout(PATIENCE):
        while not is_wanted(view := await solver.describe(*GAME)):
            await asyncio.sleep(0.05)
    return view


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
        await wait_for_state(solver, lambda view: view.state == "running" and view.done > 0)
        assert len(children() - before) == 1
        await solver.stop()
        assert not children() - before
        paused = await solver.describe(*GAME)
        await solver.start(*GAME)
        resumed = await wait_for_state(solver, lambda view: view.state == "running")
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
        return await wait_for_state(solver, lambda view: view.state != "running")

    (tmp_path / "nine-mens-morris-men-5").write_text("a file of someone else")
    failed = run_apart(work())
    assert failed.state == "failed"
    assert failed.why
