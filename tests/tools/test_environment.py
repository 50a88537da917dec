"""`.venv` is made once, follows changes of its sources, and is made again when it is broken.

The interpreter and the state file are real. pip is not: what it would install is a folder of
metadata, so that a case takes a fraction of a second.
"""

import atexit
import functools
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from support.paths import ROOT
from support.waiting import PATIENCE

SCRIPT = ROOT / "tools/environment.py"
FILES = ["pyproject.toml", "CMakeLists.txt", "native/core/board.hpp", "native/bind/morris.cpp"]
FILES += [f"requirements/{name}.txt" for name in ("base", "dev", "torch", "torch-cuda", "update")]
ALL = ["venv", "base", "build"]


@functools.cache
def make_venv(*command: str) -> Path:
    """An environment without pip, made once; it can be copied."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    subprocess.run([*command, str(folder), "--without-pip"], check=True)
    return folder


class Rehearsal:
    """The script in its own checkout, with a fake pip."""

    def __init__(self, root: Path) -> None:
        self.done: list[str] = []
        """The name of the lock file, or venv, build or another word, for each command."""

        self.commands: list[tuple[str, ...]] = []
        self.failures: dict[str, BaseException] = {}
        self.has_local_torch = True
        """Whether pip finds the wheel of torch in a folder of the machine."""

        self.meetings: dict[str, threading.Barrier] = {}
        """Commands that wait for each other: they are done only if they run at the same time."""

        self.root = root
        self.script = self.load()

    def load(self) -> ModuleType:
        path = self.root / "tools/environment.py"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(SCRIPT.read_bytes())
        spec = importlib.util.spec_from_file_location("environment_of_a_test", path)
        assert spec is not None
        assert spec.loader is not None
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        self.real_run = script.run
        script.run = self.run  # type: ignore[attr-defined]
        script.check_machine = lambda: None  # type: ignore[attr-defined]
        return script

    def run(self, *command: str, log: Path | None = None) -> None:
        last = Path(command[-1]).name.removesuffix(".txt")
        name = "venv" if "venv" in command else "build" if "--editable" in command else last
        self.done.append(name)
        self.commands.append(command)
        if name in self.failures:
            raise self.failures.pop(name)
        if "--no-index" in command and not self.has_local_torch:
            raise self.script.SetupError("no such wheel")
        if name in self.meetings:
            self.meetings[name].wait(PATIENCE)
        if name == "venv":
            subprocess.run(["cp", "-a", f"{make_venv(*command[:-1])}/.", command[-1]], check=True)
        if name in ("venv", "build"):
            leftovers = list(self.root.glob(".venv/lib/*/*/ludus_games-1.dist-info"))
            assert all((folder / "RECORD").exists() for folder in leftovers)
            self.install("pip" if name == "venv" else "ludus_games")

    def install(self, name: str, requires: str = "") -> None:
        [packages] = self.root.glob(".venv/lib/python*/site-packages")
        folder = packages / f"{name}-1.dist-info"
        folder.mkdir(exist_ok=True)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n"
        (folder / "METADATA").write_text(metadata + requires)
        (packages / f"{name}.so").touch()
        (folder / "RECORD").write_text(f"{name}.so,,\n__pycache__/{name}.pyc,,\n")

    def steps(self, *steps: str) -> list[str]:
        """What a call with these steps does."""
        self.done.clear()
        self.script.prepare(list(steps or ("base", "build")))
        return list(self.done)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name}\n")
    (root / "build/old").mkdir(parents=True)
    return root


@pytest.fixture
def ready(checkout: Path) -> Rehearsal:
    """An environment that was just made."""
    made = Rehearsal(checkout)
    assert made.steps() == ALL
    assert not (checkout / "build/old").exists()
    return made


def test_nothing_is_done_twice(ready: Rehearsal) -> None:
    assert ready.steps() == []
    assert Rehearsal(ready.root).steps() == []


def test_only_locked_wheels_are_installed(ready: Rehearsal) -> None:
    assert ready.steps("dev", "update") == ["dev", "update"]
    installs = [command for command in ready.commands if "--requirement" in command]
    assert len(installs) == 3
    for command in installs:
        assert {"--require-hashes", "--no-deps", "--only-binary"} < set(command)
    [build] = [command for command in ready.commands if "--editable" in command]
    assert {"--no-build-isolation", "--no-deps"} < set(build)


def replace_python(script: str) -> Callable[[Path], object]:
    def damage(venv: Path) -> None:
        (venv / "bin/python").unlink()
        (venv / "bin/python").write_text(f"#!/bin/sh\n{script}\n")
        (venv / "bin/python").chmod(0o755)

    return damage


def dangling(path: str) -> Callable[[Path], object]:
    def damage(venv: Path) -> None:
        subprocess.run(["rm", "-rf", venv / path], check=True)
        (venv / path).symlink_to("/nowhere")

    return damage


def write(path: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / path).write_text(text)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "interpreter broken": replace_python("exit 1"),
    "interpreter's target gone": dangling("bin/python"),
    "interpreter of another version": replace_python("echo 3.99"),
    "a compiled module gone": lambda venv: next(venv.glob("lib/*/*/ludus_games.so")).unlink(),
    "the package gone": lambda venv: shutil.rmtree(
        next(venv.glob("lib/*/*/ludus_games-1.dist-info"))
    ),
    "a dangling link in its place": dangling(""),
    "state deleted": lambda venv: (venv / "ludus-state.json").unlink(),
    "state truncated": write("ludus-state.json", '{"home": "/'),
    "state null": write("ludus-state.json", "null"),
    "state of another program": write("ludus-state.json", "{}"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_broken_environment_is_made_again(
    ready: Rehearsal, damage: Callable[[Path], object]
) -> None:
    damage(ready.root / ".venv")
    assert ready.steps() == ALL
    assert ready.steps() == []


def test_a_moved_checkout_is_noticed(ready: Rehearsal) -> None:
    moved = Rehearsal(ready.root.rename(ready.root.with_name("moved")))
    assert moved.script.find_damage() == ".venv was made for another folder"
    assert moved.steps() == ALL
    assert moved.steps() == []


@pytest.mark.parametrize("step", ["venv", "base"])
def test_an_interrupted_set_up_starts_again(checkout: Path, step: str) -> None:
    made = Rehearsal(checkout)
    made.failures[step] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        made.steps()
    assert made.script.find_damage() == "a set-up was interrupted"
    assert made.steps() == ALL


@pytest.mark.parametrize("reason", [KeyboardInterrupt, OSError])
def test_an_unfinished_build_costs_one_more_build_and_no_more(
    ready: Rehearsal, reason: type[BaseException]
) -> None:
    write("native/core/board.hpp", "int points = ;\n")(ready.root)
    ready.failures["build"] = reason()
    with pytest.raises(reason):
        ready.steps()
    # What a half-finished install leaves makes pip refuse to replace it.
    [record] = ready.root.glob(".venv/lib/python*/site-packages/ludus_games-1.dist-info/RECORD")
    record.unlink()
    assert ready.steps("base") == []
    assert ready.steps() == ["build"]
    assert record.exists()
    assert ready.steps() == []


def test_packages_are_installed_while_the_core_is_built(checkout: Path) -> None:
    made = Rehearsal(checkout)
    made.meetings = dict.fromkeys(("dev", "build"), threading.Barrier(2))
    assert sorted(made.steps("base", "dev", "build")) == ["base", "build", "dev", "venv"]
    assert made.done.index("base") == 1
    assert made.steps("base", "dev", "build") == []


@pytest.mark.parametrize(("step", "again"), [("build", ["build"]), ("dev", [*ALL, "dev"])])
def test_a_step_that_fails_beside_another(checkout: Path, step: str, again: list[str]) -> None:
    made = Rehearsal(checkout)
    made.failures[step] = OSError("the disk is full")
    with pytest.raises(OSError, match="disk"):
        made.steps("base", "dev", "build")
    assert {"build", "dev"} < set(made.done)
    assert sorted(made.steps("base", "dev", "build")) == sorted(again)
    assert made.steps("base", "dev", "build") == []


CHANGES: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "build settings": (write("CMakeLists.txt", "#"), ["build"]),
    "project settings": (write("pyproject.toml", "#"), ["build"]),
    "a header": (write("native/core/board.hpp", "//"), ["build"]),
    "a new binding": (write("native/bind/dice.cpp", ""), ["build"]),
    "a lost binding": (lambda root: (root / "native/bind/morris.cpp").unlink(), ["build"]),
    "a renamed header": (
        lambda root: (root / "native/core/board.hpp").rename(root / "native/core/points.hpp"),
        ["build"],
    ),
    "a lock file": (write("requirements/base.txt", "#"), ["base", "build"]),
    "the lock file of another step": (write("requirements/dev.txt", "#"), []),
    "a date": (lambda root: os.utime(root / "native/core/board.hpp", (1, 1)), []),
}


@pytest.mark.parametrize(("change", "steps"), CHANGES.values(), ids=CHANGES.keys())
def test_a_change_costs_what_it_must(
    ready: Rehearsal, change: Callable[[Path], object], steps: list[str]
) -> None:
    change(ready.root)
    assert ready.steps() == steps
    assert ready.steps() == []


def test_an_instruction_set_can_be_chosen(
    ready: Rehearsal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready.script, "processor", lambda: "sse")
    assert ready.steps() == []
    monkeypatch.setenv("LUDUS_MARCH", "native")
    assert ready.steps() == ["build"]
    assert "--config-settings=cmake.define.LUDUS_MARCH=native" in ready.commands[-1]
    assert ready.steps() == []
    monkeypatch.setattr(ready.script, "processor", lambda: "sse avx")
    assert ready.steps() == ["build"]
    monkeypatch.delenv("LUDUS_MARCH")
    assert ready.steps() == ["build"]
    # CMake remembers the old value unless it is told the new one.
    assert "--config-settings=cmake.define.LUDUS_MARCH=" in ready.commands[-1]


CPU = "Requires-Dist: jinja2\nRequires-Dist: nvidia-cublas==13; platform_system == 'Nowhere'\n"
CUDA = "Requires-Dist: jinja2\nRequires-Dist: nvidia-cublas==13; platform_system == 'Linux'\n"


@pytest.mark.parametrize(
    ("requires", "more"), [(CPU, []), (CUDA, ["torch-cuda"])], ids=["CPU", "CUDA"]
)
def test_a_cuda_build_of_torch_gets_its_libraries(
    ready: Rehearsal, requires: str, more: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    [site] = ready.root.glob(".venv/lib/python*/site-packages")
    packaging = importlib.util.find_spec("packaging")
    assert packaging is not None
    assert packaging.origin is not None
    (site / "packaging").symlink_to(Path(packaging.origin).parent)
    ready.install("torch", requires)
    assert ready.steps("torch") == ["torch", "torch", *more]
    assert ready.commands[-2 - len(more)][-3:] == ("uninstall", "--yes", "torch")
    monkeypatch.setenv("LUDUS_TORCH", "--index-url https://example.org 'torch==2.13.0+cu126'")
    assert ready.steps("torch") == ["torch", "torch==2.13.0+cu126"]
    assert ready.commands[-1][-2:] == ("https://example.org", "torch==2.13.0+cu126")
    assert ready.steps("torch") == []


def test_without_a_wheel_of_its_own_torch_comes_from_the_index(ready: Rehearsal) -> None:
    ready.has_local_torch = False
    run_script = ready.script.run_script
    ready.script.run_script = lambda script, *arguments: (
        "False" if script == ready.script.PROBE_CUDA else run_script(script, *arguments)
    )
    assert ready.steps("torch") == ["torch"] * 3
    offline, online = ready.commands[-2:]
    assert "--no-index" in offline
    assert online == tuple(word for word in offline if word != "--no-index")


HOLD = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"


def test_a_step_that_outlives_its_make_keeps_the_lock(ready: Rehearsal) -> None:
    write("CMakeLists.txt", "#")(ready.root)
    script = f"""
