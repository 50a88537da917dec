"""How positions and moves of the Morris family are written, and read back.

Positions: our own text, the thesis's dataset letters, and Sanmill's FEN.
Moves: `d6-d5xc3` as people write it, `d6d5c3` as in the thesis, `5-8x16` as on PlayOK.
"""

import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ludus.core.errors import BadMove, BadPosition, check_length, quoted
from ludus.games.nine_mens_morris.board import (
    MEN,
    NOBODY,
    NUMBER,
    POINTS,
    READING_ORDER,
    ROWS,
    point,
)
from ludus.games.nine_mens_morris.move import Move

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.rules import Rules

MOVERS = "wb"


class Board(Protocol):
    """What a writer needs to know of a position; both twins have it."""

    @property
    def men(self) -> tuple[frozenset[int], frozenset[int]]: ...
    @property
    def hands(self) -> tuple[int, int]: ...
    @property
    def mover(self) -> int: ...
    @property
    def occurrence(self) -> int: ...
    @property
    def quiet(self) -> int: ...
    @property
    def rules(self) -> "Rules": ...


class Fields(NamedTuple):
    """What a text says about a position, before the rules have judged it."""

    men: tuple[frozenset[int], frozenset[int]]
    hands: tuple[int, int]
    mover: int
    occurrence: int = 1
    quiet: int = 0


def to_text(position: Board) -> str:
    """Our own text: the rows from the top, the mover, both hands; then what is not as usual.

    `r2` says that the position occurs for the second time, `q17` that 17 plies were quiet.
    """
    men = [_letter(position, number, (*MEN, NOBODY)) for number in range(len(POINTS))]
    rows = "/".join("".join(men[NUMBER[name]] for name in row) for row in ROWS)
    parts = [rows, MOVERS[position.mover], *map(str, position.hands)]
    if position.occurrence > 1:
        parts.append(f"r{position.occurrence}")
    if position.quiet > 0:
        parts.append(f"q{position.quiet}")
    return " ".join(parts)


def to_thesis(position: Board) -> str:
    """The thesis's 28 characters: M is the mover, E the enemy, O nobody; then the four counts."""
    own, enemy = position.mover, 1 - position.mover
    letters = ("M", "E", "O") if own == 0 else ("E", "M", "O")
    board = "".join(_letter(position, number, letters) for number in READING_ORDER)
    hands, men = position.hands, position.men
    for count in (*hands, *map(len, men)):
        if count > 9:
            raise BadPosition(f"the thesis's notation has one digit for {count} men")
    return f"{board}{hands[own]}{hands[enemy]}{len(men[own])}{len(men[enemy])}"


def to_sanmill(position: Board) -> str:
    """Sanmill's FEN. Sanmill's last-mill and full-move fields are not known here and stay empty."""
    rings = "/".join(
        "".join(_letter(position, point(ring, place), ("O", "@", "*")) for place in range(1, 9))
        for ring in (2, 1, 0)
    )
    is_placing = position.hands[position.mover] > 0
    phase, action = ("p", "p") if is_placing else ("m", "s")
    counts = " ".join(f"{len(position.men[side])} {position.hands[side]}" for side in (0, 1))
    mover = MOVERS[position.mover]
    return f"{rings} {mover} {phase} {action} {counts} 0 0 -1 -1 -1 -1 0 {position.quiet} 1"


def read_position(text: str, rules: "Rules") -> Fields:
    """The fields of a position in whichever notation the text is, checked against the rules."""
    wanted = check_length(text, BadPosition).strip()
    if wanted == "start":
        nobody: frozenset[int] = frozenset()
        return Fields((nobody, nobody), (rules.men, rules.men), 0)
    if _THESIS.fullmatch(wanted):
        fields = _read_thesis(wanted)
    elif _SANMILL.match(wanted):
        fields = _read_sanmill(wanted)
    else:
        fields = _read_text(wanted)
    _check(fields, rules, text)
    return fields


def read_points(text: str) -> tuple[int, ...]:
    """The points that a move names, in order, whatever notation it is in; none for a pass."""
    wanted = check_length(text, BadMove).strip().lower()
    if wanted == "pass":
        return ()
    if not _MOVE.fullmatch(wanted):
        raise BadMove(f"{quoted(text)} is not a move; write d6, d6-d5 or d6-d5xc3")
    return tuple(
        NUMBER[word] if word in NUMBER else READING_ORDER[int(word) - 1]
        for word in _POINT.findall(wanted)
    )


def to_thesis_move(move: Move) -> str:
    """A move as in the thesis's dataset: the points alone, `d6d5c3`."""
    return "".join(POINTS[number] for number in move if number is not None)


def to_playok_move(move: Move) -> str:
    """A move with PlayOK's numbers 1 to 24, row by row from a7."""
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
    rf"{_NAME}(?:-?{_NAME})?(?:\s*x?\s*{_NAME})?|{_DIGITS}(?:-{_DIGITS})?(?:\s*x\s*{_DIGITS})?"
)
_THESIS = re.compile(rf"[OME]{{24}}[0-9]{{4}}(?:-{_NAME}{{1,3}})?")
_SANMILL = re.compile(r"[O@*]{8}/")
_ROWS = re.compile("/".join(f"[WwBb.]{{{len(row)}}}" for row in ROWS))
_WORD = re.compile(r"r([1-9][0-9]{0,2})|q([1-9][0-9]{0,4})")


