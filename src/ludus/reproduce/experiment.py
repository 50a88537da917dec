"""Find and import experiments. Listing reads TOML files and imports nothing."""

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.core.errors import UnknownName, check_length
from ludus.core.files import quote_path
from ludus.core.spec import check_choice
from ludus.reproduce.findings import Finding
from ludus.reproduce.published import BadExperiment, PublishedTable, read_published

if TYPE_CHECKING:
    from ludus.reproduce.context import Context

EXPERIMENTS_PACKAGE = "ludus_experiments"
"""Package name under which the folder of experiments is imported, so that files can share code."""


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
        """Path of the results of the last saved run."""
        return self.path.parent / "results" / f"{self.id}.json"

    def published(self) -> PublishedTable:
        return read_published(self.path.with_suffix(".toml"), self.id)

    def module(self) -> types.ModuleType:
        """Import the file. It may import files beside it with `from .other import …`."""
        name = f"{EXPERIMENTS_PACKAGE}.{self.path.parent.name}.{self.path.stem}"
        _set_experiments_package(self.path.parents[1])
        try:
            return importlib.import_module(name)
        except Exception as error:
            raise self.make_error(error) from error

    def run(self, context: "Context") -> Iterable[Finding]:
        """Call the file's function `run` and return its findings."""
        function = getattr(self.module(), "run", None)
        if not callable(function):
            raise BadExperiment(f"{quote_path(self.path)} has no function run(context)")
        run: Callable[[Context], Iterable[Finding]] = function
        return run(context)

    def make_error(self, error: Exception) -> BadExperiment:
        """Return an exception of the file as BadExperiment, with its line."""
        line, traceback = None, error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == str(self.path):
                line = traceback.tb_lineno
            traceback = traceback.tb_next
        if isinstance(error, SyntaxError):
            line = error.lineno
        where = quote_path(self.path) if line is None else f"{quote_path(self.path)}, line {line}"
        return BadExperiment(f"{where}: {type(error).__name__}: {error}")


def _set_experiments_package(folder: Path) -> None:
    """Make `folder` the package of experiments and drop the modules of any other folder."""
    package = sys.modules.get(EXPERIMENTS_PACKAGE)
    if package is not None and list(package.__path__) == [str(folder)]:
        return
    for name in [name for name in sys.modules if name.split(".")[0] == EXPERIMENTS_PACKAGE]:
        del sys.modules[name]
    package = types.ModuleType(EXPERIMENTS_PACKAGE)
    package.__path__ = [str(folder)]
    sys.modules[EXPERIMENTS_PACKAGE] = package
    importlib.invalidate_caches()


def find_experiments_folder(chosen: Path | None = None) -> Path:
    """Return the given folder of experiments, or that of the current checkout."""
    if chosen is not None:
        if not chosen.is_dir():
            raise BadExperiment(f"there is no folder {quote_path(chosen)}")
        return chosen.resolve()
    checkout = Path(__file__).resolve().parents[3]
    for folder in (checkout / "experiments", Path.cwd() / "experiments"):
        if folder.is_dir():
            return folder
    raise BadExperiment("there are no experiments here; run in a checkout or give --experiments")


def list_experiments(folder: Path) -> list[Experiment]:
    """Return every experiment of a folder, by id."""
    files = (path.with_suffix(".py") for path in folder.glob("*/*.toml"))
    return sorted((Experiment(path) for path in files if path.is_file()), key=lambda it: it.id)


def find_experiment(identity: str, folder: Path) -> Experiment:
    """Return the experiment with this id."""
    check_length(identity, UnknownName)
    known = {experiment.id: experiment for experiment in list_experiments(folder)}
    check_choice("there is no experiment", identity, known)
    return known[identity]
