"""CUDA kernels compiled for the CPU, so that they are tested where there is no GPU."""

import ctypes
import os
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from support.paths import ROOT

LAUNCH = re.compile(r"(\w+)<<<(.*?), (.*?), 0, .*?>>>\(", re.DOTALL)
"""kernel<<<blocks, threads, 0, stream>>>("""

INCLUDE = "#include <cuda_bf16.h>\n"


@cache
def compile_for_cpu(
    name: str, folder: Path, sources: Path = ROOT / "native" / "cuda"
) -> ctypes.CDLL:
    """Compile NAME.cu with tests/data/cuda_on_cpu.hpp in place of CUDA."""
    compiler = shlex.split(os.environ.get("CXX") or "c++")
    source = (sources / f"{name}.cu").read_text(encoding="utf-8")
    assert INCLUDE in source
    source, launches = LAUNCH.subn(r"emulate(\1, \2, \3)(", source.replace(INCLUDE, ""))
    assert launches, "it launches no kernel"
    file, library = folder / f"{name}.cpp", folder / f"lib{name}.so"
    file.write_text(source, encoding="utf-8")
    header = ROOT / "tests" / "data" / "cuda_on_cpu.hpp"
    # Without warnings: compilers for CPUs do not know the pragmas of loops.
    flags = ["-std=c++20", "-O1", "-w", "-shared", "-fPIC", "-pthread", "-include", str(header)]
    subprocess.run([*compiler, *flags, str(file), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def use_on_cpu(monkeypatch: pytest.MonkeyPatch, module: object, library: ctypes.CDLL) -> None:
    """Let a module that loads its kernels by `_load_library` run them on tensors of the CPU."""
    monkeypatch.setattr(module, "_load_library", lambda: library)
    stream = SimpleNamespace(cuda_stream=0)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device=None: stream)
