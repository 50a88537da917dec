"""Games against perfect play, side by side, with every move of the evaluated player judged."""

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ludus import Player
from ludus.games import game as named_game
from ludus.oracles import MorrisOracle, Verdict
from ludus.players import PerfectPlayer
from ludus.players import player as named_player
from ludus.reproduce import Context

from .players import GAME, RULES, TestedPlayer

COLOURS = ("White", "Black")
MAX_PLIES = 400
"""A longer game is called a draw; repetition ends nearly all of them long before."""


@dataclass(frozen=True)
class Error:
    """A move that lost value."""

    ply: int
    """Plies before it."""

    position: str
    move: str
    right: list[str]
    """The moves that would have kept the value."""

    before: str
    after: str


@dataclass
class Game:
    """One game as the evaluated player saw it, as JSON holds it."""

    side: int
    start: str
    """Where it began; empty for the start of the game."""

    result: str = ""
    """win, draw or loss."""

    reason: str = ""
    plies: int = 0
    critical: int = 0
    """Its critical positions in which this player was to move."""

    kept: int = 0
    error: dict[str, Any] | None = None
    """The first one."""

    chance: random.Random = field(default_factory=random.Random, repr=False)


class ParallelGames:
    """Games played in parallel, so that networks evaluate many positions at once."""

    def __init__(self, games: Sequence[Game], one: Player, other: PerfectPlayer) -> None:
        game = named_game(GAME, RULES)
        self._games, self._one, self._other = games, one, other
        self._positions = [game.parse(each.start) if each.start else game.start() for each in games]

    def play(self, oracle: MorrisOracle) -> None:
        """Play all games to their ends."""
        going = self._going()
        while going:
            mine = [at for at in going if self._positions[at].mover == self._games[at].side]
            self._move(mine, oracle)
            for at in sorted(set(going) - set(mine)):
                # Each game has its own chance, whatever happens in the others.
                self._other.random = self._games[at].chance
                self._play(at, self._other.choose(self._positions[at]).move)
            going = self._going()

    def _move(self, which: Sequence[int], oracle: MorrisOracle) -> None:
        positions = [self._positions[at] for at in which]
        chosen = self._one.choose_many(positions)
        for at, choice, verdict in zip(which, chosen, oracle.verdicts(positions), strict=True):
            self._judge(at, choice.move, verdict)
            self._play(at, choice.move)

    def _judge(self, at: int, move: Any, verdict: Verdict) -> None:
        game, best = self._games[at], verdict.moves[0].value
        after = next(each.value for each in verdict.moves if each.move == move)
        game.critical += verdict.is_critical
        game.kept += verdict.is_critical and after == best
        if game.error is None and after != best:
            right = [str(each) for each in verdict.best]
            position = str(self._positions[at])
            game.error = asdict(Error(game.plies, position, str(move), right, best, after))

    def _play(self, at: int, move: Any) -> None:
        self._positions[at] = self._positions[at].play(move)
        self._games[at].plies += 1

    def _going(self) -> list[int]:
        """Return the games that are not over; store the results of the others."""
        found = []
        for at, (game, position) in enumerate(zip(self._games, self._positions, strict=True)):
            outcome = position.outcome()
            if outcome is None and game.plies < MAX_PLIES:
                found.append(at)
            elif outcome is None or outcome.winner is None:
                game.result, game.reason = "draw", "length" if outcome is None else outcome.reason
            else:
                game.result = "win" if outcome.winner == game.side else "loss"
                game.reason = outcome.reason
        return found


def play_games(
    context: Context,
    oracle: MorrisOracle,
    player: TestedPlayer,
    name: str,
    starts: Sequence[str],
) -> list[dict[str, Any]]:
    """Play a game with each colour from each position; `name` is part of the cache key."""
    opponent = context.published["opponent"]

    def compute() -> list[dict[str, Any]]:
        games = [
            Game(side, start, chance=random.Random(context.seed_for(name, number, side)))
            for number, start in enumerate(starts)
            for side in range(len(COLOURS))
        ]
        perfect = named_player(opponent, named_game(GAME, RULES))
        assert isinstance(perfect, PerfectPlayer)
        perfect.oracle = oracle
        ParallelGames(games, player.create(context.seed_for(name)), perfect).play(oracle)
        return [_game_as_json(each) for each in games]

    return context.cached(f"games {opponent} {name} {len(starts)} {player.key}", compute)


def _game_as_json(game: Game) -> dict[str, Any]:
    return {name: value for name, value in vars(game).items() if name != "chance"}
