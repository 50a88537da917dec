"""Positions with a roll as they come up in games between the conventional program and chance."""

import ludus
from ludus._native import gammon
from ludus.games.backgammon.batch import position_to_row, row_to_position

START = position_to_row(ludus.game("backgammon").start())[None]


def met(games, seed, stray=0.3):
    """Yield positions with a choice, from the view of side 0."""
    boards, rolls, _ = gammon.met_in_games("tool", "random", START, True, games, stray, seed)
    return [
        row_to_position(board, (int(roll[0]), int(roll[1])))
        for board, roll in zip(boards, rolls, strict=True)
    ]


def position(own, their, dice=None):
    """Side 0 on roll, from both sides' men as they write them."""
    roll = "roll" if dice is None else f"{max(dice)}{min(dice)}"
    return ludus.game("backgammon").parse(f"{own} {their} 0 {roll}")
