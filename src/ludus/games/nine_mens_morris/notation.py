"""Parse and write positions and moves of the Morris family.

Positions: own text, Galassi's dataset letters (2018), and Sanmill's FEN. Moves: `d6-d5xc3` as
usual, `d6d5c3` as in Galassi's dataset, `5-8x16` as on PlayOK.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ludus.core.errors import BadMove, BadPosition, check_length, quote
from ludus.core.notation import MoveNotation, TurnState
from ludus.games.nine_mens_morris.board import (
    EMPTY_LETTER,
    MEN_LETTERS,
    POINT_NUMBERS,
    POINTS,
    READING_ORDER,
    ROWS,
    Move,
    point_at,
)

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.position import MorrisPosition
    from ludus.games.nine_mens_morris.rules import Rules

MOVERS = "wb"


class PositionFields(NamedTuple):
    """The fields of a parsed position, before they are checked against the rules."""

    men: tuple[frozenset[int], frozenset[int]]
    hands: tuple[int, int]
    mover: int
    occurrence: int = 1
    quiet: int = 0


def to_text(position: "MorrisPosition") -> str:
    """Write the rows from the top, the mover, both hands; then counters other than the default.

    `r2` means that the position occurs for the second time, `q17` that 17 plies were quiet.
    """
    men = [
        _format_point(position, number, (*MEN_LETTERS, EMPTY_LETTER))
        for number in range(len(POINTS))
    ]
    rows = "/".join("".join(men[POINT_NUMBERS[name]] for name in row) for row in ROWS)
    parts = [rows, MOVERS[position.mover], *map(str, position.hands)]
    if position.occurrence > 1:
        parts.append(f"r{position.occurrence}")
    if position.quiet > 0:
        parts.append(f"q{position.quiet}")
    return " ".join(parts)


def to_thesis(position: "MorrisPosition") -> str:
    """Write Galassi's 28 characters: M (mover), E (enemy), O (empty); then the four counts."""
    own, enemy = position.mover, 1 - position.mover
    letters = ("M", "E", "O") if own == 0 else ("E", "M", "O")
    board = "".join(_format_point(position, number, letters) for number in READING_ORDER)
    hands, men = position.hands, position.men
    for count in (*hands, *map(len, men)):
        if count > 9:
            raise BadPosition(f"the thesis's notation has one digit for {count} men")
    return f"{board}{hands[own]}{hands[enemy]}{len(men[own])}{len(men[enemy])}"


def to_sanmill(position: "MorrisPosition") -> str:
    """Write Sanmill's FEN; its last-mill and full-move fields are unknown here and stay empty."""
    rings = "/".join(
        "".join(
            _format_point(position, point_at(ring, place), ("O", "@", "*")) for place in range(1, 9)
        )
        for ring in (2, 1, 0)
    )
    is_placing = position.hands[position.mover] > 0
    phase, action = ("p", "p") if is_placing else ("m", "s")
    counts = " ".join(f"{len(position.men[side])} {position.hands[side]}" for side in (0, 1))
    mover = MOVERS[position.mover]
    return f"{rings} {mover} {phase} {action} {counts} 0 0 -1 -1 -1 -1 0 {position.quiet} 1"


def parse_position(text: str, rules: "Rules") -> PositionFields:
    """Parse a position in any of the notations and check it against the rules."""
    wanted = check_length(text, BadPosition).strip()
    if wanted == "start":
        no_men: frozenset[int] = frozenset()
        return PositionFields((no_men, no_men), (rules.men, rules.men), 0)
    if is_thesis(wanted):
        fields = _parse_thesis(wanted)
    elif _SANMILL.match(wanted):
        fields = _parse_sanmill(wanted)
    else:
        fields = _parse_text(wanted)
    _check_counts(fields, rules, text)
    return fields


def is_thesis(text: str) -> bool:
    """Return whether a position is written in Galassi's dataset letters."""
    return _THESIS.fullmatch(text.strip()) is not None


def parse_points(text: str) -> tuple[int, ...]:
    """Return the points that a move names, in order, in any notation; none for a pass."""
    wanted = check_length(text, BadMove).strip().lower()
    if wanted == "pass":
        return ()
    if not _MOVE.fullmatch(wanted):
        raise BadMove(f"{quote(text)} is not a move; write d6, d6-d5 or d6-d5xc3")
    return tuple(
        POINT_NUMBERS[word] if word in POINT_NUMBERS else READING_ORDER[int(word) - 1]
        for word in _POINT.findall(wanted)
    )


def to_thesis_move(move: Move) -> str:
    """Write a move as in Galassi's dataset: the points alone, `d6d5c3`."""
    return "".join(POINTS[number] for number in move if number is not None)


