"""Turn for turn against OpenSpiel, an independent implementation of the rules."""

import random

import pytest

import ludus
from support import open_spiel_morris as reference


@pytest.mark.parametrize("engine", ["native", "python"])
def test_random_games(engine):
    """Same turns and same end in random games; OpenSpiel's draw at 200 turns is its own."""
    game = ludus.game("nine_mens_morris", "repetition=0", engine)
    finished = 0
    for seed in range(150 if engine == "native" else 25):
        rng = random.Random(seed)
        state, position = reference.GAME.new_initial_state(), game.start()
        while not state.is_terminal():
            turns = dict(reference.turns(state))
            assert sorted(turns, key=str) == sorted(position.legal_moves(), key=str)
            move = rng.choice(sorted(turns, key=str))
            state, position = turns[move], position.play(move)
        if state.move_number() < 200:
            finished += 1
            outcome = position.outcome()
            assert outcome is not None
            assert state.returns()[outcome.winner] == 1
    assert finished > 10


def test_perft_from_the_start():
    state = reference.GAME.new_initial_state()
    assert [reference.perft(state, depth) for depth in (1, 2, 3)] == [24, 552, 12144]
