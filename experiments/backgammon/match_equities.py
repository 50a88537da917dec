"""The match equity table, made from games of a network with itself.

    python -m experiments.backgammon.match_equities --games 60000

A game is a walk of the chances of the side on roll, as the network estimates them before each roll,
until somebody has borne off. The positions of all games are put into states by these chances and by
the pips that are left, and the games say how often each state leads to each other one and to each
end of the game. In this chain the best doubles, takes and drops of both sides are found by value
iteration for every score, cube and owner, from the shortest matches upwards: a cube neither dead
nor fully live, but as live as games make it. The equity at a score is the mean over the states that
follow the opening moves.
"""

import argparse
import json
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

import ludus
from ludus.games.backgammon import position_to_row
from ludus.learn.gammon import load_shipped_chances

from .matches import count_points, draw_dice

RESULTS = Path(__file__).parent / "results" / "match_equities.json"
NETWORK = "selfplay"
LENGTH = 25

TABLE = Path(__file__).parents[2] / "src/ludus/games/backgammon/match_equities.json"
"""The table that the library uses."""

METS = Path("/usr/share/gnubg/met")
PUBLISHED = ("Kazaross-XG2", "Rockwell-Kazaross", "g11", "woolsey")
"""Published tables, which come with GNU Backgammon."""

AT_ONCE = 1000

NUM_WIN, NUM_PIPS, NUM_GAMMON = 40, 4, 3
"""Parts of equal size: by the chance to win, then by pips, then by gammons won less lost."""

TOLERANCE = 1e-6

Floats = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="file of the games, so that they can be reused")
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    if arguments.keep is not None and arguments.keep.exists():
        games = Games(**np.load(arguments.keep))
    else:
        games = play_games(arguments.games, arguments.seed)
        if arguments.keep is not None:
            np.savez(arguments.keep, **vars(games))
    chain = make_chain(games)
    began = time.time()
    table = MatchTable(chain, LENGTH)
    table.solve()
    rounded = {
        "equities": np.round(table.equities[1:, 1:], 5).tolist(),
        "post_crawford": np.round(table.post_crawford[1:], 5).tolist(),
    }
    TABLE.write_text(json.dumps(rounded) + "\n")
    report = {
        "network": NETWORK,
        "games": int((games.points > 0).sum()),
        "seed": arguments.seed,
        "states": chain.size,
        "gammons": round(float((games.points > 1).sum() / (games.points > 0).sum()), 4),
        "backgammons": round(float((games.points > 2).sum() / (games.points > 0).sum()), 4),
        "seconds": round(time.time() - began, 1),
        "length": LENGTH,
        "published": {name: compare(table, name) for name in PUBLISHED if METS.exists()},
    }
    arguments.results.write_text(json.dumps(report) + "\n")


def compare(table: "MatchTable", name: str) -> dict[str, float]:
    """Return the differences from a published table, as far as it goes."""
    rows = ElementTree.parse(METS / f"{name}.xml").getroot().iterfind("pre-crawford-table/row")
    theirs = np.array([[float(cell.text or "nan") for cell in row] for row in rows])
    theirs = theirs[:LENGTH, :LENGTH]
    difference = table.equities[1 : len(theirs) + 1, 1 : len(theirs) + 1] - theirs
    return {
        "points": len(theirs),
        "root mean square": round(float(np.sqrt((difference**2).mean())), 5),
        "largest": round(float(np.abs(difference).max()), 5),
    }


@dataclass
class Games:
    """Positions before a roll, in the order of play, game by game."""

    chances: NDArray[np.float32]
    """Five chances of the side on roll by the network, shape (positions, 5)."""

    pips: NDArray[np.int16]
    """Pips of both sides."""

    points: NDArray[np.int8]
    """Points that the side on roll wins by its move; 0 if the game goes on."""

    is_first: NDArray[np.bool_]
    """Whether it is the position after the opening move."""


