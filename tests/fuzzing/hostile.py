"""Strings, values and JSON meant to break parsers and compiled functions."""

import collections
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from ludus.core.errors import LudusError

NASTY = (
    "\0\t\n\r\x0b\x1b\x1c\x7f\x85\xa0\xad"  # what ends, breaks or hides text
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202e\u2028\u2029\u2066\u2067\ufeff"  # invisible, bidi
    "\ud800\udbff\udc00\udfff\ufffe\uffff\U0010ffff"  # halves of characters, and no characters
    "\u0301\u20e3\u1d110\U0001f1e6\U0001f468\u200d"  # combine with their neighbours
    "²½٣۳३௧３Ⅷ①〇\U0001d7d8"  # digits to Unicode, but not to a rules book
    "ıİßſﬁΣςKａＯ０"  # change length or letter with case
)
ASCII = "".join(map(chr, range(32, 127)))
SYNTAX = '/:-,=()[]{}"*.xX \\'
"""What our own notations are made of."""

NUMERALS = (
    *("-1", "0", "00", "+5", "-0", "7", "9", "10", "12", "13", "24", "25", "26", "99", "100"),
    *("999", "127", "128", "255", "256", "32768", "65535", "65536", "2147483648", "4294967296"),
    *("18446744073709551616", "9" * 40, "9" * 400, "9" * 5000, "1" + "0" * 308, "0" * 300 + "1"),
    *("1e9", "1e999", "nan", "inf", "-inf", "0x10", "0b1", "1_000", "1.5", "½", "٣", "²", "３"),
)
LENGTHS = (60, 500, 999, 1000, 1001, 5000, 60_000)


class Hostile:
    """A generator of hostile strings that knows some valid ones to start from."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.kinds: dict[str, Callable[[Sequence[str]], str]] = {
            "characters": self.characters,
            "edited": self.edited,
            "spliced": self.spliced,
            "overlong": self.overlong,
            "numbers": self.numbers,
            "nested": self.nested,
        }

    def characters(self, valid: Sequence[str]) -> str:
        """Characters at random, from nasty to plain."""
        alphabet = self.random.choice((NASTY, ASCII, SYNTAX, NASTY + SYNTAX, None))
        length = self.random.choice((0, 1, 2, 5, 14, 28, 60))
        if alphabet is None:
            return "".join(chr(self.random.randrange(0x110000)) for _ in range(length))
        return "".join(self.random.choices(alphabet, k=length))

    def edited(self, valid: Sequence[str]) -> str:
        """A valid text after a few slips of the pen."""
        text = self.random.choice(valid)
        for _ in range(self.random.choice((1, 1, 1, 2, 3, 8))):
            text = self._slip(text)
        return text

    def spliced(self, valid: Sequence[str]) -> str:
        """The beginning of one valid text and the end of another."""
        first, second = self.random.choice(valid), self.random.choice(valid)
        return first[: self._cut(first)] + second[self._cut(second) :]

    def overlong(self, valid: Sequence[str]) -> str:
        """A piece of text again and again, on its own or within a valid text."""
        length = self.random.choice(LENGTHS)
        text = self.random.choice(valid)
        piece = self.random.choice((text, self._piece(text) or " ", *self._characters(2)))
        many = (piece * (length // len(piece) + 1))[:length]
        at = self._cut(text)
        return self.random.choice((many, text[:at] + many + text[at:]))

    def numbers(self, valid: Sequence[str]) -> str:
        """A valid text with other numbers in it."""
        text = self.random.choice(valid)
        share = self.random.choice((0.2, 0.5, 1))
        return re.sub(
            "[0-9]+" if self.random.random() < 0.5 else "[0-9]",
            lambda old: self.random.choice(NUMERALS) if self.random.random() < share else old[0],
            text,
        )

    def nested(self, valid: Sequence[str]) -> str:
        """Brackets within brackets, and quotes that are never closed."""
        depth = self.random.choice((1, 3, 49, 51, 300))
        opening, closing = self.random.choice(
            (("(", ")"), ("{", "}"), ("[", "]"), ('"', ""), ("\\", ""))
        )
        text = self.random.choice(valid)
        at = self._cut(text)
        inner = self.random.choice((text, self._piece(text)))
        return (
            text[:at] + opening * depth + inner + closing * self.random.choice((depth, depth - 1))
        )

    def _slip(self, text: str) -> str:
        at = self._cut(text)
        match self.random.randrange(8):
            case 0:
                return text[:at] + text[at + 1 :]
            case 1:
                return text[:at] + self._characters(1)[0] + text[at:]
            case 2:
                return text[:at] + self._characters(1)[0] + text[at + 1 :]
            case 3:
                return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
            case 4:
                return text[:at] + self._piece(text) + text[at:]
            case 5:
                return text[:at]
            case 6:
                other = self._cut(text)
                # A letter of the text itself in another place keeps the alphabet, so it gets far.
                return text[:at] + text[other : other + 1] + text[at + 1 :]
            case _:
                return self.random.choice(
                    (text.upper(), text.lower(), text.swapcase(), f" {text}\n")
                )

    def _cut(self, text: str) -> int:
        return self.random.randrange(len(text) + 1)

    def _piece(self, text: str) -> str:
        first, last = sorted((self._cut(text), self._cut(text)))
        return text[first:last]

    def _characters(self, count: int) -> list[str]:
        return self.random.choices(self.random.choice((NASTY, ASCII, SYNTAX)), k=count)


REFUSALS = (TypeError, ValueError, AttributeError, LudusError)
"""How compiled code may refuse what it is given."""

NUMBERS = (
    *(-(2**70), -(2**63), -(2**31), -129, -128, -5, -1, 0, 1, 2, 3, 7, 9, 12, 13, 15, 16, 23, 24),
    *(25, 99, 127, 128, 255, 256, 2**16 - 1, 2**16, 2**24 - 1, 2**24, 2**31 - 1, 2**31),
    *(2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64, 2**70),
)
ODD_VALUES = (
    *(None, "", "x", "\ud800", b"\0", 1.5, float("nan"), True),
    *([], (), {}, object(), int, range(9)),
)


class Values:
    """Hostile values of every shape."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def number(self, low: int, high: int) -> Any:
        """Mostly a number in this range, sometimes one of any size, sometimes no number."""
        chance = self.random.random()
        if chance < 0.93:
            return self.random.randint(low, high)
        return self.random.choice(NUMBERS if chance < 0.98 else ODD_VALUES)

    def several(self, count: int, low: int, high: int) -> Any:
        """Mostly a tuple of this number of numbers."""
        if self.random.random() < 0.05:
            return self.random.choice(ODD_VALUES)
        if self.random.random() < 0.05:
            count = self.random.randrange(30)
        return tuple(self.number(low, high) for _ in range(count))


