"""What a machine must have before `.venv` can be made, and the one line that installs it."""

import os
import re
import shutil
import subprocess
import sysconfig
from importlib.util import find_spec
from pathlib import Path

OLDEST_CMAKE = (3, 20)
"""As in CMakeLists.txt."""


def missing() -> list[str]:
    """One line per thing that is missing here; empty on a machine that is ready."""
    lines = []
    if compiler() is None:
        lines.append("a C++ compiler is missing: apt-get install g++")
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        lines.append("Python's venv module is missing: apt-get install python3-venv")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        lines.append("Python's header files are missing: apt-get install python3-dev")
    return lines


def compiler() -> str | None:
    """The C++ compiler to build with: what CXX says, else the first that is found."""
    if chosen := os.environ.get("CXX"):
        return chosen if shutil.which(chosen.split()[0]) else None
    return next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)


def missing_build_tools(path: str) -> list[str]:
    """Which of cmake and ninja must come from PyPI because the search path has none that serves."""
    tools = []
    if cmake_version(path) < OLDEST_CMAKE:
        tools.append("cmake")
    if shutil.which("ninja", path=path) is None:
        tools.append("ninja")
    return tools


def cmake_version(path: str) -> tuple[int, int]:
    """Version of the cmake on the search path; (0, 0) where there is none that runs."""
    program = shutil.which("cmake", path=path)
    if program is None:
        return (0, 0)
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"version (\d+)\.(\d+)", answer.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)
