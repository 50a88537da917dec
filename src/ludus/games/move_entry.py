"""Entry of a move by touching one place after another, for any game, following `Game.steps`."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol

from ludus.core.errors import BadMove, LudusError, quote
from ludus.core.game import AnyGame, Game, M, Move, P, Position
from ludus.core.spec import load_target

EntryStage = Literal["begin", "go", "take"]


@dataclass(frozen=True, slots=True)
class PartialMove:
    """A move of which some places have been touched."""

    touched: tuple[str, ...]

    places: tuple[str, ...]
    """Places that may be touched next."""

    stage: EntryStage
    """Effect of the next touch: begin a move, choose a man's destination, or take a man."""

    move: Move | None
    """The move once it is complete, else None."""

    position: Position
    """The position to draw meanwhile."""

    selected: str | None = None
    """The place of the man that is about to move."""

    dice_left: tuple[int, ...] | None = None
    """Dice that are still to be played; None for all of them, and in games without dice."""

    def marks(self, last: Iterable[str] = ()) -> dict[str, str]:
        """Return the kind of mark of each place: last move, possible touches, selected man."""
        points = {} if self.touched else dict.fromkeys(last, "last")
        points |= dict.fromkeys(self.places, "take" if self.stage == "take" else "legal")
        if self.selected is not None:
            points[self.selected] = "selected"
        return points


class MadeMove(Protocol):
    """A move of a game's history."""

    @property
    def mover(self) -> int | None: ...
    @property
    def move(self) -> Any: ...  # of any game


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A position as set up by hand."""

    men: dict[str, tuple[int, int]]
    """Side and number of men by place."""

    mover: int
    hands: tuple[int, int] = (0, 0)
    """Men beside the places: still to be placed, or on the bar."""

    dice: tuple[int, int] | None = None
    """The roll; None before the roll."""


class MoveEntry(Generic[P, M]):
    """Move entry that works for any game.

    Subclasses show the partial move and describe places, tasks and moves in the words of their
    game.
    """

    max_men_per_place: int = 1
    """Maximum number of men on one place."""

    hand_title: str = ""
    """Title of men beside the places; empty if the game has none."""

    has_dice: bool = False

    def __init__(self, game: Game[P, M]) -> None:
        self.game = game

    def enter(self, position: P, touched: tuple[str, ...]) -> PartialMove:
        """Return the partial move of these touches; raise BadMove if no legal move begins so."""
        size = len(touched)
        fitting = {move: self.game.steps(move) for move in self.matching_moves(position, touched)}
        if not fitting:
            raise BadMove(f"no legal move begins with {quote(' '.join(touched))}")
        complete = [move for move, places in fitting.items() if len(places) == size]
        # If a place both completes a move and begins a longer one, more touches are needed.
        is_complete = bool(touched) and len(complete) == len(fitting)
        following = (places[size] for places in fitting.values() if len(places) > size)
        return PartialMove(
            touched,
            tuple(dict.fromkeys(following)),
            self.stage(position, touched),
            complete[0] if is_complete else None,
            self.preview(position, touched),
            touched[-1] if touched else None,
        )

    def matching_moves(self, position: P, touched: tuple[str, ...]) -> Sequence[M]:
        """Return the legal moves that can be completed after these touches."""
        size = len(touched)
        return [move for move in position.legal_moves() if self.game.steps(move)[:size] == touched]

    def known_places(self, position: P) -> set[str]:
        """Return the places that a move in this position may name."""
        return {place for move in position.legal_moves() for place in self.game.steps(move)}

    def extend(self, position: P, touched: tuple[str, ...], place: str) -> PartialMove:
        """Return the partial move continued by a place; raise BadMove if no legal move is."""
        return self.enter(position, (*touched, place))

    def touch(self, position: P, touched: tuple[str, ...], place: str) -> PartialMove:
        """Return the partial move after one more touch: continued, restarted or undone."""
        try:
            return self.extend(position, touched, place)
        except BadMove:
            if touched and place == touched[-1]:
                return self.enter(position, touched[:-1])
            if not touched:
                raise
            return self.enter(position, (*touched[:-1], place))

    def is_pass(self, position: P) -> bool:
        """Return whether no legal move has a place to touch."""
        return not any(map(self.game.steps, position.legal_moves()))

    def is_decision(self, position: P, sides: Collection[int]) -> bool:
        """Return whether one of these sides has a choice."""
        return position.mover in sides and not self.is_pass(position)

    def last_places(self, moves: Sequence[MadeMove]) -> tuple[str, ...]:
        """Return the places of the last move that is not a roll of the dice."""
        made = next((made for made in reversed(moves) if made.mover in (0, 1)), None)
        return () if made is None else self.game.steps(made.move)

    def paths(self, move: M) -> tuple[tuple[str, ...], ...]:
        """Return the paths of men in a move: from and to, or one place for a placed man."""
        steps = self.game.steps(move)
        return (steps,) if steps else ()

    def stage(self, position: P, touched: tuple[str, ...]) -> EntryStage:
        """Return the effect of the next touch."""
        return "go" if touched else "begin"

    def preview(self, position: P, touched: tuple[str, ...]) -> Position:
        """Return the position as shown after these touches."""
        return position

    def describe_task(self, position: P, entry: PartialMove) -> str:
        """Return what a person has to do next, in a few words."""
        return "Choose where it goes" if entry.touched else "Make a move"

    def describe_place(self, position: P, place: str) -> str:
        """Describe the men on a place; empty if there are none."""
        return ""

    def place_name(self, place: str, side: int) -> str:
        """Convert between a place of `Game.steps` and a side's name for it; its own inverse."""
        return place

    def describe_side(self, position: P, side: int) -> str:
        """Describe a side's men in a few words."""
        return ""

    def describe_move(self, move: M, position: P) -> str:
        """Describe a move as the predicate of a sentence that begins with the side."""
        return f"played {move}"

    def to_arrangement(self, position: P) -> Arrangement:
        """Return the arrangement of a position; LudusError if the game has no editor."""
        raise LudusError(f"a position of {self.game.id} is entered as text")

    def from_arrangement(self, arrangement: Arrangement) -> Position:
        """Return a position to display, which need not be legal."""
        raise LudusError(f"a position of {self.game.id} is entered as text")

    def describe_rules(self) -> list[str]:
        """Explain the game under its rules in a few sentences."""
        return []

    def side_name(self, side: int) -> str:
        """Return a side's name, capitalized."""
        return self.game.sides[side].capitalize()


AnyMoveEntry = MoveEntry[Any, Any]
"""A move entry whose types of positions and moves are not known."""


def get_move_entry(game: AnyGame) -> AnyMoveEntry:
    """Return the move entry of a game; MoveEntry itself if the game has none of its own."""
    kind: type[AnyMoveEntry] = load_target(game.move_entry) if game.move_entry else MoveEntry
    return kind(game)
