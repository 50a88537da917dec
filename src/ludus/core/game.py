"""The interface of every game: Outcome, Move, Position and Game.

Positions are values: immutable, hashable, and `str` and `Game.parse` are exact inverses. The
history of a position (needed by the repetition rule) is stored with it but is not part of its
value; the number of times the position has occurred is.
"""

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, Self, TypedDict

from ludus.core.errors import BadArgument, BadMove, check_length, quote, quote_value
from ludus.core.html import format_facts, format_panel
from ludus.core.marks import NO_MARKS, Marks
from ludus.core.notation import MoveNotation
from ludus.core.spec import format_options


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: the winner, the reason, and the points.

    >>> Outcome(winner=1, reason="blocked")
    Outcome(winner=1, reason='blocked', points=1)
    """

    winner: int | None
    """The side that won, 0 or 1; None for a draw."""

    reason: str
    """The reason in one word: `men`, `blocked`, `repetition`, `line`, `illegal`, …"""

    points: int = 1
    """Points of the win; more than one only in backgammon (gammon 2, backgammon 3)."""

    def score(self, side: int) -> int:
        """Return this side's points: positive for a win, negative for a loss, zero for a draw."""
        if self.winner is None:
            return 0
        return self.points if self.winner == side else -self.points

    def format(self, sides: tuple[str, str]) -> str:
        """Return the result and the reason's word, as in `draw (full)`."""
        result = "draw" if self.winner is None else f"{sides[self.winner]} wins"
        return f"{result} ({self.reason})"

    def __str__(self) -> str:
        return self.format(("side 0", "side 1"))


CHANCE = -1
"""The `mover` of a position where dice are rolled."""


class Move(Protocol):
    """A move, or a roll of the dice: hashable, comparable, and written by `str`."""

    def __hash__(self) -> int: ...
    def __str__(self) -> str: ...


