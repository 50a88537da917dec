"""What is seen and typed: the board in colours, lines of text, and a question."""

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rich.columns import Columns
from rich.text import Text

from ludus.cli.output import console
from ludus.core.marks import Marks

STYLES = {
    r"[─│┌┐└┘├┤┬┴┼╲╱]+": "dim",
    r"(?<!\w)[○X](?!\w)": "bold cyan",
    r"(?<!\w)[●O](?!\w)": "bold magenta",
    r"◌|[‹›]": "bold green",
    r"\((?=.\))|(?<=\(.)\)": "bold yellow",
    r"\[.\]": "reverse",
    r">(?=.<)|(?<=>.)<": "bold red",
    r"✓": "bold green",
}
"""How the characters of a drawn board look, whatever the game: lines, men, marks."""


class Screen:
    """A terminal, or a pipe that stands for one."""

    def __init__(self, *, stderr: bool = False) -> None:
        self.console = console(stderr=stderr)
        self.is_live = self.console.is_terminal and not self.console.is_dumb_terminal
        self.has_keyboard = sys.stdin.isatty()
        if self.has_keyboard and self.is_live:
            import readline  # noqa: F401 - its import gives `input` line editing and a memory

    def show(self, title: str, position: Any, marks: Marks, news: Iterable[str]) -> None:
        """The board on a clear screen, with what has happened below it."""
        if self.is_live:
            self.console.clear()
        self.say(title, "bold")
        self.console.print()
        board = Text(position.text(marks))
        for pattern, style in STYLES.items():
            board.highlight_regex(pattern, style)
        self.console.print(board, soft_wrap=True)
        for line in news:
            self.say(line)

    def say(self, text: str, style: str = "") -> None:
        """A line of text; what cannot be printed is left out."""
        shown = "".join(letter for letter in text if letter.isprintable() or letter == "\n")
        self.console.print(Text(shown, style))

    def list(self, words: Iterable[str]) -> None:
        """Words in columns."""
        self.console.print(Columns([Text(word) for word in words], padding=(0, 2)))

    def ask(self, question: str) -> str | None:
        """What was typed, or None at the end of input."""
        try:
            line = self._line(f"{question} ")
        except (EOFError, KeyboardInterrupt) as stop:
            self.say("")
            if isinstance(stop, EOFError):
                return None
            raise
        if not self.has_keyboard:
            self.say(line)
        return line

    def _line(self, question: str) -> str:
        if self.has_keyboard and not self.console.stderr:
            self.console.file.flush()
            return input(question).strip()
        self.console.print(Text(question), end="")
        self.console.file.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.strip()

    def thinking(self, who: str) -> AbstractContextManager[object]:
        """Something that moves while a player thinks."""
        return self.console.status(f"{who} …") if self.is_live else nullcontext()
