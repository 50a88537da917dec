"""Run in a process of its own, with the sanitizers loaded: feeds hostile strings to all parsers.

    python -m support.fuzzing.parser_process FOLDER SEED STRINGS LAST

FOLDER holds the sanitized modules; the string in use is kept in the file LAST, where it is found
when the process was killed. Prints what was fed to whom as JSON.
"""

import collections
import json
import os
import random
import sys
import traceback
from pathlib import Path
from typing import Any

from support.fuzzing.sanitized import use_sanitized_modules

ODD = "odd"
"""Well formed, but strange; the other kinds are those of `hostile`."""

ODD_SHARE = 0.3
"""Of the strings that parsers of positions get."""

LONGEST_MESSAGE = 500
EXTREMES = ("", "\0", "\ud800", "x" * 1_000_001, "(" * 1_000_000, "9" * 1_000_000, "[a" * 500_000)
"""Given to every parser once."""


class LastWords:
    """The string in use, in a file that outlives the process."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def say(self, target: str, text: str) -> None:
        words = f"{target}: {text[:2000]!a}\n".encode()
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, words, 0)


def feed(target: Any, text: str) -> bool:
    """Whether the parser accepts the text; any error but a short LudusError is a bug."""
    from ludus.core.errors import LudusError

    try:
        target.feed(text)
    except LudusError as error:
        message = str(error)
        assert message.splitlines() == [message], "a message must be one line"
        assert len(message) < LONGEST_MESSAGE, f"a message of {len(message)} characters"
        return False
    return True


def strings(targets: list[Any], source: random.Random, count: int) -> Any:
    """Which parser gets which kind of string."""
    from support.fuzzing.hostile_strings import Hostile

    hostile = Hostile(source)
    kinds = list(hostile.kinds)
    for target in targets:
        yield from ((target, "extreme", text) for text in EXTREMES)
    # Now and then a parser gets what was meant for another.
    foreign = tuple(text for target in targets for text in target.valid[:20])
    for target in source.choices(targets, [target.weight for target in targets], k=count):
        if target.odd is not None and source.random() < ODD_SHARE:
            yield target, ODD, target.odd()
        else:
            kind = source.choice(kinds)
            valid = foreign if source.random() < 0.05 else target.valid
            yield target, kind, hostile.kinds[kind](valid)


def main(folder: str, seed: str, count: str, last: str) -> int:
    modules = use_sanitized_modules(Path(folder))
    from support.fuzzing.targets import all_targets

    source = random.Random(int(seed))
    words = LastWords(Path(last))
    fed, kinds, accepted = (collections.Counter[str]() for _ in range(3))
    for target, kind, text in strings(all_targets(source), source, int(count)):
        words.say(target.name, text)
        try:
            is_accepted = feed(target, text)
        except Exception:
            traceback.print_exc()
            print(f"{target.name} choked on {kind} {text[:2000]!a}", file=sys.stderr)
            return 1
        fed[target.name] += 1
        kinds[kind] += 1
        accepted[target.name] += is_accepted
    print(json.dumps({"modules": modules, "fed": fed, "kinds": kinds, "accepted": accepted}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
