"""Libraries of CUDA are built once for each source, by a compiler that is called nvcc."""

from pathlib import Path

import pytest

from ludus import cuda

COMPILER = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
while [ "$1" != "-o" ]; do shift; done
touch "$2"
"""


def test_a_file_of_an_experiment_is_built_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler, source = tmp_path / "nvcc", tmp_path / "own.cu"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    source.write_text("// one")
    sources, _ = cuda.locate_folders()
    monkeypatch.setattr(cuda, "locate_folders", lambda: (sources, tmp_path / "built"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = [cuda.build_library(source), cuda.build_library(source)]
    source.write_text("// two")
    found.append(cuda.build_library(source))
    assert found[0] == found[1] != found[2]
    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == 2
    assert all(str(source) in call for call in calls)
