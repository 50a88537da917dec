"""Strategies as logic programs: clauses, program files, shipped programs, Prolog export.

Every clause is an instance of a metarule:

    postcond    P(A,B) ← Q(A,B), R(B).
    negation    P(A,B) ← Q(A,B), not R(B,_).
    forcing     P(A,B) ← Q(A,B), move(B,_), not R(B,_).

Q is `move` or another predicate of the program, R a fluent (`won`, `drawn`) or such a predicate.
The first two metarules are the published ones. *Negation* also holds on a board without moves;
*forcing* requires a move, so that a finished game is not mistaken for one in which the opponent has
no defence. A file begins with `% ludus migo 1 GAME`; its other lines are clauses that Prolog can
load, for example `win_1(A,B) :- move(A,B), won(B).`
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from ludus.core.errors import LudusError, check_length, quote
from ludus.core.files import quote_path, read_text, write_text
from ludus.core.game import AnyGame
from ludus.games.noughts_and_crosses.game import lines
from ludus.games.squares import SquaresPosition
from ludus.learn.weights import find_shipped

Metarule = Literal["postcond", "negation", "forcing"]

MOVE_PREDICATE = "move"
FLUENTS = ("drawn", "won")
"""In the order in which the learner tries them."""


class BadProgram(LudusError):
    """A text is not a program, or a program uses undefined predicates."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule: the head holds for a move from A to B if the body does."""

    head: str

    first: str
    """The predicate of the first literal, about the same move: `move` or a learned one."""

    metarule: Metarule

    second: str
    """A fluent for postcond, else a predicate about the moves from B."""

    def __str__(self) -> str:
        body = {
            "postcond": f"{self.second}(B)",
            "negation": f"not({self.second}(B,_))",
            "forcing": f"move(B,_), not({self.second}(B,_))",
        }[self.metarule]
        return f"{self.head}(A,B) :- {self.first}(A,B), {body}."


