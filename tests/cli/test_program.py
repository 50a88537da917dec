"""The program as a process: its imports, standard streams, and errors as JSON."""

import json
import subprocess
import sys

import pytest

from support.command_line import PROGRAM, process
from support.waiting import PATIENCE


def test_help_and_version(ludus):
    assert "perft" in ludus().out
    assert ludus().out == ludus("--help").out
    assert ludus("--version").out.startswith("ludus ")
    assert "--divide" in ludus("perft", "--help").out


HEAVY = ("torch", "matplotlib", "fastapi", "numpy", "rich", "ludus.games.backgammon")


def run_code(code, *arguments):
    """Run Python code in a process."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["perft", "nine_mens_morris", "2"], "ludus.games.nine_mens_morris"),
        (["train"], "ludus.learn.registry"),
    ],
)
def test_a_command_imports_only_what_it_needs(words, needed):
    code = (
        f"import sys; from ludus.cli.main import run; run({words});print('imported:', *sys.modules)"
    )
    loaded = set(run_code(code).stdout.partition("imported: ")[2].split())
    assert needed in loaded
    assert loaded.isdisjoint(HEAVY)


def test_importing_ludus_costs_little():
    """It brings the standard library, its own core, and what imports its names on first use."""
    code = "import sys; before = set(sys.modules); import ludus; print(*set(sys.modules) - before)"
    roots = {name.partition(".")[0] for name in run_code(code).stdout.split()}
    assert roots - set(sys.stdlib_module_names) == {"lazy_loader", "ludus"}


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


def test_an_error_with_json_is_an_object_on_standard_output(ludus):
    result = ludus("perft", "hexapawm", "2", "--json")
    assert result.status == 2
    found = json.loads(result.out)
    assert found["type"] == "UnknownName"
    assert result.err == f"ludus: {found['error']}\n"


def test_json_after_two_dashes_is_an_argument(ludus):
    result = ludus("perft", "hexapawm", "--", "--json")
    assert (result.status, result.out) == (2, "")


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


def test_a_missing_package_is_one_line_and_leaves_the_help():
    code = (
        "import sys; sys.modules['torch'] = None; from ludus.cli.main import run;"
        "sys.exit(run(sys.argv[1:]))"
    )
    needs = "needs torch: pip install 'ludus-games[learn]'"
    for words, status in ((["train"], 0), (["train", "scholar"], 2), (["train", "deepq"], 2)):
        done = run_code(code, *words)
        assert done.returncode == status
        if status:
            assert done.stderr.startswith("ludus: ")
            assert done.stderr.endswith(f"{needs}\n")
            assert done.stderr.count("\n") == 1
        else:
            assert "scholar          Train networks on perfect play" in done.stdout
