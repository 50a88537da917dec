"""The native modules built with sanitizers, and processes that use them."""

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.paths import ROOT, python_path

FOLDER = ROOT / "build" / "sanitize"
PACKAGE = "ludus._native"
COMPILER = "g++"


def build() -> Path:
    """The folder with the sanitized modules, built anew where a source has changed."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER.parent / "sanitize.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may want it at once
        _forget_other_builds()
        _do(
            *("cmake", "-S", str(ROOT), "-B", str(FOLDER), "-G", "Ninja", "-DLUDUS_SANITIZE=ON"),
            *("-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DCMAKE_CXX_COMPILER={COMPILER}"),
            f"-DPython_EXECUTABLE={sys.executable}",
        )
        _do("cmake", "--build", str(FOLDER))
    return FOLDER / "custom"


def run(module: str, *arguments: object, timeout: float = 600) -> subprocess.CompletedProcess[str]:
    """Run a module of this package in a process with the sanitizers loaded."""
    # libstdc++ has to be there when the sanitizer starts, or it cannot see exceptions thrown.
    libraries = " ".join(_library(name) for name in ("libasan.so", "libubsan.so", "libstdc++.so"))
    environment = {
        **os.environ,
        "LD_PRELOAD": libraries,
        # Python itself keeps some memory to the end; that is not what is looked for.
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        # Python's own allocator would hide what is written behind the end of an object.
        "PYTHONMALLOC": "malloc",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": python_path(),
    }
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", f"fuzzing.{module}", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        errors="backslashreplace",
        timeout=timeout,
        check=False,
    )


def use_sanitized_modules(folder: Path) -> list[str]:
    """Load the modules from this folder; later imports find them there.

    Returns their names. Fails if the process is not watched or has loaded other ones.
    """
    import ludus._native as package

    names = []
    for file in sorted(folder.glob("*.cpython-*.so")):
        name = file.name.partition(".")[0]
        spec = importlib.util.spec_from_file_location(f"{PACKAGE}.{name}", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        assert spec.name not in sys.modules, f"{spec.name} is there already"
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        setattr(package, name, module)
        names.append(name)
    _check_what_is_loaded(folder, names)
    return names


def _check_what_is_loaded(folder: Path, names: list[str]) -> None:
    files = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()}
    for library in ("libasan", "libubsan"):
        assert any(library in file for file in files), f"{library} is not loaded"
    for name in names:
        loaded = {Path(file) for file in files if Path(file).name.startswith(f"{name}.cpython")}
        assert {file.parent for file in loaded} == {folder}, f"{name} comes from {loaded}"


def _forget_other_builds() -> None:
    """A build for another interpreter, or of a checkout that was moved, cannot be built upon."""
    key, note = f"{ROOT}\n{sys.executable}\n{sys.version}\n", FOLDER / "made-for.txt"
    if not note.exists() or note.read_text() != key:
        shutil.rmtree(FOLDER)
        FOLDER.mkdir()
        note.write_text(key)


def _do(*command: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _library(name: str) -> str:
    return _do(COMPILER, f"-print-file-name={name}").strip()
