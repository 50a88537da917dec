"""What make prints on a machine that lacks something, and what its targets run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT

NEEDED = ("Makefile", "pyproject.toml", "CMakeLists.txt", "requirements", "tools", ".ci")
PROGRAMS = ("make", "sh", "bash", "env", "sed", "expand", "dirname", "g++")
PYTHON = sys._base_executable  # type: ignore[attr-defined]  # the one .venv was made with


class Machine:
    """A fresh clone on a machine that has a few programs and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.clone = folder / "clone"
        self.programs = folder / "bin"
        self.variables = {"PATH": str(self.programs)}
        self.clone.mkdir()
        self.programs.mkdir()
        for name in NEEDED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, self.clone / name)
        for name in PROGRAMS:
            self.add(name, f'exec {shutil.which(name)} "$@"')
        self.add("python3", f'exec {PYTHON} "$@"')

    def add(self, name: str, script: str) -> None:
        """A program of this name; a script, since an interpreter looks at where it lies."""
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def lose(self, name: str) -> None:
        (self.programs / name).unlink()

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.clone, env=self.variables, capture_output=True, text=True
        )

    def complaints(self, *command: str) -> list[str]:
        """What a failing command says, less the line that make itself adds."""
        done = self.run(*command)
        assert done.returncode != 0
        assert not (self.clone / ".venv").exists()
        lines = (done.stdout + done.stderr).splitlines()
        return [line for line in lines if not line.startswith("make: ***")]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("target", ["play", "test"])
def test_without_a_compiler(machine: Machine, target: str) -> None:
    machine.lose("g++")
    assert machine.complaints("make", target) == [
        "ludus: this machine lacks a C++ compiler: apt-get install g++"
    ]


def test_with_a_compiler_that_is_not_there(machine: Machine) -> None:
    machine.variables["CXX"] = "clang++-99 -stdlib=libc++"
    assert machine.complaints("make", "play") == [
        "ludus: this machine lacks a C++ compiler: apt-get install g++"
    ]


@pytest.mark.parametrize("target", ["play", "test"])
def test_without_python(machine: Machine, target: str) -> None:
    machine.lose("python3")
    [line] = machine.complaints("make", target)
    assert line.startswith("ludus: Python 3.11 or newer is missing: apt-get install python3 ")


def test_with_a_python_that_is_too_old(machine: Machine) -> None:
    machine.add("python3", "exit 1")
    [line] = machine.complaints("make", "play")
    assert line.startswith("ludus: Python 3.11 or newer is missing")


def test_a_newer_python_is_found_under_its_own_name(machine: Machine) -> None:
    machine.add("python3.12", 'case "$1" in -c) exit 0;; *) echo "ran $1";; esac')
    machine.add("python3", "exit 1")
    assert machine.run("/bin/sh", "tools/python", "x.py").stdout == "ran x.py\n"


def test_with_a_chosen_python_that_will_not_do(machine: Machine) -> None:
    machine.variables["PYTHON"] = "/nowhere/python3"
    assert machine.complaints("make", "play") == [
        "ludus: PYTHON=/nowhere/python3 is not Python 3.11 or newer"
    ]


def test_without_venv(machine: Machine, tmp_path: Path) -> None:
    hide = "import sys; sys.modules['ensurepip'] = None"
    (tmp_path / "sitecustomize.py").write_text(hide)
    machine.variables["PYTHONPATH"] = str(tmp_path)
    assert machine.complaints("make", "play") == [
        "ludus: this machine lacks Python's venv module: apt-get install python3-venv"
    ]


def test_everything_that_is_missing_is_in_one_line(machine: Machine, tmp_path: Path) -> None:
    hide = "import sysconfig; sysconfig.get_path = lambda name: '/nowhere'"
    (tmp_path / "sitecustomize.py").write_text(hide)
    machine.variables["PYTHONPATH"] = str(tmp_path)
    machine.lose("g++")
    assert machine.complaints("make", "play") == [
        "ludus: this machine lacks a C++ compiler, Python's header files: "
        "apt-get install g++ python3-dev"
    ]


