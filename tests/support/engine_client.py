"""A client of `ludus engine` that uses the text protocol alone."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

from support.waiting import PATIENCE

PROGRAM = (sys.executable, "-m", "ludus.cli", "engine")

SECONDS_TO_HANG = PATIENCE
"""Seconds without output after which a test fails."""


class EngineClient:
    """A running `ludus engine`, driven through its standard streams."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> "EngineClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def say(self, *lines: str) -> None:
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def line(self) -> str:
        """Return the next line."""
        alarm = threading.Timer(SECONDS_TO_HANG, self.process.kill)
        alarm.start()
        try:
            line = self.process.stdout.readline().decode()
        finally:
            alarm.cancel()
        assert line.endswith("\n"), f"{line!r}, then the end: {self.process.stderr.read().decode()}"
        return line.rstrip("\n")

    def until(self, beginning: str) -> list[str]:
        """Return the lines up to one with this beginning."""
        lines = [self.line()]
        while not lines[-1].startswith(beginning):
            lines.append(self.line())
        return lines

    def answers(self, *lines: str) -> list[str]:
        """Send lines; return the answers up to `readyok`."""
        self.say(*lines, "isready")
        return self.until("readyok")[:-1]

    def bestmove(self, *lines: str) -> str:
        self.say(*lines)
        return self.until("bestmove ")[-1].split()[1]

    def end(self) -> tuple[int, str, str]:
        """Wait until it has ended; return its status and the rest of both streams."""
        out, err = self.process.communicate(timeout=SECONDS_TO_HANG)
        return self.process.returncode, out.decode(), err.decode()

    def interrupt(self) -> None:
        os.kill(self.process.pid, signal.SIGINT)


def talk(text: str | bytes, *arguments: str) -> tuple[int, list[str], str]:
    """Send a whole input; return the exit status, the lines of output, and standard error."""
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=text if isinstance(text, bytes) else text.encode(),
        capture_output=True,
        timeout=2 * SECONDS_TO_HANG,
        check=False,
    )
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()


def info(lines: list[str]) -> Iterator[dict[str, str]]:
    """Yield the fields of the `info` lines about moves."""
    for line in lines:
        if line.startswith("info ") and " pv " in line:
            head, _, moves = line.removeprefix("info ").partition(" pv ")
            words = head.replace("score ", "").split()
            yield {**dict(zip(words[::2], words[1::2], strict=True)), "pv": moves}
