"""What a person sees and types in a terminal: the board in colours, a prompt, a move in parts."""

import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rich.columns import Columns
from rich.text import Text

from ludus.cli.output import make_console
from ludus.core.errors import BadMove, check_length, quote
from ludus.core.game import Move, Position
from ludus.core.marks import Marks
from ludus.games.move_entry import AnyMoveEntry

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
            if self.has_keyboard and not self.console.stderr:
                self.console.file.flush()
                return input(f"{prompt} ").strip()
            self.console.print(Text(f"{prompt} "), end="")
            self.console.file.flush()
            if not (line := sys.stdin.readline()):
                raise EOFError
        except (EOFError, KeyboardInterrupt) as stop:
            self.print_line("")
            if isinstance(stop, EOFError):
                return None
            raise
        if not self.has_keyboard:
            self.print_line(line.strip())
        return line.strip()

    def show_busy(self, message: str) -> AbstractContextManager[object]:
        """Return a context that shows a spinner while a player computes."""
        return self.console.status(f"{message} …") if self.is_interactive else nullcontext()


SEPARATORS = r"[\s,;:/>→*x-]*+"
"""What may separate two places; possessive, so that matching takes linear time."""

STAGE_PROMPTS = {"begin": "then?", "go": "to?", "take": "take?"}
"""Prompts for the next place of a move that is begun."""


class TypedMove:
    """A move entered by text; places have the names that the mover uses."""

    def __init__(self, move_entry: AnyMoveEntry, position: Position) -> None:
        self.move_entry = move_entry
        self.position = position
        self.clear()

    def clear(self) -> None:
        """Discard the places entered so far."""
        self.partial = self.move_entry.enter(self.position, ())

    @property
    def moves(self) -> Sequence[Move]:
        """The legal moves that can be completed after the places entered so far."""
        return self.move_entry.matching_moves(self.position, self.partial.touched)

    @property
    def chosen_places(self) -> tuple[str, ...]:
        """The places entered so far."""
        return tuple(map(self.convert_place, self.partial.touched))

    @property
    def next_places(self) -> list[str]:
        """The possible next places."""
        return list(map(self.convert_place, self.partial.places))

    @property
    def prompt(self) -> str:
        """The prompt for the next place."""
        return STAGE_PROMPTS[self.partial.stage] if self.partial.touched else "your move?"

    def convert_place(self, place: str) -> str:
        """Convert between a place of the board and the mover's name for it; its own inverse."""
        return self.move_entry.place_name(place, self.position.mover)

    def enter(self, text: str) -> Any:
        """Return the move that a text completes, or None if places are missing; raise BadMove.

        A text that can be both a place and a whole move (in some games) is a place if one has
        been entered already, else a move.
        """
        begun = self.partial.touched
        if begun and self._enter_places(text):
            return self.partial.move
        try:
            return self.move_entry.game.parse_move(text, self.position)
        except BadMove as error:
            if not begun and self._enter_places(text):
                return self.partial.move
            if not begun:
                raise
            shown = "-".join(self.chosen_places)
            raise BadMove(f"{quote(text)} does not continue {shown}") from error

    def _enter_places(self, text: str) -> bool:
        """Add the places of a text; return whether a legal move begins so."""
        known = map(self.convert_place, self.move_entry.known_places(self.position))
        names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
        cleaned = check_length(text, BadMove).strip().lower()
        if not cleaned or not re.fullmatch(f"{SEPARATORS}(?:(?>{names}){SEPARATORS})++", cleaned):
            return False
        partial = self.partial
        try:
            for name in re.findall(names, cleaned):
                place = self.convert_place(name)
                partial = self.move_entry.extend(self.position, partial.touched, place)
        except BadMove:
            return False
        self.partial = partial
        return True
