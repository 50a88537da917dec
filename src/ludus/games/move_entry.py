"""Entry of a move by touching one place after another, for any game, following `Game.steps`."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, Protocol

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


Target = int | None
"""What a touch leads to: the number of a state; -1, -2, … for the first, the second move, which it
completes; None for a state that was left out, since there would be too many."""


@dataclass(frozen=True, slots=True)
class EntryState:
    """A moment in the entry of a move: what to do, and what each touch leads to."""

    task: str
    stage: EntryStage
    next: Mapping[str, Target | Mapping[str, Target]]
    """By place; a man that is touched in order to move has the places that he can go to."""

    standings: tuple[str, str]
    """The men of both sides in a few words."""

    dice_left: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class EntrySteps:
    """All ways to enter the moves of a position, for a front end that knows no rule."""

    moves: tuple[Move, ...]
    states: tuple[EntryState, ...]
    """The first one is the beginning."""

    go_task: str
    """What to do when a man has been chosen."""


class Slots(NamedTuple):
    """Where the men of one place stand: the first man, the step to the next, and how many fit."""

    x: float
    y: float
    step_x: float = 0.0
    step_y: float = 0.0
    size: int = 1


Stack = tuple[int, int]
"""A side and the number of its men on a place."""


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

    def list_steps(self, position: P, touched: tuple[str, ...] = ()) -> EntrySteps:
        """Return all ways to complete a move after these touches."""
        return _StepLister(self, position, touched).steps

    def stacks(self, position: P) -> dict[str, Stack]:
        """Return the men on each place that has any; places as in `slots`."""
        return {}

    def slots(self) -> dict[str, Slots]:
        """Return where men stand in the drawing; a place of both sides has a name for each.

        The men of side 0 on the place `bar` have the name `bar0`.
        """
        places = self.game.start().drawing().places
        return {place: Slots(*area.centre) for place, area in places.items()}

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


class _StepLister:
    """Lists the ways to enter a move, by the places of `Game.steps`."""

    def __init__(
        self, move_entry: "MoveEntry[Any, Any]", position: Any, touched: tuple[str, ...]
    ) -> None:
        self._entry, self._position = move_entry, position
        moves = move_entry.matching_moves(position, touched)
        if not moves:
            raise BadMove(f"no legal move begins with {quote(' '.join(touched))}")
        self._places = [move_entry.game.steps(move) for move in moves]
        self._states: list[EntryState | None] = []
        self._go_task = ""
        self._add_state(touched, range(len(moves)))
        states = tuple(state for state in self._states if state is not None)
        self.steps = EntrySteps(tuple(moves), states, self._go_task)

    def _add_state(self, touched: tuple[str, ...], moves: Iterable[int]) -> int:
        """Add the state after these touches, from which these moves can be completed."""
        number = len(self._states)
        self._states.append(None)
        following = {
            place: self._follow((*touched, place), group, may_go=True)
            for place, group in self._group(moves, len(touched)).items()
        }
        stage = self._entry.stage(self._position, touched)
        shown = self._entry.preview(self._position, touched)
        partial = PartialMove(touched, tuple(following), stage, None, shown)
        self._states[number] = EntryState(
            self._entry.describe_task(self._position, partial),
            stage,
            following,
            (self._entry.describe_side(shown, 0), self._entry.describe_side(shown, 1)),
        )
        return number

    def _follow(
        self, touched: tuple[str, ...], moves: Sequence[int], may_go: bool
    ) -> Any:  # a target, or targets by place
        """Return what the last touch leads to."""
        size = len(touched)
        longer = [move for move in moves if len(self._places[move]) > size]
        if not longer:
            return -1 - moves[0]
        if not may_go or self._entry.stage(self._position, touched) != "go":
            return self._add_state(touched, longer)
        partial = PartialMove(touched, (), "go", None, self._position, touched[-1])
        self._go_task = self._entry.describe_task(self._position, partial)
        return {
            place: self._follow((*touched, place), group, may_go=False)
            for place, group in self._group(longer, size).items()
        }

    def _group(self, moves: Iterable[int], size: int) -> dict[str, list[int]]:
        """Return the moves by the place that is touched next."""
        groups: dict[str, list[int]] = {}
        for move in moves:
            if len(self._places[move]) > size:
                groups.setdefault(self._places[move][size], []).append(move)
        return groups


AnyMoveEntry = MoveEntry[Any, Any]
"""A move entry whose types of positions and moves are not known."""


def get_move_entry(game: AnyGame) -> AnyMoveEntry:
    """Return the move entry of a game; MoveEntry itself if the game has none of its own."""
    kind: type[AnyMoveEntry] = load_target(game.move_entry) if game.move_entry else MoveEntry
    return kind(game)
