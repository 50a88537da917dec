"""`.venv` is made once, followed up when its sources change, and made anew when it is broken.

The interpreter and the state file are real; pip is not: what it would install is a folder of
metadata, so that a case takes a fraction of a second.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import environment
import prerequisites
import pytest
from environment import Environment, SetupError

PYPROJECT = """
[build-system]
requires = ["builder>=1"]
[project]
name = "ludus"
dependencies = ["arrays>=2,<3", "windows-only; sys_platform == 'win32'"]
[project.optional-dependencies]
dev = ["checker>=1"]
learn = ["tensors"]
"""


@dataclass(frozen=True)
class Rehearsal(Environment):
    """An environment whose pip only pretends."""

    done: list[str] = field(default_factory=list)
    """What was run since it was last asked, in a word each: venv, requirements, build."""

    failing: list[tuple[str, BaseException]] = field(default_factory=list)
    """Steps that are to fail, each once."""

    commands: list[Sequence[str]] = field(default_factory=list)

    def run(self, command: Sequence[str]) -> None:
        step = "venv" if "venv" in command else "build" if "--editable" in command else "pip"
        self.commands.append(command)
        self.done.append(step)
        for failure in self.failing:
            if failure[0] == step:
                self.failing.remove(failure)
                raise failure[1]
        if step == "venv":
            subprocess.run([*command, "--without-pip"], check=True)
            self.install("pip")
        elif step == "build":
            self.install("ludus")
        else:
            for line in command[command.index("install") + 3 :]:
                self.install(re.split("[<>=;]", line)[0])

    def install(self, name: str) -> None:
        [packages] = self.venv.glob("lib/python*/site-packages")
        folder = packages / f"{name}-1.dist-info"
        folder.mkdir(exist_ok=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (packages / f"{name}.so").touch()
        (folder / "RECORD").write_text(f"{name}.so,,\n__pycache__/{name}.pyc,,\n")

    def steps(self, *extras: str) -> list[str]:
        """What `prepare` does now."""
        self.done.clear()
        self.prepare(extras)
        return list(self.done)


ALL = ["venv", "pip", "build"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    for folder in ("native/core", "native/bind", "src/ludus", "build/old"):
        (root / folder).mkdir(parents=True)
    (root / "pyproject.toml").write_text(PYPROJECT)
    (root / "CMakeLists.txt").write_text("project(ludus)\n")
    (root / "constraints.txt").write_text("tensors==2\n")
    (root / "native/core/board.hpp").write_text("int points = 24;\n")
    (root / "native/bind/morris.cpp").write_text("\n")
    (root / "src/ludus/__init__.py").write_text("\n")
    return root


@pytest.fixture
def ready(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Rehearsal:
    """An environment that was just made."""
    monkeypatch.setattr(prerequisites, "missing_build_tools", lambda path: [])
    made = Rehearsal(checkout)
    assert made.steps() == ALL
    assert not (checkout / "build/old").exists()
    return made


def test_nothing_is_done_twice(ready: Rehearsal) -> None:
    assert ready.steps() == []
    assert ready.reason_to_work() is None


def test_every_install_is_constrained(ready: Rehearsal) -> None:
    installs = [command for command in ready.commands if "install" in command]
    assert len(installs) == 2
    for command in installs:
        assert command[command.index("--constraint") + 1] == str(ready.root / "constraints.txt")


def test_a_sound_environment_needs_no_compiler(
    ready: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prerequisites, "missing", lambda: ["a C++ compiler is missing"])
    assert ready.steps() == []
    (ready.root / "CMakeLists.txt").write_text("project(other)\n")
    with pytest.raises(SetupError, match=r"^a C\+\+ compiler is missing$"):
        ready.prepare()


def test_cmake_and_ninja_come_from_pypi_where_they_are_missing(
    ready: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prerequisites, "missing_build_tools", lambda path: ["cmake", "ninja"])
    (ready.root / "CMakeLists.txt").write_text("project(other)\n")
    assert ready.steps() == ["pip", "build"]
    assert list(ready.commands[-2][-2:]) == ["cmake", "ninja"]


def break_interpreter(made: Environment) -> None:
    made.python.unlink()
    made.python.write_text("#!/bin/sh\nexit 1\n")
    made.python.chmod(0o755)


def dangling_interpreter(made: Environment) -> None:
    made.python.unlink()
    made.python.symlink_to("/nowhere/python3")


def other_version(made: Environment) -> None:
    made.python.unlink()
    made.python.write_text("#!/bin/sh\necho 3.99\n")
    made.python.chmod(0o755)


def lose_package(made: Environment) -> None:
    [metadata] = made.venv.glob("lib/python*/site-packages/arrays-1.dist-info/METADATA")
    metadata.unlink()
    (metadata.parent / "RECORD").unlink()
    metadata.parent.rmdir()


def lose_module(made: Environment) -> None:
    [module] = made.venv.glob("lib/python*/site-packages/ludus.so")
    module.unlink()


def a_file_instead(made: Environment) -> None:
    environment.remove(made.venv)
    made.venv.write_text("not a folder")


def a_dangling_link_instead(made: Environment) -> None:
    environment.remove(made.venv)
    made.venv.symlink_to("/nowhere/venv")


def cut_state(made: Environment) -> None:
    made.state_file.write_bytes(made.state_file.read_bytes()[:40])


def state_of(text: str) -> Callable[[Environment], None]:
    return lambda made: void(made.state_file.write_text(text))


def void(_: object) -> None:
    pass


DAMAGE: dict[str, Callable[[Environment], None]] = {
    "interpreter deleted": lambda made: made.python.unlink(),
    "interpreter broken": break_interpreter,
    "interpreter's target gone": dangling_interpreter,
    "interpreter of another version": other_version,
    "a requirement gone": lose_package,
    "the compiled module gone": lose_module,
    "a file in its place": a_file_instead,
    "a dangling link in its place": a_dangling_link_instead,
    "state deleted": lambda made: made.state_file.unlink(),
    "state truncated": cut_state,
    "state empty": state_of(""),
    "state null": state_of("null"),
    "state a list": state_of("[1]"),
    "state without its fields": state_of("{}"),
    "state of another program": state_of('{"extras": [], "colour": 1}'),
    "state not text": lambda made: void(made.state_file.write_bytes(b"\xff\xfe")),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_broken_environment_is_made_anew(
    ready: Rehearsal, damage: Callable[[Environment], None]
) -> None:
    damage(ready)
    assert ready.trouble()
    assert ready.steps() == ALL
    assert ready.steps() == []


def test_a_moved_checkout_is_noticed(ready: Rehearsal) -> None:
    moved = Rehearsal(ready.root.rename(ready.root.with_name("moved")))
    assert moved.trouble() == ".venv was made for another folder"
    assert moved.steps() == ALL
    assert moved.steps() == []


def test_another_processor_is_noticed(ready: Rehearsal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "processor", lambda: "one with fewer instructions")
    assert ready.trouble() == ".venv was made on another kind of processor"
    assert ready.steps() == ALL
    assert ready.steps() == []


@pytest.mark.parametrize("step", ALL)
def test_an_interrupted_set_up_begins_again(checkout: Path, step: str) -> None:
    made = Rehearsal(checkout, failing=[(step, KeyboardInterrupt())])
    with pytest.raises(KeyboardInterrupt):
        made.prepare()
    assert made.trouble() == ".venv was left half made"
    assert made.steps() == ALL


def test_a_compiler_error_costs_one_more_build_and_no_more(ready: Rehearsal) -> None:
    (ready.root / "native/core/board.hpp").write_text("int points = ;\n")
    ready.failing.append(("build", SetupError("this step failed")))
    with pytest.raises(SetupError):
        ready.prepare()
    assert ready.reason_to_work() == "the native core or its build files have changed"
    assert ready.steps() == ["build"]
    assert ready.steps() == []


CHANGES: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "CMakeLists.txt": (lambda root: (root / "CMakeLists.txt").write_text("#"), ["build"]),
    "a header": (lambda root: (root / "native/core/board.hpp").write_text("//"), ["build"]),
    "a new binding": (lambda root: (root / "native/bind/dice.cpp").touch(), ["build"]),
    "a lost binding": (lambda root: (root / "native/bind/morris.cpp").unlink(), ["build"]),
    "a renamed header": (
        lambda root: (root / "native/core/board.hpp").rename(root / "native/core/points.hpp"),
        ["build"],
    ),
    "constraints": (lambda root: (root / "constraints.txt").write_text("#"), ["pip", "build"]),
    "a requirement": (
        lambda root: (root / "pyproject.toml").write_text(PYPROJECT.replace(">=2", ">=2.1")),
        ["pip", "build"],
    ),
    "a setting": (
        lambda root: (root / "pyproject.toml").write_text(PYPROJECT + "[tool.x]\n"),
        ["build"],
    ),
    "a date": (lambda root: os.utime(root / "native/core/board.hpp", (1, 1)), []),
    "Python code": (lambda root: (root / "src/ludus/__init__.py").write_text("x = 1\n"), []),
}


@pytest.mark.parametrize(("change", "steps"), CHANGES.values(), ids=CHANGES.keys())
def test_a_change_costs_what_it_must(
    ready: Rehearsal, change: Callable[[Path], object], steps: list[str]
) -> None:
    change(ready.root)
    assert ready.steps() == steps
    assert ready.steps() == []


def test_extras_are_added_once_and_stay(ready: Rehearsal) -> None:
    assert ready.steps("dev") == ["pip"]
    assert "checker>=1" in ready.commands[-1]
    assert ready.steps() == []
    assert ready.steps("learn") == ["pip"]
    assert ready.steps("dev", "learn") == []


def test_two_at_once_take_turns(ready: Rehearsal) -> None:
    (ready.root / "CMakeLists.txt").write_text("project(other)\n")
    ready.done.clear()
    second = threading.Thread(target=ready.prepare)
    with environment.locked(ready.root):
        second.start()
        second.join(0.2)
        assert second.is_alive()
        assert ready.done == []
    second.join(30)
    assert ready.done == ["build"]


def test_a_step_that_outlives_its_make_keeps_the_lock(ready: Rehearsal) -> None:
    step = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    script = f"""
