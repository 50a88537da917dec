"""Games from states in which one side is ahead: are advantages used, and disadvantages saved?"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from ludus import play_game
from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.reproduce import Context, Finding, Measurement, Table

from .games import GAME, RULES

MAX_ADVANTAGE = 3
MAX_PLIES = 120
"""Plies of a game of `newbie` after which another one is begun."""

RESULTS = ("WIN", "DRAW", "LOSS")

Game = tuple[int, str]
"""How many men the player is ahead at the start, and WIN, DRAW or LOSS."""


def run(context: Context) -> Iterator[Finding]:
    states = sample_states(context)
    opponent = context.published["opponent"]
    table: list[list[Any]] = []
    for name, spec in context.published["players"].items():
        games: list[Game] = []
        for number, (text, ahead) in enumerate(states):
            context.progress(number, len(states), name)

            def compute(
                spec: str = spec, text: str = text, ahead: int = ahead, number: int = number
            ) -> list[Any]:
                return _play_both_sides(context, spec, text, ahead, number)

            games += context.cached(f"{spec} – {opponent} {text}", compute)
        yield from measure_games(name, games)
        table += make_rows(name, games)
    yield Table(
        "By men ahead at the start",
        ("player", "men ahead", "games", "won, %", "drawn, %", "lost, %"),
        table,
        f"Each state is played twice against {opponent}, with the player on either side.",
    )


def measure_games(name: str, games: Sequence[Game]) -> Iterator[Measurement]:
    """Yield how often the player wins and does not lose, ahead and behind."""
    for label, sign in (("ahead", 1), ("behind", -1)):
        results = [result for ahead, result in games if ahead * sign > 0]
        won, lost = results.count("WIN"), results.count("LOSS")
        yield Measurement.proportion(f"{name}, {label}: games won", won, len(results))
        saved = len(results) - lost
        yield Measurement.proportion(f"{name}, {label}: games not lost", saved, len(results))


def make_rows(name: str, games: Sequence[Game]) -> Iterator[list[Any]]:
    """Yield a line for each number of men that the player is ahead, the largest first."""
    for ahead in range(MAX_ADVANTAGE, -MAX_ADVANTAGE - 1, -1):
        results = [result for each, result in games if each == ahead]
        if results:
            shares = [round(100 * results.count(word) / len(results), 1) for word in RESULTS]
            yield [name, f"{ahead:+d}", len(results), *shares]


def sample_states(context: Context) -> list[tuple[str, int]]:
    """Return positions, and by how many men White is ahead in each."""
    game = named_game(GAME, RULES)
    source = random.Random(context.seed_for("states"))
    newbie = named_player("newbie", game)
    found: dict[str, int] = {}
    while len(found) < context.setting("states"):
        newbie.start_game(source.getrandbits(32))
        wanted, position = source.randint(1, MAX_ADVANTAGE), game.start()
        for _ in range(MAX_PLIES):
            position = position.play(newbie.choose(position).move)
            if position.outcome() is not None:
                break
            men = [len(position.men[side]) + position.hands[side] for side in (0, 1)]
            if abs(men[0] - men[1]) >= wanted:
                # The text drops the history of the game.
                found[str(position)] = men[0] - men[1]
                break
    return list(found.items())


def _play_both_sides(
    context: Context, spec: str, text: str, ahead: int, number: int
) -> list[list[Any]]:
    game = named_game(GAME, RULES)
    start = game.parse(text)
    games = []
    for side in (0, 1):
        own = named_player(spec, game)
        opponent = named_player(context.published["opponent"], game)
        players = (own, opponent) if side == 0 else (opponent, own)
        seed = context.seed_for("game", number, side)
        winner = play_game(game, players, seed=seed, start=start).outcome.winner
        result = "DRAW" if winner is None else "WIN" if winner == side else "LOSS"
        games.append([ahead if side == 0 else -ahead, result])
    return games
