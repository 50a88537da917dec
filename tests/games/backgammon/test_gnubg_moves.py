"""The move generator beside GNU Backgammon's own: every legal move of a roll, and no other.

OpenSpiel's is compared in tests/backgammon, along 240 games, which are some 14,000 rolls.
"""

import pytest

from ludus.datasets.backgammon.scored_positions import sample_position
from ludus.protocol.gnubg import rank_moves
from support.backgammon import met

pytestmark = pytest.mark.needs_debian("gnubg")

BATCH = 50


def check(positions):
    """`rank` itself fails unless gnubg's moves lead to the same boards as ours."""
    for at in range(0, len(positions), BATCH):
        part = positions[at : at + BATCH]
        for position, ranked in zip(part, rank_moves(part, 0), strict=True):
            assert set(ranked) == set(position.legal_moves())
            assert len(ranked) > 1


def test_games_with_strays():
    positions = met(games=8, seed=21)
    assert len(positions) > 300
    check(positions[::2])


def test_every_theme_of_the_data_base():
    check([sample_position(number, seed=77).position for number in range(40)])


@pytest.mark.slow
def test_ten_thousand_positions():
    """Last run: 10,000 positions, 199,009 moves, no difference."""
    positions = met(games=300, seed=22, stray=0.5)
    assert len(positions) >= 10_000
    check(positions[:10_000])
