"""Where experiments are, and the one with a given id. Listing reads TOML and imports nothing."""

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.core.errors import UnknownName, check_length, quoted
from ludus.core.spec import suggestion
from ludus.reproduce.errors import BadExperiment, shown
from ludus.reproduce.findings import Finding
from ludus.reproduce.published import Published, read_published

if TYPE_CHECKING:
    from ludus.reproduce.context import Context

PACKAGE = "ludus_experiments"
"""The name under which the folder of experiments is imported, so that files can share code."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One file under `experiments/<authors>/`, with its TOML file beside it."""

    path: Path
    """The Python file."""

    @property
    def id(self) -> str:
        """`<authors>-<name>`, with hyphens for underscores."""
        return f"{self.path.parent.name}-{self.path.stem}".replace("_", "-")

    @property
    def results(self) -> Path:
        """Where the results of the last thorough run are kept."""
        return self.path.parent / "results" / f"{self.id}.json"

    def published(self) -> Published:
        return read_published(self.path.with_suffix(".toml"), self.id)

    def module(self) -> types.ModuleType:
        """The file, imported. It may import files beside it with `from .other import …`."""
        name = f"{PACKAGE}.{self.path.parent.name}.{self.path.stem}"
        _forget_other_folder(self.path.parents[1])
        try:
            return importlib.import_module(name)
        except Exception as error:
            raise self.fault(error) from error

    def run(self, context: "Context") -> Iterable[Finding]:
        """What the file's function `run` yields."""
        function = getattr(self.module(), "run", None)
        if not callable(function):
            raise BadExperiment(f"{shown(self.path)} has no function run(context)")
        run: Callable[[Context], Iterable[Finding]] = function
        return run(context)

    def fault(self, error: Exception) -> BadExperiment:
        """What went wrong in the file, with the line of it."""
        line, traceback = None, error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == str(self.path):
                line = traceback.tb_lineno
            traceback = traceback.tb_next
        if isinstance(error, SyntaxError):
            line = error.lineno
        where = shown(self.path) if line is None else f"{shown(self.path)}, line {line}"
        return BadExperiment(f"{where}: {type(error).__name__}: {error}")


def _forget_other_folder(folder: Path) -> None:
    """Make `folder` the package of experiments; modules of another one are dropped."""
    package = sys.modules.get(PACKAGE)
    if package is not None and list(package.__path__) == [str(folder)]:
        return
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]
    package = types.ModuleType(PACKAGE)
    package.__path__ = [str(folder)]
    sys.modules[PACKAGE] = package
    importlib.invalidate_caches()


def experiments_folder(asked: Path | None = None) -> Path:
    """The folder of experiments: the one asked for, or that of the checkout we run from."""
    if asked is not None:
        if not asked.is_dir():
            raise BadExperiment(f"there is no folder {shown(asked)}")
        return asked.resolve()
    checkout = Path(__file__).resolve().parents[3]
    for folder in (checkout / "experiments", Path.cwd() / "experiments"):
        if folder.is_dir():
            return folder
    raise BadExperiment("there are no experiments here; run in a checkout or give --experiments")


def listed(folder: Path) -> list[Experiment]:
    """Every experiment of a folder, by id."""
    files = (path.with_suffix(".py") for path in folder.glob("*/*.toml"))
    return sorted((Experiment(path) for path in files if path.is_file()), key=lambda it: it.id)


def named(identity: str, folder: Path) -> Experiment:
    """The experiment with this id."""
    check_length(identity, UnknownName)
    known = {experiment.id: experiment for experiment in listed(folder)}
    if identity not in known:
        hint = suggestion(identity, known)
        raise UnknownName(f"there is no experiment {quoted(identity)}{hint}")
    return known[identity]
