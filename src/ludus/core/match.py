"""The match loop, the record of a match, and the tally of several."""

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ludus.core.game import CHANCE, AnyGame, Move, Outcome, Position
from ludus.core.player import Limit, Player, check_seed

MAX_PLIES = 10_000
"""Plies after which a game is drawn by `length`; no rules here need more."""


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """One move (or roll) of a match."""

    mover: int
    move: Move
    seconds: float
    comment: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class PlayedGame:
    """A whole game: players, moves and outcome."""

    game: str
    rules: Any
    players: tuple[str, str]
    seed: int
    start: str
    moves: tuple[PlayedMove, ...]
    outcome: Outcome

    def __str__(self) -> str:
        """Return players, moves and outcome."""
        moves = " ".join(str(each.move).replace(" ", ",") for each in self.moves)
        return f"{' – '.join(self.players)}: {moves} {self.outcome}"

    def __repr__(self) -> str:
        players = " – ".join(self.players)
        return f"<PlayedGame of {self.game}: {players}, {len(self.moves)} moves, {self.outcome}>"


@dataclass(slots=True)
class MatchTally:
    """Results of games between two players, by player and not by side."""

    games: int = 0
    wins: list[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    plies: int = 0
    reasons: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_compiled(cls, found: Mapping[str, Any], is_swapped: bool) -> Self:
        """Return the results of compiled games; `is_swapped`: the second player was side 0."""
        wins = found["wins"][::-1] if is_swapped else found["wins"]
        games = sum(wins) + found["draws"]
        return cls(games, list(wins), found["draws"], found["plies"], dict(found["reasons"]))

    def add(self, winner: int | None, reason: str, plies: int = 0) -> None:
        """Count a game; `winner` is the number of a player."""
        self.games += 1
        self.plies += plies
        self.reasons[reason] = self.reasons.get(reason, 0) + 1
        if winner is None:
            self.draws += 1
        else:
            self.wins[winner] += 1

    def __add__(self, other: Self) -> "MatchTally":
        """Return the sum of both tallies."""
        return MatchTally(
            self.games + other.games,
            [mine + theirs for mine, theirs in zip(self.wins, other.wins, strict=True)],
            self.draws + other.draws,
            self.plies + other.plies,
            dict(Counter(self.reasons) + Counter(other.reasons)),
        )

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of games won by the first player, won by the second player, and drawn."""
        return self.wins[0], self.wins[1], self.draws

    def rank_reasons(self) -> dict[str, int]:
        """Return the reasons of the ends, the most frequent first."""
        return dict(Counter(self.reasons).most_common())


def play_game(
    game: AnyGame,
    players: tuple[Player, Player],
    *,
    seed: int,
    limit: Limit = Limit(),  # noqa: B008 - frozen
    start: Position | None = None,
    max_plies: int = MAX_PLIES,
    on_move: Callable[[Position, PlayedMove], None] | None = None,
) -> PlayedGame:
    """Play one game; `players[0]` is side 0. Equal seeds give equal games.

    A player that makes an illegal move loses by `illegal`. Dice come from the match's own seed, so
    two matches with one seed and the same dice-rolling turns have the same dice.
    """
    check_seed(seed)
    dice = random.Random(seed)
    position = game.start() if start is None else start
    first = position
    for side, player in enumerate(players):
        player.check_start(position)
        player.start_game(dice.getrandbits(62) + side)
    moves: list[PlayedMove] = []
    outcome = position.outcome()
    while outcome is None:
        if len(moves) >= max_plies:
            outcome = Outcome(None, "length")
            break
        mover = position.mover
        began = time.perf_counter()
        comment = ""
        if mover == CHANCE:
            rolls, weights = zip(*game.chances(position), strict=True)
            move = dice.choices(rolls, weights)[0]
        else:
            choice = players[mover].choose(position, limit)
            move, comment = choice.move, choice.comment
        record = PlayedMove(mover, move, time.perf_counter() - began, comment)
        moves.append(record)
        if mover != CHANCE and move not in position.legal_moves():
            outcome = Outcome(1 - mover, "illegal")
            break
        position = position.play(move)
        if on_move is not None:
            on_move(position, record)
        outcome = position.outcome()
    for player in players:
        player.finish_game(outcome)
    return PlayedGame(
        game=game.id,
        rules=game.rules,
        players=(players[0].spec, players[1].spec),
        seed=seed,
        start=str(first),
        moves=tuple(moves),
        outcome=outcome,
    )
