"""The game in a real terminal: a pseudo-terminal with a person who waits for each question."""

import os
import pty
import re
import select
import signal
import subprocess
import time

import pytest

from support.command_line import PROGRAM
from support.waiting import PATIENCE, wait_until_asleep

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")

pytestmark = pytest.mark.needs("pseudo-terminal")


class Terminal:
    """A program in a terminal of 80 columns and 24 rows."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.master, slave = pty.openpty()
        known = {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", **environment}
        clean = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
        self.program = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**clean, **known},
            start_new_session=True,
        )
        os.close(slave)
        self.raw = ""

    def wait_for(self, words: str) -> str:
        """Return the output up to these words, without colours."""
        seen = ""
        deadline = time.monotonic() + PATIENCE
        while words not in ESCAPES.sub("", seen):
            more = self._read(deadline)
            assert more, f"{words!r} did not come; there is {seen!r}"
            seen += more
        self.raw += seen
        return ESCAPES.sub("", seen)

    def _read(self, deadline: float) -> str:
        ready, _, _ = select.select([self.master], [], [], max(deadline - time.monotonic(), 0))
        try:
            return os.read(self.master, 65536).decode(errors="replace") if ready else ""
        except OSError:  # the program has closed the terminal
            return ""

    def type(self, line: str) -> None:
        os.write(self.master, f"{line}\n".encode())

    def rest(self) -> str:
        """Return the output until the program ends."""
        seen = ""
        deadline = time.monotonic() + PATIENCE
        while more := self._read(deadline):
            seen += more
        self.raw += seen
        self.program.wait(PATIENCE)
        return ESCAPES.sub("", seen)


@pytest.fixture
def terminal():
    opened: list[Terminal] = []

    def open_one(*arguments: str, **environment: str) -> Terminal:
        opened.append(Terminal(*arguments, **environment))
        return opened[-1]

    yield open_one
    for one in opened:
        if one.program.poll() is None:
            one.program.kill()
            one.program.wait()
        os.close(one.master)


def test_a_whole_game_with_a_hint_and_a_move_taken_back(terminal):
    person = terminal("play", "--text", "noughts_and_crosses", "--seed", "5")
    assert "you are crosses, playouts is noughts" in person.wait_for("your move?")
    person.type("hint")
    seen = person.wait_for("your move?")
    assert ": draw (exact: the solved game)" in seen
    assert re.search(r"Best moves: (?:[abc][123] draw(?:, )?){5}", seen)
    person.type("a1")
    assert "Noughts played" in person.wait_for("your move?")
    person.type("back")
    assert "Taken back." in person.wait_for("your move?")
    for _ in range(5):
        person.type("hint")
        seen = person.wait_for("your move?")
        best = re.search(r"^([abc][123]): (?:win|draw)", seen, re.MULTILINE)
        assert best, seen
        person.type(best[1])
        seen = person.wait_for("?")
        if "Another game?" in seen:
            break
    assert re.search(r"(You won: you completed a line|A draw: the board was full)\.", seen)
    person.type("no")
    assert "Goodbye." in person.rest()
    assert person.program.returncode == 0
    assert "\x1b[1;36mX" in person.raw


def test_another_game_is_offered(terminal):
    person = terminal("play", "--text", "hexapawn", "--side", "both", "--position", "B../.W./..W w")
    person.wait_for("your move?")
    person.type("b2xa3")
    assert "White won: white crossed the board." in person.wait_for("Another game?")
    person.type("perhaps")
    assert "answer yes or no" in person.wait_for("Another game?")
    person.type("back")
    assert "Taken back." in person.wait_for("your move?")
    person.type("b2-b3")
    person.wait_for("Another game?")
    person.type("yes")
    assert "‹○›" in person.wait_for("your move?")
    person.type("quit")
    person.rest()


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_plain_look_has_no_colours(terminal, environment):
    person = terminal("play", "--text", "hexapawn", **environment)
    person.wait_for("your move?")
    person.type("quit")
    person.rest()
    assert not re.search(r"\x1b\[[0-9;]*m", person.raw)


def test_control_d_and_control_c_end_quietly(terminal):
    person = terminal("play", "--text", "hexapawn")
    person.wait_for("your move?")
    os.write(person.master, b"\x04")
    assert "Goodbye." in person.rest()
    assert person.program.returncode == 0
    other = terminal("play", "--text", "hexapawn")
    other.wait_for("your move?")
    wait_until_asleep(other.program)
    other.program.send_signal(signal.SIGINT)
    assert "Traceback" not in other.rest()
    assert other.program.returncode == 130


def test_a_match_shows_its_progress(terminal):
    watched = terminal("match", "hexapawn", "random", "random", "--games", "3000")
    assert "playing" in watched.wait_for("%")
    watched.rest()
    assert watched.program.returncode == 0
