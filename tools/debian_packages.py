"""See to the Debian packages that tests need: install them where we may, say so where we may not.

    python tools/debian_packages.py [LIST]

The list is `tools/debian-packages.txt`. Under CI=true nothing may be missing.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).with_name("debian-packages.txt")

GAMES_FOLDER = "/usr/games"
"""Debian puts games here, and root's PATH does not have it."""


@dataclass(frozen=True)
class Package:
    """A Debian package and why we want it."""

    name: str

    program: str
    """A command that is there when the package is."""

    purpose: str
    """What the tests do with it."""

    @property
    def is_missing(self) -> bool:
        path = os.pathsep.join([os.environ.get("PATH", os.defpath), GAMES_FOLDER])
        return shutil.which(self.program, path=path) is None

    def __str__(self) -> str:
        return f"{self.name} ({self.purpose})"


def read(path: Path = LIST) -> dict[str, Package]:
    """The list, by package name."""
    packages = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(":", 2)]
        if len(parts) != 3 or not all(parts):
            raise ValueError(f"{path.name}:{number}: not 'package: program: purpose'")
        packages[parts[0]] = Package(*parts)
    return packages


def nothing_may_be_left_out() -> bool:
    """Return whether a missing package is an error, as on the machine that decides."""
    return os.environ.get("CI", "").lower() in ("true", "1")


def install_line(packages: Sequence[Package]) -> str:
    return "apt-get install " + " ".join(package.name for package in packages)


def install(packages: Sequence[Package]) -> None:
    """Let apt-get install the packages; success is checked afterwards."""
    print("ludus:", install_line(packages), file=sys.stderr, flush=True)
    names = [package.name for package in packages]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *names]):
        done = subprocess.run(
            ["apt-get", "-qq", *command], env=environment, capture_output=True, text=True
        )
        if done.returncode:
            print(done.stdout + done.stderr, file=sys.stderr)


def main(arguments: Sequence[str]) -> int:
    packages = read(Path(arguments[0]) if arguments else LIST).values()
    missing = [package for package in packages if package.is_missing]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        install(missing)
        missing = [package for package in missing if package.is_missing]
    if not missing:
        return 0
    for package in missing:
        print(f"ludus: left out: tests that need {package}", file=sys.stderr)
    print(f"ludus: to run them too: {install_line(missing)}", file=sys.stderr)
    return 1 if nothing_may_be_left_out() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
