"""Plain negamax, the reference for tests of the compiled search."""

import random

import ludus
from ludus._native.search import WIN


def run(search, position, **settings):
    """Search a position with its history."""
    return search.run(
        position.bits,
        position.hands,
        position.mover,
        position.occurrence,
        position.quiet,
        position.history_keys,
        **settings,
    )


class Negamax:
    """Every line to the same depth, by the rules of the game itself."""

    def __init__(self, search):
        self.search = search
        self.reasons = set()

    def score(self, position, depth, ply=0):
        outcome = position.outcome()
        if outcome is not None:
            self.reasons.add(outcome.reason)
            if outcome.winner is None:
                return 0
            return WIN - ply if outcome.winner == position.mover else ply - WIN
        if depth == 0:
            return self.search.evaluate(position.bits, position.hands, position.mover)
        return max(
            -self.score(position.play(move), depth - 1, ply + 1) for move in position.legal_moves()
        )


def morris(rules="standard"):
    return ludus.game("nine_mens_morris", rules)


def ongoing(rules, number, seed=0, quiet=0.5, plies=80):
    """Positions of random games that go on; some prefer not to take, so that they last."""
    game, rng = morris(rules), random.Random(seed)
    found = []
    while len(found) < number:
        position = game.start()
        for _ in range(rng.randrange(plies)):
            moves = position.legal_moves()
            calm = [move for move in moves if move.take is None]
            position = position.play(rng.choice(calm if calm and rng.random() < quiet else moves))
            if position.outcome() is not None:
                break
        else:
            found.append(position)
    return found


def shuffled(rules, number, seed=0):
    """Positions in games that have gone back and forth, so that much has occurred before."""
    rng = random.Random(seed)
    found = []
    for start in ongoing(rules, number, seed, plies=60):
        position, roads = start, []
        for _ in range(6):
            calm = [m for m in position.legal_moves() if m.take is None and m.frm is not None]
            back = [m for m in calm if len(roads) > 1 and (m.to, m.frm) == roads[-2]]
            if not calm:
                break
            move = rng.choice(back or calm)
            roads.append((move.frm, move.to))
            after = position.play(move)
            if after.outcome() is not None:
                break
            position = after
        found.append(position)
    return found
