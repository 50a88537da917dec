"""The rules in readable Python: the reference implementation for tests of the native one."""

from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from ludus.core import game as core
from ludus.core.game import Outcome, illegal_move
from ludus.core.marks import NO_MARKS, Marks
from ludus.core.splitmix import mix
from ludus.games.nine_mens_morris.board import PASS, POINTS, Move, mills, neighbours
from ludus.games.nine_mens_morris.notation import to_text
from ludus.games.nine_mens_morris.rules import Rules
from ludus.render.canvas import Drawable, Drawing

Men = frozenset[int]
Key = tuple[tuple[Men, Men], tuple[int, int], int]
"""Identity of a position for the repetition rule: board, hands and mover."""

EVERYWHERE: Men = frozenset(range(len(POINTS)))


class MorrisPosition(core.Position, Protocol):
    """What positions of the Python and of the native engine have in common."""

    @property
    def rules(self) -> Rules:
        """The rules of the game."""

    @property
    def men(self) -> tuple[Men, Men]:
        """The points of each side's men."""

    @property
    def hands(self) -> tuple[int, int]:
        """Number of men of each side that are not yet placed."""

    @property
    def occurrence(self) -> int:
        """Number of times that this position has occurred."""

    @property
    def quiet(self) -> int:
        """Number of plies since a man was placed or taken, where the rules limit it."""

    @property
    def bits(self) -> tuple[int, int]:
        """The men of each side, one bit per point."""

    @property
    def history_keys(self) -> list[int]:
        """Keys of the earlier positions that a repetition could repeat, for the native search."""

    def legal_moves(self) -> list[Move]: ...
    def play(self, move: Move, /) -> Self: ...


def find_free_points(position: MorrisPosition) -> Men:
    """Return the points without a man."""
    return EVERYWHERE - position.men[0] - position.men[1]


