"""Tests that need a Debian package are left out loudly, and never where it counts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import debian_packages
import pytest

from support.paths import ROOT

LINE = "ludus-no-package: ludus-no-program: a test of this very list\n"


@pytest.fixture
def package_list(tmp_path: Path) -> Path:
    path = tmp_path / "list.txt"
    path.write_text("# a comment\n\n" + LINE)
    return path


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, the only one on PATH, with an apt-get that records its arguments."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CI", raising=False)
    return folder


def add_program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def become(monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)


def test_our_own_list_can_be_read() -> None:
    for name, package in debian_packages.read().items():
        assert name == package.name


@pytest.mark.parametrize("line", ["gnubg", "gnubg: gnubg", "gnubg: gnubg:", ": a: b"])
def test_a_malformed_line_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "list.txt").write_text(f"# first\n{line}\n")
    with pytest.raises(ValueError, match=r"list\.txt:2: not 'package: program: purpose'"):
        debian_packages.read(tmp_path / "list.txt")


def test_nothing_is_printed_when_all_is_there(
    package_list: Path, programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_program(programs, "ludus-no-program", "exit 0")
    assert debian_packages.main([str(package_list)]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_a_person_gets_a_message_and_ci_stops(
    package_list: Path,
    programs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ci: str,
    status: int,
) -> None:
    become(monkeypatch, 1000)
    add_program(programs, "apt-get", "exit 99")
    monkeypatch.setenv("CI", ci)
    assert debian_packages.main([str(package_list)]) == status
    assert capsys.readouterr().err.splitlines() == [
        "ludus: left out: tests that need ludus-no-package (a test of this very list)",
        "ludus: to run them too: apt-get install ludus-no-package",
    ]


def test_root_installs(
    package_list: Path, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    become(monkeypatch, 0)
    add_program(programs, "ready", "exit 0")
    result = tmp_path / "told"
    script = f'echo "$@" >> {result}; [ $2 = update ] || /bin/mv {programs}/ready '
    add_program(programs, "apt-get", script + f"{programs}/ludus-no-program")
    monkeypatch.setenv("CI", "true")
    assert debian_packages.main([str(package_list)]) == 0
    assert result.read_text().splitlines() == [
        "-qq update",
        "-qq install --yes --no-install-recommends ludus-no-package",
    ]


def test_root_is_shown_why_it_failed(
    package_list: Path,
    programs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    become(monkeypatch, 0)
    add_program(programs, "apt-get", "echo no network; exit 100")
    assert debian_packages.main([str(package_list)]) == 0
    shown = capsys.readouterr().err
    assert "no network" in shown
    assert "left out: tests that need ludus-no-package" in shown


MARKED = """
import pytest

@pytest.mark.needs_debian("{name}")
def test_marked():
    pass
"""


def run_marked(folder: Path, name: str, ci: str) -> subprocess.CompletedProcess[str]:
    """Run a test with the marker in a project that has our conftest and its own list."""
    for part in ("tests/support", "tools"):
        (folder / part).mkdir(parents=True)
    shutil.copy(ROOT / "tests/conftest.py", folder / "tests")
    for module in ("__init__", "facilities", "paths", "repetition"):
        shutil.copy(ROOT / f"tests/support/{module}.py", folder / "tests/support")
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = tests tools\n")
    shutil.copy(ROOT / "tools/debian_packages.py", folder / "tools")
    there = "there: python3: a program that is there\n"
    (folder / "tools/debian-packages.txt").write_text(LINE + there)
    (folder / "tests/test_marked.py").write_text(MARKED.format(name=name))
    command = [sys.executable, "-m", "pytest", "--strict-markers", "-p", "no:cacheprovider"]
    variables = {"PATH": os.environ["PATH"], "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)


def test_a_marked_test_is_left_out_loudly(tmp_path: Path) -> None:
    done = run_marked(tmp_path, "ludus-no-package", ci="")
    assert done.returncode == 0
    assert "1 skipped" in done.stdout
    assert "= tests left out =" in done.stdout
    expected = "1 × needs ludus-no-package (a test of this very list): "
    assert expected + "apt-get install ludus-no-package" in done.stdout


def test_a_marked_test_fails_in_ci(tmp_path: Path) -> None:
    done = run_marked(tmp_path, "ludus-no-package", ci="true")
    assert done.returncode == 1
    assert "1 error" in done.stdout
    assert "left out: needs ludus-no-package" in done.stdout


def test_a_marked_test_runs_where_the_program_is(tmp_path: Path) -> None:
    done = run_marked(tmp_path, "there", ci="true")
    assert done.returncode == 0
    assert "1 passed" in done.stdout


def test_a_package_that_is_not_in_the_list_is_an_error(tmp_path: Path) -> None:
    done = run_marked(tmp_path, "forgotten", ci="")
    assert done.returncode == 1
    assert "forgotten is not in tools/debian-packages.txt" in done.stdout
