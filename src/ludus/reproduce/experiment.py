"""Experiments: the published numbers in the TOML file of each, and how its code is found and run.

Listing experiments reads their TOML files and imports nothing.
"""

import importlib
import sys
import tomllib
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, model_validator

from ludus.core.errors import LudusError, UnknownName, check_length, quote
from ludus.core.files import quote_path, read_text
from ludus.core.spec import check_choice
from ludus.core.statistics import NORMAL_QUANTILE, Interval, Proportion

if TYPE_CHECKING:
    from ludus.reproduce.context import Context
    from ludus.reproduce.findings import Finding


class BadExperiment(LudusError):
    """An experiment cannot be read, run or drawn."""


RUN_SIZES = ("quick", "reduced", "published", "certain")
MAX_FILE_CHARACTERS = 10_000_000
MAX_NUMBER = 10**15


def _check_number(value: Any) -> float:
    if type(value) not in (int, float) or not abs(value) <= MAX_NUMBER:
        raise ValueError("it must be a number")
    return value  # type: ignore[no-any-return]


Text = Annotated[str, Field(pattern=r"\S")]
Number = Annotated[float, PlainValidator(_check_number)]
"""A finite number; an integer stays one, as its text in reports shows."""


class PublishedRow(BaseModel):
    """One published number, or a row of ours, which may have a reference to compare with."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Any]

    name: Text

    published: Number | None = None
    """The number; None where the paper has none."""

    unit: str = ""

    games: Annotated[int, Field(ge=1, le=MAX_NUMBER)] | None = None
    """Number of games behind a percentage."""

    error: Number | None = None
    """The standard error."""

    low: Number | None = None
    """The lower end of the 95% interval."""

    high: Number | None = None

    reference: Number | None = None
    """A number to compare with that is not published for this row: an aim, an earlier count of
    ours, another player's figure. It has a column of its own and is no item of the paper."""

    reference_source: str = ""
    """Where the reference comes from."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.reference is None) != (not self.reference_source.strip()):
            raise ValueError("a reference needs a reference_source, and the other way round")
        if (self.low is None) != (self.high is None):
            raise ValueError("it has half an interval")
        if self._is_percentage and not 0 <= (self.published or 0) <= 100:
            raise ValueError(f"{self.published}% is not a percentage")
        return self

    @property
    def _is_percentage(self) -> bool:
        return self.unit == "%" and self.games is not None

    @property
    def interval(self) -> Interval | None:
        """The 95% interval of the published number; None if unknown."""
        if self.published is None:
            return None
        if self.low is not None and self.high is not None:
            return self.low, self.high
        if self.error is not None:
            margin = NORMAL_QUANTILE * self.error
            return self.published - margin, self.published + margin
        if not self._is_percentage or self.games is None:
            return None
        low, high = Proportion(self.published / 100 * self.games, self.games).interval
        return 100 * low, 100 * high

    @property
    def extra(self) -> Mapping[str, Any]:
        """All other keys of the row, for the experiment's own use."""
        return self.model_extra or {}

    def __getitem__(self, key: str) -> Any:
        if key not in self.extra:
            raise BadExperiment(f"the row {quote(self.name)} has no key {quote(key)}")
        return self.extra[key]


ItemKind = Literal["evaluated", "retrained", "statement", "substitute"]
"""How an item of a paper is compared: computed from what the authors published, such as weights or
boards; by players and networks made anew; a statement in words; or with something in place of what
is not available, such as an opponent, an expert or a machine."""


