"""Players of many backgammon positions at a time, on rows of 52 counts."""

import functools
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
from ludus.protocol import GnubgProcess, RankingRequest

Rows = NDArray[np.int8]
Mover = Callable[[Rows, Rows], Rows]
"""Returns the boards after the moves that it chooses, from positions (n, 52) and rolls (n, 2)."""

NUM_GNUBG = 8
"""Processes of GNU Backgammon. It waits 10 ms for its own thread in most decisions, which take
0.3 ms of processor time, so that several on one core are several times as fast."""


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
        score = functools.partial(_score_by_sage, plies=depth)
        return lambda rows, rolls: _choose_by_score(rows, rolls, score)
    if name == "pubeval":
        return _choose_by_pubeval
    return lambda rows, rolls: _choose_by_paper(rows, rolls, name)


def _choose_by_gnubg(rows: Rows, rolls: Rows, plies: int) -> Rows:
    programs, threads = _start_gnubg()
    parts = [slice(number, None, len(programs)) for number in range(len(programs))]
    found = np.empty_like(rows)
    choose = functools.partial(_choose_by_one_gnubg, plies=plies)
    chosen = threads.map(choose, programs, [rows[at] for at in parts], [rolls[at] for at in parts])
    for at, some in zip(parts, chosen, strict=True):
        found[at] = some
    return found


@functools.cache
def _start_gnubg() -> tuple[list[GnubgProcess], ThreadPoolExecutor]:
    return [GnubgProcess() for _ in range(NUM_GNUBG)], ThreadPoolExecutor(NUM_GNUBG)


def _choose_by_one_gnubg(gnubg: GnubgProcess, rows: Rows, rolls: Rows, plies: int) -> Rows:
    requests = [
        RankingRequest(to_position_id(row_to_position(row, None)), (int(roll[0]), int(roll[1])))
        for row, roll in zip(rows, rolls, strict=True)
    ]
    ranked = gnubg.rank(requests, plies, 600, 100.0 if plies == 0 else 0.16)
    found = rows.copy()
    for number, moves in enumerate(ranked):
        if moves:  # without a legal move nothing is ranked, and nothing moves
            found[number] = apply_written_move(rows[number], moves[0].move)
    return found


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


def _score_by_sage(ends: Rows, plies: int) -> NDArray[np.floating]:
    over = ~(ends[:, 1:26] > 0).any(axis=1)
    scores = np.full(len(ends), 10.0)
    scores[~over] = compute_equities(label_boards(ends[~over], plies))
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
