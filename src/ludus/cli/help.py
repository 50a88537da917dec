"""Groups of commands, their help texts, and completion in the shell."""

import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ludus.cli.examples import EXAMPLES

NUMBER_METAVARS = {"int": "N", "float": "X"}
"""What the help calls a number; the range stands beside it."""

COMPLETION_VARIABLE = "_LUDUS_COMPLETE"
"""Environment variable in which a shell asks for completions."""

UNWRAPPED = "\b"
"""Click wraps no paragraph that begins with a line of this character."""

HELP_SETTINGS = {"help_option_names": ["-h", "--help"]}


class HelpGroup(TyperGroup):
    """A group whose help has the whole first sentence of every command, below headings."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_listed_command(ctx, name)
            heading = command.rich_help_panel
            rows = sections.setdefault(heading if isinstance(heading, str) else "Commands", [])
            rows.append((name, command.get_short_help_str(1000)))
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl(rows)

    def get_listed_command(self, ctx: Any, name: str) -> Any:
        """Return a command for the list in the help, which needs its name and first sentence."""
        return self.get_command(ctx, name)


def make_group(
    help: str,  # noqa: A002 - typer's name
    commands: Mapping[str, Callable[..., None]] | None = None,
    **settings: Any,
) -> typer.Typer:
    """Return a group of commands that prints its help if no command is given.

    The help is plain text: tables with borders cut the names of options in narrow terminals.
    """
    group = typer.Typer(
        help=help,
        context_settings=HELP_SETTINGS,
        rich_markup_mode=None,
        **{"cls": HelpGroup, **settings},
    )

    @group.callback(invoke_without_command=True)
    def show_help(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    for name, command in (commands or {}).items():
        group.command(name)(command)
    return group


def prepare_help(command: Any, words: str = "") -> Any:
    """Correct the labels in the help of a command and its subcommands, and add their examples.

    Typer's own labels are `<int range>` for a number, `GAME <str>` for an argument, and `{GAME}` or
    `[[GAME]]` in the usage.
    """
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            _label_argument(parameter)
        elif parameter.metavar is None and not parameter.is_flag:
            parameter.metavar = NUMBER_METAVARS[_type_name(parameter)]
    if words in EXAMPLES:
        lines = ["Examples:", *(f"  ludus {line}" for line in EXAMPLES[words])]
        command.epilog = "\n".join((UNWRAPPED, *lines))
    for name, subcommand in getattr(command, "commands", {}).items():
        prepare_help(subcommand, f"{words} {name}".strip())
    return command


def _label_argument(parameter: Any) -> None:
    name = (parameter.metavar or parameter.name.upper()).strip("[].…")
    usage = f"{name}..." if parameter.nargs != 1 else name
    parameter.metavar = name
    parameter.get_usage_pieces = lambda ctx: [usage if parameter.required else f"[{usage}]"]
    parameter.display_type_rich = lambda ctx: None


def _type_name(parameter: Any) -> str:
    """Return the type of a parameter; typer 0.29 no longer has Click's types."""
    if (descriptor := getattr(parameter, "type_descriptor", None)) is not None:
        return getattr(descriptor.annotation, "__name__", "")
    return str(parameter.type.name).removesuffix(" range").removesuffix("eger")


def complete_command_line(command: Any) -> int | None:
    """Print what a shell asks for to complete a command line; None if it does not ask."""
    if not (instruction := os.environ.get(COMPLETION_VARIABLE)):
        return None
    from typer._completion_classes import completion_init
    from typer.completion import shell_complete

    completion_init()
    return shell_complete(command, {}, "ludus", COMPLETION_VARIABLE, instruction)


BASH_SCRIPT = f"""\
_ludus_completion() {{
    local IFS=$'\\n' line="${{COMP_LINE:0:COMP_POINT}}" words word begun
    word="${{line##*[[:space:]]}}"
    IFS=$' \\t\\n' read -ra words <<< "$line"
    COMPREPLY=( $( env COMP_WORDS="$line" \\
                   COMP_CWORD=$(( ${{#words[@]}} - (${{#word}} > 0) )) \\
                   {COMPLETION_VARIABLE}=complete_bash "$1" ) )
    # Bash takes : and = as the ends of words, and replaces only what follows the last one.
    begun="${{word%"${{word##*[:=]}}"}}"
    COMPREPLY=( "${{COMPREPLY[@]#"$begun"}}" )
    # What goes on after these signs gets no space.
    [[ ${{#COMPREPLY[@]}} == 1 && "${{COMPREPLY[0]}}" == *[=:] ]] && compopt -o nospace
    return 0
}}
complete -o default -F _ludus_completion ludus
"""
"""The script for bash; that of typer would ask for parts of specs, which have : and =."""


class Shell(StrEnum):
    """Shells for which there is a completion script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    shell: Annotated[
        Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False)
    ],
) -> None:
    """Print the script that completes commands, options, games and players in a shell.

    In ~/.bashrc: eval "$(ludus completion bash)"
    """
    from typer._completion_shared import get_completion_script

    if shell is Shell.BASH:
        typer.echo(BASH_SCRIPT)
        return
    typer.echo(
        get_completion_script(
            prog_name="ludus", complete_var=COMPLETION_VARIABLE, shell=shell.value
        )
    )
