"""Long work in compiled code can be interrupted by Ctrl-C."""

import signal

import pytest

import ludus


class Interrupted(Exception):
    pass


@pytest.fixture
def interrupt_soon():
    """Sends a signal after a moment of processor time; its handler raises as that of Ctrl-C does.

    Not SIGALRM, which ends tests that take too long.
    """

    def interrupt(number, frame):
        raise Interrupted

    before = signal.signal(signal.SIGVTALRM, interrupt)
    yield lambda: signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize(
    "work",
    [
        lambda start: start.perft(60),
        lambda start: start.playouts(2**64 - 1),
        lambda start: start.playouts(2**64 - 1, threads=3),
    ],
    ids=["perft", "playouts", "playouts on threads"],
)
def test_long_work_can_be_interrupted(interrupt_soon, work):
    start = ludus.game("nine_mens_morris").start()
    interrupt_soon()
    with pytest.raises(Interrupted):
        work(start)  # would take years
