"""Files of games: records, and what other programs and sites write; the text tells which it is."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ludus.core.errors import BadRecord, LudusError
from ludus.core.files import quote_path, read_text
from ludus.core.record import Record
from ludus.games.backgammon.game_files import make_records
from ludus.games.backgammon.mat_files import format_mat, parse_mat
from ludus.games.backgammon.sgf_files import format_sgf, parse_sgf
from ludus.games.backgammon.xg_files import MAGIC, is_xg, parse_xg
from ludus.games.nine_mens_morris.game_files import is_move_list, parse_move_lists
from ludus.games.open_spiel import is_open_spiel, parse_open_spiel

MAX_XG_BYTES = 1 << 25
"""Matches have a tenth of a megabyte; what is longer is damaged."""

Parser = Callable[[str], list[Record]]


def find_parser(text: str) -> Parser | None:
    """Return what parses a text that another program wrote; None for any other text."""
    parsers: tuple[tuple[Callable[[str], bool], Parser], ...] = (
        (is_open_spiel, parse_open_spiel),
        (lambda text: text.lstrip().startswith("("), lambda text: make_records(parse_sgf(text))),
        (lambda text: "point match" in text[:4000], lambda text: make_records(parse_mat(text))),
        (is_move_list, parse_move_lists),
    )
    return next((parse for is_meant, parse in parsers if is_meant(text)), None)


def parse_games(text: str) -> list[Record]:
    """Parse the games of a text."""
    return (find_parser(text) or Record.parse_many)(text)


def read_games(file: Path) -> list[Record]:
    """Read the games of a file."""
    content = _read_xg(file) or read_text(file)
    try:
        records = (
            parse_games(content) if isinstance(content, str) else make_records(parse_xg(content))
        )
    except LudusError as error:
        raise BadRecord(f"{quote_path(file)}: {error}") from error
    if not records:
        raise BadRecord(f"{quote_path(file)} has no games")
    return records


def _read_xg(file: Path) -> bytes | None:
    """Return the bytes of a file of eXtreme Gammon; None for any other file."""
    try:
        with file.open("rb") as opened:
            if not is_xg(opened.read(len(MAGIC))):
                return None
            opened.seek(0)
            return opened.read(MAX_XG_BYTES)
    except (OSError, ValueError):
        return None  # read as a text it says what is wrong


def format_games(records: Sequence[Record], suffix: str) -> str:
    """Return games as the text of a .mat or .sgf file, or of records for any other suffix."""
    if suffix.lower() == ".mat":
        return format_mat(records)
    if suffix.lower() == ".sgf":
        return format_sgf(records)
    return "\n\n".join(map(str, records)) + "\n"
