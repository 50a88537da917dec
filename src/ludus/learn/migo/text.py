"""Programs as files: Prolog that Prolog can load, with a first line that says what it is.

% ludus migo 1 noughts_and_crosses
win_1(A,B) :- move(A,B), won(B).
"""

import re
from dataclasses import dataclass
from pathlib import Path

from ludus.core.errors import check_length, quoted
from ludus.learn.migo.program import BadProgram, Clause, Metarule, Program

VERSION = 1
MAX_CHARACTERS = 200_000
MAX_BYTES = 4 * MAX_CHARACTERS

_NAME = r"([a-z][a-z0-9_]{0,60})"
_HEADER = re.compile(r"% ludus migo ([0-9]{1,6})(?: ([!-~]{1,200}))?")
_HEAD = rf"{_NAME}\(A,B\) :- {_NAME}\(A,B\), "
_FORMS: tuple[tuple[Metarule, re.Pattern[str]], ...] = (
    ("postcond", re.compile(rf"{_HEAD}{_NAME}\(B\)\.")),
    ("negation", re.compile(rf"{_HEAD}not\({_NAME}\(B,_\)\)\.")),
    ("forcing", re.compile(rf"{_HEAD}move\(B,_\), not\({_NAME}\(B,_\)\)\.")),
)


@dataclass(frozen=True, slots=True)
class Saved:
    """A program, and the game it was learned in."""

    program: Program
    game: str = ""
    """The spec of the game, as in `hexapawn:size=4`."""

    def __str__(self) -> str:
        title = f"% ludus migo {VERSION}"
        # A file of one's own may have a name that a line cannot hold; nobody needs it.
        named = f"{title} {self.game}"
        first = named if _HEADER.fullmatch(named) else title
        return "\n".join((first, *map(str, self.program.clauses), ""))


def parse_program(text: str) -> Saved:
    """The program a text stands for; BadProgram if it is none."""
    lines = check_length(text, BadProgram, MAX_CHARACTERS).split("\n")
    header = _HEADER.fullmatch(lines[0])
    if header is None:
        raise BadProgram(f"line 1, {quoted(lines[0])}, is not `% ludus migo {VERSION}`")
    if int(header[1]) != VERSION:
        raise BadProgram(f"the program is of version {header[1]}; only {VERSION} can be read")
    clauses = [
        _clause(line, number)
        for number, line in enumerate(lines[1:], 2)
        if line and not line.startswith("%")
    ]
    return Saved(Program(tuple(clauses)), header[2] or "")


def load_program(path: Path) -> Saved:
    """The program in a file."""
    where = quoted(str(path), 200)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise BadProgram(f"{where} is no program: it is not plain ASCII text") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadProgram(f"cannot read {where}: {reason}") from error
    try:
        return parse_program(text)
    except BadProgram as error:
        raise BadProgram(f"{where}: {error}") from error


def _clause(line: str, number: int) -> Clause:
    for metarule, form in _FORMS:
        if found := form.fullmatch(line):
            return Clause(found[1], found[2], metarule, found[3])
    raise BadProgram(f"line {number}, {quoted(line)}, is no clause of a metarule")
