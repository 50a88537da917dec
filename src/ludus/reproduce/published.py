"""Published numbers: the TOML file beside an experiment, read and validated."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, UnknownName, quote
from ludus.core.spec import format_suggestion
from ludus.core.statistics import NORMAL_QUANTILE, Interval, compute_proportion_interval


class BadExperiment(LudusError):
    """An experiment cannot be read, run or drawn."""


def quote_path(path: Path) -> str:
    """Return a path quoted for a one-line message."""
    return quote(str(path), 200)


def explain_error(error: Exception) -> str:
    """Return why a file could not be used, without its name."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


RUN_SIZES = ("quick", "published", "certain")
MAX_FILE_CHARACTERS = 10_000_000
MAX_NUMBER = 1e15

ROW_KEYS = ("name", "published", "unit", "error", "games", "low", "high")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One published number."""

    name: str
    published: float | None = None
    """The number; None where the paper has none."""

    unit: str = ""

    stated_interval: Interval | None = None
    """The 95% interval, where the file has `low` and `high` or a standard `error`."""

    games: int | None = None
    """Number of games behind a percentage."""

    extra: Mapping[str, Any] = field(default_factory=dict)
    """All other keys of the row, for the experiment's own use."""

    @property
    def interval(self) -> Interval | None:
        """The 95% interval of the published number; None if unknown."""
        if self.stated_interval is not None or self.published is None or self.games is None:
            return self.stated_interval
        low, high = compute_proportion_interval(self.published / 100 * self.games, self.games)
        return 100 * low, 100 * high

    def __getitem__(self, key: str) -> Any:
        if key not in self.extra:
            raise BadExperiment(f"the row {quote(self.name)} has no key {quote(key)}")
        return self.extra[key]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A published table or figure, with the settings of our experiment."""

    id: str
    title: str
    source: str
    """The paper and the place in it."""

    differences: Sequence[str]
    """Every difference between our experiment and the paper, in sentences."""

    rows: Sequence[PublishedRow]

    sizes: Mapping[str, Mapping[str, Any]]
    """Settings by size; `cost` is a text about the running time."""

    default_size: str
    """The size of a run if none is given."""

    settings: Mapping[str, Any]
    """All other keys of the file, for the experiment's own use."""

    def get_size_settings(self, size: str) -> Mapping[str, Any]:
        """Return the settings of a size."""
        if size not in self.sizes:
            raise UnknownName(
                f"{self.id} has no size {quote(size)}{format_suggestion(size, self.sizes)}"
            )
        return self.sizes[size]

    def __getitem__(self, key: str) -> Any:
        if key not in self.settings:
            raise BadExperiment(f"{self.id} has no key {quote(key)}")
        return self.settings[key]


def read_published(path: Path, wanted_id: str) -> PublishedTable:
    """Read the published numbers of a TOML file."""
    try:
        fields = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError
        raise BadExperiment(f"{quote_path(path)} is not TOML: {error}") from error
    try:
        return _parse_published(fields, wanted_id)
    except LudusError as error:
        raise BadExperiment(f"{quote_path(path)}: {error}") from error


