"""From the arguments to an exit status: whatever a user typed, never a traceback."""

import os
import sys
from collections.abc import Sequence

import typer

from ludus.cli.app import app
from ludus.core.errors import LudusError, quoted
from ludus.core.threads import one_thread_for_arrays

BAD_INPUT = 2
INTERRUPTED = 130
CLOSED_PIPE = 141
"""What a shell reports for a program that was stopped by a closed pipe."""

LONGEST_COMPLAINT = 400

# Typer brings its own copy of Click's errors or uses Click's, depending on its version.
_ClickError: type[Exception] = typer.BadParameter.__mro__[2]


def main() -> None:
    """The program `ludus`."""
    _prepare_streams()
    one_thread_for_arrays()
    status = run(sys.argv[1:])
    if status == INTERRUPTED:
        # Compiled code may still be at work on a thread, and nothing is left to tidy up.
        os._exit(status)
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    try:
        status = _invoke(arguments)
        sys.stdout.flush()
    except (LudusError, _ClickError) as error:
        return _complain(error)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return CLOSED_PIPE
    return status


def _invoke(arguments: Sequence[str]) -> int:
    for number, argument in enumerate(arguments, 1):
        if not _is_text(argument):
            raise LudusError(f"argument {number}, {quoted(argument)}, is not valid UTF-8 text")
    command = typer.main.get_command(app)
    try:
        with command.make_context("ludus", list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code
    return 0


def _is_text(argument: str) -> bool:
    """Bytes that are no UTF-8 come in as lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in argument)


def _complain(error: Exception) -> int:
    """One line on standard error."""
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    line = " ".join(message.split())
    shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in line)
    if len(shown) > LONGEST_COMPLAINT:
        shown = f"{shown[:LONGEST_COMPLAINT]}…"
    print(f"ludus: {shown}", file=sys.stderr)
    return BAD_INPUT


def _prepare_streams() -> None:
    """A terminal that cannot show a character, or a text that is no UTF-8, must not stop us."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace" if stream is sys.stdin else "replace")


def _drop_output() -> None:
    """Nobody reads on; without this Python would complain once more while it ends."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.stdout.fileno())
