"""Libraries for GPUs, built from this checkout's sources by nvcc when they are first asked for.

Nothing of this is needed, or asked for, where no GPU is wanted.
"""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from ludus.core.errors import LudusError

SOURCES = Path(__file__).parents[3] / "native"
BUILD = Path(__file__).parents[3] / "build" / "cuda"
FLAGS = ("-std=c++20", "-O3", "-arch=native", "--expt-relaxed-constexpr", "-shared")


class NoCuda(LudusError):
    """There is no GPU to work on, or the library for it cannot be built."""


def built(name: str) -> Path:
    """The library of `native/cuda/NAME.cu`, made unless it is there for this very source."""
    nvcc = shutil.which(
        "nvcc", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin"])
    )
    if nvcc is None:
        raise NoCuda("nvcc, the compiler of the CUDA toolkit, is not installed")
    if not SOURCES.is_dir():
        raise NoCuda("the sources for GPUs are not here; use a checkout of the project")
    files = sorted(path for path in SOURCES.rglob("*") if path.suffix in (".cu", ".cuh", ".hpp"))
    content = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    library = BUILD / f"libludus_{name}-{content}.so"
    if library.exists():
        return library
    BUILD.mkdir(parents=True, exist_ok=True)
    partial = BUILD / f"{library.name}.{os.getpid()}"
    includes = [f"-I{SOURCES}", f"-I{SOURCES / 'core'}"]
    source = str(SOURCES / "cuda" / f"{name}.cu")
    command = [nvcc, *FLAGS, "-Xcompiler", "-fPIC", *includes, source, "-o", str(partial)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        first = next(iter(done.stderr.strip().splitlines()), "no message")
        raise NoCuda(f"nvcc cannot build {name}.cu: {first}")
    partial.replace(library)
    return library
