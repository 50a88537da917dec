"""CUDA libraries, built by nvcc from `native/cuda` when they are first used."""

import ctypes
import hashlib
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.files import cache_folder

__all__ = ["CudaUnavailable", "build_library", "load_optional_library"]

CHECKOUT = Path(__file__).parents[2]
INSTALLED_SOURCES = Path(__file__).parent / "_native" / "sources"
FLAGS = ("-std=c++20", "-O3", "-arch=native", "--expt-relaxed-constexpr", "-shared")


class CudaUnavailable(LudusError):
    """There is no usable GPU, or the library for it cannot be built."""


def locate_folders() -> tuple[Path, Path]:
    """Return the folder with the sources and the folder for built libraries.

    In a checkout both are in it; an installed package has its own sources and builds in the user's
    cache folder.
    """
    if (CHECKOUT / "native" / "cuda").is_dir():
        return CHECKOUT / "native", CHECKOUT / "build" / "cuda"
    if not INSTALLED_SOURCES.is_dir():
        raise CudaUnavailable(
            "the CUDA sources are missing from this installation; install ludus again"
        )
    cache = cache_folder()
    if cache is None:
        raise CudaUnavailable(
            "there is no folder to build the CUDA library in; set LUDUS_CACHE to one"
        )
    return INSTALLED_SOURCES, cache / "cuda"


def build_library(name: str | Path) -> Path:
    """Return the library of `native/cuda/NAME.cu` or of another file of CUDA.

    It is built unless it exists for this source.
    """
    nvcc = shutil.which(
        "nvcc", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin"])
    )
    if nvcc is None:
        raise CudaUnavailable("nvcc, the compiler of the CUDA toolkit, is not installed")
    sources, folder = locate_folders()
    source = name if isinstance(name, Path) else sources / "cuda" / f"{name}.cu"
    files = sorted(path for path in sources.rglob("*") if path.suffix in (".cu", ".cuh", ".hpp"))
    files += [] if source in files else [source]
    content = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    library = folder / f"libludus_{source.stem}-{content}.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{library.name}.{os.getpid()}"
    includes = [f"-I{sources}", f"-I{sources / 'core'}"]
    command = [nvcc, *FLAGS, "-Xcompiler", "-fPIC", *includes, str(source), "-o", str(partial)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        first = next(iter(done.stderr.strip().splitlines()), "no message")
        raise CudaUnavailable(f"nvcc cannot build {source.name}: {first}")
    partial.replace(library)
    return library


@cache
def load_optional_library(name: str | Path) -> Any:
    """Return the library, or None where it cannot be built and torch computes the same."""
    try:
        return ctypes.CDLL(str(build_library(name)))
    except CudaUnavailable:
        return None
