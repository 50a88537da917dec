"""Terminal output and input: the board in colours, lines of text, a prompt."""

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext

from rich.columns import Columns
from rich.text import Text

from ludus.cli.output import make_console
from ludus.core.game import Position
from ludus.core.marks import Marks

BOARD_STYLES = {
    r"[─│┌┐└┘├┤┬┴┼╲╱]+": "dim",
    r"(?<!\w)[○X](?!\w)": "bold cyan",
    r"(?<!\w)[●O](?!\w)": "bold magenta",
    r"◌|[‹›]": "bold green",
    r"\((?=.\))|(?<=\(.)\)": "bold yellow",
    r"\[.\]": "reverse",
    r">(?=.<)|(?<=>.)<": "bold red",
    r"✓": "bold green",
}
"""Styles of the characters of a text board of any game: lines, men, marks."""


class Screen:
    """A terminal, or a pipe in its place."""

    def __init__(self, *, stderr: bool = False) -> None:
        self.console = make_console(stderr=stderr)
        self.is_interactive = self.console.is_terminal and not self.console.is_dumb_terminal
        self.has_keyboard = sys.stdin.isatty()
        if self.has_keyboard and self.is_interactive:
            import readline  # noqa: F401 - its import gives `input` line editing and history

    def show_position(
        self, title: str, position: Position, marks: Marks, messages: Iterable[str]
    ) -> None:
        """Clear the screen and print the title, the board and the messages."""
        if self.is_interactive:
            self.console.clear()
        self.print_line(title, "bold")
        self.console.print()
        board = Text(position.text(marks))
        for pattern, style in BOARD_STYLES.items():
            board.highlight_regex(pattern, style)
        self.console.print(board, soft_wrap=True)
        for line in messages:
            self.print_line(line)

    def print_line(self, text: str, style: str = "") -> None:
        """Print a line of text without its unprintable characters."""
        printable = "".join(char for char in text if char.isprintable() or char == "\n")
        self.console.print(Text(printable, style))

    def print_columns(self, words: Iterable[str]) -> None:
        """Print words in columns."""
        self.console.print(Columns([Text(word) for word in words], padding=(0, 2)))

    def read_line(self, prompt: str) -> str | None:
        """Prompt for a line and return it, or None at the end of input."""
        try:
            line = self._read_input(f"{prompt} ")
        except (EOFError, KeyboardInterrupt) as stop:
            self.print_line("")
            if isinstance(stop, EOFError):
                return None
            raise
        if not self.has_keyboard:
            self.print_line(line)
        return line

    def _read_input(self, prompt: str) -> str:
        if self.has_keyboard and not self.console.stderr:
            self.console.file.flush()
            return input(prompt).strip()
        self.console.print(Text(prompt), end="")
        self.console.file.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.strip()

    def show_busy(self, message: str) -> AbstractContextManager[object]:
        """Return a context that shows a spinner while a player computes."""
        return self.console.status(f"{message} …") if self.is_interactive else nullcontext()
