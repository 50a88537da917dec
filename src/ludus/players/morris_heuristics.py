"""Heuristic Morris players of Vrajitoru 2015, section 3: Newbie, Basic and Focused.

They look for moves that close, open and block mills. Where the paper is ambiguous, it is
interpreted as follows, here and in the compiled version (`native/core/morris/heuristics.hpp`),
unless the options (NewbieOptions, BasicOptions) say otherwise:

- A side places while it has men in hand, and moves afterwards. Where the rules allow a side with
  men in hand to move one on the board instead, that is part of its placing phase.
- A closing move makes a mill, whether or not there is a man that may be taken.
- An opening move moves a man out of a mill. The mill can be closed in the next turn if the man can
  step back, so the opponent must not be able to enter the gap: it has no man next to it, cannot fly
  and has no men in hand.
- A blocking move occupies a point on which the opponent could close a mill if it were to move.
- Moves of the preferred kind are equally likely, and moves that differ only in the man they take
  are different moves. Without a preferred move, so are all legal moves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import ClassVar, Literal

from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import parse_spec
from ludus.games.nine_mens_morris.board import Move, mills, neighbours
from ludus.games.nine_mens_morris.position import MorrisPosition, list_steps


def is_placing(position: MorrisPosition) -> bool:
    """Return whether the mover has men in hand."""
    return bool(position.hands[position.mover] > 0)


def find_closing_moves(position: MorrisPosition, moves: Sequence[Move]) -> list[Move]:
    """Return the moves that make a mill."""
    own = position.men[position.mover]
    return [
        m for m in moves if m.to is not None and _is_closing_mill(position, own - {m.frm}, m.to)
    ]


def find_opening_moves(
    position: MorrisPosition, moves: Sequence[Move], *, include_unsafe: bool = False
) -> list[Move]:
    """Return the moves out of a mill whose gap is safe; all of them if `include_unsafe`."""
    own = position.men[position.mover]
    in_mills = {man for mill in mills(position.rules.diagonals) if own >= set(mill) for man in mill}
    return [
        m
        for m in moves
        if m.frm in in_mills and (include_unsafe or not _can_enter(position, m.frm))
    ]


def find_blocking_moves(position: MorrisPosition, moves: Sequence[Move]) -> list[Move]:
    """Return the moves to points on which the opponent could close a mill."""
    other = 1 - position.mover
    men = position.men[other]
    threatened = {
        to for frm, to in list_steps(position, other) if _is_closing_mill(position, men - {frm}, to)
    }
    return [m for m in moves if m.to in threatened]


def _is_closing_mill(position: MorrisPosition, others: frozenset[int], point: int) -> bool:
    """Return whether a man on this point forms a mill with two of the others."""
    lines = mills(position.rules.diagonals)
    return any(point in mill and others >= set(mill) - {point} for mill in lines)


def _can_go_anywhere(position: MorrisPosition, side: int) -> bool:
    """Return whether a side can bring a man to every free point."""
    if position.hands[side] > 0:
        return True
    return bool(position.rules.flying and len(position.men[side]) <= 3)


def _can_enter(position: MorrisPosition, gap: int) -> bool:
    """Return whether the opponent of the mover could enter this point once it is free."""
    other = 1 - position.mover
    if _can_go_anywhere(position, other):
        return True
    return not position.men[other].isdisjoint(neighbours(position.rules.diagonals)[gap])


@dataclass(frozen=True, slots=True)
class NewbieOptions:
    """How a player chooses among moves of the preferred kind, which the paper leaves open.

    The defaults are the simplest interpretation; the experiment `vrajitoru-table-1` measures which
    one fits the published table best.
    """

    taking: Literal["any", "first", "threat"] = "any"
    """Which man it takes: any, the first on the board, or, if possible, one that the opponent
    needs for its next mill."""

    among: Literal["moves", "men", "first"] = "moves"
    """How it selects at random: any move; any man, then any of its moves; or not at random but
    the first move in board order that closes, opens or blocks, and any move if there is none."""


@dataclass(frozen=True, slots=True)
class BasicOptions(NewbieOptions):
    """Options of a player that also opens mills."""

    opening: Literal["safe", "any"] = "safe"
    """Which mills it opens: those whose gap the opponent cannot enter at once, or any."""


def filter_moves(
    options: NewbieOptions, position: MorrisPosition, moves: list[Move], is_purposeful: bool
) -> list[Move]:
    """Return the moves that the options permit; `is_purposeful` if they close, open or block."""
    if options.among == "first" and is_purposeful:
        moves = [move for move in moves if _get_path(move) == _get_path(moves[0])]
    if options.taking == "any" or all(move.take is None for move in moves):
        return moves
    found: list[Move] = []
    for path in dict.fromkeys(map(_get_path, moves)):
        alike = [move for move in moves if _get_path(move) == path]
        found += (
            alike[:1] if options.taking == "first" else _filter_against_threats(position, alike)
        )
    return found


def sample_move(options: NewbieOptions, moves: Sequence[Move], source: Random) -> Move:
    """Sample one of the moves as the options specify."""
    if options.among == "men":
        man = source.choice(list(dict.fromkeys(move.frm for move in moves)))
        moves = [move for move in moves if move.frm == man]
    return source.choice(moves)


def _get_path(move: Move) -> tuple[int | None, int | None]:
    """Return a move without the man it takes."""
    return move.frm, move.to


def _filter_against_threats(position: MorrisPosition, alike: list[Move]) -> list[Move]:
    """Return the captures that reduce the opponent's open mills, else all; same path assumed."""
    frm, to = _get_path(alike[0])
    own = position.men[position.mover] - {frm} | {to}
    other = position.men[1 - position.mover]
    now = _count_mill_gaps(position, other, own)
    fewer = [move for move in alike if _count_mill_gaps(position, other - {move.take}, own) < now]
    return fewer or alike


