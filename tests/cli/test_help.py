"""Help texts name every command and option in full; shells complete what is typed."""

from collections.abc import Iterator

import pytest
import typer

from ludus.cli.main import COMMANDS, app
from ludus.learn import LEARNERS


def list_command_lines() -> Iterator[tuple[str, ...]]:
    for name, command in typer.main.get_command(app).commands.items():
        yield (name,)
        for subcommand in getattr(command, "commands", {}):
            yield name, subcommand
    for system in LEARNERS:
        yield "train", system


@pytest.mark.parametrize("words", [(), *list_command_lines()], ids=" ".join)
def test_help_cuts_nothing_and_labels_what_it_shows(ludus, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = ludus(*words, "--help")
    assert (result.status, result.err) == (0, "")
    usage, _, rest = result.out.partition("\n")
    assert usage.startswith(f"Usage: {' '.join(['ludus', *words])}")
    for label in ("<bool>", "<int", "<float", "<str>", "{", "[["):
        assert label not in result.out
    assert "..." not in rest
    assert all(len(line) <= 80 for line in result.out.splitlines())


def test_help_groups_the_commands_below_headings(ludus):
    lines = ludus("--help").out.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Options:", *(f"{heading}:" for heading in COMMANDS)]
    assert lines[lines.index("Play:") + 1].split()[0] == "play"


def test_help_describes_each_command_with_a_whole_sentence(ludus):
    shown = " ".join(ludus("--help").out.split())
    assert "Count the move sequences of a given length: the standard test of move" in shown
    assert "--seconds-per-network SECONDS" in ludus("train", "nnmm", "--help").out


@pytest.mark.parametrize("group", ["dataset", "train", "show", "serve", "import"])
def test_a_group_alone_prints_its_help(ludus, group):
    result = ludus(group)
    assert (result.status, result.err) == (0, "")
    assert "Commands:" in result.out


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ludus tourn", {"tournament"}),
        ("ludus match nine", {"nine_mens_morris"}),
        ("ludus match hexapawn scho", {"scholar"}),
        ("ludus match hexapawn random random --rec", {"--record"}),
        ("ludus train nn", {"nnmm"}),
        ("ludus show p", {"patterns"}),
    ],
)
def test_bash_completes(ludus, monkeypatch, line, expected):
    monkeypatch.setenv("_LUDUS_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    assert set(ludus().out.split()) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_ask_the_program(ludus, shell):
    assert "_LUDUS_COMPLETE=complete_" in ludus("completion", shell).out


def test_an_unknown_shell_is_an_error(ludus):
    assert ludus("completion", "tcsh").status == 2
