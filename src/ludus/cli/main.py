"""The program `ludus`: its commands, exit statuses, and error messages of one line.

Input that is wrong never leads to a traceback.
"""

import errno
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any, TextIO

import typer

from ludus.cli import (
    analyse,
    dataset,
    draw,
    evaluate,
    export,
    games,
    judge,
    match,
    old_spellings,
    oracle,
    play,
    protocol,
    regret,
    reproduce,
    rollout,
    show,
    tune,
)
from ludus.cli.help import (
    HELP_SETTINGS,
    HelpGroup,
    complete_command_line,
    completion,
    make_group,
    prepare_help,
)
from ludus.cli.output import print_json, print_notice
from ludus.cli.phrases import rephrase_complaint
from ludus.cli.train import train_app
from ludus.core.errors import LudusError, LudusWarning, quote, to_one_line
from ludus.core.files import describe_os_error
from ludus.core.processes import limit_array_threads


class MainGroup(HelpGroup):
    """The commands in the order of COMMANDS."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for commands in COMMANDS.values() for name in commands]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; for the name of a learner alone, say which verbs go before it."""
        verbs = [
            verb
            for verb, group in self.commands.items()
            if args[0] not in self.commands and isinstance(group, HelpGroup)
            if args[0] in group.list_commands(ctx)
        ]
        if verbs:
            known = ", ".join(f"{verb} {args[0]}" for verb in verbs)
            raise LudusError(f"there is no command {quote(args[0])}; there are {known}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="ludus",
    help="Play, solve and learn classic board games.",
    cls=MainGroup,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=HELP_SETTINGS,
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


COMMANDS: dict[str, dict[str, Callable[..., None] | typer.Typer]] = {
    "Play": {
        "play": play.play,
        "match": match.match,
        "tournament": match.tournament,
        "choose": match.choose,
        "engine": protocol.engine,
        "serve": make_group(
            help="Serve moves and games to other programs and to language models.",
            commands={
                "mcp": protocol.serve_mcp,
                "nnmm": protocol.serve_nnmm,
                "openenv": protocol.serve_openenv,
            },
        ),
    },
    "Analyse": {
        "analyse": analyse.analyse,
        "rollout": rollout.rollout,
        "draw": draw.draw,
        "value": oracle.value,
        "regret": regret.regret,
        "judge": judge.judge,
    },
    "Solve": {
        "solve": oracle.solve,
        "verify": oracle.verify,
    },
    "Learn": {
        "train": train_app,
        "tune": make_group(
            help="Search for the best settings of a learner.",
            commands={"nnmm": tune.tune_nnmm, "patterns": tune.tune_patterns},
        ),
        "evaluate": make_group(
            help="Evaluate a trained learner on a dataset.",
            commands={"gammon": evaluate.evaluate_gammon, "nnmm": evaluate.evaluate_nnmm},
        ),
        "show": make_group(
            help="Show what a learner has learned.",
            commands={
                "menace": show.show_menace,
                "migo": show.show_migo,
                "patterns": show.show_patterns,
            },
        ),
        "explain": make_group(
            help="Explain the moves of a learner.",
            commands={"migo": show.explain_migo},
        ),
        "certify": make_group(
            help="Prove that a learner does not lose.",
            commands={"scholar": evaluate.certify},
        ),
    },
    "Data": {
        "dataset": dataset.app,
        "convert": export.convert,
        "export": export.app,
        "import": make_group(
            help="Convert networks of other programs, and positions scored by hand.",
            commands={"nnmm": export.import_nnmm, "gammon": export.import_gammon},
        ),
        "join": make_group(
            help="Join several sets of networks.",
            commands={"nnmm": export.join_nnmm},
        ),
    },
    "Other": {
        "games": games.games,
        "players": games.players,
        "perft": games.perft,
        "reproduce": reproduce.reproduce,
        "bench": games.bench,
        "completion": completion,
    },
}
"""The commands by the headings of the help; a learner's own are below their verbs."""

for heading, commands in COMMANDS.items():
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=heading)
        else:
            app.command(name, rich_help_panel=heading)(command)


EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
EXIT_CLOSED_PIPE = 141
"""Exit status that a shell reports for a program killed by SIGPIPE."""

MAX_MESSAGE_LENGTH = 480

