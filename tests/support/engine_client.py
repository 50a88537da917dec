"""Somebody who knows the protocol and nothing else of Ludus, and talks to the program."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

from support.waiting import PATIENCE

PROGRAM = (sys.executable, "-m", "ludus.cli", "engine")

SECONDS_TO_HANG = PATIENCE
"""After this long a program that says nothing is taken to hang, and the test fails."""


class Stranger:
    """Starts the program, says lines and reads lines."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> "Stranger":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def say(self, *lines: str) -> None:
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def line(self) -> str:
        """The next line."""
        alarm = threading.Timer(SECONDS_TO_HANG, self.process.kill)
        alarm.start()
        try:
            line = self.process.stdout.readline().decode()
        finally:
            alarm.cancel()
        assert line.endswith("\n"), f"{line!r}, then the end: {self.process.stderr.read().decode()}"
        return line.rstrip("\n")

    def until(self, beginning: str) -> list[str]:
        """Lines up to one that begins so."""
        lines = [self.line()]
        while not lines[-1].startswith(beginning):
            lines.append(self.line())
        return lines

    def answers(self, *lines: str) -> list[str]:
        """What it says to these lines, before it is ready again."""
        self.say(*lines, "isready")
        return self.until("readyok")[:-1]

    def bestmove(self, *lines: str) -> str:
        self.say(*lines)
        return self.until("bestmove ")[-1].split()[1]

    def end(self) -> tuple[int, str, str]:
        """Wait until it has ended; its status and what was still to be read."""
        out, err = self.process.communicate(timeout=SECONDS_TO_HANG)
        return self.process.returncode, out.decode(), err.decode()

    def interrupt(self) -> None:
        os.kill(self.process.pid, signal.SIGINT)


def talk(text: str | bytes, *arguments: str) -> tuple[int, list[str], str]:
    """Say everything at once: status, what was said, and what was complained about."""
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=text if isinstance(text, bytes) else text.encode(),
        capture_output=True,
        timeout=2 * SECONDS_TO_HANG,
        check=False,
    )
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()


def info(lines: list[str]) -> Iterator[dict[str, str]]:
    """The `info` lines about moves, taken apart."""
    for line in lines:
        if line.startswith("info ") and " pv " in line:
            head, _, moves = line.removeprefix("info ").partition(" pv ")
            words = head.replace("score ", "").split()
            yield {**dict(zip(words[::2], words[1::2], strict=True)), "pv": moves}
