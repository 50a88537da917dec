"""A process that answers questions: one JSON object a line comes in, one goes out.

It is a program of its own, so that a player can neither hold up the server nor take it down, and
so that one that does not stop can be killed.
"""

import json
import os
import queue
import signal
import sys
import threading
from typing import Any, TextIO

from ludus.core.errors import LudusError
from ludus.web.jobs import JOBS, player_of

NICE = 5
"""Thinking gives way to the server, which answers people."""


def main() -> None:
    """Answer until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server hears Ctrl-C and decides
    os.nice(NICE)
    # What players print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    questions: queue.Queue[dict[str, Any] | None] = queue.Queue()
    desk = _Desk()
    threading.Thread(target=_read, args=(questions, desk), daemon=True).start()
    while (job := questions.get()) is not None:
        _write(answers, desk.answer(job))


class _Desk:
    """Where one question lies at a time, and whoever works on it can be told to stop."""

    def __init__(self) -> None:
        self._job: dict[str, Any] | None = None

    def answer(self, job: dict[str, Any]) -> dict[str, Any]:
        self._job = job
        try:
            return {"answer": JOBS[job["job"]](job)}
        except LudusError as error:
            return {"error": str(error)}
        except Exception as error:
            # Players are anybody's code; the server tells that one failed and goes on.
            return {"error": f"{type(error).__name__}: {error}"[:400]}
        finally:
            self._job = None

    def stop(self) -> None:
        """Ask whoever is thinking for the best move so far, if it can be asked."""
        job = self._job
        if job is not None and job["job"] == "choose":
            stop = getattr(player_of(job), "stop", None)
            if callable(stop):
                stop()


def _read(questions: "queue.Queue[dict[str, Any] | None]", desk: _Desk) -> None:
    for line in sys.stdin:
        job = json.loads(line)
        if job["job"] == "stop":
            desk.stop()
        else:
            questions.put(job)
    questions.put(None)
    # The server is gone; whoever still thinks, thinks in vain.
    desk.stop()


def _write(answers: TextIO, answer: dict[str, Any]) -> None:
    try:
        print(json.dumps(answer), file=answers, flush=True)
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
