"""Games from states in which one side is ahead: are advantages used, and disadvantages saved?"""

import random
from collections.abc import Iterator
from typing import Any

from ludus import play_match
from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.reproduce import Conclusion, Context, Finding, Measurement, Table

from .games import GAME, RULES

MAX_ADVANTAGE = 3
MAX_PLIES = 120
"""Plies of a game of `newbie` after which another one is begun."""

Game = tuple[int, str]
"""How many men the player is ahead at the start, and WIN, DRAW or LOSS."""


def run(context: Context) -> Iterator[Finding]:
    states = sample_states(context)
    found: dict[str, list[Game]] = {}
    for name, spec in context.published["players"].items():
        found[name] = []
        for number, (text, ahead) in enumerate(states):
            context.progress(number, len(states), name)

            def compute(
                spec: str = spec, text: str = text, ahead: int = ahead, number: int = number
            ) -> list[Any]:
                return _play_both_sides(context, spec, text, ahead, number)

            found[name] += context.cached(f"{spec} {text}", compute)
    table: list[list[Any]] = []
    for name, games in found.items():
        won, _ = _count(games, 1, "WIN")
        total = sum(ahead > 0 for ahead, _ in games)
        yield Measurement.proportion(f"{name}, ahead: games won", won, total)
        saved = sum(result != "LOSS" for ahead, result in games if ahead < 0)
        behind = sum(ahead < 0 for ahead, _ in games)
        yield Measurement.proportion(f"{name}, behind: games not lost", saved, behind)
        for ahead in (*range(MAX_ADVANTAGE, 0, -1), *range(-1, -MAX_ADVANTAGE - 1, -1)):
            results = [result for each, result in games if each == ahead]
            if results:
                table.append(
                    [
                        name,
                        f"{ahead:+d}",
                        len(results),
                        *(
                            round(100 * results.count(word) / len(results), 1)
                            for word in ("WIN", "DRAW", "LOSS")
                        ),
                    ]
                )
    nnmm = found["nnmm"]
    won, total = _count(nnmm, 1, "WIN")
    yield Conclusion(
        "the networks win most games from an advantaged state",
        won / total > 0.5 if total else None,
        f"{won} of {total} against {context.published['opponent']}",
    )
    saved = sum(result != "LOSS" for ahead, result in nnmm if ahead < 0)
    behind = sum(ahead < 0 for ahead, _ in nnmm)
    yield Conclusion(
        "the networks reach a draw or more in most games from a disadvantaged state",
        saved / behind > 0.5 if behind else None,
        f"{saved} of {behind} against {context.published['opponent']}",
    )
    yield Table(
        "By men ahead at the start",
        ("player", "men ahead", "games", "won, %", "drawn, %", "lost, %"),
        table,
    )


def _count(games: list[Game], sign: int, wanted: str) -> tuple[int, int]:
    """Games with this result among those with an advantage (1) or a disadvantage (-1)."""
    chosen = [result for ahead, result in games if ahead * sign > 0]
    return chosen.count(wanted), len(chosen)


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
        winner = play_match(game, players, seed=seed, start=start).outcome.winner
        result = "DRAW" if winner is None else "WIN" if winner == side else "LOSS"
        games.append([ahead if side == 0 else -ahead, result])
    return games
