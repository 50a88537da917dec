"""Write `requirements/*.txt`: every version that set-up installs, with the hashes of its files.

    make update                                    # after a change to pyproject.toml
    make update ARGS="--upgrade-package numpy"     # a newer numpy
    make update ARGS=--upgrade                     # newer versions of everything but torch

Locked versions stay as they are unless an option or pyproject.toml asks for others. The files are
valid for Python 3.11 and newer, on every platform, and name no package index.

base.txt        what playing needs, and what building the native core needs
dev.txt         what developing and testing needs: `dev` and DEV_EXTRAS' others, not torch
docs.txt        what `make docs` needs beside that: the extra `docs`
cluster.txt     what tests on a cluster need beside that: the extra `cluster`
torch.txt       torch alone: the builds of PyPI, and the CPU build that pip finds on our machines
torch-cuda.txt  what a CUDA build of torch needs on Linux
update.txt      uv, which resolves the versions
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"

TORCH = "torch==2.13.0"
"""The release of which the machines that we test on have a CPU build."""

BUILD_TOOLS = ["cmake>=3.26", "ninja>=1.11"]
"""scikit-build-core takes these from the environment, so that no machine needs its own."""

DEV_EXTRAS = ("dev", "learn", "data", "onnx", "rl", "mcp")
"""Extras in dev.txt."""

OWN_FILES = ("docs", "cluster")
"""Extras with files of their own."""

CUDA_PACKAGE = re.compile(r"(nvidia|cuda)-|triton==")


def blocks(text: str) -> list[str]:
    """The requirements of a file, each with its hashes."""
    return re.findall(r"^[a-z0-9].*\n(?: .*\n)*", text, re.MULTILINE)


def resolve(known: str, lines: list[str], *arguments: str) -> str:
    """Let uv find versions for `lines` and for what `arguments` name; it keeps those in `known`."""
    with tempfile.TemporaryDirectory() as folder:
        output, constraint = Path(folder, "locked.txt"), Path(folder, "constraint.txt")
        output.write_text(known)
        constraint.write_text(TORCH)
        uv = [Path(sys.executable).with_name("uv"), "pip", "compile", "--quiet", "--universal"]
        uv += ["--generate-hashes", "--no-header", "--no-annotate", "--python-version", "3.11"]
        # One version for every Python: stubs of numpy, for instance, differ between versions.
        uv += ["--fork-strategy", "fewest", "--constraint", constraint]
        uv += ["--output-file", output, *arguments, "-"]
        subprocess.run(
            uv, cwd=ROOT, check=True, input="\n".join(lines), text=True, stdout=subprocess.DEVNULL
        )
        return output.read_text()


def with_hash_of_own_build(torch: str) -> str:
    """Add the hash of the torch that pip installs on this machine, which may be a CPU build."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    pip += ["--no-deps", "--report", "-", TORCH]
    report = json.loads(subprocess.run(pip, check=True, stdout=subprocess.PIPE).stdout)
    own = report["install"][0]["download_info"]["archive_info"]["hashes"]["sha256"]
    hashes = sorted({own, *re.findall(r"sha256:(\w+)", torch)})
    first = torch.splitlines()[0].removesuffix(" \\")
    return " \\\n    ".join([first, *(f"--hash=sha256:{value}" for value in hashes)]) + "\n"


def write(name: str, requirements: list[str]) -> None:
    header = "# Written by `make update` (tools/lock.py); do not edit.\n"
    (REQUIREMENTS / name).write_text(header + "".join(requirements))


def main(options: list[str]) -> None:
    known = "".join(path.read_text() for path in sorted(REQUIREMENTS.glob("*.txt")))
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    build += BUILD_TOOLS

    def lock(known: str, extras: tuple[str, ...], *options: str) -> str:
        named = [word for extra in extras for word in ("--extra", extra)]
        return resolve(known, build, "pyproject.toml", *named, *options)

    everything = lock(known, (*DEV_EXTRAS, *OWN_FILES), *options)
    base, dev = blocks(lock(everything, ())), blocks(lock(everything, DEV_EXTRAS))
    others = [block for block in dev if block not in base]
    cuda = [block for block in others if CUDA_PACKAGE.match(block)]
    [torch] = [block for block in others if block.startswith("torch==")]
    write("base.txt", base)
    write("dev.txt", [block for block in others if block not in cuda and block != torch])
    for extra in OWN_FILES:
        needed = blocks(lock(everything, (*DEV_EXTRAS, extra)))
        write(f"{extra}.txt", [block for block in needed if block not in dev])
    write("torch.txt", [with_hash_of_own_build(torch)])
    write("torch-cuda.txt", cuda)
    write("update.txt", blocks(resolve(known, ["uv"], *options)))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except subprocess.CalledProcessError as error:
        sys.exit(f"ludus: {Path(error.cmd[0]).name} failed; requirements/ is unchanged")
