"""What happens in a game without anybody's choice: rolls of the dice, and turns that must pass."""

import random
from typing import Any

from ludus.core.game import CHANCE
from ludus.web.tree import DICE, RULES, Node, Tree

MAX_FORCED = 100
"""Rolls and passes in a row, after which something must be wrong."""


def settled(tree: Tree, board: Any, seed: int, number: int) -> int:
    """The node that dice and rules lead to from a node; those on the way are added."""
    for _ in range(MAX_FORCED):
        node = tree.nodes[number]
        position = node.position
        if position.outcome() is not None:
            break
        if position.mover == CHANCE:
            number = _rolled(tree, seed, node).number
        elif board.is_pass(position):
            number = tree.add(number, position.legal_moves()[0], RULES).number
        else:
            break
    return number


def _rolled(tree: Tree, seed: int, node: Node) -> Node:
    """The dice; those that were rolled here before, so that taking back brings no new ones."""
    if node.children:
        return tree.nodes[node.children[0]]
    rolls, weights = zip(*tree.game.chances(node.position), strict=True)
    dice = random.Random(f"{seed} {node.number}")
    return tree.add(node.number, dice.choices(rolls, weights)[0], DICE)