import sys
import environment
environment.check_machine = lambda: None
environment.pip = lambda *arguments, **log: environment.run(sys.executable, "-c", {HOLD!r}, **log)
environment.prepare(["build"])
"""
    log = ready.root / ".venv/build.log"
    environment = {**os.environ, "PYTHONPATH": str(ready.root / "tools")}
    make = subprocess.Popen(
        [sys.executable, "-c", script], stderr=subprocess.DEVNULL, env=environment
    )
    while not (log.exists() and log.read_text().endswith("\n")):
        assert make.poll() is None
        time.sleep(0.02)
    pip = int(log.read_text())
    make.kill()
    make.wait()
    second = threading.Thread(target=ready.steps)
    second.start()
    second.join(0.3)
    assert second.is_alive()
    os.kill(pip, signal.SIGKILL)
    second.join()
    assert ready.done == ["build"]


def test_a_failing_command_shows_the_end_of_its_log(
    ready: Rehearsal, capfd: pytest.CaptureFixture[str]
) -> None:
    script = "print(*range(500), sep='\\n'); print('why it failed'); raise SystemExit(1)"
    match = r"the whole log is in \.venv/setup\.log"
    with pytest.raises(ready.script.SetupError, match=match) as failed:
        ready.real_run(sys.executable, "-c", script)
    assert capfd.readouterr().err == ""
    ready.failures["dev"] = failed.value
    assert ready.script.main(["dev"]) == 1
    step, *shown, message = capfd.readouterr().err.splitlines()
    assert step == "ludus: installing packages for development"
    assert shown == [*map(str, range(401, 500)), "why it failed"]
    assert message == "ludus: this step failed; the whole log is in .venv/setup.log"
    assert len((ready.root / ".venv/setup.log").read_text().splitlines()) == 501