def list_steps(position: MorrisPosition, side: int) -> list[tuple[int | None, int]]:
    """Return a side's steps, were it to move: from the hand (None) or a point, to a free point."""
    rules, own, free = position.rules, position.men[side], sorted(find_free_points(position))
    steps: list[tuple[int | None, int]] = []
    if position.hands[side] > 0:
        steps += [(None, to) for to in free]
        if not rules.place_or_move:
            return steps
    is_flying = rules.flying and position.hands[side] == 0 and len(own) <= 3
    near = neighbours(rules.diagonals)
    return steps + [(frm, to) for frm in sorted(own) for to in free if is_flying or to in near[frm]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Position(Drawable):
    """A position of any Morris game.

    Equal positions have the same rules and board and have occurred equally often, whether they are
    Python's or the native ones; from the history, `play` knows the positions that have occurred
    since the last man was placed or taken.
    """

    rules: Rules
    men: tuple[Men, Men] = (frozenset(), frozenset())
    hands: tuple[int, int] = (0, 0)
    mover: int = 0
    occurrence: int = 1
    """Number of times this position has occurred; counted only if the rules limit repetition."""

    quiet: int = 0
    """Plies since the last placing or taking; counted only if the rules limit them."""

    history: tuple[Key, ...] = field(default=(), compare=False, repr=False)

    @property
    def bits(self) -> tuple[int, int]:
        """Each side's men as a bitboard, bit i for point i."""
        white, black = (sum(1 << point for point in men) for men in self.men)
        return white, black

    def legal_moves(self) -> list[Move]:
        if self.outcome() is not None:
            return []
        return self._moves(self.mover) or [PASS]

    def play(self, move: Move, /) -> Self:
        if move not in self.legal_moves():
            raise illegal_move(move, self)
        own, other = self.men[self.mover], self.men[1 - self.mover]
        hands = list(self.hands)
        if move.to is not None:
            own = own - {move.frm} | {move.to}
            if move.frm is None:
                hands[self.mover] -= 1
        if move.take is not None:
            other = other - {move.take}
        after = replace(
            self,
            men=(own, other) if self.mover == 0 else (other, own),
            hands=(hands[0], hands[1]),
            mover=1 - self.mover,
            occurrence=1,
            quiet=0,
            history=(),
        )
        is_irreversible = move.take is not None or (move.frm is None and move.to is not None)
        return after if is_irreversible else after._following(self)

    def outcome(self) -> Outcome | None:
        for side in (self.mover, 1 - self.mover):
            if len(self.men[side]) + self.hands[side] < self.rules.lose_below:
                return Outcome(1 - side, "men")
        if self.rules.full_board == "draws" and not find_free_points(self):
            return Outcome(None, "full")
        if self.occurrence >= self.rules.repetition > 0:
            return Outcome(None, "repetition")
        if not self._can_move(self.mover):
            if self.rules.blocked == "loses":
                return Outcome(1 - self.mover, "blocked")
            if not self._can_move(1 - self.mover):
                return Outcome(None, "blocked")
        if self.quiet >= self.rules.quiet_plies > 0:
            return Outcome(None, "quiet")
        return None

    def text(self, marks: Marks = NO_MARKS) -> str:
        from ludus.games.nine_mens_morris.drawing import text

        return text(self, marks)

    def drawing(self, marks: Marks = NO_MARKS) -> Drawing:
        from ludus.games.nine_mens_morris.drawing import draw

        return draw(self, marks)

    def __str__(self) -> str:
        return to_text(self)

    def _following(self, before: Self) -> Self:
        """Return this position with its counts of repetitions and quiet plies after `before`."""
        quiet = before.quiet + 1 if self.rules.quiet_plies else 0
        if not self.rules.repetition:
            return replace(self, quiet=quiet)
        history = (*before.history, before._key())
        occurrence = 1 + history.count(self._key())
        return replace(self, quiet=quiet, history=history, occurrence=occurrence)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Position):
            return self._compared == other._compared
        try:
            theirs = _get_compared(other)
        except AttributeError:
            return NotImplemented
        return _get_compared(self) == theirs

    def __hash__(self) -> int:
        """Return the number that native positions have, too (`hash` in native/bind/morris.cpp)."""
        mixed = _compute_key(*self._key()) ^ (self.occurrence << 57) ^ (self.quiet << 40)
        return mix(mixed)

    @property
    def _compared(self) -> tuple[object, ...]:
        return self._key(), self.occurrence, self.quiet, self.rules

    def _key(self) -> Key:
        return self.men, self.hands, self.mover

    @property
    def history_keys(self) -> list[int]:
        """The positions since the last irreversible move, as keys of the compiled core."""
        return [_compute_key(*key) for key in self.history]

    def _can_move(self, side: int) -> bool:
        return bool(list_steps(self, side))

    def _moves(self, side: int) -> list[Move]:
        removable = sorted(self._takeable(1 - side))
        moves = []
        for frm, to in list_steps(self, side):
            if removable and self._closes_mill(side, frm, to):
                moves += [Move(frm, to, take) for take in removable]
            else:
                moves.append(Move(frm, to, None))
        return moves

    def _closes_mill(self, side: int, frm: int | None, to: int) -> bool:
        after = self.men[side] - {frm} | {to}
        return any(to in mill and after.issuperset(mill) for mill in mills(self.rules.diagonals))

    def _takeable(self, side: int) -> Men:
        """Return the men of this side that its enemy may take on closing a mill."""
        men = self.men[side]
        if self.rules.take_from_mills == "always":
            return men
        lines = mills(self.rules.diagonals)
        safe = frozenset(man for mill in lines if men.issuperset(mill) for man in mill)
        if men == safe and self.rules.take_from_mills == "when_all":
            return men
        return men - safe


def _compute_key(men: tuple[Men, Men], hands: tuple[int, int], mover: int) -> int:
    """Return a position without its history as one number, a key of the compiled core."""
    white, black = (sum(1 << man for man in side) for side in men)
    return white | black << 24 | hands[0] << 48 | hands[1] << 52 | mover << 56


def _get_compared(position: Any) -> tuple[object, ...]:
    """Return what equal positions share, of either implementation."""
    return (
        position.bits,
        tuple(position.hands),
        position.mover,
        position.occurrence,
        position.quiet,
        position.rules,
    )
