"""Openings and longest wins, from a database of the whole game."""

from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus.games.nine_mens_morris import PositionFields
from ludus.oracles import Oracle, make_indexer

PLIES = 5
"""How far the opening is followed."""


def analyse_openings(folder: Path) -> dict[str, Any]:
    oracle = Oracle.open(folder)
    game = ludus.game("nine_mens_morris", oracle.tables.rules)
    return {
        "first_moves": _rate_first_moves(game, oracle),
        "plies": _count_losing_moves(game, oracle),
        "longest": _find_longest(game, oracle),
    }


def _rate_first_moves(game: Any, oracle: Any) -> list[dict[str, str]]:
    seen, rows = set(), []
    for rated in oracle.rate_moves(game.start()):
        after = game.canonical(game.start().play(rated.move))
        if after not in seen:
            seen.add(after)
            rows.append({"move": str(rated.move), "value": rated.value})
    return rows


def _count_losing_moves(game: Any, oracle: Any) -> list[dict[str, Any]]:
    """Follow all moves that keep the draw, and count those that do not."""
    rows, positions = [], [game.start()]
    for ply in range(1, PLIES + 1):
        after, moves, losing, example = {}, 0, 0, ""
        for position in positions:
            for rated in oracle.rate_moves(position):
                moves += 1
                if rated.value == "loss":
                    losing += 1
                    example = example or f"`{position}` {rated.move}, loses in {rated.depth}"
                elif rated.value == "draw":
                    following = game.canonical(position.play(rated.move))
                    after[following] = True
        rows.append(
            {
                "ply": ply,
                "positions": len(positions),
                "moves": moves,
                "losing": losing,
                "example": example,
            }
        )
        positions = list(after)
    return rows


def _find_longest(game: Any, oracle: Any) -> list[dict[str, Any]]:
    """One position of the greatest depth in each of the five deepest subspaces."""
    indexer = make_indexer(game.rules.men)
    database = oracle.tables
    deepest = []
    for sector, x_to_move in database.sectors:
        if sector[2] or sector[3]:
            continue
        tally = database.read_counts(sector, x_to_move)
        deepest.append((max(tally.max_win, tally.max_loss), sector, x_to_move))
    rows = []
    for depth, sector, x_to_move in sorted(deepest, reverse=True)[:5]:
        slot = int(np.argmax(database.read_table(sector, x_to_move) == depth))
        boards = indexer.boards(sector, np.array([slot], np.uint64))[:, 0].tolist()
        own, other = boards if x_to_move else boards[::-1]
        men = tuple(frozenset(p for p in range(24) if bits >> p & 1) for bits in (own, other))
        position = game.position(PositionFields((men[0], men[1]), (0, 0), 0))
        value = oracle.value(position)
        assert value.depth == depth
        rows.append(
            {
                "mover": len(men[0]),
                "other": len(men[1]),
                "value": value.result,
                "depth": depth,
                "position": str(position),
            }
        )
    return rows