class Caller:
    """Calls something and counts what came of it."""

    def __init__(self) -> None:
        self.results = collections.Counter[str]()

    def call(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result, or None if the function refused; any other error is a bug."""
        try:
            result = function(*arguments)
        except REFUSALS:
            self.results[f"{name} refused"] += 1
            return None
        self.results[f"{name} done"] += 1
        return result


JSON_WORDS = (
    *("", "\x00", "\ud800", "\u202eab", "é" * 2_000, "x" * 2_000, "../..", "%s%n", "' OR 1=1 --"),
    *("<script>", "-0", "1e999", "nan", "\U0001f600" * 50, "\r\n", "null", "true", "[]"),
    *("d6", "a7"),
)
JSON_NUMBERS = (
    *(0, 1, -1, 3, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**400),
    *(0.5, -0.0, 1e308, 5e-324),
)
JSON_CONSTANTS = (float("nan"), float("inf"), -float("inf"), True, False, None)


def make_value(source: random.Random, depth: int = 0) -> Any:
    """Return an arbitrary JSON value, nested up to a few levels."""
    kinds = [
        lambda: source.choice(JSON_WORDS),
        lambda: source.choice(JSON_NUMBERS),
        lambda: source.choice(JSON_CONSTANTS),
    ]
    if depth < 3:
        size = source.choice((0, 1, 2, 30))
        kinds += [
            lambda: [make_value(source, depth + 1) for _ in range(size)],
            lambda: {source.choice(JSON_WORDS): make_value(source, depth + 1) for _ in range(size)},
        ]
    return source.choice(kinds)()


def change_value(value: Any, source: random.Random) -> Any:
    """Return a value with one change: another value, one more, or one less, at any place."""
    if not isinstance(value, dict | list) or not value or source.random() < 0.1:
        return make_value(source)
    changed = value.copy()
    keys = list(changed) if isinstance(changed, dict) else range(len(changed))
    key = source.choice(keys)
    kind = source.randrange(6)
    if kind == 0:
        del changed[key]
    elif kind == 1 and isinstance(changed, dict):
        changed[source.choice(JSON_WORDS)] = make_value(source)
    elif kind == 1:
        changed.append(make_value(source))
    else:
        changed[key] = change_value(changed[key], source)
    return changed
