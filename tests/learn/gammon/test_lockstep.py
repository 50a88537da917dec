"""Rollouts in step, as on a GPU: the games of the compiled rollouts."""

import numpy as np
import pytest
import torch

import ludus
from ludus._native import chances as native
from ludus.games.backgammon.batch import position_to_row
from ludus.learn.gammon import lockstep
from ludus.learn.gammon.afterstates import NativeAfterstates
from ludus.learn.gammon.lockstep import LockstepRollouts
from ludus.learn.gammon.network import load_shipped_chances

POSITIONS = [
    "20:1,4:1,2:1,off:12 20:1,3:1,off:13 0 roll",  # contact
    "6:3,5:2,off:10 6:3,4:3,off:9 0 roll",  # a race to the end of the exact tables
    "6:2,5:1,off:12 6:2,3:1,off:12 0 roll",  # exact at once
    "23:2,6:5,3:4,off:4 6:7,1:8 0 roll",  # gammons
]


@pytest.mark.parametrize("horizon", [0, 2])
def test_games_are_those_of_compiled_rollouts(horizon, monkeypatch):
    monkeypatch.setattr(lockstep, "GAMES_IN_STEP", 6)  # so that several sets run side by side
    network = load_shipped_chances("selfplay")
    game = ludus.game("backgammon")
    rows = np.array([position_to_row(game.parse(text)) for text in POSITIONS])
    rollouts = LockstepRollouts(network, NativeAfterstates(1), torch.device("cpu"))
    found = rollouts.roll_out(rows, 4, seed=3, first=1294, horizon=horizon)
    expected = network.to_native().roll_out(
        rows,
        [(1, -1, False)] * len(rows),
        None,
        1294,
        4,
        native.RolloutSettings(3, horizon=horizon),
    )
    np.testing.assert_allclose(found, expected, atol=1e-4)
