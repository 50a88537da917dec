"""Players of many backgammon positions at a time, on rows of 52 counts."""

import itertools
from collections.abc import Callable
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from ludus.games.backgammon import apply_written_move, row_to_position, to_position_id
from ludus.learn.gammon import (
    compute_equities,
    convert_boards,
    encode_moves,
    find_encoding,
    label_boards,
    list_moves,
    load_network,
    load_shipped_chances,
)
from ludus.protocol import RankingRequest, get_shared_gnubg

Rows = NDArray[np.int8]
Mover = Callable[[Rows, Rows], Rows]
"""Returns the boards after the moves that it chooses, from positions (n, 52) and rolls (n, 2)."""


def make_mover(name: str) -> Mover:
    """Return a player: `expert`, `selfplay`, `paper`, `pubeval`, `gnubg`, `sage`, `random`.

    `expert:1` looks one ply ahead; so do `gnubg:1` and others.
    """
    name, _, ply = name.partition(":")
    depth = int(ply or 0)
    if name in ("expert", "selfplay"):
        network = load_shipped_chances(name).to_native()
        return lambda rows, rolls: network.choose(rows, rolls, depth)
    if name == "gnubg":
        return lambda rows, rolls: _choose_by_gnubg(rows, rolls, depth)
    if name == "sage":
        return lambda rows, rolls: _choose_by_score(rows, rolls, _score_by_sage)
    if name == "pubeval":
        return _choose_by_pubeval
    return lambda rows, rolls: _choose_by_paper(rows, rolls, name)


def _choose_by_gnubg(rows: Rows, rolls: Rows, plies: int) -> Rows:
    requests = [
        RankingRequest(to_position_id(row_to_position(row, None)), (int(roll[0]), int(roll[1])))
        for row, roll in zip(rows, rolls, strict=True)
    ]
    found = get_shared_gnubg().rank(requests, plies, 600, 100.0 if plies == 0 else 0.16)
    # Without a legal move nothing is ranked, and nothing moves.
    return np.array(
        [
            apply_written_move(row, ranked[0].move if ranked else "pass")
            for row, ranked in zip(rows, found, strict=True)
        ]
    )


def _choose_by_score(
    rows: Rows, rolls: Rows, score: Callable[[Rows], NDArray[np.floating]]
) -> Rows:
    ends, offsets = list_moves(rows, rolls)
    scores = score(ends)
    chosen = [
        begin + int(np.argmax(scores[begin:end])) for begin, end in itertools.pairwise(offsets)
    ]
    found: Rows = ends[chosen]
    return found


def _score_by_sage(ends: Rows) -> NDArray[np.floating]:

    over = ~(ends[:, 1:26] > 0).any(axis=1)
    scores = np.full(len(ends), 10.0)
    scores[~over] = compute_equities(label_boards(ends[~over]))
    return scores


def _choose_by_pubeval(rows: Rows, rolls: Rows) -> Rows:
    """See PubevalPlayer: bgsage returns the error of the board that pubeval prefers."""
    sage = import_module("bgbot_cpp")
    ends, offsets = list_moves(rows, rolls)
    after = convert_boards(np.ascontiguousarray(ends[:, ::-1]))
    before = convert_boards(rows)
    chosen = []
    for number, (begin, end) in enumerate(itertools.pairwise(offsets)):
        scenario = sage.make_scenario(
            before[number],
            int(rolls[number, 0]),
            int(rolls[number, 1]),
            after[begin:end],
            [float(each) for each in range(end - begin)],
        )
        result = sage.score_benchmarks_pubeval([scenario], sage.PubEvalWeights.TESAURO, 1)
        chosen.append(begin + round(result.total_error))
    found: Rows = ends[chosen]
    return found


def _choose_by_paper(rows: Rows, rolls: Rows, name: str) -> Rows:
    network = load_network(name)
    encoding = find_encoding(network.encoding.name)
    offsets, ends, encoded = encode_moves(rows, rolls, encoding)
    scores = network.scores(encoded)
    chosen = [
        begin + int(np.argmax(scores[begin:end])) for begin, end in itertools.pairwise(offsets)
    ]
    found: Rows = ends[chosen]
    return found
