"""Turn for turn against OpenSpiel, an independent implementation of the rules."""

import random
from collections.abc import Iterator
from typing import Any

import pyspiel
import pytest

import ludus
from ludus.games.nine_mens_morris.board import READING_ORDER, Move

GAME = pyspiel.load_game("nine_mens_morris")
SLIDES = 24
"""Actions below this number are points; the others are 24 + 24 * from + to."""


def list_turns(state: Any) -> Iterator[tuple[Move, Any]]:
    """Each whole turn with the state after it."""
    mover = state.current_player()
    for action in state.legal_actions():
        frm, to = _points(action)
        after = state.child(action)
        if after.is_terminal() or after.current_player() != mover:
            yield Move(frm, to, None), after
            continue
        for capture in after.legal_actions():
            yield Move(frm, to, READING_ORDER[capture]), after.child(capture)


def perft(state: Any, depth: int) -> int:
    """The number of sequences of whole turns."""
    if state.is_terminal():
        return 0
    if depth == 1:
        return sum(1 for _ in list_turns(state))
    return sum(perft(after, depth - 1) for _, after in list_turns(state))


def _points(action: int) -> tuple[int | None, int]:
    if action < SLIDES:
        return None, READING_ORDER[action]
    frm, to = divmod(action - SLIDES, 24)
    return READING_ORDER[frm], READING_ORDER[to]


@pytest.mark.parametrize("engine", ["native", "python"])
def test_random_games(engine):
    """Same turns and same end in random games; OpenSpiel's draw at 200 turns is its own."""
    game = ludus.game("nine_mens_morris", "repetition=0", engine)
    finished = 0
    for seed in range(150 if engine == "native" else 25):
        rng = random.Random(seed)
        state, position = GAME.new_initial_state(), game.start()
        while not state.is_terminal():
            turns = dict(list_turns(state))
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
    state = GAME.new_initial_state()
    assert [perft(state, depth) for depth in (1, 2, 3)] == [24, 552, 12144]
