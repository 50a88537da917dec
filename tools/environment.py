"""Make `.venv` fit this checkout; do nothing when it fits already.

    tools/python tools/environment.py STEP...

The steps base, dev, torch, docs, cluster and update install the locked versions of `requirements/`
(tools/lock.py says what is in which file); build compiles the native core and installs the package
in editable mode. `.venv/ludus-state.json` holds a fingerprint of every finished step, made from the
content of the files that it depends on. It is removed before packages are installed and written
afterwards: a `.venv` without one was interrupted, and is made again from the start. The build needs
only the packages of base, and runs while those of the other steps are installed.
"""

import fcntl
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STATE = VENV / "ludus-state.json"
LOG = VENV / "setup.log"
BUILD_LOG = VENV / "build.log"

STEPS = {
    "base": "installing packages",
    "dev": "installing packages for development",
    "torch": "installing torch",
    "docs": "installing packages for the documentation",
    "cluster": "installing Ray",
    "update": "installing uv",
    "build": "building the native core",
}

# These run in .venv. The first also sees whether files of a distribution were deleted, which
# `Distribution.files` leaves out since Python 3.12.
PROBE = """
import csv, sys
from importlib.metadata import distribution
found = distribution(sys.argv[1])
rows = csv.reader((found.read_text("RECORD") or "").splitlines())
assert all(found.locate_file(row[0]).exists() for row in rows if not row[0].endswith(".pyc"))
print("%d.%d" % sys.version_info[:2])
"""
PROBE_CUDA = """
from importlib.metadata import requires
from packaging.requirements import Requirement
needs = [Requirement(line) for line in requires("torch") or ()]
here = [need.name for need in needs if not need.marker or need.marker.evaluate({"extra": ""})]
print(any(name.startswith(("nvidia-", "cuda-")) for name in here))
"""


class SetupError(Exception):
    """A step failed, or the machine lacks something; the message says what to do."""

    output: tuple[str, ...] = ()
    """The last lines that the step wrote."""


def prepare(steps: list[str]) -> None:
    """Do what is due of these steps, after any other process that is doing so."""
    lock = os.open(ROOT, os.O_RDONLY)
    os.set_inheritable(lock, True)  # a pip that outlives this process holds the lock, too
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another make that is working on .venv")
            fcntl.flock(lock, fcntl.LOCK_EX)
        damage = find_damage()
        if damage or due(steps):
            check_machine()
            began = time.monotonic()
            if damage:
                create(damage)
            run_steps(due(steps))
            say(f".venv is ready ({time.monotonic() - began:.0f} s)")
    finally:
        os.close(lock)


def find_damage() -> str | None:
    """Return why `.venv` must be made from scratch; None if it can be updated."""
    if not os.path.lexists(VENV):
        return "there is no .venv yet"
    try:
        state = json.loads(STATE.read_text())
        if state["home"] != str(ROOT):
            return ".venv was made for another folder"
        version = run_script(PROBE, "ludus-games" if "build" in state else "pip")
        return None if version == state["python"] else "the Python of .venv is another version now"
    except (ValueError, TypeError, KeyError):
        return "the state of .venv cannot be read"
    except OSError:
        return "the Python of .venv is gone" if STATE.exists() else "a set-up was interrupted"
    except subprocess.CalledProcessError:
        return "packages in .venv are broken"


def due(steps: list[str]) -> list[str]:
    """The steps that were not done yet, or whose files have changed since."""
    state = json.loads(STATE.read_text())
    return [step for step in steps if state.get(step) != fingerprint(step)]


def fingerprint(step: str) -> str:
    """A hash of everything that the result of a step depends on."""
    files, settings = [ROOT / "requirements" / f"{step}.txt"], [""]
    if step == "torch":
        files.append(ROOT / "requirements/torch-cuda.txt")
        settings = [os.environ.get("LUDUS_TORCH", "")]
    elif step == "build":
        files = [
            ROOT / name for name in ("pyproject.toml", "CMakeLists.txt", "requirements/base.txt")
        ]
        files += sorted(path for path in ROOT.glob("native/**/*") if path.is_file())
        march = os.environ.get("LUDUS_MARCH", "")
        # The editable install holds a list of the modules.
        modules = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("src/**/*.py"))
        settings = [march, processor() if march == "native" else "", *modules]
    contents = [(str(file.relative_to(ROOT)), file.read_bytes().hex()) for file in files]
    return hashlib.sha256(json.dumps([settings, contents]).encode()).hexdigest()


