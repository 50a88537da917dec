"""Standard streams that are closed, full or not read; errors as JSON."""

import json
import subprocess
import sys

import pytest

from ludus.cli.main import run
from support.command_line import PROGRAM, process
from support.waiting import PATIENCE


def run_in_shell(command: str) -> subprocess.CompletedProcess[bytes]:
    """Run `ludus` with the redirections of a shell command."""
    return subprocess.run(
        ["sh", "-c", command.replace("ludus", f"'{PROGRAM[0]}' -m ludus", 1)],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        ("ludus games >/dev/full", 2, "No space left on device"),
        ("ludus perft hexapawn 2 >&-", 2, "Bad file descriptor"),
        ("ludus play --text hexapawn <&-", 0, ""),
        ("ludus perft hexapawm 2 2>&-", 2, ""),
        ("ludus perft hexapawm 2 2>/dev/full", 2, ""),
    ],
)
def test_streams_that_cannot_be_used_are_one_line(command, status, message):
    done = run_in_shell(command)
    complaint = f"ludus: cannot write to standard output: {message}\n" if message else ""
    assert (done.returncode, done.stderr.decode()) == (status, complaint)


def test_an_error_with_json_is_an_object_on_standard_output(capsys):
    assert run(["perft", "hexapawm", "2", "--json"]) == 2
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["type"] == "UnknownName"
    assert err == f"ludus: {found['error']}\n"


def test_json_after_two_dashes_is_an_argument(capsys):
    assert run(["perft", "hexapawm", "--", "--json"]) == 2
    assert capsys.readouterr().out == ""


def test_the_package_itself_runs_as_the_program():
    done = subprocess.run(
        [sys.executable, "-m", "ludus", "perft", "hexapawn", "2", "--json"],
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    assert json.loads(done.stdout) == json.loads(
        process("perft", "hexapawn", "2", "--json").out
    ) | {"seconds": json.loads(done.stdout)["seconds"]}