def read_text(path: Path) -> str:
    """Read a UTF-8 file of limited size."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_FILE_CHARACTERS + 1)
    except UnicodeDecodeError:
        raise BadExperiment(f"{quote_path(path)} is not valid UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise BadExperiment(f"cannot read {quote_path(path)}: {explain_error(error)}") from error
    if len(text) > MAX_FILE_CHARACTERS:
        raise BadExperiment(f"{quote_path(path)} has more than {MAX_FILE_CHARACTERS} characters")
    return text


def _parse_published(fields: dict[str, Any], wanted_id: str) -> PublishedTable:
    identity = _pop_text(fields, "id")
    if identity != wanted_id:
        raise BadExperiment(f"id = {quote(identity)}, but the file's place says {wanted_id}")
    rows = [_parse_row(row) for row in _pop_list(fields, "rows", dict)]
    names = [row.name for row in rows]
    for name in names:
        if names.count(name) > 1:
            raise BadExperiment(f"two rows are called {quote(name)}")
    sizes = _parse_sizes(fields.pop("sizes", {}))
    usual = "published" if "published" in sizes else next(iter(sizes))
    default = fields.pop("default_size", usual)
    if not isinstance(default, str) or default not in sizes:
        raise BadExperiment(f"default_size = {default!r:.40} is none of {', '.join(sizes)}")
    return PublishedTable(
        id=identity,
        title=_pop_text(fields, "title"),
        source=_pop_text(fields, "source"),
        differences=_pop_list(fields, "differences", str),
        rows=rows,
        sizes=sizes,
        default_size=default,
        settings=fields,
    )


def _parse_sizes(table: Any) -> dict[str, Mapping[str, Any]]:
    if not isinstance(table, dict) or not table:
        raise BadExperiment("a table [sizes.…] is missing: quick, published or certain")
    for size, settings in table.items():
        if size not in RUN_SIZES:
            raise UnknownName(f"there is no size {quote(size)}{format_suggestion(size, RUN_SIZES)}")
        if not isinstance(settings, dict) or not isinstance(settings.get("cost"), str):
            raise BadExperiment(f"[sizes.{size}] has no text `cost`, which says how long it takes")
    return {size: table[size] for size in RUN_SIZES if size in table}


def _parse_row(fields: dict[str, Any]) -> PublishedRow:
    name = _pop_text(fields, "name")
    unit = fields.get("unit", "")
    if not isinstance(unit, str):
        raise BadExperiment(f"row {quote(name)}: unit = {unit!r:.40} must be a text")
    published = _get_number(fields, "published", name)
    extra = {key: value for key, value in fields.items() if key not in ROW_KEYS}
    if published is None:
        return PublishedRow(name, unit=unit, extra=extra)
    return PublishedRow(
        name,
        published,
        unit,
        _parse_interval(fields, name, published),
        _parse_games(fields, name, unit),
        extra,
    )


def _parse_interval(fields: Mapping[str, Any], name: str, value: float) -> Interval | None:
    """Return the interval from `low` and `high` or from `error`."""
    low, high = _get_number(fields, "low", name), _get_number(fields, "high", name)
    error = _get_number(fields, "error", name)
    if low is not None and high is not None:
        return low, high
    if low is not None or high is not None:
        raise BadExperiment(f"row {quote(name)} has half an interval")
    return (
        None
        if error is None
        else (value - NORMAL_QUANTILE * error, value + NORMAL_QUANTILE * error)
    )


def _parse_games(fields: Mapping[str, Any], name: str, unit: str) -> int | None:
    """Return the number of games behind a percentage."""
    games = fields.get("games")
    if games is None or unit != "%":
        return None
    if not isinstance(games, int) or isinstance(games, bool) or not 1 <= games <= MAX_NUMBER:
        raise BadExperiment(f"row {quote(name)}: games = {games!r:.40} must be a whole number")
    if not 0 <= fields["published"] <= 100:
        raise BadExperiment(f"row {quote(name)}: {fields['published']!r:.40}% is not a percentage")
    return games


def _pop_text(fields: dict[str, Any], key: str) -> str:
    value = fields.pop(key, None)
    if not isinstance(value, str) or not value.strip():
        raise BadExperiment(
            f"the text `{key}` is missing" if value is None else f"`{key}` must be a text"
        )
    return value


def _pop_list(fields: dict[str, Any], key: str, kind: type) -> list[Any]:
    value = fields.pop(key, [])
    if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
        what = "texts" if kind is str else "tables, [[rows]]"
        raise BadExperiment(f"`{key}` must be a list of {what}")
    return value


def _get_number(fields: Mapping[str, Any], key: str, name: str) -> float | None:
    value = fields.get(key)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise BadExperiment(f"row {quote(name)}: {key} = {value!r:.40} must be a number")
    number: float = value
    return number
