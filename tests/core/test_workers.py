"""Worker processes: answers, errors, notes, requests to stop, and how they end."""

import gc
import os
import signal
import threading

import pytest

from ludus.core.errors import BadSpec, LudusError
from ludus.core.workers import Worker, WorkerLost, leave_note, on_stop
from support.engines import children, is_there, wait_until_gone
from support.waiting import PATIENCE, wait_until


def divide(one, other):
    return one / other


def refuse(text):
    raise BadSpec(text)


def give_lock():
    return threading.Lock()


def note(text):
    leave_note(text)


def note_and_die(text):
    leave_note(text)
    os._exit(3)


def wait_for_stop():
    """Return when the worker is asked to stop."""
    stopped = threading.Event()
    with on_stop(stopped.set):
        leave_note("waiting")
        return stopped.wait(PATIENCE)


@pytest.fixture
def worker():
    found = Worker()
    yield found
    found.close()


def test_answers_come_in_the_order_of_the_questions(worker):
    answers = [worker.ask(divide, number, 2) for number in range(50)]
    assert [answer.result(PATIENCE) for answer in answers] == [n / 2 for n in range(50)]
    assert worker.ask(len, bytes(3_000_000)).result(PATIENCE) == 3_000_000
    assert worker.ask(os.getpid).result(PATIENCE) == worker.pid != os.getpid()


def test_errors_are_those_of_ludus(worker):
    with pytest.raises(LudusError, match=r"^ZeroDivisionError: division by zero$"):
        worker.ask(divide, 1, 0).result(PATIENCE)
    with pytest.raises(BadSpec, match="no such thing"):
        worker.ask(refuse, "no such thing").result(PATIENCE)
    with pytest.raises(LudusError, match="cannot pickle"):
        worker.ask(give_lock).result(PATIENCE)
    with pytest.raises(LudusError, match="cannot be run by another process"):
        worker.ask(lambda: None)
    assert worker.ask(divide, 3, 2).result(PATIENCE) == 1.5


def test_what_is_printed_is_no_answer(capfd):
    worker = Worker()
    assert worker.ask(print, "hello").result(PATIENCE) is None
    worker.close()
    assert capfd.readouterr() == ("", "hello\n")


def test_notes_are_read_while_it_works_and_after_its_end(worker):
    assert worker.note == ""
    for text in ("a long text", "short", "", "x" * 5000):
        worker.ask(note, text).result(PATIENCE)
        assert worker.note == text[:1023]
    with pytest.raises(WorkerLost):
        worker.ask(note_and_die, "the last one").result(PATIENCE)
    assert worker.note == "the last one"
    assert (worker.has_ended, worker.describe_exit()) == (True, "exit status 3")


def test_a_request_is_hurried(worker):
    answer = worker.ask(wait_for_stop)
    wait_until(lambda: worker.note == "waiting", "it waits")
    worker.stop()
    assert answer.result(PATIENCE) is True
    worker.stop()  # there is nothing to hurry
    assert worker.ask(divide, 3, 2).result(PATIENCE) == 1.5


def test_a_killed_worker_answers_no_more(worker):
    answers = [worker.ask(wait_for_stop), worker.ask(divide, 3, 2)]
    wait_until(lambda: worker.note == "waiting", "it waits")
    os.kill(worker.pid, signal.SIGKILL)
    for answer in answers:
        with pytest.raises(WorkerLost):
            answer.result(PATIENCE)
    assert worker.describe_exit() == "signal 9"
    worker.close()
    worker.stop()
    with pytest.raises(WorkerLost):
        worker.ask(divide, 3, 2).result(PATIENCE)


@pytest.mark.parametrize("is_busy", [False, True])
def test_no_process_and_no_file_are_left(tmp_path, monkeypatch, is_busy):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before, threads = children(), threading.active_count()
    closed, forgotten, killed = Worker(), Worker(), Worker()
    for worker in (closed, forgotten, killed):
        worker.ask(divide, 3, 2).result(PATIENCE)
        if is_busy:
            worker.ask(wait_for_stop)
    assert list(tmp_path.iterdir()) == []
    number = forgotten.pid
    assert is_there(number)
    closed.close()
    killed.kill()
    del worker, forgotten
    gc.collect()
    wait_until_gone([number])
    assert not children() - before
    assert threading.active_count() <= threads