@dataclass(frozen=True)
class Program:
    """Clauses in learning order: each uses only earlier predicates."""

    clauses: tuple[Clause, ...] = ()
    _by_head: Mapping[str, tuple[Clause, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_head: dict[str, tuple[Clause, ...]] = {}
        for clause in self.clauses:
            by_head[clause.head] = (*by_head.get(clause.head, ()), clause)
        object.__setattr__(self, "_by_head", by_head)
        _check_program(self)

    def __getitem__(self, predicate: str) -> tuple[Clause, ...]:
        """Return the clauses of a predicate, in order."""
        return self._by_head[predicate]

    def __contains__(self, predicate: object) -> bool:
        return predicate in self._by_head

    def __iter__(self) -> Iterator[str]:
        """Iterate over the predicates in learning order."""
        return iter(self._by_head)

    def __add__(self, clauses: Iterable[Clause]) -> "Program":
        return Program((*self.clauses, *clauses))

    def levels(self, name: str) -> list[str]:
        """Return `win_1`, `win_2`, … or `draw_1`, …, as far as they are defined, by level."""
        found = [each for each in self if each.startswith(f"{name}_") and each.count("_") == 1]
        return sorted(found, key=parse_level)

    @property
    def strategy(self) -> list[str]:
        """The predicates that are tried in turn to find a move: wins by their depth, then draws."""
        return [*self.levels("win"), *self.levels("draw")]


def parse_level(predicate: str) -> int:
    """Return the k of `win_k` or `draw_k`."""
    return int(predicate.partition("_")[2])


def _check_program(program: Program) -> None:
    """Check that predicates are defined before they are used, so that proofs are not circular."""
    known = {MOVE_PREDICATE}
    for head in program:
        for clause in program[head]:
            used = (
                {clause.first} if clause.metarule == "postcond" else {clause.first, clause.second}
            )
            for name in sorted(used - known):
                raise BadProgram(f"{head} uses {name}, which is not defined before it")
            if clause.metarule == "postcond" and clause.second not in FLUENTS:
                raise BadProgram(f"{clause.second} in {head} is none of {', '.join(FLUENTS)}")
        known.add(head)


FORMAT_VERSION = 1
MAX_PROGRAM_CHARACTERS = 200_000

_NAME_PATTERN = r"([a-z][a-z0-9_]{0,60})"
_HEADER_PATTERN = re.compile(r"% ludus migo ([0-9]{1,6})(?: ([!-~]{1,200}))?")
_HEAD_PATTERN = rf"{_NAME_PATTERN}\(A,B\) :- {_NAME_PATTERN}\(A,B\), "
_CLAUSE_PATTERNS: tuple[tuple[Metarule, re.Pattern[str]], ...] = (
    ("postcond", re.compile(rf"{_HEAD_PATTERN}{_NAME_PATTERN}\(B\)\.")),
    ("negation", re.compile(rf"{_HEAD_PATTERN}not\({_NAME_PATTERN}\(B,_\)\)\.")),
    ("forcing", re.compile(rf"{_HEAD_PATTERN}move\(B,_\), not\({_NAME_PATTERN}\(B,_\)\)\.")),
)


@dataclass(frozen=True, slots=True)
class SavedProgram:
    """A program, and the game it was learned in."""

    program: Program
    game: str = ""
    """The spec of the game, for example `hexapawn:size=4`."""

    def __str__(self) -> str:
        title = f"% ludus migo {FORMAT_VERSION}"
        # The path of a user's definition may not fit the header; it is optional.
        named = f"{title} {self.game}"
        first = named if _HEADER_PATTERN.fullmatch(named) else title
        return "\n".join((first, *map(str, self.program.clauses), ""))

    def save(self, path: Path) -> None:
        """Write the program to a file."""
        write_text(path, str(self))


def parse_program(text: str) -> SavedProgram:
    """Parse a program; raise BadProgram if it is invalid."""
    lines = check_length(text, BadProgram, MAX_PROGRAM_CHARACTERS).split("\n")
    header = _HEADER_PATTERN.fullmatch(lines[0])
    if header is None:
        raise BadProgram(f"line 1, {quote(lines[0])}, is not `% ludus migo {FORMAT_VERSION}`")
    if int(header[1]) != FORMAT_VERSION:
        raise BadProgram(
            f"the program is of version {header[1]}; only {FORMAT_VERSION} can be read"
        )
    clauses = [
        _parse_clause(line, number)
        for number, line in enumerate(lines[1:], 2)
        if line and not line.startswith("%")
    ]
    return SavedProgram(Program(tuple(clauses)), header[2] or "")


def load_program(path: Path) -> SavedProgram:
    """Read a program from a file."""
    text = read_text(path, MAX_PROGRAM_CHARACTERS, BadProgram)
    try:
        return parse_program(text)
    except BadProgram as error:
        raise BadProgram(f"{quote_path(path)}: {error}") from error


def _parse_clause(line: str, number: int) -> Clause:
    for metarule, form in _CLAUSE_PATTERNS:
        if found := form.fullmatch(line):
            return Clause(found[1], found[2], metarule, found[3])
    raise BadProgram(f"line {number}, {quote(line)}, is no clause of a metarule")


PROGRAMS_FOLDER = Path(__file__).with_name("programs")


def load_shipped_program(name: str, mode: str) -> SavedProgram:
    """Return the shipped program of a game, by the game's spec; programs fit every `no_pawns`."""
    stem = re.sub("[:,]no_pawns=draws$", "", name).replace(":size=", "_")
    file = find_shipped(PROGRAMS_FOLDER, ".pl").get(f"{stem}.{mode}")
    if file is None:
        raise LudusError(
            f"no program of {mode} mode comes with Ludus for {quote(name)}; learn one with "
            f"`ludus train migo` and name it: program=FILE"
        )
    return load_program(file)


def _format_hexapawn_rules(rules: Any) -> str:
    return f"size({rules.size}).\nno_pawns({rules.no_pawns}).\n"


def _format_lines(rules: Any) -> str:
    squares = range(rules.size**2)
    return "".join(f"line({list(squares[line])}).\n" for line in lines(rules))


PROLOG_FACTS: Mapping[str, Callable[[Any], str]] = {
    "noughts_and_crosses": _format_lines,
    "hexapawn": _format_hexapawn_rules,
}
"""Id of a game whose move, won and drawn are written in Prolog, to the facts of its rules."""


def format_prolog(program: Program, game: AnyGame) -> str:
    """Return a complete Prolog program: the rules of the game, the learned clauses, and `choose`.

    `choose(A,B)` is true of the board B that the strategy moves to.
    """
    format_facts = PROLOG_FACTS.get(game.id)
    if format_facts is None:
        raise LudusError(f"the rules of {game.id} are not written in Prolog here")
    rules = (files(__package__) / "prolog" / f"{game.id}.pl").read_text(encoding="ascii")
    learned = "\n".join(map(str, program.clauses))
    return "\n".join(
        (rules + format_facts(game.rules), learned, *_format_play_clauses(program), "")
    )


def format_prolog_term(position: SquaresPosition) -> str:
    """Return a position of one of these games as a Prolog term."""
    cells = position.cells.replace(".", "e").lower()
    mover = str(position).rpartition(" ")[2]
    return f"s({mover},[{','.join(cells)}])"


def _format_play_clauses(program: Program) -> list[str]:
    """Return clauses for wins by depth, then draws; where neither is found, there is no move."""
    names = ("win", "draw")
    clauses = [f"{n}(A,B) :- {each}(A,B)." for n in names for each in program.levels(n)]
    chosen = [f"choose(A,B) :- {name}(A,B), !." for name in names if program.levels(name)]
    return [*clauses, *chosen]
