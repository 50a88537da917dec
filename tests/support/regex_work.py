"""The work of regular expressions, counted in steps of a backtracking matcher.

`re` matches by backtracking; its time depends on the machine, the number of steps does not. The
matcher here walks the parsed expression as `re` does, and counts.
"""

import re
from collections.abc import Iterator
from itertools import islice
from re import _parser  # type: ignore[attr-defined]  # the tree that `re` itself compiles
from typing import Any

SINGLE = ("LITERAL", "NOT_LITERAL", "ANY", "IN")
REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
MAX_STEPS = 100_000
STRANGE = "\ue000"
"""A character that no expression names."""


CANDIDATES = "x1 A-" + "".join(map(chr, range(128)))


class Matcher:
    """Matches one text, and counts the characters that it looks at."""

    def __init__(self, pattern: "re.Pattern[Any]") -> None:
        text = pattern.pattern
        self.tree = _parser.parse(text.decode("latin-1") if isinstance(text, bytes) else text)
        self.flags = pattern.flags
        self.steps = 0

    def count(self, text: str) -> int:
        """Return the steps of a match with the whole text."""
        self.steps = 0
        any(end == len(text) for end in self.run(text))
        return self.steps

    def run(self, text: str) -> Iterator[int]:
        """Yield where a match that begins with the text may end."""
        return self._run(list(self.tree), text, 0)

    def _run(self, items: list[Any], text: str, at: int) -> Iterator[int]:
        """Yield where a sequence of parts may end, in the order in which `re` tries it."""
        if not items:
            yield at
            return
        first, *rest = items
        for end in self._match(first, text, at):
            yield from self._run(rest, text, end)

    def _match(self, item: Any, text: str, at: int) -> Iterator[int]:
        kind, value = str(item[0]), item[1]
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise OverflowError(f"more than {MAX_STEPS} steps")
        if kind in SINGLE:
            if at < len(text) and matches(item, text[at], self.flags):
                yield at + 1
        elif kind in REPEATS:
            yield from self._repeat(kind, *value, text, at)
        elif kind == "SUBPATTERN":
            yield from self._run(list(value[-1]), text, at)
        elif kind == "BRANCH":
            for branch in value[1]:
                yield from self._run(list(branch), text, at)
        elif kind == "ATOMIC_GROUP":
            yield from islice(self._run(list(value), text, at), 1)
        elif kind in ("ASSERT", "ASSERT_NOT"):
            direction, inner = value
            begin = at if direction > 0 else at - inner.getwidth()[0]
            found = begin >= 0 and next(self._run(list(inner), text, begin), None) is not None
            if found == (kind == "ASSERT"):
                yield at
        else:  # a place such as the end of the text
            yield at

    def _repeat(
        self, kind: str, least: int, most: int, inner: Any, text: str, at: int
    ) -> Iterator[int]:
        if kind == "POSSESSIVE_REPEAT":
            yield from islice(self._repeat("MAX_REPEAT", least, most, inner, text, at), 1)
            return
        is_lazy, body = kind == "MIN_REPEAT", list(inner)
        ways = [(at, self._run(body, text, at))]
        if is_lazy and not least:
            yield at
        while ways:
            here, further = ways[-1]
            is_open = len(ways) <= most
            end = next((end for end in further if end > here), None) if is_open else None
            if end is None:
                if not is_lazy and len(ways) > least:
                    yield here
                ways.pop()
                continue
            ways.append((end, self._run(body, text, end)))
            if is_lazy and len(ways) > least:
                yield end


def matches(item: Any, char: str, flags: int) -> bool:
    """Return whether one part of an expression, such as a set of characters, has a character."""
    kind, value = str(item[0]), item[1]
    if kind == "ANY":
        return char != "\n" or bool(flags & re.DOTALL)
    if kind == "LITERAL":
        return ord(char) == value
    if kind == "NOT_LITERAL":
        return ord(char) != value
    is_negated = str(value[0][0]) == "NEGATE"
    found = any(_has(part, char) for part in value[is_negated:])
    return found != is_negated


def _has(part: Any, char: str) -> bool:
    kind, value = str(part[0]), part[1]
    if kind == "LITERAL":
        return ord(char) == value
    if kind == "RANGE":
        return value[0] <= ord(char) <= value[1]
    name = str(value)
    known = {
        "DIGIT": char.isdigit(),
        "SPACE": char.isspace(),
        "WORD": char.isalnum() or char == "_",
    }
    return known[name.rpartition("_")[2]] != ("_NOT_" in name)


def list_attacks(pattern: "re.Pattern[Any]", size: int) -> Iterator[str]:
    """Yield texts that are long at one of the expression's repeats and then do not match."""
    matcher = Matcher(pattern)
    alphabet = sorted({*_letters(matcher.tree), " ", "x", "1"})
    for begin, body in _walk(list(matcher.tree), ""):
        for pump in {_sample(body), *alphabet}:
            yield begin + pump * (size // max(len(pump), 1)) + STRANGE


def _letters(tree: Any) -> Iterator[str]:
    """Yield the single characters that an expression names."""
    for kind, value in tree:
        name = str(kind)
        if name == "LITERAL":
            yield chr(value)
        elif name == "IN":
            yield from (chr(part[1]) for part in value if str(part[0]) == "LITERAL")
        else:
            for inner in _children(name, value):
                yield from _letters(inner)


def _children(name: str, value: Any) -> list[Any]:
    if name in REPEATS:
        return [value[2]]
    if name in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
        return [value[-1]]
    if name == "BRANCH":
        return list(value[1])
    return [value] if name == "ATOMIC_GROUP" else []


def _walk(items: list[Any], begin: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the body of each repeat without a small limit, and a text that leads there."""
    for item in items:
        name, value = str(item[0]), item[1]
        if name in REPEATS and value[1] > 100:
            yield begin, list(value[2])
        for inner in _children(name, value):
            if name not in ("ASSERT", "ASSERT_NOT"):
                yield from _walk(list(inner), begin)
        begin += _sample([item])


def _sample(items: list[Any]) -> str:
    """Return a text that some parts of an expression match."""
    found = ""
    for item in items:
        name, value = str(item[0]), item[1]
        if name in SINGLE:
            found += next(char for char in CANDIDATES if matches(item, char, re.DOTALL))
        elif name in REPEATS:
            found += _sample(list(value[2])) * value[0]
        elif name in ("SUBPATTERN", "BRANCH", "ATOMIC_GROUP"):
            found += _sample(list(_children(name, value)[0]))
    return found