class Position(Protocol):
    """A state of a game, as a value."""

    @property
    def mover(self) -> int:
        """The side to move, 0 (moves first) or 1, or CHANCE."""

    def legal_moves(self) -> list[Any]:
        """Return every legal move in a fixed order; empty exactly when the game is over.

        Where the mover is CHANCE these are the possible rolls.
        """

    def play(self, move: Any, /) -> Self:  # every game has its own type of moves
        """Return the position after a legal move; BadMove for any other move."""

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it is in progress."""

    def text(self, marks: Marks = NO_MARKS) -> str:
        """Draw the board with characters, several lines."""

    def drawing(self, marks: Marks = NO_MARKS) -> Any:
        """Draw the board as a `ludus.render.canvas.Drawing`."""

    def svg(self, marks: Marks = NO_MARKS) -> str:
        """Draw the board as a self-contained SVG document."""

    def _repr_svg_(self) -> str:
        """Return `svg()`, which notebooks show; `ludus.render.canvas.Drawable` has both."""

    def __hash__(self) -> int: ...
    def __str__(self) -> str: ...


class GameTally(TypedDict):
    """Results of many games played in compiled code, by side."""

    games: int
    wins: tuple[int, int]
    draws: int
    plies: int
    reasons: dict[str, int]


MAN_VALUE = 100
"""The value of a man, which is the unit of `Game.evaluate`."""

ADDED_LATER: Mapping[str, bool] = MappingProxyType({"is_added_later": True})
"""Metadata of a field of rules that older seeds and files do not know, and have by default."""


def identify_rules(rules: Any) -> dict[str, Any]:
    """Return the fields of rules that identify them, without later additions at their default."""
    return {
        each.name: value
        for each in fields(rules)
        for value in [getattr(rules, each.name)]
        if not (each.metadata.get("is_added_later") and value == each.default)
    }


@dataclass(frozen=True, slots=True)
class GameStakes:
    """What a game is played for: the doubling cube, and the score of a match."""

    cube: int | None
    """What the cube shows; None in games without it."""

    owner: int | None
    """The side that may double next; None while both may."""

    match: int
    """Points of the match; 0 for money."""

    score: tuple[int, int]
    crawford: bool
    jacoby: bool
    can_resign: bool
    """Whether resigning is one of the actions before a roll."""


OracleKind = Literal["memory", "tables", "equities"]
"""Solved in memory, tables of `ludus.oracles.morris`, or equities of `oracles.backgammon`."""

PlaceRow = tuple[str, ...]
"""Places that form a line on the board."""

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    P = TypeVar("P", bound=Position, default=Any)
    M = TypeVar("M", bound=Move, default=Any)
else:  # type checkers have defaults of type variables before Python does
    from typing import TypeVar

    P, M = TypeVar("P"), TypeVar("M")


class Game(ABC, Generic[P, M]):
    """A game with its rules: start position, notation and symmetries.

    A game must define the abstract methods. Everything else that players, learners and front ends
    know about a particular game is an attribute or method below with a default that works for any
    game; no other package asks which game it has.
    """

    id: ClassVar[str]
    """Snake-case name, as in `nine_mens_morris`."""

    title: ClassVar[str]
    """Display name."""

    sides: ClassVar[tuple[str, str]]
    """Names of the sides; the first one moves first."""

    presets: ClassVar[Mapping[str, Any]]
    """Named rules; the first one is the default."""

    preset_aliases: ClassVar[Mapping[str, str]] = {}
    """Other names of presets."""

    default_player: ClassVar[str] = "playouts"
    """Spec of the player that plays this game when none is named."""

    analysts: ClassVar[tuple[str, ...]] = ("playouts",)
    """Specs of the players that evaluate unsolved positions, best first; some may be missing."""

    luck_analyst: ClassVar[str] = ""
    """Spec of the player whose evaluator measures the luck of rolls, which takes many positions."""

    oracle_kind: ClassVar[OracleKind] = "memory"
    """How perfect play is found."""

    is_in_points: ClassVar[bool] = False
    """Whether values are mean points, since a win may count more than one."""

    puzzle_rules: ClassVar[str | None] = None
    """Preset and options of the rules for puzzles; None if there are no puzzles."""

    record_suffixes: ClassVar[tuple[str, ...]] = (".txt",)
    """Suffixes of the files that games can be saved as; the first is for records."""

    move_entry: ClassVar[str] = ""
    """`module:attribute` of the game's own kind of `ludus.games.move_entry.MoveEntry`, if any."""

    coding: ClassVar[str] = ""
    """`module:attribute` of the game's own kind of `ludus.games.coding.Coding`, if any."""

    win_reasons: ClassVar[Mapping[str, str]] = {}
    """A text for each reason of a win, with {winner} and {loser}."""

    win_kinds: ClassVar[Mapping[str, str]] = {}
    """What is won or lost, by the reason, where that has a name: `a gammon`."""

    draw_reasons: ClassVar[Mapping[str, str]] = {}
    """A text for each reason of a draw."""

    man_name: ClassVar[str] = "man"
    """What a man is called in sentences: `pawn`, `checker`."""

    row_name: ClassVar[str] = "row"
    """What a completed row is called: `mill`, `line`."""

    reason_terms: ClassVar[Mapping[str, str]] = {}
    """Published terms for outcome reasons."""

    def __repr__(self) -> str:
        engine = "" if self.engine == "native" else f", engine={self.engine!r}"
        return f"ludus.game({f'{self.id}:{self.format_rules(self.rules)}'!r}{engine})"

    def _repr_html_(self) -> str:
        """Return the start position and the rules, which notebooks show."""
        rules = {each.name: getattr(self.rules, each.name) for each in fields(self.rules)}
        title = f"{self.title}, {self.format_rules(self.rules)}"
        return format_panel(title, self.start().svg(), format_facts(rules))

    def __init__(self, rules: Any = None, engine: str = "native") -> None:
        """Create a game with these rules (a frozen dataclass; by default the first preset).

        `engine` selects the native implementation or the Python one where there are both.
        """
        default = next(iter(self.presets.values()))
        if rules is not None and not isinstance(rules, type(default)):
            raise BadArgument(f"{quote_value(rules)} are not rules of {self.id}")
        self.rules = default if rules is None else rules
        self.engine = engine

    @abstractmethod
    def start(self) -> P:
        """Return the position before the first move."""

    @abstractmethod
    def parse(self, text: str) -> P:
        """Parse a position in any notation of this game; BadPosition if the text is none."""

    @abstractmethod
    def steps(self, move: M) -> tuple[str, ...]:
        """Return the places that a user clicks to make this move, in order; empty for a pass."""

    @abstractmethod
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Return the permutations of the places that preserve the rules; the identity comes first.

        `permutation[i]` is the image of place i.
        """

    @abstractmethod
    def transform(self, position: P, symmetry: Sequence[int]) -> P:
        """Return the image of the position under a symmetry, without its history."""

    @abstractmethod
    def transform_move(self, move: M, symmetry: Sequence[int]) -> M:
        """Return the image of the move under a symmetry."""

    def parse_move(self, text: str, position: P) -> M:
        """Parse a legal move; BadMove if the text is none."""
        wanted = check_length(text, BadMove).strip()
        legal = position.legal_moves()
        for move in legal:
            if str(move) == wanted:
                found: M = move
                return found
        raise BadMove(
            f"{quote(text)} is not a legal move of {self.id} here{_format_examples(legal)}"
        )

    def name_sides(
        self, people: Collection[int] = (), names: Sequence[str] = ("", "")
    ) -> tuple[str, str]:
        """Return what the sides are called: the only person is `you`, its opponent has a name."""
        if len({*people}) != 1:
            return self.sides
        first, second = (
            "you" if side in people else names[side] or self.sides[side] for side in (0, 1)
        )
        return first, second

    def describe_outcome(
        self, outcome: Outcome, people: Collection[int] = (), names: Sequence[str] = ("", "")
    ) -> str:
        """Describe an outcome in a sentence; `people` are the sides played by persons."""
        if outcome.winner is None:
            reasons = {"length": "the game was too long", **self.draw_reasons}
            return f"A draw: {reasons.get(outcome.reason, outcome.reason)}."
        called = self.name_sides(people, names)
        winner, loser = called[outcome.winner], called[1 - outcome.winner]
        general = {"illegal": "{loser} made an illegal move", "resigned": "{loser} resigned"}
        reasons = {**general, **self.win_reasons}
        why = reasons.get(outcome.reason, outcome.reason).format(winner=winner, loser=loser)
        points = f"{outcome.points} points" if outcome.points > 1 else ""
        kind = self.win_kinds.get(outcome.reason, "")
        what = f" {kind} ({points})" if kind and points else f" {kind or points}".rstrip()
        verb = f"{loser} lost" if {*people} == {1 - outcome.winner} else f"{winner} won"
        return f"{verb[0].upper()}{verb[1:]}{what}: {why}."

    def classify_decision(self, position: P, move: M) -> str:
        """Return the kind of a decision, `move` unless a game has others; empty if it is none."""
        return "move" if len(position.legal_moves()) > 1 else ""

    def resignation_levels(self, position: P) -> tuple[str, ...]:
        """Return what a side may resign here, if there is a choice: a single game, a gammon, …"""
        return ()

    def resignation_outcome(self, position: P, side: int, level: int) -> Outcome:
        """Return the outcome if a side resigns here; `level` counts from 1."""
        return Outcome(1 - side, "resigned")

    def turn(self, position: P) -> int:
        """Return the side whose turn it is, also before its roll."""
        return max(position.mover, 0)

    def dice(self, position: P) -> tuple[int, int] | None:
        """Return the roll that is to be played; None before a roll, and in games without dice."""
        return None

    def is_roll_for_turn(self, position: P) -> bool:
        """Return whether a game begins here with a roll that decides who moves first."""
        return False

    def repeating_moves(self, position: P) -> list[M]:
        """Return the moves that end the game as a draw because a position comes again."""
        return []

    def stakes(self, position: P) -> GameStakes | None:
        """Return what the game is played for; None if it is always the same."""
        return None

    @property
    def has_sessions(self) -> bool:
        """Whether games may follow each other as a session whose points are added up."""
        return False

    def chances(self, position: P) -> list[tuple[M, float]]:
        """Return every roll with its probability where the mover is CHANCE, otherwise nothing."""
        return []

    def perft(self, position: P, depth: int) -> int:
        """Return the number of move sequences of this length (rolls count as moves)."""
        return _count_sequences(position, depth)

    # Texts

    @classmethod
    def format_rules(cls, rules: Any, without: Collection[str] = ()) -> str:
        """Return rules as in a spec: the nearest preset and the options that differ from it.

        Options in `without` are neither written nor compared.
        """
        differences = {
            name: format_options(rules, preset, without) for name, preset in cls.presets.items()
        }
        nearest = min(differences, key=lambda name: len(differences[name]))
        return ",".join([nearest, *differences[nearest]])

    def detect_rules(self, text: str) -> Any:
        """Return the rules that the notation of a position implies; those of this game if none."""
        return self.rules

    def position_texts(self, position: P) -> dict[str, str]:
        """Return the position in every notation that `parse` accepts, by title."""
        return {"Ludus": str(position)}

    def move_formats(self) -> Mapping[str, Callable[[M], str]]:
        """Return the formats in which moves can be written, by name; `game` is `str`."""
        return {"game": str}

    def detect_move_format(self, text: str) -> str:
        """Return the format of moves that belongs to the notation of a position."""
        return "game"

    def move_notation(self) -> MoveNotation:
        """Return the notation of moves in the text protocol."""
        return MoveNotation(self)

    def phase(self, position: P, number: int) -> str:
        """Return the phase in which the mover makes its move of this number: the stage, if any."""
        return self.stage(position) or f"move {number}"

    def stage(self, position: P) -> str:
        """Return the stage by which reviews and regret are divided; empty in short games."""
        return ""

    # Search and statistics

    def evaluate(self, position: P) -> int:
        """Return a static evaluation from the mover's side in units of MAN_VALUE; 0 is even."""
        return 0

    def is_capture(self, move: M) -> bool:
        """Return whether a move captures, so that a search should try it first."""
        return False

    @property
    def has_native_playouts(self) -> bool:
        """Whether `native_playouts` is available."""
        return False

    def native_playouts(
        self, position: P, games: int, seed: int, threads: int, max_plies: int
    ) -> Counter[int]:
        """Play random games in compiled code; return the number of games by points of side 0."""
        raise NotImplementedError(f"{self.id} has no compiled random games")

    def play_native_games(
        self, players: tuple[Any, Any], games: int, seed: int, threads: int, max_plies: int
    ) -> GameTally | None:
        """Play games in compiled code between two native twins of players; None if it cannot."""
        return None

    # Learning and explanation

    def all_moves(self) -> tuple[M, ...] | None:
        """Return every move that can occur, in a fixed order; None if there are too many."""
        return None

    def training_starts(self) -> list[P]:
        """Return start positions of training games: those after one move of each side."""
        start = self.start()
        first = [start.play(move) for move in start.legal_moves()]
        reached = [after.play(reply) for after in first for reply in after.legal_moves()]
        return [position for position in dict.fromkeys(reached) if position.outcome() is None]

    def puzzle_positions(self, source: random.Random, is_solved: bool) -> Iterator[P]:
        """Yield random positions for puzzles without end, by default those of random games.

        `is_solved`: whether the exact value of every position is known.
        """
        while True:
            position = self.start()
            while position.outcome() is None:
                yield position
                position = position.play(source.choice(position.legal_moves()))

    def board_lines(self) -> tuple[PlaceRow, ...]:
        """Return the lines of a board whose places are no grid, each place by place."""
        return ()

    def completed_rows(self, position: P, side: int) -> tuple[PlaceRow, ...]:
        """Return the full rows of a side: those with which it has won, or its mills."""
        return ()

    def blocked_rows(self, position: P, move: M) -> tuple[PlaceRow, ...]:
        """Return the rows that the other side could have completed in the place of this move."""
        return ()

    def threatened_rows(self, position: P, side: int) -> Mapping[str, tuple[PlaceRow, ...]]:
        """Return the rows that a side could complete if it were its turn, by the place it needs."""
        return {}

    def drawbacks(self, position: P, move: M, better: M) -> Mapping[str, str]:
        """Return what a move does worse than a better one, by kind, in games with dice.

        Each is a sentence: a fact of the board, or a count of rolls.
        """
        return {}


def illegal_move(move: object, position: Position) -> BadMove:
    """Return the error of `Position.play` for anything but a legal move; a text is parsed first."""
    if isinstance(move, str):
        return BadMove(f"{quote(move)} is a text, not a move; game.parse_move makes a move of it")
    return BadMove(f"{move} is not a legal move in {position}")


def _count_sequences(position: Position, depth: int) -> int:
    moves = position.legal_moves()
    if depth <= 1:
        return len(moves) if depth == 1 else 1
    return sum(_count_sequences(position.play(move), depth - 1) for move in moves)


AnyGame = Game[Any, Any]
"""A game whose types of positions and moves are not known."""


def _format_examples(legal: Sequence[object]) -> str:
    if not legal:
        return "; the game is over"
    examples = ", ".join(str(move) for move in legal[:3])
    return f"; legal are {examples}{', …' if len(legal) > 3 else ''}"