def _count_mill_gaps(
    position: MorrisPosition, men: Iterable[int], others: Iterable[int | None]
) -> int:
    """Count the free points that would complete a mill of `men`."""
    mine, theirs = set(men), set(others)
    gaps = set()
    for mill in mills(position.rules.diagonals):
        missing = set(mill) - mine
        if len(missing) == 1:
            gaps |= missing - theirs
    return len(gaps)


class NewbiePlayer(Player):
    """Closes a mill if it can, and moves at random otherwise (Newbie in Vrajitoru 2015)."""

    title: ClassVar[str] = "closes a mill if it can, else plays any legal move"
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})
    options: ClassVar[NewbieOptions] = NewbieOptions()

    def choose(self, position: MorrisPosition, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        moves, why = self.candidates(position)
        return Choice(sample_move(self.settings, moves, self.random), why)

    def native_twin(self) -> str:
        """Return its spec with all options, the format that compiled code parses."""
        options = ",".join(f"{key}={value}" for key, value in asdict(self.settings).items())
        return f"{parse_spec(self.spec).name}:{options}"

    def candidates(self, position: MorrisPosition) -> tuple[list[Move], str]:
        """Return the moves to sample from, and a comment on their purpose."""
        legal = position.legal_moves()
        moves, why = legal, ""
        if closing := find_closing_moves(position, legal):
            moves, why = closing, "closes a mill"
        elif wanted := self.find_preferred_moves(position, legal):
            moves, why = wanted
        return filter_moves(self.settings, position, moves, is_purposeful=bool(why)), why

    def find_preferred_moves(
        self, position: MorrisPosition, legal: list[Move]
    ) -> tuple[list[Move], str] | None:
        """Return the moves preferred if no mill can be closed, and a comment; None for any move."""
        return None


class BasicPlayer(NewbiePlayer):
    """Places like Newbie; in the moving phase opens a mill if it cannot close one (Basic)."""

    title: ClassVar[str] = "closes a mill if it can, else opens one to close it again"
    options: ClassVar[BasicOptions] = BasicOptions()

    def find_preferred_moves(
        self, position: MorrisPosition, legal: list[Move]
    ) -> tuple[list[Move], str] | None:
        if is_placing(position):
            return None
        include_unsafe = self.settings.opening == "any"
        opening = find_opening_moves(position, legal, include_unsafe=include_unsafe)
        return (opening, "opens a mill") if opening else None


class FocusedPlayer(BasicPlayer):
    """Moves like Basic; while placing blocks a mill if it cannot close one (Focused)."""

    title: ClassVar[str] = "closes a mill if it can, blocks while placing, opens while moving"

    def find_preferred_moves(
        self, position: MorrisPosition, legal: list[Move]
    ) -> tuple[list[Move], str] | None:
        if is_placing(position):
            blocking = find_blocking_moves(position, legal)
            return (blocking, "blocks a mill") if blocking else None
        return super().find_preferred_moves(position, legal)
