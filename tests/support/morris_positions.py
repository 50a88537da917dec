"""Random positions of the Morris family, and what their values must be."""

import random

import ludus
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.oracles import Value
from ludus.oracles.interface import ORDER

RULES = ["standard", "flying=no", "diagonals=yes", "lose_below=2,take_from_mills=always"]


def random_position(game, rng, white, black, mover):
    points = rng.sample(range(24), white + black)
    men = frozenset(points[:white]), frozenset(points[white:])
    return game.position(PositionFields(men, (0, 0), mover))


def random_positions(rules, count, seed=1, most=4, engine="native"):
    """Positions with empty hands, as many for each pair of numbers of men."""
    game, rng = ludus.game("nine_mens_morris", rules, engine), random.Random(seed)
    sizes = range(game.rules.lose_below, most + 1)
    return [
        random_position(game, rng, white, black, mover)
        for white in sizes
        for black in sizes
        for mover in (0, 1)
        for _ in range(count)
    ]


def derived(oracle, position):
    """The value of a position from those that its moves lead to, by the position's own rules."""
    outcome = position.outcome()
    if outcome is not None:
        return (
            Value("draw")
            if outcome.winner is None
            else Value("win" if outcome.winner == position.mover else "loss", 0)
        )
    offers = [oracle.value(position.play(move)) for move in position.legal_moves()]
    for result in ORDER:
        depths = [offer.depth for offer in offers if offer.result == opposite(result)]
        if depths and result == "draw":
            return Value("draw")
        if depths:
            return Value(result, 1 + (min if result == "win" else max)(depths))
    raise AssertionError("no move and no outcome")


def opposite(result):
    return {"win": "loss", "loss": "win"}.get(result, "draw")