def play_games(count: int, seed: int) -> Games:
    """Play complete games of the network with itself, and keep what it sees."""
    rng = np.random.default_rng((11, seed))
    network = load_shipped_chances(NETWORK).to_native()
    start = position_to_row(ludus.game("backgammon").start())
    found: list[list[Any]] = [[], [], [], []]
    for number in range(0, count, AT_ONCE):
        size = min(AT_ONCE, count - number)
        rows = np.repeat(start[None], size, axis=0)
        histories: list[list[tuple[Any, ...]]] = [[] for _ in range(size)]
        alive = np.arange(size)
        ply = 0
        while len(alive):
            rows = network.choose(rows, draw_dice(rng, len(rows), is_opening=ply == 0), threads=2)
            over = ~(rows[:, 1:26] > 0).any(axis=1)
            points = np.where(over, count_points(rows), 0)
            if ply > 0:
                for game, won in zip(alive, points.tolist(), strict=True):
                    histories[game][-1] += (won,)
            alive, rows = alive[~over], rows[~over]
            chances = flip(network.evaluate(rows, threads=2)) if len(rows) else np.empty((0, 5))
            rows = np.ascontiguousarray(rows[:, ::-1])
            places = np.arange(26)
            pips = rows[:, :26] @ places + rows[:, 51:25:-1] @ places
            for game, mine, left in zip(alive, chances, pips.tolist(), strict=True):
                histories[game].append((mine, left))
            ply += 1
        for history in histories:
            for at, (mine, left, won) in enumerate(history):
                for column, value in zip(found, (mine, left, won, at == 0), strict=True):
                    column.append(value)
        print(f"{number + size} games, {len(found[0])} positions", flush=True)
    return Games(
        np.array(found[0], np.float32),
        np.array(found[1], np.int16),
        np.array(found[2], np.int8),
        np.array(found[3], np.bool_),
    )


