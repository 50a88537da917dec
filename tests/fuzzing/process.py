"""Run in a process of its own, with the sanitizers loaded: hostile values and strings.

    python -m fuzzing.process FOLDER canary MISTAKE ARGUMENT
    python -m fuzzing.process FOLDER unprepared
    python -m fuzzing.process FOLDER values MODULE SEED CALLS
    python -m fuzzing.process FOLDER scenario NAME [CALLS]
    python -m fuzzing.process FOLDER parsers SEED STRINGS LAST

FOLDER holds the sanitized modules; the string in use is kept in the file LAST, where it is found
when the process was killed. Prints what came of it as JSON.
"""

import ctypes
import json
import random
import sys
from pathlib import Path

from fuzzing.sanitized import use_sanitized_modules


def canary(folder: str, mistake: str, argument: str) -> int:
    """Make a deliberate memory error, which the sanitizers must report."""
    function = getattr(ctypes.CDLL(str(Path(folder) / "libcanary.so")), mistake)
    function.argtypes = [ctypes.c_size_t]
    return int(function(int(argument)))


def unprepared() -> dict[str, int]:
    """Use modules without the Python types that they need."""
    from ludus._native import backgammon, morris
    from ludus.games.nine_mens_morris.rules import Rules

    refused = 0
    start = (2, *(0,) * 22, -2)
    for call in (
        lambda: morris.Position(Rules(), (0, 0), (9, 9), 0),
        lambda: backgammon.legal_moves(start, (0, 0), (0, 0), 0, (3, 1)),
    ):
        try:
            call()
        except RuntimeError:
            refused += 1
    for thing in (morris.Position.__new__(morris.Position), object()):
        try:
            morris.Position.legal_moves(thing)
        except TypeError:
            refused += 1
    return {"refused": refused}


def main(folder: str, what: str, *arguments: str) -> None:
    modules = use_sanitized_modules(Path(folder))
    if what in ("canary", "unprepared"):  # before anything prepares the modules
        print(json.dumps(canary(folder, *arguments) if arguments else unprepared()))
        return
    from fuzzing import native_games, native_tables, parsers

    functions = vars(native_games) | vars(native_tables)
    if what == "values":
        module, seed, calls = arguments
        report = functions[f"{module}_values"](random.Random(int(seed)), int(calls))
    elif what == "scenario":
        report = functions[arguments[0]](*map(int, arguments[1:]))
    else:
        report = parsers.feed_parsers(modules, *arguments)
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
