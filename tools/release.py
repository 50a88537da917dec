"""Build wheel, source distribution and documentation into `dist/`, and check all of them.

    make release                       # everything
    make release ARGS="--only versions"

Versions agree in pyproject.toml, CHANGELOG.md and CITATION.cff; the wheel installs into an empty
environment and plays and solves there; the source distribution gives a wheel with the same files;
the documentation is built without a warning.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from datetime import date
from pathlib import Path

from networks_wheel import build_networks_wheel

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"

MAX_WHEEL_MB = 41
MAX_INSTALL_MB = 170

MEASURE = """
import re
from importlib.metadata import PackageNotFoundError, distribution

found, names = {}, ["ludus-games"]
for name in names:
    if name in found:
        continue
    try:
        each = distribution(name)
    except PackageNotFoundError:  # for other systems or versions of Python
        continue
    sizes = [path.locate().stat().st_size for path in each.files if path.locate().is_file()]
    found[name] = sum(sizes)
    needed = [text for text in each.requires or [] if "extra ==" not in text]
    names += [re.match(r"[\\w.-]+", text)[0] for text in needed]
print(sum(found.values()) / 1e6)
"""
"""Prints the megabytes of the program and of all that it needs, without pip and build tools."""

STEPS = ("versions", "wheel", "sdist", "install", "docs")

HEADING = re.compile(r"^## (\d+\.\d+\.\d+), (\S+)", re.MULTILINE)


class ReleaseError(Exception):
    """Something is not fit for a release; the message says what."""


def check_versions(root: Path = ROOT) -> str:
    """Return the version, after checking that all files name it and that the release is dated."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    version: str = project["version"]
    if project["optional-dependencies"]["networks"] != [f"ludus-games-networks=={version}"]:
        raise ReleaseError(f"the extra networks of pyproject.toml is not of version {version}")
    heading = HEADING.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if heading is None or heading[1] != version:
        found = "no release" if heading is None else heading[1]
        raise ReleaseError(f"the first release of CHANGELOG.md is {found}, not {version}")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^(version|date-released): (.+)$", citation, re.MULTILINE))
    if fields.get("version") != version:
        raise ReleaseError(f"CITATION.cff has the version {fields.get('version')}, not {version}")
    try:
        date.fromisoformat(heading[2])
    except ValueError:
        raise ReleaseError(f"{version} has no date in CHANGELOG.md") from None
    if fields.get("date-released") != heading[2]:
        raise ReleaseError(f"CITATION.cff is of {fields.get('date-released')}, not {heading[2]}")
    return version


def build_wheel(source: Path, folder: Path) -> Path:
    """Build a wheel from a checkout or a source distribution, with the locked build tools."""
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", str(folder)]
    variables = {"CXX": os.environ.get("CXX", "c++"), "PATH": _path_with_tools()}
    run([sys.executable, "-m", "pip", "wheel", "--quiet", *options, str(source)], **variables)
    [wheel] = folder.glob("ludus_games-*.whl")
    return wheel


def build_sdist(folder: Path) -> Path:
    """Build the source distribution."""
    script = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run([sys.executable, "-c", script, str(folder)], PATH=_path_with_tools())
    [archive] = folder.glob("ludus_games-*.tar.gz")
    return archive


