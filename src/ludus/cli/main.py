"""The program `ludus`: its commands, exit statuses, and error messages of one line.

Input that is wrong never leads to a traceback.
"""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ludus.cli import (
    backgammon,
    bench,
    dataset,
    games,
    match,
    migo,
    nnmm,
    oracle,
    patterns,
    play,
    protocol,
    regret,
    reproduce,
    scholar_certificate,
    tabular,
    tournament,
    train,
)
from ludus.core.errors import LudusError, quote, to_one_line
from ludus.core.processes import limit_array_threads

app = typer.Typer(
    name="ludus",
    help="Play, solve and learn classic board games.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from ludus import __version__

        typer.echo(f"ludus {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _show_help(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


# In the order in which the help lists them.
for command in (
    play.play,
    games.games,
    games.players,
    games.perft,
    match.match,
    tournament.tournament,
    regret.regret,
    match.choose,
    reproduce.reproduce,
    oracle.solve,
    oracle.value,
    oracle.verify,
    protocol.engine,
    bench.bench,
):
    app.command()(command)

app.add_typer(dataset.app, name="dataset")
app.add_typer(patterns.app, name="patterns")
app.add_typer(train.train_app, name="train")
app.add_typer(train.tune_app, name="tune")
app.add_typer(backgammon.app, name="backgammon")
app.add_typer(migo.app, name="migo")
app.add_typer(tabular.menace_app, name="menace")
app.add_typer(nnmm.evaluate_app, name="evaluate")
app.add_typer(scholar_certificate.app, name="scholar")
app.add_typer(protocol.serve_app, name="serve")
app.add_typer(nnmm.nnmm_app, name="nnmm")


EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
EXIT_CLOSED_PIPE = 141
"""Exit status that a shell reports for a program killed by SIGPIPE."""

MAX_MESSAGE_LENGTH = 400

# Typer brings its own copy of Click's errors or uses Click's, depending on its version.
_ClickError: type[Exception] = typer.BadParameter.__mro__[2]


def main() -> None:
    """Run `ludus` with the arguments of the process and exit."""
    _configure_streams()
    limit_array_threads()
    status = run(sys.argv[1:])
    if status == EXIT_INTERRUPTED:
        # A thread may still run compiled code that cannot be interrupted; no cleanup is needed.
        os._exit(status)
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    try:
        status = _invoke(arguments)
        sys.stdout.flush()
    except (LudusError, _ClickError) as error:
        return _print_error(error)
    except (KeyboardInterrupt, typer.Abort):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return EXIT_CLOSED_PIPE
    return status


def _invoke(arguments: Sequence[str]) -> int:
    for number, argument in enumerate(arguments, 1):
        if not _is_valid_text(argument):
            raise LudusError(f"argument {number}, {quote(argument)}, is not valid UTF-8 text")
    command = typer.main.get_command(app)
    try:
        with command.make_context("ludus", list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code
    return 0


def _is_valid_text(argument: str) -> bool:
    """Check for lone surrogates, which Python decodes from bytes that are not UTF-8."""
    return not any("\ud800" <= character <= "\udfff" for character in argument)


def _print_error(error: Exception) -> int:
    """Print an error as one line on standard error and return the exit status."""
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    print(f"ludus: {to_one_line(message, MAX_MESSAGE_LENGTH)}", file=sys.stderr)
    return EXIT_BAD_INPUT


def _configure_streams() -> None:
    """Replace characters that the terminal cannot encode and input bytes that are not UTF-8."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace" if stream is sys.stdin else "replace")


def _discard_output() -> None:
    """Redirect standard output to the null device: Python flushes it again at exit."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.stdout.fileno())
