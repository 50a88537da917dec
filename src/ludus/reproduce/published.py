"""What was published: the TOML file beside an experiment."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, UnknownName, quoted
from ludus.core.spec import suggestion
from ludus.reproduce.errors import BadExperiment, reason, shown
from ludus.reproduce.intervals import NORMAL, Interval, share_interval

SIZES = ("quick", "published", "certain")
MAX_FILE = 10_000_000
LARGEST = 1e15

KNOWN_ROW = ("name", "published", "unit", "error", "games", "low", "high")


@dataclass(frozen=True, slots=True)
class Row:
    """One published figure."""

    name: str
    published: float | None = None
    """The figure; None where the paper has none."""

    unit: str = ""

    given: Interval | None = None
    """The 95% interval, where the file has `low` and `high` or a standard `error`."""

    games: int | None = None
    """Of how many games a percentage is."""

    extra: Mapping[str, Any] = field(default_factory=dict)
    """Every further key of the row, for the experiment's own use."""

    @property
    def interval(self) -> Interval | None:
        """What the paper's figure may be off by, 95%; None if nothing is known about that."""
        if self.given is not None or self.published is None or self.games is None:
            return self.given
        low, high = share_interval(self.published / 100 * self.games, self.games)
        return 100 * low, 100 * high

    def __getitem__(self, key: str) -> Any:
        if key not in self.extra:
            raise BadExperiment(f"the row {quoted(self.name)} has no key {quoted(key)}")
        return self.extra[key]


@dataclass(frozen=True, slots=True)
class Published:
    """A published table or figure, and how we go about it."""

    id: str
    title: str
    source: str
    """Paper and place in it."""

    differences: Sequence[str]
    """Everything in which our experiment differs from the paper, in sentences."""

    rows: Sequence[Row]

    sizes: Mapping[str, Mapping[str, Any]]
    """Size to its settings; `cost` tells people how long it takes."""

    default_size: str
    """What is run if nobody asks for a size."""

    settings: Mapping[str, Any]
    """Every further key of the file, for the experiment's own use."""

    def scale(self, size: str) -> Mapping[str, Any]:
        """The settings of a size."""
        if size not in self.sizes:
            raise UnknownName(f"{self.id} has no size {quoted(size)}{suggestion(size, self.sizes)}")
        return self.sizes[size]

    def __getitem__(self, key: str) -> Any:
        if key not in self.settings:
            raise BadExperiment(f"{self.id} has no key {quoted(key)}")
        return self.settings[key]


def read_published(path: Path, wanted_id: str) -> Published:
    """The published figures in a file."""
    try:
        fields = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError
        raise BadExperiment(f"{shown(path)} is not TOML: {error}") from error
    try:
        return _published(fields, wanted_id)
    except LudusError as error:
        raise BadExperiment(f"{shown(path)}: {error}") from error


def read_text(path: Path) -> str:
    """The text of a file that is not larger than it should be."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_FILE + 1)
    except UnicodeDecodeError:
        raise BadExperiment(f"{shown(path)} is not valid UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise BadExperiment(f"cannot read {shown(path)}: {reason(error)}") from error
    if len(text) > MAX_FILE:
        raise BadExperiment(f"{shown(path)} has more than {MAX_FILE} characters")
    return text


def _published(fields: dict[str, Any], wanted_id: str) -> Published:
    identity = _text(fields, "id")
    if identity != wanted_id:
        raise BadExperiment(f"id = {quoted(identity)}, but the file's place says {wanted_id}")
    rows = [_row(row) for row in _list(fields, "rows", dict)]
    names = [row.name for row in rows]
    for name in names:
        if names.count(name) > 1:
            raise BadExperiment(f"two rows are called {quoted(name)}")
    sizes = _sizes(fields.pop("sizes", {}))
    usual = "published" if "published" in sizes else next(iter(sizes))
    default = fields.pop("default_size", usual)
    if not isinstance(default, str) or default not in sizes:
        raise BadExperiment(f"default_size = {default!r:.40} is none of {', '.join(sizes)}")
    return Published(
        id=identity,
        title=_text(fields, "title"),
        source=_text(fields, "source"),
        differences=_list(fields, "differences", str),
        rows=rows,
        sizes=sizes,
        default_size=default,
        settings=fields,
    )


def _sizes(table: Any) -> dict[str, Mapping[str, Any]]:
    if not isinstance(table, dict) or not table:
        raise BadExperiment("a table [sizes.…] is missing: quick, published or certain")
    for size, settings in table.items():
        if size not in SIZES:
            raise UnknownName(f"there is no size {quoted(size)}{suggestion(size, SIZES)}")
        if not isinstance(settings, dict) or not isinstance(settings.get("cost"), str):
            raise BadExperiment(f"[sizes.{size}] has no text `cost`, which says how long it takes")
    return {size: table[size] for size in SIZES if size in table}


def _row(fields: dict[str, Any]) -> Row:
    name = _text(fields, "name")
    unit = fields.get("unit", "")
    if not isinstance(unit, str):
        raise BadExperiment(f"row {quoted(name)}: unit = {unit!r:.40} must be a text")
    published = _number(fields, "published", name)
    extra = {key: value for key, value in fields.items() if key not in KNOWN_ROW}
    if published is None:
        return Row(name, unit=unit, extra=extra)
    return Row(
        name, published, unit, _given(fields, name, published), _games(fields, name, unit), extra
    )


def _given(fields: Mapping[str, Any], name: str, value: float) -> Interval | None:
    """The interval that a row states, in one of two ways."""
    low, high = _number(fields, "low", name), _number(fields, "high", name)
    error = _number(fields, "error", name)
    if low is not None and high is not None:
        return low, high
    if low is not None or high is not None:
        raise BadExperiment(f"row {quoted(name)} has half an interval")
    return None if error is None else (value - NORMAL * error, value + NORMAL * error)


def _games(fields: Mapping[str, Any], name: str, unit: str) -> int | None:
    """How many games a percentage was counted in."""
    games = fields.get("games")
    if games is None or unit != "%":
        return None
    if not isinstance(games, int) or isinstance(games, bool) or not 1 <= games <= LARGEST:
        raise BadExperiment(f"row {quoted(name)}: games = {games!r:.40} must be a whole number")
    if not 0 <= fields["published"] <= 100:
        raise BadExperiment(f"row {quoted(name)}: {fields['published']!r:.40}% is not a share")
    return games


def _text(fields: dict[str, Any], key: str) -> str:
    value = fields.pop(key, None)
    if not isinstance(value, str) or not value.strip():
        raise BadExperiment(
            f"the text `{key}` is missing" if value is None else f"`{key}` must be a text"
        )
    return value


def _list(fields: dict[str, Any], key: str, kind: type) -> list[Any]:
    value = fields.pop(key, [])
    if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
        what = "texts" if kind is str else "tables, [[rows]]"
        raise BadExperiment(f"`{key}` must be a list of {what}")
    return value


def _number(fields: Mapping[str, Any], key: str, name: str) -> float | None:
    value = fields.get(key)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not -LARGEST <= value <= LARGEST:
        raise BadExperiment(f"row {quoted(name)}: {key} = {value!r:.40} must be a number")
    number: float = value
    return number
