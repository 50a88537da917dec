"""Arguments of a wrong type: errors that name the argument and the reason.

Nothing is checked while a function succeeds, so that calls in loops stay as fast as they are.
"""

import functools
import inspect
import numbers
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from ludus.core.errors import BadArgument, LudusError, quote_value

P = ParamSpec("P")
R = TypeVar("R")

MAX_DEPTH = 100
"""Plies of the longest sequences that perft counts."""


def is_whole_number(value: object) -> bool:
    """Return whether a value is a number without a fraction, of Python or numpy."""
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def is_number(value: object) -> bool:
    """Return whether a value is a real number, of Python or numpy."""
    return isinstance(value, numbers.Real)


def _is_position(value: object) -> bool:
    return hasattr(type(value), "legal_moves")


def _is_instance(value: object) -> bool:
    """Return whether a value is of a class of some package, not a plain value of Python."""
    return type(value).__module__ != "builtins"


def _are_positions(value: object) -> bool:
    return isinstance(value, Iterable) and all(map(_is_position, value))


def _is_permutation(value: object) -> bool:
    if not isinstance(value, Sequence) or not value or not all(map(is_whole_number, value)):
        return False
    return sorted(value) == list(range(len(value)))


def _is_side(value: object) -> bool:
    return is_whole_number(value) and value in (0, 1)


def _are_sides(value: object) -> bool:
    return isinstance(value, Iterable) and all(map(_is_side, value))


def is_depth(value: Any) -> bool:
    """Return whether a value is a depth that perft accepts."""
    return is_whole_number(value) and value <= MAX_DEPTH


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "position": (_is_position, "a position; game.parse makes one"),
    "positions": (_are_positions, "a list of positions"),
    "move": (_is_instance, "a move; game.parse_move makes one"),
    "symmetry": (_is_permutation, "a permutation; game.symmetries() lists them"),
    "depth": (is_depth, f"a whole number up to {MAX_DEPTH}"),
    "number": (is_whole_number, "a whole number"),
    "side": (_is_side, "a side, 0 or 1"),
    "people": (_are_sides, "a collection of sides, 0 and 1"),
    "games": (is_whole_number, "a whole number"),
    "max_men": (is_whole_number, "a whole number"),
    "max_plies": (is_whole_number, "a whole number"),
    "text": (lambda value: isinstance(value, str), "a text"),
    "outcome": (_is_instance, "an outcome of a game"),
    "limit": (_is_instance, "a ludus.Limit"),
    "marks": (_is_instance, "a ludus.Marks"),
    "path": (_is_path, "the path of a file"),
    "folder": (_is_path, "the path of a folder"),
    "schedule": (_is_instance, "a schedule"),
    "tournament": (_is_instance, "a tournament"),
    "entries": (_is_instance, "entries of a dataset"),
}
"""What an argument must be, by the name of the parameter."""


def explain_misuse(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function, so that it raises BadArgument if it fails on an argument of a wrong kind.

    >>> @explain_misuse
    ... def count(position):
    ...     return len(position.legal_moves())
    >>> count("BBB/.../WWW w")
    Traceback (most recent call last):
        ...
    ludus.core.errors.BadArgument: position='BBB/.../WWW w' is not a position; game.parse makes one
    """

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except LudusError:
            raise
        except Exception as error:
            check_kinds(function, args, kwargs, error)
            raise

    return checked


def check_kinds(
    function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any], cause: Exception
) -> None:
    """Raise BadArgument for the first argument that is of the wrong kind by its parameter's name.

    A call with missing or unknown arguments is not examined: Python's own message is best.
    """
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return
    for name, value in given.items():
        if name not in KINDS or value is signature.parameters[name].default:
            continue
        is_kind, kind = KINDS[name]
        is_short = name == "symmetry" and isinstance(cause, IndexError)  # of another board
        if is_short or not is_kind(value):
            raise BadArgument(f"{name}={quote_value(value)} is not {kind}") from cause