def to_playok_move(move: Move) -> str:
    """Write a move with PlayOK's numbers 1 to 24, row by row from a7."""
    number = {place: str(index) for index, place in enumerate(READING_ORDER, start=1)}
    if move.to is None:
        return "pass"
    start = "" if move.frm is None else f"{number[move.frm]}-"
    end = "" if move.take is None else f"x{number[move.take]}"
    return f"{start}{number[move.to]}{end}"


_NUMBERS = "|".join(str(number) for number in range(24, 0, -1))
_POINT = re.compile(rf"{'|'.join(POINTS)}|{_NUMBERS}")
_NAME = f"(?:{'|'.join(POINTS)})"
_DIGITS = f"(?:{_NUMBERS})"
_MOVE = re.compile(
    rf"{_NAME}(?:-?{_NAME})?(?:\s*+(?:x\s*+)?{_NAME})?|{_DIGITS}(?:-{_DIGITS})?(?:\s*x\s*{_DIGITS})?"
)
_THESIS = re.compile(rf"[OME]{{24}}[0-9]{{4}}(?:-{_NAME}{{1,3}})?")
_SANMILL = re.compile(r"[O@*]{8}/")
_ROWS = re.compile("/".join(f"[WwBb.]{{{len(row)}}}" for row in ROWS))
_WORD = re.compile(r"r([1-9][0-9]{0,2})|q([1-9][0-9]{0,4})")


def _format_point(position: "MorrisPosition", number: int, letters: tuple[str, str, str]) -> str:
    white, black = position.men
    return letters[0] if number in white else letters[1] if number in black else letters[2]


def _parse_men(
    letters: str, order: tuple[int, ...], own: str, enemy: str
) -> tuple[frozenset[int], ...]:
    return tuple(
        frozenset(number for number, found in zip(order, letters, strict=True) if found == letter)
        for letter in (own, enemy)
    )


