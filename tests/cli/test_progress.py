"""Progress bars, and computations on a thread."""

import threading
from types import SimpleNamespace

import pytest

import ludus
from ludus.cli import games, output
from ludus.cli.main import run
from ludus.cli.output import run_interruptible, run_with_progress_bar, show_progress, track_progress


@pytest.fixture(params=[False, True], ids=["a file", "a terminal"])
def has_bar(request, monkeypatch):
    monkeypatch.setattr(output, "has_progress_bar", lambda: request.param)
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes the captured output for a terminal
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return request.param


def test_every_item_comes_through(has_bar, capsys):
    assert list(track_progress(iter("abc"), 3, "reading")) == ["a", "b", "c"]
    assert ("reading" in capsys.readouterr().err) == has_bar


def test_a_bar_has_a_label_and_a_total_that_may_change(has_bar, capsys):
    with show_progress("searching") as update:
        update(1, 4)
        update(2, label="searching, best 3")
    out, err = capsys.readouterr()
    assert out == ""
    assert ("best 3" in err) == has_bar


@pytest.mark.parametrize("game", ["hexapawn", "nine_mens_morris", "backgammon"])
@pytest.mark.parametrize("more", [(), ("--divide",)], ids=["sum", "divide"])
def test_perft_shows_its_progress(has_bar, capsys, monkeypatch, game, more):
    monkeypatch.setattr(games, "has_progress_bar", lambda: has_bar)
    monkeypatch.setattr(games, "MIN_SHOWN_DEPTH", 3)
    assert run(["perft", game, "3", *more]) == 0
    out, err = capsys.readouterr()
    chosen = ludus.game(game)
    assert out.splitlines()[-1].startswith(f"{chosen.perft(chosen.start(), 3)} nodes ")
    assert ("counting" in err) == has_bar


def test_a_thread_gives_its_result_or_its_error():
    assert run_interruptible(lambda: threading.current_thread() is threading.main_thread()) is False
    with pytest.raises(ZeroDivisionError):
        run_interruptible(lambda: 1 / 0)


def test_a_job_reports_and_an_interrupt_stops_it(has_bar, monkeypatch):
    monkeypatch.setattr(output, "POLL_SECONDS", 0.01)
    state = SimpleNamespace(total=10, done=5, resumed=1, current=(3, 3, 0, 0))
    ended = threading.Event()

    def interrupt(*_):
        raise KeyboardInterrupt

    job = SimpleNamespace(progress=state, run=ended.wait, stop=ended.set)
    with pytest.raises(KeyboardInterrupt):
        run_with_progress_bar(job, "solving", interrupt)
    assert ended.is_set()


def test_a_job_shows_what_it_works_at(has_bar, capsys, monkeypatch):
    monkeypatch.setattr(output, "POLL_SECONDS", 0.01)
    state = SimpleNamespace(total=10, done=5, resumed=1, current=(3, 3, 0, 0))
    seen = threading.Event()
    job = SimpleNamespace(progress=state, run=lambda: seen.wait(60), stop=seen.set)
    assert run_with_progress_bar(job, "solving", lambda progress: seen.set())
    assert ("3_3_0_0" in capsys.readouterr().err) == has_bar
