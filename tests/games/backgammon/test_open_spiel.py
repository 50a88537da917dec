"""Every turn of random games, beside OpenSpiel's independent implementation."""

import random

import pytest

pytest.importorskip("pyspiel")

from ludus.games.backgammon import Backgammon
from support import open_spiel_backgammon as reference
from support.repetition import repeat


@pytest.mark.parametrize("preset", ["standard", "hyper"])
@pytest.mark.parametrize(
    "block", [0, *(pytest.param(block, marks=pytest.mark.slow) for block in range(1, 12))]
)
def test_turns_end_on_the_same_boards(preset, block):
    """Games of a block, each played along OpenSpiel's states; doubles count as whole turns."""
    game = Backgammon(Backgammon.presets[preset])
    num_games, turns = repeat(6, 20), 0
    for seed in range(block * 20, block * 20 + num_games):
        turns += follow_one_game(game, preset, seed)
    assert turns > (15 if preset == "hyper" else 50) * num_games


def follow_one_game(game, preset, seed):
    rng = random.Random(seed)
    state = reference.load(preset).new_initial_state()
    state.apply_action(rng.choice(reference.rolls(state)))
    first = reference.beginner(state)
    turns = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
            continue
        position = game.parse(str(reference.position(state)))
        ours = [position.play(move).board for move in position.legal_moves()]
        theirs = reference.turn_ends(state, first)
        assert len(set(ours)) == len(ours)
        assert set(ours) == set(theirs), str(position)
        state = theirs[rng.choice(sorted(theirs))]
        turns += 1
    outcome = reference.position(state).outcome()
    if preset == "standard":
        assert outcome.score(0) == state.returns()[first]
    return turns


def test_both_of_its_players_can_be_our_first():
    """The adapter turns the board round; both ways lead to our start position."""
    state = reference.load("standard").new_initial_state()
    men = Backgammon().start().board
    assert reference.board(state, reference.X) == men
    assert reference.board(state, reference.O) == men


@pytest.mark.parametrize("row", [("standard", 1, 0), ("standard", 9, 110), ("hyper", 2, 9)])
def test_the_perft_table_is_what_it_counts(row):
    rules, _, _ = row
    state = reference.state_after(*row)
    game = Backgammon(Backgammon.presets[rules])
    position = game.parse(str(reference.position(state)))
    for depth in (1, 2, 3):
        assert game.perft(position, depth) == reference.perft(
            state, depth, reference.beginner(state)
        )
