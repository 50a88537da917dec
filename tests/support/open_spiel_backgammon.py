"""Backgammon as OpenSpiel plays it, brought to our way of counting; run to print the perft table.

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
import sys
from collections.abc import Iterator
from typing import Any

import pyspiel

from ludus.games.backgammon import Position
from ludus.games.backgammon.board import Board

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


def position(state: Any) -> Position:
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


def main() -> None:
    for rules, seed, ply in ROWS:
        state = state_after(rules, seed, ply)
        text = "start" if ply == 0 else str(position(state))
        print(rules, text, " ".join(map(str, counts(state))), sep=" | ")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
