"""What counts as present: a cmake that is new enough, a ninja, a compiler."""

from pathlib import Path

import prerequisites
import pytest


def add_program(folder: Path, name: str, says: str = "") -> None:
    (folder / name).write_text(f"#!/bin/sh\necho '{says}'\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("says", "version"),
    [
        ("cmake version 3.20.1", (3, 20)),
        ("cmake version 4.0.0-rc1", (4, 0)),
        ("something else", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_cmake_says_its_version(tmp_path: Path, says: str, version: tuple[int, int]) -> None:
    add_program(tmp_path, "cmake", says)
    assert prerequisites.cmake_version(str(tmp_path)) == version


def test_no_cmake_is_older_than_any(tmp_path: Path) -> None:
    assert prerequisites.cmake_version(str(tmp_path)) == (0, 0)


def test_build_tools_are_asked_for_where_they_are_missing_or_too_old(tmp_path: Path) -> None:
    path = str(tmp_path)
    assert prerequisites.missing_build_tools(path) == ["cmake", "ninja"]
    add_program(tmp_path, "cmake", "cmake version 3.19.8")
    add_program(tmp_path, "ninja")
    assert prerequisites.missing_build_tools(path) == ["cmake"]
    add_program(tmp_path, "cmake", "cmake version 3.25.1")
    assert prerequisites.missing_build_tools(path) == []


def test_the_compiler_is_the_one_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert prerequisites.compiler() is None
    add_program(tmp_path, "clang++")
    assert prerequisites.compiler() == "clang++"
    monkeypatch.setenv("CXX", "g++ -m64")
    assert prerequisites.compiler() is None
    add_program(tmp_path, "g++")
    assert prerequisites.compiler() == "g++ -m64"
