"""Games that people have played, from records."""

from collections.abc import Iterator
from typing import Any

from ludus.core.errors import BadRecord
from ludus.core.record import Record
from ludus.games import game as named_game


def recorded_games(text: str, rules: str) -> Iterator[list[Any]]:
    """The positions of each game of a text; `rules` are for records that do not tell theirs.

    Every game is played before the first one is given, so that a bad one leaves nothing half done.
    """
    games = []
    for number, record in enumerate(Record.parse_many(text), 1):
        try:
            game = named_game("nine_mens_morris", record.headers.get("Rules", rules))
            games.append(record.replay(game))
        except BadRecord as error:
            raise BadRecord(f"game {number}: {error}") from error
    if not games:
        raise BadRecord("there is no game in it")
    yield from games
