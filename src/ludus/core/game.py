"""The contract every game keeps: what a Move, a Position and a Game can do.

Positions are values: they never change, they can be keys of a dictionary, and `str` and
`Game.parse` are exact inverses. The road to a position (which decides on repetitions) is
carried along but is no part of its value: what counts is how often the position has occurred.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from ludus.core.errors import BadMove, check_length, quoted
from ludus.core.marks import NO_MARKS, Marks
from ludus.core.outcome import Outcome

CHANCE = -1
"""The `mover` of a position where dice are rolled."""


class Move(Protocol):
    """A move, or a roll of the dice: hashable, comparable, and `str` writes it."""

    def __hash__(self) -> int: ...
    def __str__(self) -> str: ...


class Position(Protocol):
    """One state of one game, as a value."""

    @property
    def mover(self) -> int:
        """The side to move, 0 (moves first) or 1, or CHANCE."""

    def legal_moves(self) -> list[Any]:
        """Every legal move, in a fixed order; empty exactly when the game is over.

        Where the mover is CHANCE these are the rolls that can happen.
        """

    def play(self, move: Any, /) -> Self:
        """The position after a legal move; BadMove for any other."""

    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def text(self, marks: Marks = NO_MARKS) -> str:
        """The board drawn with characters, several lines."""

    def svg(self, marks: Marks = NO_MARKS) -> str:
        """The board drawn as a self-contained SVG document."""

    def __hash__(self) -> int: ...
    def __str__(self) -> str: ...


P = TypeVar("P", bound=Position)
M = TypeVar("M", bound=Move)


class Game(ABC, Generic[P, M]):
    """A game with its rules: where it starts, how it is written, and which way it is symmetric."""

    id: ClassVar[str]
    """Snake-case name, as in `nine_mens_morris`."""

    title: ClassVar[str]
    """Name for people."""

    sides: ClassVar[tuple[str, str]]
    """What the sides are called; the first one moves first."""

    presets: ClassVar[Mapping[str, Any]]
    """Named rules; the first one is the default."""

    def __init__(self, rules: Any = None, engine: str = "native") -> None:
        """A game under these rules (a frozen dataclass; by default the first preset).

        `engine` chooses between a compiled twin and the readable Python where there are both.
        """
        self.rules = next(iter(self.presets.values())) if rules is None else rules
        self.engine = engine

    @abstractmethod
    def start(self) -> P:
        """The position before the first move."""

    @abstractmethod
    def parse(self, text: str) -> P:
        """The position a text stands for, in any notation of this game; BadPosition otherwise."""

    @abstractmethod
    def steps(self, move: M) -> tuple[str, ...]:
        """The places a person touches to make this move, in order; empty for a pass."""

    @abstractmethod
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Permutations of the places that keep the rules; the identity comes first.

        `permutation[i]` is the place to which place i goes.
        """

    @abstractmethod
    def transform(self, position: P, symmetry: Sequence[int]) -> P:
        """The position seen through a symmetry. Its history is forgotten."""

    @abstractmethod
    def transform_move(self, move: M, symmetry: Sequence[int]) -> M:
        """The move seen through a symmetry."""

    def parse_move(self, text: str, position: P) -> M:
        """The legal move that a text stands for; BadMove otherwise."""
        wanted = check_length(text, BadMove).strip()
        legal = position.legal_moves()
        for move in legal:
            if str(move) == wanted:
                found: M = move
                return found
        raise BadMove(f"{quoted(text)} is not a legal move of {self.id} here{_examples(legal)}")

    def chances(self, position: P) -> list[tuple[M, float]]:
        """Where the mover is CHANCE: every roll with its probability."""
        return []

    def perft(self, position: P, depth: int) -> int:
        """The number of move sequences of this length (rolls count as moves)."""
        moves = position.legal_moves()
        if depth <= 1:
            return len(moves) if depth == 1 else 1
        return sum(self.perft(position.play(move), depth - 1) for move in moves)


AnyGame = Game[Any, Any]


def _examples(legal: Sequence[object]) -> str:
    if not legal:
        return "; the game is over"
    shown = ", ".join(str(move) for move in legal[:3])
    return f"; legal are {shown}{', …' if len(legal) > 3 else ''}"
