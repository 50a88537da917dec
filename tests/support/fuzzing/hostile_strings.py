"""Strings meant to break a parser, each kind from its own generator, all from one seed."""

import random
import re
from collections.abc import Callable, Sequence

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

NUMBERS = (
    *(
        "-1",
        "0",
        "00",
        "+5",
        "-0",
        "7",
        "9",
        "10",
        "12",
        "13",
        "24",
        "25",
        "26",
        "99",
        "100",
        "999",
    ),
    *("127", "128", "255", "256", "32768", "65535", "65536", "2147483648", "4294967296"),
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
            lambda old: self.random.choice(NUMBERS) if self.random.random() < share else old[0],
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
