"""Every option has the name we gave it, in every version of typer."""

import inspect
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest
import typer

from ludus.cli.main import app

COMMANDS = {command.callback.__name__: command.callback for command in app.registered_commands}


@pytest.mark.parametrize("name", COMMANDS)
def test_options_with_a_metavar_have_their_name_written_out(name):
    """Some versions of typer take a metavar that is the name in capitals for the name itself."""
    hints = get_type_hints(COMMANDS[name], include_extras=True)
    for parameter in inspect.signature(COMMANDS[name]).parameters:
        hint = hints[parameter]
        if get_origin(hint) is not Annotated:
            continue
        for option in get_args(hint)[1:]:
            if isinstance(option, typer.models.OptionInfo) and option.metavar:
                # Within Annotated typer takes the first text for a name, not for a default.
                assert str(option.default).startswith("--"), parameter
