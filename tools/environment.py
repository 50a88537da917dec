"""Make `.venv` fit this checkout; do nothing when it fits already.

    tools/python tools/environment.py [--extra dev] [--check]

What was done is written down in `.venv/ludus-state.json`, by content and not by date, since a
clone gives every file a new date. The note is taken away before anything is changed and comes
back afterwards: an environment without a readable one was left half made, and is made anew.
"""

import argparse
import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import prerequisites

LOG_LINES = 100
"""How much of pip's log is shown when it fails."""

# Runs inside the environment: which Python is it, and is everything there that was installed?
PROBE = """
import sys
from importlib.metadata import distribution
files = [distribution(name).files for name in sys.argv[1:]][-1] or ()
assert all(file.locate().exists() for file in files if file.suffix != ".pyc")
print("%d.%d" % sys.version_info[:2])
"""


class SetupError(Exception):
    """The environment cannot be made; each line of the message says what to do about it."""


@dataclass(frozen=True)
class State:
    """What an environment was made for and what is installed in it."""

    home: str
    """The checkout: scripts and the editable install hold its absolute path."""

    python: str
    """Version of the interpreter, as in `3.11`."""

    processor: str
    """What the processor can do: the native core is compiled for this very one."""

    requirements: str = ""
    """Fingerprint of what pyproject.toml and constraints.txt ask for; empty before it is there."""

    extras: tuple[str, ...] = ()
    """Optional groups of requirements that are installed."""

    package: str = ""
    """Fingerprint of the native core and its build files; empty before it is built."""


@dataclass(frozen=True)
class Environment:
    """The `.venv` of one checkout."""

    root: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self.venv / "bin" / "python"

    @property
    def log(self) -> Path:
        return self.venv / "setup.log"

    @property
    def state_file(self) -> Path:
        return self.venv / "ludus-state.json"

    def prepare(self, extras: Sequence[str] = ()) -> None:
        """Bring the environment up to date with the checkout."""
        with locked(self.root):
            if self.reason_to_work(extras) is None:
                return
            if lines := prerequisites.missing():
                raise SetupError("\n".join(lines))
            began = time.monotonic()
            trouble = self.trouble()
            state = self.create(trouble) if trouble else self.state()
            state = self.install_requirements(state, extras)
            self.build(state)
            say(f".venv is ready ({time.monotonic() - began:.0f} s)")

    def reason_to_work(self, extras: Sequence[str] = ()) -> str | None:
        """Why `prepare` would change something; None if it would not."""
        if trouble := self.trouble():
            return trouble
        state = self.state()
        if self.lacks_requirements(state, extras):
            return "the requirements have changed"
        if state.package != self.package_fingerprint():
            return "the native core or its build files have changed"
        return None

    def trouble(self) -> str | None:
        """Why the environment must be made from nothing; None if it can be built upon."""
        if not os.path.lexists(self.venv):
            return "there is no .venv yet"
        try:
            state = self.state()
        except (OSError, ValueError, TypeError, KeyError):
            return ".venv was left half made"
        if state.home != str(self.root):
            return ".venv was made for another folder"
        if state.processor != processor():
            return ".venv was made on another kind of processor"
        names = self.installed_names(state)
        try:
            version = run_quietly([str(self.python), "-I", "-c", PROBE, *names])
        except OSError:
            return "the Python of .venv is gone"
        if version is None:
            return "packages in .venv are broken"
        if version != state.python:
            return f"the Python of .venv is {version} now and was {state.python}"
        return None

    def installed_names(self, state: State) -> list[str]:
        """Distributions that must be there, the one whose files are looked at last."""
        if not state.requirements or self.lacks_requirements(state, state.extras):
            return ["pip"]
        # A requirement with a marker (after the semicolon) need not be installed here.
        plain = [line for line in self.requirements(state.extras) if ";" not in line]
        names = [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in plain]
        return ["pip", *names, *([self.project["name"]] if state.package else [])]

    def create(self, why: str) -> State:
        """An empty environment in place of whatever is there."""
        say(f"{why}: making it, which takes a minute or two")
        remove(self.venv)
        remove(self.root / "build")
        # The interpreter that runs this may belong to the environment just removed.
        creator: str = getattr(sys, "_base_executable", sys.executable)
        self.venv.mkdir()
        self.run([creator, "-m", "venv", str(self.venv)])
        version = run_quietly([str(self.python), "-I", "-c", PROBE, "pip"])
        if version is None:
            raise SetupError(f"{creator} made an environment that does not run")
        return State(str(self.root), version, processor())

    def install_requirements(self, state: State, extras: Sequence[str]) -> State:
        """Everything from PyPI that the package needs to be built, used and, if asked, checked."""
        if not self.lacks_requirements(state, extras):
            return state
        say("installing " + ", ".join(["requirements", *extras]))
        wanted = self.requirements_fingerprint()
        kept = state.extras if state.requirements == wanted else ()
        self.state_file.unlink(missing_ok=True)
        self.pip(*self.requirements(extras))
        together = tuple(sorted({*kept, *extras}))
        state = dataclasses.replace(state, requirements=wanted, extras=together)
        self.write(state)
        return state

    def build(self, state: State) -> None:
        """The native core, and the package as an editable install."""
        fingerprint = self.package_fingerprint()
        if state.package == fingerprint:
            return
        say("building the native core")
        self.state_file.unlink(missing_ok=True)
        try:
            if tools := prerequisites.missing_build_tools(self.search_path()):
                self.pip(*tools)
            self.pip("--no-build-isolation", "--no-deps", "--editable", str(self.root))
        except SetupError:
            # A compiler error comes before anything is replaced: what was there is still sound.
            self.write(dataclasses.replace(state, package=""))
            raise
        self.write(dataclasses.replace(state, package=fingerprint))

    def pip(self, *arguments: str) -> None:
        """Install into the environment."""
        constraints = ["--constraint", str(self.root / "constraints.txt")]
        self.run([str(self.python), "-m", "pip", "install", *constraints, *arguments])

    def run(self, command: Sequence[str]) -> None:
        """Run a command silently; show what it wrote if it fails."""
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("PYTHON")},
            "PATH": self.search_path(),
            # Otherwise the one this Python was compiled with is wanted, which may not be here.
            "CXX": prerequisites.compiler() or "c++",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_INPUT": "1",
            "PIP_USER": "0",
        }
        with self.log.open("w") as log:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                close_fds=False,  # the lock goes along
            )
        if done.returncode:
            lines = self.log.read_text(errors="replace").splitlines()
            print(*lines[-LOG_LINES:], sep="\n", file=sys.stderr)
            where = self.log.relative_to(self.root)
            raise SetupError(f"this step failed; the whole log is in {where}")

    def search_path(self) -> str:
        """PATH as the build sees it."""
        return os.pathsep.join([str(self.venv / "bin"), os.environ.get("PATH", os.defpath)])

    def state(self) -> State:
        """What is written down; OSError, ValueError, TypeError or KeyError if it is not whole."""
        values = json.loads(self.state_file.read_text())
        return State(**{**values, "extras": tuple(values["extras"])})

    def write(self, state: State) -> None:
        """Write it down; another process sees the old note or the new one, never a part."""
        draft = self.state_file.with_suffix(".new")
        draft.write_text(json.dumps(dataclasses.asdict(state)))
        draft.replace(self.state_file)

    @property
    def pyproject(self) -> dict[str, Any]:
        return tomllib.loads((self.root / "pyproject.toml").read_text())

    @property
    def project(self) -> dict[str, Any]:
        project: dict[str, Any] = self.pyproject["project"]
        return project

    def requirements(self, extras: Sequence[str]) -> list[str]:
        """Requirement lines for building the package and for using it with these extras."""
        optional = self.project.get("optional-dependencies", {})
        lines = [*self.pyproject["build-system"]["requires"], *self.project["dependencies"]]
        return [*lines, *(line for extra in extras for line in optional[extra])]

    def lacks_requirements(self, state: State, extras: Sequence[str]) -> bool:
        """Whether pip has something to do for these extras."""
        fits = state.requirements == self.requirements_fingerprint()
        return not fits or not set(extras) <= set(state.extras)

    def requirements_fingerprint(self) -> str:
        everything = sorted(self.project.get("optional-dependencies", {}))
        constraints = (self.root / "constraints.txt").read_bytes()
        return fingerprint([*map(str.encode, self.requirements(everything)), constraints])

    def package_fingerprint(self) -> str:
        names = ["pyproject.toml", "CMakeLists.txt", "constraints.txt"]
        files = [self.root / name for name in names]
        files += sorted(path for path in (self.root / "native").rglob("*") if path.is_file())
        parts = ((str(path.relative_to(self.root)).encode(), path.read_bytes()) for path in files)
        return fingerprint([item for part in parts for item in part])