def flip(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.concatenate([1 - chances[:, :1], chances[:, 3:5], chances[:, 1:3]], axis=1)


@dataclass
class Chain:
    """States of the side on roll, and what its roll leads to."""

    moves: Floats
    """Probability of each state of the other side, shape (states, states)."""

    wins: Floats
    """Probability to win 1, 2 and 3 points by this roll, shape (states, 3)."""

    first: Floats
    """Probability of each state after the opening move."""

    @property
    def size(self) -> int:
        return len(self.first)

    @cached_property
    def mover_wins(self) -> Floats:
        """Probability of each state that the side on roll wins 1, 2 and 3 points in the end."""
        every_second = np.eye(self.size) - self.moves @ self.moves
        return np.asarray(np.linalg.solve(every_second, self.wins), np.float64)

    @cached_property
    def mover_loses(self) -> Floats:
        found: Floats = self.moves @ self.mover_wins
        return found


def make_chain(games: Games) -> Chain:
    """Put positions into states and count what follows each."""
    states = find_states(games)
    size = int(states.max()) + 1
    moves, wins = np.zeros((size, size)), np.zeros((size, 3))
    over = games.points > 0
    np.add.at(moves, (states[:-1][~over[:-1]], states[1:][~over[:-1]]), 1)
    np.add.at(wins, (states[over], games.points[over] - 1), 1)
    visits = np.bincount(states, minlength=size)
    first = np.bincount(states[games.is_first], minlength=size) / games.is_first.sum()
    return Chain(moves / visits[:, None], wins / visits[:, None], first)


def find_states(games: Games) -> NDArray[np.int64]:
    """Return the state of each position: parts of equal size, each divided further."""
    gammons = games.chances[:, 1] - games.chances[:, 3]
    features: list[NDArray[Any]] = [games.chances[:, 0], games.pips, gammons]
    states = np.zeros(len(games.pips), np.int64)
    for feature, parts in zip(features, (NUM_WIN, NUM_PIPS, NUM_GAMMON), strict=True):
        order = np.lexsort((feature, states))
        counts = np.bincount(states)
        begins = np.repeat(np.cumsum(counts) - counts, counts)
        part = (np.arange(len(order)) - begins) * parts // np.repeat(counts, counts)
        divided = np.empty_like(states)
        divided[order] = states[order] * parts + part
        states = divided
    return states


@dataclass
class Cubeful:
    """Chances of side A to win the match from each state, with a cube."""

    a: Floats
    """With A on roll, before it decides about doubling."""

    b: Floats
    """With B on roll."""

    rolling_a: Floats
    """With A on roll, if it does not double."""

    rolling_b: Floats


class MatchTable:
    """Chances to win a match, by the points that each side needs, found score by score."""

    def __init__(self, chain: Chain, length: int) -> None:
        self.chain, self.length = chain, length
        self.equities = np.full((length + 1, length + 1), np.nan)
        """Before a game that is not after the Crawford game, which it is if a side needs 1."""

        self.post_crawford = np.full(length + 1, np.nan)
        """Of the side that needs 1, by the other side's points."""

        self._is_after_crawford = False

    def solve(self) -> None:
        self._is_after_crawford = True  # where all games lead to that begin with a need of 1
        for other in range(1, self.length + 1):
            self.post_crawford[other] = 0.5 if other == 1 else self._play(1, other, has_cube=True)
            self._store(1, other, 0.5 if other == 1 else self._play(1, other, has_cube=False))
        self._is_after_crawford = False
        for total in range(4, 2 * self.length + 1):
            for own in range(max(2, total - self.length), total // 2 + 1):
                other = total - own
                self._store(own, other, 0.5 if own == other else self._play(own, other, True))

    def _store(self, own: int, other: int, chance: float) -> None:
        self.equities[own, other], self.equities[other, own] = chance, 1 - chance

    def look_up(self, own: int, other: int) -> float:
        if own <= 0 or other <= 0:
            return 1.0 if own <= 0 else 0.0
        if self._is_after_crawford and 1 in (own, other):
            if own == 1:
                return float(self.post_crawford[other])
            return float(1 - self.post_crawford[own])
        return float(self.equities[own, other])

    def _play(self, own: int, other: int, has_cube: bool) -> float:
        """Return A's chance before a game in which A needs `own` points."""
        found = self._solve_cube(own, other, 1, "centred" if has_cube else "none")
        return float(self.chain.first @ (found.a + found.b) / 2)

    def _solve_cube(self, own: int, other: int, value: int, owner: str) -> Cubeful:
        """Find the best doubles, takes and drops with the cube at a value and owned by a side."""
        may_a = owner in ("centred", "A") and own > value
        may_b = owner in ("centred", "B") and other > value
        gains = [self.look_up(own - points * value, other) for points in (1, 2, 3)]
        losses = [self.look_up(own, other - points * value) for points in (1, 2, 3)]
        dead_a = self.chain.mover_wins @ gains + self.chain.mover_loses @ losses
        dead_b = self.chain.mover_wins @ losses + self.chain.mover_loses @ gains
        found = Cubeful(dead_a, dead_b, dead_a, dead_b)
        if not may_a and not may_b:
            return found
        taken_by_b = self._solve_cube(own, other, 2 * value, "B").rolling_a if may_a else None
        taken_by_a = self._solve_cube(own, other, 2 * value, "A").rolling_b if may_b else None
        moves, wins = self.chain.moves, self.chain.wins
        ends_a, ends_b = wins @ gains, wins @ losses
        while True:
            before = found.a
            found.rolling_b = ends_b + moves @ found.a
            found.b = found.rolling_b
            if taken_by_a is not None:
                found.b = np.minimum(found.b, np.maximum(taken_by_a, losses[0]))
            found.rolling_a = ends_a + moves @ found.b
            found.a = found.rolling_a
            if taken_by_b is not None:
                found.a = np.maximum(found.a, np.minimum(taken_by_b, gains[0]))
            if np.abs(found.a - before).max() < TOLERANCE:
                return found


if __name__ == "__main__":
    main()