def processor() -> str:
    """The instruction sets of this machine's processor."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def check_machine() -> None:
    """Raise an error whose one line names every Debian package that is missing."""
    missing = {}
    if compiler() is None:
        missing["g++"] = "a C++ compiler"
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        missing["python3-venv"] = "Python's venv module"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing["python3-dev"] = "Python's header files"
    if missing:
        names = ", ".join(missing.values())
        raise SetupError(f"this machine lacks {names}: apt-get install {' '.join(missing)}")


def compiler() -> str | None:
    """The C++ compiler to build with: the one that CXX names, else the first that is found."""
    names = [chosen] if (chosen := os.environ.get("CXX")) else ["c++", "g++", "clang++"]
    return next((name for name in names if shutil.which(name.split()[0])), None)


def create(why: str) -> None:
    """Make an empty environment in place of what is there."""
    say(f"{why}: making a new one, which takes a few minutes")
    subprocess.run(["rm", "-rf", VENV, ROOT / "build"], check=True)
    VENV.mkdir()
    # The interpreter that runs this may belong to the environment just removed.
    creator: str = getattr(sys, "_base_executable", sys.executable)
    run(creator, "-m", "venv", str(VENV))
    write_state({"home": str(ROOT), "python": run_script(PROBE, "pip")})


def run_steps(steps: list[str]) -> None:
    """Do steps and record them."""
    if "base" in steps:
        install_packages("base")
    packages = [step for step in steps if step not in ("base", "build")]
    with ThreadPoolExecutor(1) as beside:
        if "build" in steps:
            say(STEPS["build"])
            state, built = json.loads(STATE.read_text()), fingerprint("build")
            # It replaces files of this package alone: whatever happens, other steps stay done.
            write_state({key: value for key, value in state.items() if key != "build"})
            building = beside.submit(build, is_repeated="build" not in state)
        for step in packages:
            install_packages(step)
        if "build" in steps:
            building.result()
            write_state({**json.loads(STATE.read_text()), "build": built})


def install_packages(step: str) -> None:
    """Do one step that installs packages, and record it."""
    say(STEPS[step])
    state, wanted = json.loads(STATE.read_text()), fingerprint(step)
    STATE.unlink()
    install_torch() if step == "torch" else install(step)
    write_state({**state, step: wanted})


def build(is_repeated: bool) -> None:
    """Compile the native core and install the package; the last attempt may have been cut short."""
    if is_repeated:
        parts = VENV.glob("lib/python*/site-packages/*ludus*")
        subprocess.run(["rm", "-rf", *parts], check=True)
    march = f"--config-settings=cmake.define.LUDUS_MARCH={os.environ.get('LUDUS_MARCH', '')}"
    options = ["--no-build-isolation", "--no-deps", march, "--editable", str(ROOT)]
    pip("install", *options, log=BUILD_LOG)


def install(name: str, *more: str) -> None:
    """Install what a lock file names, all of it, from wheels with the right hash only."""
    # Without byte code pip takes half the time; Python writes that of modules which are imported.
    options = ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-compile", *more]
    pip("install", *options, "--requirement", str(ROOT / "requirements" / f"{name}.txt"))


def install_torch() -> None:
    """Install what LUDUS_TORCH names, else the locked torch and the libraries of a CUDA build."""
    pip("uninstall", "--yes", "torch")  # another build of the same version would be kept
    if chosen := os.environ.get("LUDUS_TORCH"):
        pip("install", *shlex.split(chosen))
        return
    try:
        # A wheel in a folder that pip is told of, such as a CPU build, comes before those of an
        # index; by itself pip prefers links that name a hash, which files do not.
        install("torch", "--no-index")
    except SetupError:
        install("torch")
    if run_script(PROBE_CUDA) == "True":
        install("torch-cuda")


def pip(*arguments: str, log: Path = LOG) -> None:
    run(str(PYTHON), "-m", "pip", *arguments, log=log)


def run(*command: str, log: Path = LOG) -> None:
    """Run a command silently; if it fails, the error has the end of what it wrote."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("PYTHON")},
        "PATH": f"{VENV}/bin{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        # By default the compiler that built this Python is taken, which may not be here.
        "CXX": compiler() or "c++",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "PIP_USER": "0",
    }
    with log.open("w") as output:
        files = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
        done = subprocess.run(command, env=environment, close_fds=False, **files)
    if done.returncode:
        error = SetupError(f"this step failed; the whole log is in .venv/{log.name}")
        error.output = tuple(log.read_text(errors="replace").splitlines()[-100:])
        raise error


def run_script(script: str, *arguments: str) -> str:
    """What a script prints when the Python of `.venv` runs it."""
    command = [str(PYTHON), "-I", "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def write_state(state: dict[str, str]) -> None:
    """Write the state file; a reader sees the old one or the new one, never a part."""
    draft = STATE.with_suffix(".new")
    draft.write_text(json.dumps(state))
    draft.replace(STATE)


def say(text: str) -> None:
    print(f"ludus: {text}", file=sys.stderr, flush=True)


def main(steps: list[str]) -> int:
    """Prepare `.venv`, and say in one line what went wrong; returns the exit status."""
    try:
        prepare(steps)
    except SetupError as error:
        for line in error.output:
            print(line, file=sys.stderr)
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next make starts again")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
