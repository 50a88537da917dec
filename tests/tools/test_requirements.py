"""The lock files name one version, with hashes, of everything that set-up installs."""

import re
import tomllib

import lock
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.paths import ROOT

NAMES = ("base", "dev", "torch", "torch-cuda", "update")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
BUILD = [*PYPROJECT["build-system"]["requires"], *lock.BUILD_TOOLS]
EXTRAS = PROJECT["optional-dependencies"]


def machines() -> list[dict[str, str]]:
    """The machines that the locks must do for, as values of the variables of markers."""
    linux = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
    return [
        {
            **linux,
            "platform_machine": machine,
            "platform_python_implementation": "CPython",
            "implementation_name": "cpython",
            "python_version": python,
            "python_full_version": f"{python}.0",
            "extra": "",
        }
        for machine in ("x86_64", "aarch64")
        for python in ("3.11", "3.12", "3.13", "3.14")
    ]


def locked(machine: dict[str, str], *names: str) -> dict[str, str]:
    """The versions that these files install on a machine."""
    versions: dict[str, str] = {}
    for name in names:
        for block in lock.blocks((ROOT / "requirements" / f"{name}.txt").read_text()):
            requirement = Requirement(block.splitlines()[0].removesuffix("\\"))
            if requirement.marker is None or requirement.marker.evaluate(machine):
                [specifier] = requirement.specifier
                assert versions.setdefault(requirement.name, specifier.version) == specifier.version
    return versions


@pytest.mark.parametrize("name", NAMES)
def test_every_line_is_a_version_with_hashes(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    header, rest = text.split("\n", 1)
    assert "make update" in header
    assert "".join(lock.blocks(rest)) == rest
    for block in lock.blocks(rest):
        first, *hashes = block.removesuffix("\n").split(" \\\n    ")
        assert re.fullmatch(r"[a-z0-9-]+==[\w.+]+( ; .*)?", first)
        assert hashes
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", value) for value in hashes)


@pytest.mark.parametrize(
    ("requirements", "names"),
    [
        ([*BUILD, *PROJECT["dependencies"]], ["base"]),
        ([*EXTRAS["dev"], *EXTRAS["learn"]], ["dev", "torch"]),
        (["uv"], ["update"]),
    ],
    ids=["base", "dev", "update"],
)
def test_the_locks_are_what_pyproject_asks_for(requirements: list[str], names: list[str]) -> None:
    """Where this fails, pyproject.toml has changed since the last `make update`."""
    for machine in machines():
        versions = locked(machine, *names)
        for requirement in map(Requirement, requirements):
            if requirement.marker is None or requirement.marker.evaluate(machine):
                version = versions[canonicalize_name(requirement.name)]
                assert requirement.specifier.contains(version), requirement


def test_torch_has_room_for_a_cpu_build() -> None:
    """The CPU build is a file of its own, and only a CUDA build needs the libraries for CUDA."""
    for machine in machines():
        assert f"torch=={locked(machine, 'torch')['torch']}" == lock.TORCH
        assert not [name for name in locked(machine, "dev") if name.startswith("nvidia-")]
        assert "nvidia-cublas" in locked(machine, "torch-cuda")
