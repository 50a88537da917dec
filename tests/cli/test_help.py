"""Help texts name every command and option in full; shells complete what is typed."""

import inspect
import os
import re
import shlex
import subprocess
import sys
from typing import Annotated, get_args, get_origin, get_type_hints

import pytest
import typer

from ludus.cli.examples import EXAMPLES
from ludus.cli.main import COMMANDS as HEADINGS
from ludus.cli.main import app
from ludus.cli.old_spellings import replace_old_spellings
from ludus.learn.training import find_training
from support.command_line import list_commands
from support.paths import ROOT

COMMANDS = list_commands()


def test_every_command_has_two_examples():
    assert EXAMPLES.keys() == COMMANDS.keys()
    assert all(len(lines) == 2 for lines in EXAMPLES.values())


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_can_be_typed(ludus, name):
    """Their arguments, options and values are parsed; no command runs."""
    for line in EXAMPLES[name]:
        words = shlex.split(line.removeprefix(name))
        values = COMMANDS[name].make_context(name, words).params
        assert f"ludus {line}" in ludus(*name.split(), "--help").out
        if name.startswith("train "):
            config = find_training(name.split()[1]).Config
            given = {key: value for key, value in values.items() if key in config.model_fields}
            config.parse(given)


DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
COMMAND_LINE = re.compile(r"^ {4}ludus ((?:.*\\\n)*.*)$", re.MULTILINE)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_of_the_documentation_can_be_typed(path):
    """They are in the spellings of now, with options that exist; N stands for a number."""
    for line in COMMAND_LINE.findall(path.read_text()):
        words = shlex.split(
            re.split(r"\||&&|\$\w+|--help", line)[0].replace("\\\n", " "), comments=True
        )
        assert replace_old_spellings(words) == (words, []), line
        if words[0] == "export" and words[1] not in ("tournament", "onnx"):
            words.insert(1, "tournament")
        name = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]
        values = ["1" if word == "N" else word for word in words[len(name.split()) :]]
        COMMANDS[name].make_context(name, values)


@pytest.mark.parametrize("name", ["", *list_commands(has_groups=True)])
def test_help_cuts_nothing_and_labels_what_it_shows(ludus, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = ludus(*name.split(), "--help")
    assert (result.status, result.err) == (0, "")
    usage, _, rest = result.out.partition("\n")
    assert usage.startswith(f"Usage: ludus {name}".strip())
    for label in ("<bool>", "<int", "<float", "<str>", "{", "[["):
        assert label not in result.out
    assert "..." not in rest.partition("Examples:")[0]
    assert all(len(line) <= 80 for line in result.out.splitlines())


def test_help_groups_the_commands_below_headings(ludus):
    lines = ludus("--help").out.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Options:", *(f"{heading}:" for heading in HEADINGS)]
    assert lines[lines.index("Play:") + 1].split()[0] == "play"


def test_help_describes_each_command_with_a_whole_sentence(ludus):
    shown = " ".join(ludus("--help").out.split())
    assert "Count the move sequences of a given length: the standard test of move" in shown
    assert "--line-time X  " in ludus("serve", "nnmm", "--help").out


@pytest.mark.parametrize("group", ["dataset", "train", "show", "serve", "import"])
def test_a_group_alone_prints_its_help(ludus, group):
    result = ludus(group)
    assert (result.status, result.err) == (0, "")
    assert "Commands:" in result.out


COMPLETIONS = {
    "ludus tourn": {"tournament"},
    "ludus match nine": {"nine_mens_morris"},
    "ludus match hexapawn mi": {"migo"},
    "ludus match hexapawn scho": set(),
    "ludus match hexapawn:f": {"four", "five"},
    "ludus match hexapawn:five,si": {"five,size="},
    "ludus match backgammon gammon:net=s": {"selfplay"},
    "ludus match hexapawn random random --rec": {"--record"},
    "ludus train nn": {"nnmm"},
    "ludus show p": {"patterns"},
}
"""Lines as typed, and what bash puts in the place of the part after the last `:` or `=`."""


def test_bash_completes(tmp_path):
    """In bash itself, which takes `:` and `=` for the ends of words."""
    script = tmp_path / "ludus"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m ludus "$@"\n')
    script.chmod(0o755)
    program = "source <(ludus completion bash)\ncompopt() { :; }\n"
    for line in COMPLETIONS:
        program += f"COMP_LINE='{line}' COMP_POINT={len(line)} COMPREPLY=()\n"
        program += '_ludus_completion ludus\necho "${COMPREPLY[*]}"\n'
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", program], env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert [set(each.split()) for each in done.stdout.splitlines()] == list(COMPLETIONS.values())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_ask_the_program(ludus, shell):
    assert "_LUDUS_COMPLETE=complete_" in ludus("completion", shell).out


def test_an_unknown_shell_is_an_error(ludus):
    assert ludus("completion", "tcsh").status == 2


CALLBACKS = {
    each.callback.__name__: each.callback
    for each in app.registered_commands
    if each.callback is not None
}


@pytest.mark.parametrize("name", CALLBACKS)
def test_options_with_a_metavar_have_their_name_written_out(name):
    """Some versions of typer take a metavar that is the name in capitals for the name itself."""
    hints = get_type_hints(CALLBACKS[name], include_extras=True)
    for parameter in inspect.signature(CALLBACKS[name]).parameters:
        hint = hints[parameter]
        if get_origin(hint) is not Annotated:
            continue
        for option in get_args(hint)[1:]:
            if isinstance(option, typer.models.OptionInfo) and option.metavar:
                # Within Annotated typer takes the first text for a name, not for a default.
                assert str(option.default).startswith("--"), parameter