def _parse_count(word: str, what: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", word):
        raise BadPosition(f"{what} {quote(word)} in {quote(text)} is not a number")
    return int(word)


def _parse_text(text: str) -> PositionFields:
    words = text.split()
    if not words or not _ROWS.fullmatch(words[0]):
        shape = "/".join("." * len(row) for row in ROWS)
        raise BadPosition(f"{quote(text)} is not a position; its board must look like {shape}")
    if len(words) < 4:
        raise BadPosition(f"{quote(text)} lacks the mover (w or b) and two numbers of men in hand")
    if words[1] not in MOVERS:
        raise BadPosition(f"the mover {quote(words[1])} in {quote(text)} is not w or b")
    letters = words[0].replace("/", "").upper()
    white, black = _parse_men(letters, READING_ORDER, *MEN_LETTERS)
    hands = (
        _parse_count(words[2], "White's hand", text),
        _parse_count(words[3], "Black's hand", text),
    )
    more: dict[str, int] = {}
    for word in words[4:]:
        if not _WORD.fullmatch(word):
            raise BadPosition(f"{quote(word)} at the end of {quote(text)} is not r2 or q17")
        if word[0] in more:
            raise BadPosition(f"{quote(word)} at the end of {quote(text)} is given twice")
        more[word[0]] = int(word[1:])
    mover = MOVERS.index(words[1])
    return PositionFields((white, black), hands, mover, more.get("r", 1), more.get("q", 0))


def _parse_thesis(text: str) -> PositionFields:
    """Parse Galassi's notation, which has no colours: the mover, M, becomes White."""
    white, black = _parse_men(text[:24], READING_ORDER, "M", "E")
    own_hand, enemy_hand, own_men, enemy_men = (int(digit) for digit in text[24:28])
    for men, count, name in ((white, own_men, "M"), (black, enemy_men, "E")):
        if len(men) != count:
            raise BadPosition(f"{quote(text)} shows {len(men)} {name} but counts {count}")
    return PositionFields((white, black), (own_hand, enemy_hand), 0)


def _parse_sanmill(text: str) -> PositionFields:
    words = text.split()
    rings = words[0].split("/")
    if len(rings) != 3 or not all(re.fullmatch(r"[O@*]{8}", ring) for ring in rings):
        raise BadPosition(f"{quote(words[0])} is not three rings of eight O, @ or *")
    if len(words) < 10:
        raise BadPosition(f"{quote(text)} has {len(words)} fields; Sanmill's FEN has at least 10")
    if words[1] not in MOVERS:
        raise BadPosition(f"the mover {quote(words[1])} in {quote(text)} is not w or b")
    numbers = [_parse_count(word, "the count", text) for word in words[4:10]]
    if words[3] == "r" or any(numbers[4:]):
        raise BadPosition(f"{quote(text)} is in the middle of a turn: a man is still to be taken")
    order = tuple(point_at(ring, place) for ring in (2, 1, 0) for place in range(1, 9))
    white, black = _parse_men("".join(rings), order, "O", "@")
    for men, count, name in ((white, numbers[0], "O"), (black, numbers[2], "@")):
        if len(men) != count:
            raise BadPosition(f"{quote(text)} shows {len(men)} {name} but counts {count}")
    quiet = _parse_count(words[15], "the rule-50 counter", text) if len(words) > 15 else 0
    return PositionFields(
        (white, black), (numbers[1], numbers[3]), MOVERS.index(words[1]), 1, quiet
    )


def _check_counts(fields: PositionFields, rules: "Rules", text: str) -> None:
    """Refuse counts that the rules do not allow."""
    for men, hand, name in zip(fields.men, fields.hands, ("White", "Black"), strict=True):
        if len(men) + hand > rules.men:
            total = f"{len(men)} on the board and {hand} in hand"
            raise BadPosition(f"{name} has {total} in {quote(text)}; the rules give {rules.men}")
    if all(len(men) + hand < rules.lose_below for men, hand in zip(*fields[:2], strict=True)):
        raise BadPosition(f"both sides have lost in {quote(text)}")
    if fields.occurrence > max(1, rules.repetition):
        raise BadPosition(f"r{fields.occurrence} in {quote(text)}: the rules end the game before")
    if fields.quiet > rules.quiet_plies > 0:
        raise BadPosition(f"q{fields.quiet} in {quote(text)}: the rules end the game before")


MAX_WORD_LENGTH = 30

_RING_PLACE = r"\(([1-3]),([1-8])\)"
_OLD_PLACE_PATTERN = re.compile(_RING_PLACE)
_OLD_MOVE_PATTERN = re.compile(rf"(?:{_RING_PLACE}(?:->{_RING_PLACE})?)?(?:-{_RING_PLACE})?")


class MorrisMoveNotation(MoveNotation):
    """Move notation of the Morris family, compatible with Sanmill and related programs.

    Those programs write a move that closes a mill and its capture as two moves: `d6-d7`, then
    `xa1`. Output is `d6-d7xa1` or both words. Input accepts either, an omitted hyphen, and the
    older `(3,1)->(2,1)` and `-(1,6)` with ring and place in brackets.
    """

    options: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {"Captures": ("suffix", "token"), "Answer": ("uci", "sanmill")}
    )
    """Captures as part of the move or as a separate move; responses as in UCI or Sanmill."""

    def parse(self, turn: TurnState, word: str) -> tuple[Move, bool]:
        wanted = _to_point_names(word.lower()) if len(word) <= MAX_WORD_LENGTH else word
        if turn.partial_move is not None or wanted.startswith("x"):
            return self._parse_capture(turn, wanted), True
        points = parse_points(wanted)
        for move in turn.position.legal_moves():
            parts = [number for number in move if number is not None]
            if parts == [*points]:
                return move, True
            if move.take is not None and parts[:-1] == [*points]:
                return move._replace(take=None), False
        return super().parse(turn, wanted)  # raises the error that explains what is wrong

    def _parse_capture(self, turn: TurnState, word: str) -> Move:
        if turn.partial_move is None:
            raise BadMove(f"{quote(word)} takes a man, but no mill was closed before it")
        moves = self.list_continuations(turn)
        captures = {self.format_words(move, turn.partial_move)[0]: move for move in moves}
        if word in captures:
            return captures[word]
        examples = ", ".join([*captures][:3])
        raise BadMove(
            f"{quote(word)} cannot follow {turn.partial_move}: a man is to be taken, as {examples}"
        )

    def list_continuations(self, turn: TurnState) -> list[Move]:
        moves = super().list_continuations(turn)
        if turn.partial_move is None:
            return moves
        return [
            move
            for move in moves
            if move.take is not None and move._replace(take=None) == turn.partial_move
        ]

    # Any below: MoveNotation takes moves and positions of every game.

    def format_words(
        self, move: Any, partial_move: Any = None, *, separate_captures: bool = False
    ) -> tuple[str, ...]:
        taking = () if move.take is None else (f"x{POINTS[move.take]}",)
        if partial_move is not None:
            return taking
        whole = str(move)
        return (str(move._replace(take=None)), *taking) if separate_captures else (whole,)

    def format_position(self, position: Any) -> str:
        """Sanmill's FEN."""
        return to_sanmill(position)


def _to_point_names(word: str) -> str:
    """Replace rings and places in brackets by point names; return other words unchanged."""
    match = _OLD_MOVE_PATTERN.fullmatch(word) if "(" in word else None
    if match is None:
        return word
    names = [_get_point_name(ring, place) for ring, place in _OLD_PLACE_PATTERN.findall(word)]
    is_taking = match[5] is not None
    taken = f"x{names.pop()}" if is_taking else ""
    return "-".join(names) + taken


def _get_point_name(ring: str, place: str) -> str:
    """Return the name of a point; ring 1 is the inner one, place 1 its top middle, then clockwise.

    >>> _get_point_name("1", "1"), _get_point_name("3", "8")
    ('d5', 'a7')
    """
    return POINTS[point_at(3 - int(ring), int(place))]
