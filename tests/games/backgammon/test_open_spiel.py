"""Every turn of random games, beside OpenSpiel's independent implementation.

    PYTHONPATH=tests python tests/games/backgammon/test_open_spiel.py    prints the perft table

Differences, and what is done about them here:
- Its boards are read with the side that begins as side 0, O before the first roll. The counts of
  `opening=first` are half of those that follow its first chance node.
- It tells apart which die shows what, so most rolls are there twice; here they are taken once.
- It plays a double as two half turns, each of which must use as many dice as it can. A turn's ends
  are taken after both halves, and only those that used the most dice in all are kept.
- Several of its actions can lead to one board: ends are compared as boards.
- A finished game of its hypergammon returns no winner; only the boards of that are compared.
"""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from ludus.games.backgammon import Backgammon, Position
from ludus.games.backgammon.board import Board
from support.repetition import repeat

pyspiel = pytest.importorskip("pyspiel")

BAR = 100
X, O = 0, 1  # noqa: E741 - OpenSpiel's names; O's points are numbered as O walks

ROWS = [
    ("standard", seed, ply)
    for seed, ply in ((1, 0), (1, 15), (2, 40), (3, 64), (5, 81), (7, 110), (9, 110))
]
ROWS += [("hyper", 1, 0), ("hyper", 2, 9), ("hyper", 4, 20)]
MOST_TURNS = 5_000
"""Turns OpenSpiel may be asked to enumerate for one number: it needs about a millisecond each."""


def load(rules: str) -> Any:
    hyper = str(rules == "hyper").lower()
    return pyspiel.load_game(f"backgammon(scoring_type=full_scoring,hyper_backgammon={hyper})")


def beginner(state: Any) -> int:
    """Return the side that moved first in the game of this state; O before the first roll."""
    players = (pair.player for pair in state.full_history() if pair.player >= 0)
    return next(players, state.current_player() if state.history() else O)


def board(state: Any, first: int) -> Board:
    """The men of a state, `first` being our side 0."""
    other = 1 - first
    points = [state.board(first, i) - state.board(other, i) for i in range(24)]
    off = [int(state.observation_tensor(player)[-7]) for player in (first, other)]
    return Board(
        tuple(points if first == O else points[::-1]),
        (state.board(first, BAR), state.board(other, BAR)),
        (off[0], off[1]),
    )


def turn_ends(state: Any, first: int) -> dict[Board, Any]:
    """Every board on which the turn can end, with a state that has it."""
    ends = list(_ends(state, 0))
    most = max(used for used, _ in ends)
    return {board(end, first): end for used, end in ends if used == most}


def _ends(state: Any, used: int) -> Iterator[tuple[int, Any]]:
    player = state.current_player()
    for action in state.legal_actions():
        steps = state.spiel_move_to_checker_moves(player, action)
        total = used + sum(step.pos >= 0 for step in steps)
        child = state.child(action)
        if not child.is_terminal() and child.current_player() == player:
            yield from _ends(child, total)
        else:
            yield total, child


def dice(state: Any) -> tuple[int, int]:
    """The dice of a state at the beginning of a turn, the larger one first."""
    first, second = (int(die) for die in state.observation_tensor(0)[-2:])
    return max(first, second), min(first, second)


def rolls(state: Any) -> list[int]:
    """A chance outcome for each roll; of the first one also for each side that may begin."""
    found: dict[tuple[int, tuple[int, int]], int] = {}
    for action in state.legal_actions():
        child = state.child(action)
        found.setdefault((child.current_player(), dice(child)), action)
    return list(found.values())


def perft(state: Any, depth: int, first: int) -> int:
    """Sequences of rolls and whole turns."""
    if depth == 0:
        return 1
    if state.is_terminal():
        return 0
    if state.is_chance_node():
        if depth == 1:
            return len(rolls(state))
        return sum(perft(state.child(action), depth - 1, first) for action in rolls(state))
    ends = turn_ends(state, first)
    if depth == 1:
        return len(ends)
    return sum(perft(end, depth - 1, first) for end in ends.values())


def state_after(rules: str, seed: int, plies: int) -> Any:
    """A state some rolls and turns into a random game."""
    rng = random.Random(seed)
    state = load(rules).new_initial_state()
    for _ in range(plies):
        if state.is_chance_node():
            state.apply_action(rng.choice(rolls(state)))
        else:
            ends = turn_ends(state, beginner(state))
            state = ends[rng.choice(sorted(ends))]
    return state


def to_position(state: Any) -> Position:
    """Our position of a state at the beginning of a turn or before a roll."""
    first = beginner(state)
    men = board(state, first)
    if not state.history():
        return Position(*men, turn=0, opening="roll_off")
    if state.is_chance_node() or state.is_terminal():
        last = next(pair.player for pair in state.full_history()[::-1] if pair.player >= 0)
        return Position(*men, turn=int(last == first))
    return Position(*men, turn=int(state.current_player() != first), dice=dice(state))


def counts(state: Any) -> list[int]:
    """As many numbers as OpenSpiel can work out in good time."""
    first, found = beginner(state), [perft(state, 1, beginner(state))]
    while len(found) < 8 and found[-1]:
        turns = found[-1] if len(found) % 2 == state.is_chance_node() else 0
        if turns > MOST_TURNS:
            break
        found.append(perft(state, len(found) + 1, first))
    return found


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
    state = load(preset).new_initial_state()
    state.apply_action(rng.choice(rolls(state)))
    first = beginner(state)
    turns = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
            continue
        position = game.parse(str(to_position(state)))
        ours = [position.play(move).board for move in position.legal_moves()]
        theirs = turn_ends(state, first)
        assert len(set(ours)) == len(ours)
        assert set(ours) == set(theirs), str(position)
        state = theirs[rng.choice(sorted(theirs))]
        turns += 1
    outcome = to_position(state).outcome()
    if preset == "standard":
        assert outcome.score(0) == state.returns()[first]
    return turns


def test_both_of_its_players_can_be_our_first():
    """The adapter turns the board round; both ways lead to our start position."""
    state = load("standard").new_initial_state()
    men = Backgammon().start().board
    assert board(state, X) == men
    assert board(state, O) == men


@pytest.mark.parametrize("row", [("standard", 1, 0), ("standard", 9, 110), ("hyper", 2, 9)])
def test_the_perft_table_is_what_it_counts(row):
    rules, _, _ = row
    state = state_after(*row)
    game = Backgammon(Backgammon.presets[rules])
    position = game.parse(str(to_position(state)))
    for depth in (1, 2, 3):
        assert game.perft(position, depth) == perft(state, depth, beginner(state))


if __name__ == "__main__":
    for rules, seed, ply in ROWS:
        state = state_after(rules, seed, ply)
        text = "start" if ply == 0 else str(to_position(state))
        print(rules, text, " ".join(map(str, counts(state))), sep=" | ", flush=True)
