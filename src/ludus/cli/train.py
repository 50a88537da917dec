"""`ludus train LEARNER`: one command for each learner, with the fields of its config as options."""

import inspect
import sys
import time
import typing
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from ludus.cli.help import HelpGroup, make_group, prepare_help
from ludus.cli.options import ForceOption, JsonOption
from ludus.cli.output import has_progress_bar, print_json, print_notice, show_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pydantic.fields import FieldInfo

    from ludus.learn.training import OnProgress, Training, TrainingProgress

LINE_SECONDS = 1.0
"""Least time between two lines of progress where standard error is no terminal."""


class TrainingGroup(HelpGroup):
    """A group that makes the command of a learner when it is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        from ludus.learn import LEARNERS

        return list(LEARNERS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from ludus.learn.training import find_training

        command = typer.Typer(add_completion=False, rich_markup_mode=None)
        command.command(cmd_name)(make_train_command(cmd_name, find_training(cmd_name)))
        return prepare_help(typer.main.get_command(command), f"train {cmd_name}")

    def get_listed_command(self, ctx: Any, name: str) -> Any:
        """Return a command with the docstring of a training, whose module may import torch."""
        from ludus.learn import LEARNERS

        return TyperCommand(name, help=LEARNERS.read_docstring(name))


train_app = make_group(cls=TrainingGroup, help="Train a learner and save the result.")


def make_train_command(name: str, training: "type[Training[Any]]") -> "Callable[..., None]":
    """Return the command of a learner, whose options are the fields of its config."""
    fields, texts = training.Config.model_fields, training.Config.read_docstrings()

    def command(**values: Any) -> None:
        common = {option: values.pop(option) for option in _COMMON_OPTIONS}
        run_training(name, training, values, **common)

    parameters = [_make_parameter(key, field, texts.get(key, "")) for key, field in fields.items()]
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            option.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for option in (*parameters, *_COMMON_OPTIONS.values())
        ]
    )
    command.__doc__ = training.__doc__
    return command


def _common_options(
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Write what is learned; resumes when interrupted."
        ),
    ] = None,
    init_from: Annotated[
        Path | None,
        typer.Option("--init-from", metavar="FILE", help="Begin with the weights of this file."),
    ] = None,
    session: Annotated[
        float | None,
        typer.Option(
            "--session",
            min=0.01,
            metavar="MINUTES",
            help="Stop after this time; the same command goes on later.",
            show_default="no limit",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option("--log", metavar="DIR", help="Write curves here; the page shows them."),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Carry the options that all learners have."""


_COMMON_OPTIONS = inspect.signature(_common_options).parameters


def run_training(
    name: str,
    training: "type[Training[Any]]",
    options: dict[str, Any],
    *,
    out: Path | None,
    init_from: Path | None,
    session: float | None,
    log: Path | None,
    force: bool,
    json: bool,
) -> None:
    """Train a learner with the options of a command line, and print the report."""
    from ludus.learn.training import train

    config = training.Config.parse(options, name)
    with _show_training_progress(has_notice=out is None and not json) as on_progress:
        result = train(
            training,
            config,
            out=out,
            init_from=init_from,
            seconds=float("inf") if session is None else 60 * session,
            log=log,
            force=force,
            on_progress=on_progress,
        )
    if json:
        print_json(**result.report)
        return
    if result.description:
        print(result)
    if not result.run.is_finished:
        print(f"stopped after {result.run.seconds:.0f} s; the same command goes on")
    elif out is not None:
        print(f"saved in {out}")


@contextmanager
def _show_training_progress(has_notice: bool) -> "Iterator[OnProgress]":
    """Show progress on standard error: a bar in a terminal, else now and then a line.

    The notice that nothing is saved comes with the first progress, after all refusals of input.
    """
    last_shown = time.monotonic()
    notices = ["nothing is saved; --out FILE saves what is learned"] if has_notice else []
    with show_progress("learning", 1.0) if has_progress_bar() else nullcontext() as update:

        def show(progress: "TrainingProgress") -> None:
            nonlocal last_shown
            while notices:
                print_notice(notices.pop())
            text = _format_progress(progress)
            if update is not None:
                update(progress.fraction, label=text)
            elif time.monotonic() - last_shown >= LINE_SECONDS:
                last_shown = time.monotonic()
                print(f"{progress.fraction:4.0%}  {text}", file=sys.stderr)

        yield show


def _format_progress(progress: "TrainingProgress") -> str:
    metrics = "".join(f"  {name} {value:.4g}" for name, value in progress.metrics.items())
    return f"{progress.run_name}  {progress.seconds:.0f} s  step {progress.steps}{metrics}"


def _make_parameter(name: str, field: "FieldInfo", text: str) -> inspect.Parameter:
    """Return the option or argument of a field of a config with this docstring."""
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    annotation, default = _find_option_type(field), field.get_default(call_default_factory=True)
    details: dict[str, Any] = {
        "help": _format_help(field, text),
        "metavar": _choose_metavar(name, field),
    }
    flag = name.replace("_", "-")
    if extra.get("is_argument"):
        info = typer.Argument(**{"metavar": name.upper(), **details})
    elif annotation in (bool, bool | None):
        info = typer.Option(f"--{flag}/--no-{flag}", **details)
    else:
        info = typer.Option(f"--{flag}", **details)
    if field.is_required():
        default = inspect.Parameter.empty
    elif isinstance(default, tuple):
        default = ",".join(map(str, default)) if annotation is str else list(default)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[annotation, info],
    )


def _format_help(field: "FieldInfo", text: str) -> str:
    """Return the docstring of a field with its choices."""
    from ludus.learn.config import unwrap_optional

    text = " ".join(text.split())
    annotation = unwrap_optional(field.annotation)
    choices = typing.get_args(annotation)
    is_closed = typing.get_origin(annotation) is typing.Literal
    if is_closed and not all(str(choice) in text for choice in choices):
        text += f" One of {', '.join(map(str, choices))}."
    return text


def _choose_metavar(name: str, field: "FieldInfo") -> str | None:
    """Return what the help calls the value; None for numbers, which have their own word."""
    hints = typing.get_args(field.annotation) or (field.annotation,)
    if any(hint in (int, float, bool) for hint in hints):
        is_list = typing.get_origin(field.annotation) is tuple
        return "N,N…" if is_list else None
    return "FILE" if Path in hints else name.upper()


def _find_option_type(field: "FieldInfo") -> Any:
    """Return the type by which typer reads the text of an option; the config checks its value."""
    from ludus.learn.config import unwrap_optional

    annotation = unwrap_optional(field.annotation)
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is tuple:
        # Numbers are separated by commas, files are given by repeated options.
        return list[arguments[0]] if arguments[0] in (str, Path) else str  # type: ignore[valid-type]
    option_type = str if arguments else annotation
    return option_type if annotation == field.annotation else option_type | None