MAX_HELP_WIDTH = 80

OUTPUT_ERRORS = (errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC)
"""Reasons why standard output cannot be written: a full disk, a closed stream, …"""

NO_THREAD = "can't start new thread"
"""Python's message where the system gives no thread, because of a limit or for lack of memory."""

# Typer brings its own copy of Click's errors or uses Click's, depending on its version.
_ClickError: type[Exception] = typer.BadParameter.__mro__[2]


def main() -> None:
    """Run `ludus` with the arguments of the process and exit."""
    _configure_streams()
    limit_array_threads()
    warnings.showwarning = _print_warning
    status = run(sys.argv[1:])
    if status == EXIT_INTERRUPTED:
        # A thread may still run compiled code that cannot be interrupted; no cleanup is needed.
        os._exit(status)
    sys.exit(status)


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning on standard error, ours in one line without the place in the program."""
    if issubclass(category, LudusWarning):
        print_notice(to_one_line(str(message), MAX_MESSAGE_LENGTH))
    else:
        print(f"{category.__name__}: {message}", file=sys.stderr)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    is_json = _is_json(arguments)
    try:
        status = _invoke(arguments, is_json)
        sys.stdout.flush()
    except (LudusError, _ClickError) as error:
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        return _print_error(rephrase_complaint(message), type(error).__name__, is_json)
    except (KeyboardInterrupt, typer.Abort):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _discard(sys.stdout)
        return EXIT_CLOSED_PIPE
    except RuntimeError as error:
        if str(error) != NO_THREAD:
            raise
        return _print_error(f"cannot start a thread: {error}", "LudusError", is_json)
    except OSError as error:
        # Files are written by `ludus.core.files`, whose errors name them; this is a stream.
        if error.filename is not None or error.errno not in OUTPUT_ERRORS:
            raise
        _discard(sys.stdout)
        reason = describe_os_error(error)
        return _print_error(f"cannot write to standard output: {reason}", "CannotWrite", False)
    return status


def _invoke(arguments: Sequence[str], is_json: bool) -> int:
    for number, argument in enumerate(arguments, 1):
        # Python decodes bytes that are not UTF-8 as lone surrogates.
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise LudusError(f"argument {number}, {quote(argument)}, is not valid UTF-8 text")
    arguments, notices = old_spellings.replace_old_spellings(arguments)
    if not is_json:
        for notice in notices:
            print_notice(notice)
    command = prepare_help(typer.main.get_command(app))
    if (status := complete_command_line(command)) is not None:
        return status
    try:
        # Click's own width of the help is 50 at least.
        width = min(shutil.get_terminal_size().columns, MAX_HELP_WIDTH) - 2
        with command.make_context("ludus", list(arguments), terminal_width=width) as context:
            command.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code
    return 0


def _is_json(arguments: Sequence[str]) -> bool:
    """Return whether --json is among the options; after `--` there are arguments alone."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _print_error(message: str, kind: str, is_json: bool) -> int:
    """Print an error as one line on standard error and return the exit status.

    With --json it is also an object on standard output, for programs that read only that.
    """
    line = to_one_line(message, MAX_MESSAGE_LENGTH)
    if is_json:
        with suppress(OSError):
            print_json(error=line, type=kind)
    try:
        print(f"ludus: {line}", file=sys.stderr, flush=True)
    except OSError:
        _discard(sys.stderr)
    return EXIT_BAD_INPUT


def _configure_streams() -> None:
    """Make the standard streams usable, whatever the caller has done to them.

    Signs that the terminal cannot encode and input bytes that are not UTF-8 are replaced.
    A closed stream gets a descriptor, which no other file can take then: nothing is read from it,
    messages to it are lost, and results written to it are an error, as they are for a full disk.
    """
    for name, mode, access, errors in (
        ("stdin", "r", os.O_RDONLY, "backslashreplace"),
        ("stdout", "w", os.O_RDONLY, "ludus.signs"),
        ("stderr", "w", os.O_WRONLY, "ludus.signs"),
    ):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, access), mode, encoding="utf-8"))
        getattr(sys, name).reconfigure(errors=errors)


def _discard(stream: TextIO) -> None:
    """Redirect a stream to the null device: Python flushes it again at exit."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, stream.fileno())