def _path_with_tools() -> str:
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def list_wheel_files(wheel: Path) -> list[str]:
    """Return the names of the files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return sorted(archive.namelist())


def check_sdist(archive: Path, wheel: Path) -> int:
    """Check that a source distribution gives a wheel with the same files; return their number."""
    with tarfile.open(archive) as packed:
        names = packed.getnames()
    if any("/.git/" in name or name.endswith((".so", ".pyc")) for name in names):
        raise ReleaseError(f"{archive.name} holds files that do not belong into it")
    with tempfile.TemporaryDirectory() as folder:
        rebuilt = list_wheel_files(build_wheel(archive, Path(folder)))
    expected = list_wheel_files(wheel)
    if rebuilt != expected:
        different = sorted({*rebuilt} ^ {*expected})[:5]
        raise ReleaseError(f"the wheel made from {archive.name} differs: {', '.join(different)}")
    return len(expected)


def check_size(wheel: Path, networks: Path) -> None:
    """Check that the wheel is small, and has no file that the wheel of networks has."""
    if (size := wheel.stat().st_size / 1e6) > MAX_WHEEL_MB:
        raise ReleaseError(f"{wheel.name} has {size:.1f} MB, more than {MAX_WHEEL_MB}")
    if both := {*list_wheel_files(wheel)} & {*list_wheel_files(networks)}:
        raise ReleaseError(f"both wheels hold {', '.join(sorted(both))}")


def check_install(wheel: Path, networks: Path, version: str) -> float:
    """Install a wheel into an empty environment outside the checkout, and play and solve there.

    Return the megabytes of the program and what it needs, before the networks are added.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        creator: str = getattr(sys, "_base_executable", sys.executable)
        run([creator, "-m", "venv", str(home / "venv")])
        pip = [str(home / "venv/bin/python"), "-m", "pip", "install", "--quiet", "--no-deps"]
        locked = ["--require-hashes", "--only-binary", ":all:"]
        run([*pip, *locked, "--requirement", str(ROOT / "requirements/base.txt")])
        run([*pip, "--no-index", str(wheel)])
        # Nothing of the checkout or of earlier runs may be found.
        variables = {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache", "PYTHONPATH": ""}
        variables |= {"XDG_DATA_HOME": f"{folder}/data"}
        printed = run([str(home / "venv/bin/ludus"), "--version"], cwd=home, **variables).strip()
        if printed != f"ludus {version}":
            raise ReleaseError(f"the installed program says {printed!r}, not ludus {version}")
        python = str(home / "venv/bin/python")
        run([python, str(ROOT / "tools/try_wheel.py")], cwd=home, **variables)
        size = float(run([python, "-c", MEASURE]))
        if size > MAX_INSTALL_MB:
            raise ReleaseError(f"the installation takes {size:.0f} MB, more than {MAX_INSTALL_MB}")
        run([*pip, "--no-index", str(networks)])
        for player in ("scholar:kind=chain", "nnmm:size=thesis"):
            match = ["match", "nine_mens_morris", player, "random", "--games", "1", "--json"]
            run([python, "-m", "ludus", *match], cwd=home, **variables)
        return size


def build_docs(version: str) -> Path:
    """Build the documentation and pack it."""
    out = ROOT / "build" / "docs"
    run([sys.executable, str(ROOT / "tools/build_docs.py"), "--out", str(out)], shown=True)
    name = DIST / f"ludus-{version}-docs"
    return Path(shutil.make_archive(str(name), "zip", out))


def run(command: list[str], cwd: Path = ROOT, shown: bool = False, **variables: str) -> str:
    """Run a command and return what it prints; a failure is an error with its last lines."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **variables},
        stdout=None if shown else subprocess.PIPE,
        stderr=None if shown else subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        tail = "\n".join((done.stdout or "").splitlines()[-30:])
        raise ReleaseError(f"{' '.join(command[:4])} … failed\n{tail}")
    return done.stdout or ""


def say(text: str) -> None:
    print(f"release: {text}", flush=True)


def make_release(steps: tuple[str, ...]) -> None:
    """Run the steps in order."""
    version = check_versions()
    say(f"version {version} in pyproject.toml, CHANGELOG.md and CITATION.cff")
    if steps == ("versions",):
        return
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    wheel = build_wheel(ROOT, DIST)
    networks = build_networks_wheel(DIST)
    check_size(wheel, networks)
    say(f"built {wheel.name} and {networks.name}")
    if "sdist" in steps:
        archive = build_sdist(DIST)
        say(f"built {archive.name}; its wheel has the same {check_sdist(archive, wheel)} files")
    if "install" in steps:
        size = check_install(wheel, networks, version)
        say(f"the wheel plays and solves in an empty environment; it takes {size:.0f} MB")
    if "docs" in steps:
        say(f"built {build_docs(version).name}")
    for file in sorted(DIST.iterdir()):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        say(f"{file.stat().st_size / 1e6:6.1f} MB  {file.name}  sha256 {digest[:16]}…")


def main() -> int:
    parser = argparse.ArgumentParser(description="Build and check a release.")
    parser.add_argument("--only", nargs="+", choices=STEPS, default=list(STEPS))
    try:
        make_release(tuple(parser.parse_args().only))
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
