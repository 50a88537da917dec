"""Matches that are played in compiled code, where both players are: 100,000 games a second."""

import os
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ludus.cli.output import with_progress
from ludus.core.game import AnyGame
from ludus.core.spec import parse_spec

if TYPE_CHECKING:
    from ludus._native.morris import Tally

COMPILED = ("newbie", "basic", "focused", "fuzzy")
"""Players that may be; not every option of theirs is."""

CHUNK = 20_000
"""Games that compiled code plays at a time; then the bar moves, and Ctrl-C is heard."""


def compiled_match(
    game: AnyGame,
    players: tuple[str, str],
    games: int,
    seed: int,
    is_alternating: bool,
    max_plies: int,
) -> list[tuple[bool, "Tally"]] | None:
    """What came of the games in which either player begins; None if one is not compiled.

    Beside each tally stands whether the second player began.
    """
    if game.id != "nine_mens_morris" or any(parse_spec(it).name not in COMPILED for it in players):
        return None
    from ludus.reproduce.compiled import compiled_games

    seeds, found = random.Random(seed), []
    parts = list(_parts(games, is_alternating))
    for is_swapped, share in with_progress(iter(parts), len(parts), "playing"):
        sides = (players[1], players[0]) if is_swapped else players
        own_seed, threads = seeds.getrandbits(62), os.cpu_count() or 1
        tally = compiled_games(game, sides, share, own_seed, threads, max_plies)
        if tally is None:
            return None
        found.append((is_swapped, tally))
    return found


def _parts(games: int, is_alternating: bool) -> Iterator[tuple[bool, int]]:
    """Who begins, and in how many games; all in all the first player begins once more at most."""
    begun = (games + 1) // 2 if is_alternating else games
    for is_swapped, total in ((False, begun), (True, games - begun)):
        for first in range(0, total, CHUNK):
            yield is_swapped, min(CHUNK, total - first)