class Reason(BaseModel):
    """Why our numbers differ from published ones, or are missing."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    rows: list[Text]
    """Names of rows or texts of conclusions; `*` stands for any characters."""

    text: Text


class PublishedTable(BaseModel):
    """A published table or figure, with the settings of our experiment."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Any]

    id: Text
    title: Text
    source: Text
    """The paper and the place in it."""

    differences: list[str] = []
    """Every difference between our experiment and the paper, in sentences."""

    reasons: list[Reason] = []
    """Explanations of single rows; the first that names a row applies."""

    repeated: list[Reason] = []
    """Rows and conclusions that are no items of the paper by themselves, and why: they follow from
    others, such as losses from wins, or stand in two tables."""

    kinds: dict[str, ItemKind] = {}
    """How rows are compared, by patterns of their names, of which the first that fits applies;
    others are `retrained`."""

    rows: list[PublishedRow] = []

    sizes: dict[Literal["quick", "reduced", "published", "certain"], dict[str, Any]]
    """Settings by size; `cost` is a text about the running time."""

    default_size: str = ""
    """The size of a run if none is given."""

    @model_validator(mode="before")
    @classmethod
    def _set_default_size(cls, fields: dict[str, Any]) -> dict[str, Any]:
        sizes = fields.get("sizes")
        if not isinstance(sizes, dict) or not sizes:
            raise ValueError("a table [sizes.…] is missing: quick, reduced, published or certain")
        ordered = {size: sizes[size] for size in (*RUN_SIZES, *sizes) if size in sizes}
        usual = "published" if "published" in sizes else next(iter(ordered))
        return {"default_size": usual, **fields, "sizes": ordered}

    @model_validator(mode="after")
    def _check(self) -> Self:
        names = [row.name for row in self.rows]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two rows are called {quote(name)}")
        for size, settings in self.sizes.items():
            if not isinstance(settings.get("cost"), str):
                raise ValueError(f"[sizes.{size}] has no text `cost`, which says how long it takes")
        check_choice("there is no size", self.default_size, self.sizes)
        return self

    @property
    def settings(self) -> Mapping[str, Any]:
        """All other keys of the file, for the experiment's own use."""
        return self.model_extra or {}

    def find_reason(self, name: str) -> str:
        """Return why a row or conclusion differs, or an empty text."""
        return _find_text(self.reasons, name)

    def is_repeated(self, name: str) -> bool:
        """Return whether a row or conclusion is no item by itself."""
        return bool(_find_text(self.repeated, name))

    def find_kind(self, row: str) -> ItemKind:
        """Return how a row is compared."""
        found = (kind for pattern, kind in self.kinds.items() if fnmatchcase(row, pattern))
        return next(found, "retrained")

    def get_size_settings(self, size: str) -> Mapping[str, Any]:
        """Return the settings of a size."""
        check_choice(f"{self.id} has no size", size, self.sizes)
        return self.sizes[size]  # type: ignore[index]

    def __getitem__(self, key: str) -> Any:
        if key not in self.settings:
            raise BadExperiment(f"{self.id} has no key {quote(key)}")
        return self.settings[key]


def _find_text(reasons: Iterable[Reason], name: str) -> str:
    for reason in reasons:
        if any(fnmatchcase(name, pattern) for pattern in reason.rows):
            return reason.text
    return ""


def read_published(path: Path, wanted_id: str) -> PublishedTable:
    """Read the published numbers of a TOML file."""
    try:
        fields = tomllib.loads(read_text(path, MAX_FILE_CHARACTERS, BadExperiment))
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError
        raise BadExperiment(f"{quote_path(path)} is not TOML: {error}") from error
    try:
        found = PublishedTable.model_validate(fields)
    except ValidationError as error:
        raise BadExperiment(f"{quote_path(path)}: {_describe_error(error, fields)}") from error
    except LudusError as error:
        raise BadExperiment(f"{quote_path(path)}: {error}") from error
    if found.id != wanted_id:
        raise BadExperiment(
            f"{quote_path(path)}: id = {quote(found.id)}, but the file's place says {wanted_id}"
        )
    return found


def _describe_error(error: ValidationError, fields: Mapping[str, Any]) -> str:
    """Return the first error as one line with its key and value."""
    first = error.errors()[0]
    place, where = [str(part) for part in first["loc"] if part != "[key]"], ""
    message = first["msg"].removeprefix("Value error, ")
    if len(place) > 1 and place[0] == "rows":
        row = fields["rows"][int(place[1])]
        where = f"row {quote(str(row.get('name')))}: " if isinstance(row, dict) else "rows: "
        place = place[2:]
    key = ".".join(place)
    if first["type"] == "missing":
        return f"{where}the key {key} is missing"
    if not key:
        return f"{where}{message}"
    return f"{where}{key} = {first['input']!r:.40}: {message[0].lower()}{message[1:]}"


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
        return f"{self.paper}-{self.path.stem}".replace("_", "-")

    @property
    def paper(self) -> str:
        """The folder, with which the ids of all its experiments begin."""
        return self.path.parent.name

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

    def run(self, context: "Context") -> "Iterable[Finding]":
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
    """Return the given folder of experiments, or that of the checkout or the package."""
    if chosen is not None:
        if not chosen.is_dir():
            raise BadExperiment(f"there is no folder {quote_path(chosen)}")
        return chosen.resolve()
    package = Path(__file__).resolve().parents[1]
    for parent in (package.parents[1], Path.cwd(), package):
        folder = parent / "experiments"
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
