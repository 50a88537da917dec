"""What `go` asks for: how much to spend on a move."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ludus.core.errors import LudusError, quoted
from ludus.core.limit import Limit
from ludus.core.spec import suggestion

NUMBERS = ("depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo")
WORDS = (*NUMBERS, "infinite", "searchmoves")

FOR_EVER = Limit(time=1e8)
"""For a search that only `stop` ends. A limit, because without any players set one themselves."""

USUAL_MOVES_TO_GO = 30
"""So many moves are still expected where a clock has to last for the whole game."""

RESERVE = 0.05
"""Seconds of the clock that are left for the way of the answer."""

SHORTEST = 0.01


class BadGo(LudusError):
    """A `go` that cannot be understood."""


@dataclass(frozen=True, slots=True)
class Go:
    """A budget, and what it is to be spent on."""

    limit: Limit = Limit()  # noqa: RUF009 - frozen

    is_infinite: bool = False
    """Whether nothing is answered before `stop`."""

    only: tuple[str, ...] = ()
    """Moves to choose from; all if there are none."""


def read_go(words: Sequence[str], mover: int) -> Go:
    """What the words behind `go` ask of this side.

    >>> read_go(["depth", "8", "movetime", "1500"], 0).limit
    Limit(time=1.5, nodes=None, depth=8)
    """
    numbers: dict[str, int] = {}
    only: list[str] = []
    is_infinite = False
    rest = iter(words)
    for word in rest:
        if word in NUMBERS:
            numbers[word] = _number(word, rest)
        elif word == "searchmoves":
            only += rest
        elif word == "infinite":
            is_infinite = True
        else:
            raise BadGo(f"go has no {quoted(word)}{suggestion(word, WORDS)}")
    if is_infinite:
        return Go(FOR_EVER, True, tuple(only))
    limit = Limit(_seconds(numbers, mover), numbers.get("nodes"), numbers.get("depth"))
    return Go(limit, False, tuple(only))


def _number(name: str, rest: Iterator[str]) -> int:
    text = next(rest, "")
    is_clock = name in ("wtime", "btime", "winc", "binc")
    # A clock that has run out may be sent as a negative time.
    if not re.fullmatch(r"-?[0-9]{1,15}" if is_clock else r"[0-9]{1,15}", text):
        raise BadGo(f"go {name} needs a number, not {quoted(text)}")
    number = int(text)
    if number == 0 and not is_clock:
        raise BadGo(f"go {name} must be at least 1")
    return number


def _seconds(numbers: dict[str, int], mover: int) -> float | None:
    """The time for this move: as it is set, or a share of what is left on the clock."""
    if "movetime" in numbers:
        return numbers["movetime"] / 1000
    left, more = (numbers.get(f"{'wb'[mover]}{name}") for name in ("time", "inc"))
    if left is None:
        return None
    share = left / numbers.get("movestogo", USUAL_MOVES_TO_GO) + 0.8 * (more or 0)
    return max(min(share / 1000, left / 1000 - RESERVE), SHORTEST)