def _letter(position: Board, number: int, letters: tuple[str, str, str]) -> str:
    white, black = position.men
    return letters[0] if number in white else letters[1] if number in black else letters[2]


def _men(letters: str, order: tuple[int, ...], own: str, enemy: str) -> tuple[frozenset[int], ...]:
    return tuple(
        frozenset(number for number, found in zip(order, letters, strict=True) if found == letter)
        for letter in (own, enemy)
    )


def _count(word: str, what: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", word):
        raise BadPosition(f"{what} {quoted(word)} in {quoted(text)} is not a number")
    return int(word)


def _read_text(text: str) -> Fields:
    words = text.split()
    if not words or not _ROWS.fullmatch(words[0]):
        shape = "/".join("." * len(row) for row in ROWS)
        raise BadPosition(f"{quoted(text)} is not a position; its board must look like {shape}")
    if len(words) < 4:
        raise BadPosition(f"{quoted(text)} lacks the mover (w or b) and two numbers of men in hand")
    if words[1] not in MOVERS:
        raise BadPosition(f"the mover {quoted(words[1])} in {quoted(text)} is not w or b")
    letters = words[0].replace("/", "").upper()
    white, black = _men(letters, READING_ORDER, *MEN)
    hands = _count(words[2], "White's hand", text), _count(words[3], "Black's hand", text)
    more: dict[str, int] = {}
    for word in words[4:]:
        if not _WORD.fullmatch(word):
            raise BadPosition(f"{quoted(word)} at the end of {quoted(text)} is not r2 or q17")
        if word[0] in more:
            raise BadPosition(f"{quoted(word)} at the end of {quoted(text)} is said twice")
        more[word[0]] = int(word[1:])
    mover = MOVERS.index(words[1])
    return Fields((white, black), hands, mover, more.get("r", 1), more.get("q", 0))


def _read_thesis(text: str) -> Fields:
    """The thesis knows no colours: M, who is to move, becomes White."""
    white, black = _men(text[:24], READING_ORDER, "M", "E")
    own_hand, enemy_hand, own_men, enemy_men = (int(digit) for digit in text[24:28])
    for men, count, who in ((white, own_men, "M"), (black, enemy_men, "E")):
        if len(men) != count:
            raise BadPosition(f"{quoted(text)} shows {len(men)} {who} but counts {count}")
    return Fields((white, black), (own_hand, enemy_hand), 0)


def _read_sanmill(text: str) -> Fields:
    words = text.split()
    rings = words[0].split("/")
    if len(rings) != 3 or not all(re.fullmatch(r"[O@*]{8}", ring) for ring in rings):
        raise BadPosition(f"{quoted(words[0])} is not three rings of eight O, @ or *")
    if len(words) < 10:
        raise BadPosition(f"{quoted(text)} has {len(words)} fields; Sanmill's FEN has at least 10")
    if words[1] not in MOVERS:
        raise BadPosition(f"the mover {quoted(words[1])} in {quoted(text)} is not w or b")
    numbers = [_count(word, "the count", text) for word in words[4:10]]
    if words[3] == "r" or any(numbers[4:]):
        raise BadPosition(f"{quoted(text)} is in the middle of a turn: a man is still to be taken")
    order = tuple(point(ring, place) for ring in (2, 1, 0) for place in range(1, 9))
    white, black = _men("".join(rings), order, "O", "@")
    for men, count, who in ((white, numbers[0], "O"), (black, numbers[2], "@")):
        if len(men) != count:
            raise BadPosition(f"{quoted(text)} shows {len(men)} {who} but counts {count}")
    quiet = _count(words[15], "the rule-50 counter", text) if len(words) > 15 else 0
    return Fields((white, black), (numbers[1], numbers[3]), MOVERS.index(words[1]), 1, quiet)


def _check(fields: Fields, rules: "Rules", text: str) -> None:
    """Refuse counts that the rules do not allow."""
    for men, hand, who in zip(fields.men, fields.hands, ("White", "Black"), strict=True):
        if len(men) + hand > rules.men:
            total = f"{len(men)} on the board and {hand} in hand"
            raise BadPosition(f"{who} has {total} in {quoted(text)}; the rules give {rules.men}")
    if all(len(men) + hand < rules.lose_below for men, hand in zip(*fields[:2], strict=True)):
        raise BadPosition(f"both sides have lost in {quoted(text)}")
    if fields.occurrence > max(1, rules.repetition):
        raise BadPosition(f"r{fields.occurrence} in {quoted(text)}: the rules end the game before")
    if fields.quiet > rules.quiet_plies > 0:
        raise BadPosition(f"q{fields.quiet} in {quoted(text)}: the rules end the game before")
