"""Finding other people's programs, and ending them with everything they started."""

import os
import shutil
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from ludus.core.errors import LudusError

if TYPE_CHECKING:
    import subprocess

GAMES_FOLDER = "/usr/games"
"""Where Debian keeps games; root's PATH often lacks it."""


class ProgramFailed(LudusError):
    """Another program is missing, has ended, keeps silent or says what nobody understands."""


def find_program(name: str, package: str) -> str:
    """The path of a program, or an error that says which package has it."""
    path = os.environ.get("PATH", os.defpath)
    found = shutil.which(name, path=f"{path}{os.pathsep}{GAMES_FOLDER}")
    if found is None:
        raise ProgramFailed(
            f"the program {name} is not installed; on Debian: apt-get install {package}"
        )
    return found


def end_program(process: "subprocess.Popen[bytes]") -> None:
    """End a program that leads its own process group, and wait until it has gone."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
