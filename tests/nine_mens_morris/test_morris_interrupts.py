"""Work in compiled code that would take for ever must still hear Ctrl-C."""

import signal

import pytest

import ludus


class Interrupted(Exception):
    pass


@pytest.fixture
def alarm():
    """A signal a moment from now, whose handler raises as that of Ctrl-C does."""

    def interrupt(number, frame):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "work",
    [
        lambda start: start.perft(60),
        lambda start: start.playouts(2**64 - 1),
        lambda start: start.playouts(2**64 - 1, threads=3),
    ],
    ids=["perft", "playouts", "playouts on threads"],
)
def test_long_work_can_be_interrupted(alarm, work):
    start = ludus.game("nine_mens_morris").start()
    with pytest.raises(Interrupted):
        work(start)  # would take years