def test_make_alone_lists_the_targets(machine: Machine) -> None:
    done = machine.run("make")
    assert done.returncode == 0
    targets = [line.split()[1] for line in done.stdout.splitlines()]
    assert targets == [
        *("help", "play", "test", "test-all", "lint", "lint-native", "format"),
        *("bench", "strengths", "docs", "docs-links", "wheel", "release", "update", "clean"),
    ]


def test_make_test_runs_every_check(machine: Machine) -> None:
    plan = machine.run("make", "--dry-run", "test").stdout
    checks = [
        "environment.py base dev torch build",
        "debian_packages.py",
        "ruff check",
        "ruff format",
    ]
    checks += ["lint-imports", "mypy", "pytest -n auto"]
    places = [plan.find(check) for check in checks]
    assert -1 not in places
    assert places == sorted(places)
    assert "-j2 LUDUS_PARALLEL=1 lint run-tests" in plan
    assert plan.find("pytest --collect-only") < plan.find("pytest -n auto")
    assert 'docs/guide -m "not slow" \n' in plan
    assert plan.splitlines()[0].endswith("environment.py base"), "what is missing is said first"


@pytest.fixture
def ready(machine: Machine) -> Machine:
    """A machine with programs in `.venv` that do nothing; the one that runs tests writes a file."""
    folder = machine.clone / ".venv" / "bin"
    folder.mkdir(parents=True)
    machine.programs = folder
    for name in ("ruff", "clang-format", "lint-imports", "mypy"):
        machine.add(name, "exit 0")
    machine.add(
        "python", 'case "$*" in *"-n auto"*) printf "<%s>" "$MAKEFLAGS" "$@" > tested;; esac'
    )
    return machine


def test_tests_get_their_arguments_and_are_no_jobs_of_make(ready: Machine) -> None:
    done = ready.run("make", "test", "SET_UP=@:", "ARGS=-k 'this or that'")
    assert (done.returncode, done.stderr) == (0, "")
    given = (ready.clone / "tested").read_text()
    assert given.startswith("<><-m><pytest><-n><auto>")
    assert given.endswith("<docs/guide><-m><not slow><-k><this or that>")


def test_no_test_is_started_after_a_check_has_failed(ready: Machine) -> None:
    ready.add("ruff", "echo $$ > ruff; exit 1")
    wait = "while [ ! -s ruff ]; do :; done; read number < ruff; while kill -0 $number; do :; done"
    ready.add("python", f'case "$*" in *collect*) {wait};; *auto*) echo > tested;; esac')
    done = ready.run("make", "test", "SET_UP=@:")
    assert "lint] Error 1" in done.stderr
    assert not (ready.clone / "tested").exists()


@pytest.mark.parametrize(
    ("target", "program"),
    [
        ("docs", "tools/build_docs.py"),
        ("docs-links", "tools/build_docs.py --builder linkcheck"),
        ("release", "tools/release.py"),
    ],
)
def test_documentation_and_release_have_their_packages(
    machine: Machine, target: str, program: str
) -> None:
    plan = machine.run("make", "--dry-run", target).stdout
    assert -1 < plan.find("environment.py base dev torch docs build") < plan.find(program)


def test_ci_runs_make_test_and_nothing_else(machine: Machine) -> None:
    machine.add("make", 'echo "$PWD: make $*"; exit 3')
    done = subprocess.run(
        [machine.clone / ".ci/run"], cwd="/", env=machine.variables, capture_output=True, text=True
    )
    assert done.stdout == f"{machine.clone.resolve()}: make test\n"
    assert done.returncode == 3


def test_scripts_are_executable() -> None:
    assert os.access(ROOT / ".ci/run", os.X_OK)
    assert os.access(ROOT / "tools/python", os.X_OK)
    assert os.access(ROOT / "tools/fresh_machine.sh", os.X_OK)


def test_a_fresh_machine_has_what_the_readme_asks_for() -> None:
    script = (ROOT / "tools/fresh_machine.sh").read_text()
    [packages] = re.findall(r"^PACKAGES=(\S+)", script, re.MULTILINE)
    section = (ROOT / "README.md").read_text().split("## Two commands")[1].split("\n## ")[0]
    assert f"apt-get install {packages.replace(',', ' ')}" in section