import sys; sys.path.insert(0, {str(Path(environment.__file__).parent)!r})
from environment import Environment, Path, locked
root = Path({str(ready.root)!r})
with locked(root):
    Environment(root).run([sys.executable, "-c", {step!r}])
"""
    make = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 30
    while not (ready.log.exists() and ready.log.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    make.kill()
    make.wait()
    second = threading.Thread(target=ready.prepare)
    second.start()
    second.join(0.2)
    assert second.is_alive()
    os.kill(int(ready.log.read_text()), signal.SIGKILL)
    second.join(30)
    assert not second.is_alive()


def test_a_failing_step_shows_its_log(ready: Rehearsal, capsys: pytest.CaptureFixture[str]) -> None:
    script = "print(*range(500), sep='\\n'); print('why it failed'); raise SystemExit(1)"
    with pytest.raises(SetupError, match=r"the whole log is in \.venv/setup\.log"):
        Environment(ready.root).run([sys.executable, "-c", script])
    shown = capsys.readouterr().err.splitlines()
    assert shown[-1] == "why it failed"
    assert len(shown) == environment.LOG_LINES
    assert len(ready.log.read_text().splitlines()) == 501


def test_check_tells_and_changes_nothing(
    ready: Rehearsal, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = ready.root / "tools"
    tools.mkdir()
    monkeypatch.setattr(environment, "__file__", str(tools / "environment.py"))
    monkeypatch.setattr(sys, "argv", ["environment.py", "--check"])
    assert environment.main() == 0
    ready.python.unlink()
    before = json.loads(ready.state_file.read_text())
    assert environment.main() == 1
    assert capsys.readouterr().err.splitlines() == [
        "ludus: .venv is up to date",
        "ludus: the Python of .venv is gone",
    ]
    assert json.loads(ready.state_file.read_text()) == before