def fingerprint(parts: Sequence[bytes]) -> str:
    """One hash of several texts, which changes too if something moves from one to the next."""
    lengths = b",".join(b"%d" % len(part) for part in parts)
    return hashlib.sha256(lengths + b":" + b"".join(parts)).hexdigest()


def processor() -> str:
    """Fingerprint of the instructions that this machine has."""
    try:
        description = Path("/proc/cpuinfo").read_text()
    except OSError:
        description = ""
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", description, re.MULTILINE)
    return fingerprint([platform.machine().encode(), found[1].encode() if found else b""])


def run_quietly(command: Sequence[str]) -> str | None:
    """What a command prints, or None if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode else done.stdout.strip()


def remove(path: Path) -> None:
    """Remove a folder, or whatever stands in its place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time. The lock ends with the process, however that ends.

    A pip that it leaves running holds the lock too, so that nobody works beside it.
    """
    handle = os.open(folder, os.O_RDONLY)
    os.set_inheritable(handle, True)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another make that is at work on .venv")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def say(text: str) -> None:
    print(f"ludus: {text}", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="make .venv fit this checkout")
    parser.add_argument("--extra", action="append", default=[], help="as in pyproject.toml")
    parser.add_argument("--check", action="store_true", help="change nothing; 1 if work is due")
    arguments = parser.parse_args()
    environment = Environment(Path(__file__).resolve().parent.parent)
    try:
        if arguments.check:
            reason = environment.reason_to_work(arguments.extra)
            say(reason or ".venv is up to date")
            return 1 if reason else 0
        environment.prepare(arguments.extra)
    except SetupError as error:
        for line in str(error).splitlines():
            say(line)
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next make begins again")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
