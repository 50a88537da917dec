"""Evaluations of positions and reviews of games, in a worker process."""

import random
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ludus.analysis.analyst import Analyst
from ludus.analysis.review import review_game
from ludus.core.errors import LudusError
from ludus.core.game import CHANCE
from ludus.oracles.selection import find_database_folders
from ludus.web.worker_cache import load_game, load_position

MAX_EVALUATED_MOVES = 40
"""Moves of one position that are sent."""

PREPARED_PLIES = 4
"""Plies between the positions that are evaluated in advance."""

MAX_PREPARED = 20


def load_analyst(game: str, rules: str) -> Analyst:
    """Return the analyst of a game, with all tables that are on this machine now."""
    return _make_analyst(game, rules, describe_tables())


def describe_tables() -> tuple[tuple[str, int], ...]:
    """Return the folders of solved games and their numbers of files, which grow while solving."""
    try:
        folders = find_database_folders()
        return tuple((str(folder), sum(1 for _ in folder.iterdir())) for folder in folders)
    except (LudusError, OSError):
        return ()


@lru_cache(maxsize=8)
def _make_analyst(game: str, rules: str, tables: tuple[tuple[str, int], ...]) -> Analyst:
    return Analyst(load_game(game, rules))


def prepare_analyst(job: Mapping[str, Any]) -> dict[str, Any]:
    """Load a part of what a review needs by evaluating one position of a random game.

    Networks are loaded for each phase of a game, so the positions are spread over it. They are
    evaluated one by one, so that other jobs need not wait. The result has the number of positions.
    """
    analyst = load_analyst(job["game"], job["rules"])
    positions = _sample_positions(job["game"], job["rules"])
    if job["number"] < len(positions):
        analyst.analyse(positions[job["number"]])
    return {"positions": len(positions)}


@lru_cache(maxsize=8)
def _sample_positions(game: str, rules: str) -> list[Any]:
    rng = random.Random(0)
    position = load_game(game, rules).start()
    decisions: list[Any] = []
    while position.outcome() is None and len(decisions) < MAX_PREPARED * PREPARED_PLIES:
        if position.mover != CHANCE:
            decisions.append(position)
        position = position.play(rng.choice(position.legal_moves()))
    return decisions[::PREPARED_PLIES]


def evaluate_node(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the evaluation of a position and its moves; None if there is no move to choose."""
    position = load_position(job)
    if position.outcome() is not None or position.mover == CHANCE:
        return {"analysis": None}
    analysis = load_analyst(job["game"], job["rules"]).analyse(position).to_json()
    return {"analysis": {**analysis, "moves": analysis["moves"][:MAX_EVALUATED_MOVES]}}


def review_line(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the evaluations of all positions of a line, and the verdicts on its moves."""
    analyst = load_analyst(job["game"], job["rules"])
    texts = job["moves"]
    positions = [load_position({**job, "moves": texts[:size]}) for size in range(len(texts) + 1)]
    moves = [
        analyst.game.parse_move(text, position)
        for text, position in zip(texts, positions, strict=False)
    ]
    return {"review": review_game(analyst.game, analyst, positions, moves).to_json()}
