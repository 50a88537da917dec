"""How many moves the expert scores: does that decide the order of Table 1?

The expert's evaluations of all legal moves are the same in all parts; only how many of them a
network is told differs. Of a position's scored moves those with the highest score are its best.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ludus.datasets import ScoredPosition, score_loss
from ludus.learn.gammon import (
    GammonNetwork,
    find_encoding,
    load_test_positions,
    load_training_positions,
    play_native_games,
)
from ludus.protocol import rank_moves
from ludus.reproduce import Context, Measurement

from .comparisons import conclude_higher, score_positions
from .linear_program import fit_linear_program
from .networks import make_config, train_on_positions

PROGRAMS = ("tool", "linear program")
MARGIN = 0.2
"""Moves that the expert's network alone puts farther behind are scored by that, as in Table 1."""
BLOCK = 25
CLOSE = 0.02
"""Points a game: a move that loses no more counts as the expert's, too."""
SOME = {"two": 2, "four": 4, "six": 6}
"""Scored moves of a position in the parts between those of Table 1 and all."""

NETWORKS: dict[str, dict[str, Any]] = {
    "f": {"hidden": [], "coding": "features", "cycles": 22, "noise": True},
    "g": {"hidden": [24, 12], "coding": "features", "cycles": 10, "noise": False},
    "h": {"hidden": [24, 12], "coding": "raw", "cycles": 12, "noise": True},
}
"""Rows of Table 1 whose order is in question."""

Losses = list[float]
"""What each legal move of a position gives away, in points a game."""


def run(context: Context) -> Iterator[Any]:
    training = load_training_positions()[: context.setting("positions") or None]
    tests = load_test_positions()[: context.setting("tested")]
    losses = _evaluate(context, training, "training")
    test_losses = _evaluate(context, tests, "test")
    kinds = {
        "as in Table 1": training,
        **{
            kind: [_score(*each, most) for each in zip(training, losses, strict=True)]
            for kind, most in SOME.items()
        },
        "all": [_score(*each, None) for each in zip(training, losses, strict=True)],
    }
    found: dict[tuple[str, str], list[dict[str, float]]] = {}
    seeds, number = context.setting("seeds"), 0
    for kind, positions in kinds.items():
        scored = float(np.mean([len(each.scores) for each in positions]))
        yield Measurement(f"{kind}: scored moves a position", scored, count=len(positions))
        for row in NETWORKS:
            for seed in range(seeds):
                context.progress(number, len(kinds) * len(NETWORKS) * seeds, f"{kind}, row {row}")
                number += 1
                measure = partial(_measure, context, row, positions, tests, test_losses, seed)
                each = context.cached(f"{kind}, row {row}, training {seed}", measure)
                found.setdefault((kind, row), []).append(each)
            for name in found[kind, row][0]:
                values = [each[name] for each in found[kind, row]]
                yield Measurement.mean(f"{kind}: {row}: {name}", values, unit="%")
    for kind in kinds:
        for program in PROGRAMS:
            name = f"games against {program}"
            won = {row: [each[name] for each in found[kind, row]] for row in NETWORKS}
            yield conclude_higher(
                f"{kind}: against {program}: features matter most: (h) wins less than (g)",
                won["g"],
                won["h"],
            )
            yield conclude_higher(
                f"{kind}: against {program}: noise comes second: (g) wins less than (f)",
                won["f"],
                won["g"],
            )


def _evaluate(context: Context, positions: Sequence[ScoredPosition], name: str) -> list[Losses]:
    """What every legal move gives away, by the expert."""
    found: list[Losses] = []
    plies = context.setting("plies")
    for begin in range(0, len(positions), BLOCK):
        context.progress(begin, len(positions), f"{name} positions")
        block = [each.position for each in positions[begin : begin + BLOCK]]

        def compute(block: Any = block) -> list[Losses]:
            return [_list_losses(each) for each in rank_moves(block, plies, 600.0, MARGIN)]

        found += context.cached(f"{name} positions from number {begin}, {len(block)}", compute)
    return found


def _list_losses(ranked: dict[Any, Any]) -> Losses:
    best = max(each.equity for each in ranked.values())
    return [round(best - ranked[move].equity, 5) for move in sorted(ranked, key=str)]


def _score(position: ScoredPosition, losses: Losses, most: int | None) -> ScoredPosition:
    """The position with scores of its best move and of others at random, `most` in all."""
    moves = sorted(position.position.legal_moves(), key=str)
    order = np.argsort(losses, kind="stable")
    seed = [ord(letter) for letter in str(position)[:20]]
    others = np.random.default_rng(seed).permutation(order[1:])
    chosen = [order[0], *others[: None if most is None else most - 1]]
    chosen.sort(key=lambda number: losses[number])
    scores: Any = {moves[number]: score_loss(losses[number]) for number in chosen}
    return ScoredPosition(position.position, position.theme, scores)


def _measure(
    context: Context,
    row: str,
    positions: Sequence[ScoredPosition],
    tests: Sequence[ScoredPosition],
    losses: Sequence[Losses],
    seed: int,
) -> dict[str, float]:
    settings = make_config({**NETWORKS[row], "positions": 0}, context.seed + seed)
    network = train_on_positions(positions, settings)
    found = _compute_agreement(network, tests, losses)
    games = max(2, context.setting("games") // context.setting("seeds"))
    for program in PROGRAMS:
        opponent = program if program == "tool" else fit_linear_program()
        dice = context.seed_for("games", row, seed)
        result = play_native_games(network, opponent, games, dice, context.jobs)
        found[f"games against {program}"] = 100 * result.win_rate
    return found


def _compute_agreement(
    network: GammonNetwork, tests: Sequence[ScoredPosition], losses: Sequence[Losses]
) -> dict[str, float]:
    """Shares of the test positions in which the network's move is the best, or nearly the best."""
    assert network.encoding == find_encoding(network.encoding.name)
    scores, offsets = score_positions(network, [each.position for each in tests])
    lost = []
    for each, known, (begin, end) in zip(tests, losses, pairwise(offsets), strict=True):
        legal = each.position.legal_moves()
        move = legal[int(scores[begin:end].argmax())]
        lost.append(known[sorted(map(str, legal)).index(str(move))])
    return {
        "test positions": 100 * float(np.mean(np.array(lost) == 0)),
        "test positions, near best counts": 100 * float(np.mean(np.array(lost) <= CLOSE)),
    }
