"""A process that answers questions: one JSON object a line comes in, one goes out.

    python -m ludus.web.worker NICE

It is a program of its own, so that a player can neither hold up the server nor take it down, and
so that one that does not stop can be killed.
"""

import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, TextIO

from ludus.core.errors import LudusError
from ludus.core.threads import one_thread_for_arrays
from ludus.web import jobs

SECONDS_A_LOOK = 0.05


def main() -> None:
    """Answer until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server hears Ctrl-C and decides
    os.nice(int(sys.argv[1]))
    one_thread_for_arrays()
    # What players print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    desk = _Desk()
    threading.Thread(target=desk.read, daemon=True).start()
    for answer in desk.answers():
        _write(answers, answer)


class _Desk:
    """Where questions lie until they are answered, and whoever works on one is told to stop."""

    def __init__(self) -> None:
        self._questions: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._is_busy = threading.Event()

    def read(self) -> None:
        """Take in what comes, on a thread of its own."""
        for line in sys.stdin:
            job = json.loads(line)
            if job["job"] == "stop":
                self._stop()
            else:
                self._is_busy.set()
                self._questions.put(job)
        self._questions.put(None)
        # The server is gone; whoever still thinks, thinks in vain.
        self._stop()

    def answers(self) -> Iterator[dict[str, Any]]:
        """Answers, one question after the other, until nobody asks any more."""
        while (job := self._questions.get()) is not None:
            answer = _answer(job)
            self._is_busy.clear()
            yield answer

    def _stop(self) -> None:
        """Ask whoever is thinking for the best move so far, if it can be asked.

        It may not have begun yet, so it is asked until it has answered.
        """
        while self._is_busy.is_set():
            stop = getattr(jobs.thinking(), "stop", None)
            if callable(stop):
                stop()
            time.sleep(SECONDS_A_LOOK)


def _answer(job: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": jobs.JOBS[job["job"]](job)}
    except LudusError as error:
        return {"error": str(error)}
    except Exception as error:
        # Players are anybody's code; the server tells that one failed and goes on.
        return {"error": f"{type(error).__name__}: {error}"[:400]}


def _write(answers: TextIO, answer: dict[str, Any]) -> None:
    try:
        print(json.dumps(answer), file=answers, flush=True)
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
