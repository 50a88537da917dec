"""Learning from games against each other, without the solved game: moves of sides that won."""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.reproduce import Context, Figure, Finding, Measurement

from .own_games import GAME, MAX_PLIES, RANDOM_RATE, get_rules, measure, solve, train


def run(context: Context) -> Iterator[Finding]:
    found = [list(_learn(context, seed)) for seed in range(context.setting("seeds"))]
    last = context.setting("rounds")
    for number in range(last + 1):
        kept, saved = ([each[number][place] for each in found] for place in (0, 1))
        note = "" if number else "random moves"
        yield Measurement.mean(f"round {number}: critical positions kept", kept, note, "%")
        yield Measurement.mean(
            f"round {number}: games not lost against perfect play", saved, unit="%"
        )
    gains = [each[last][0] - each[0][0] for each in found]
    name = f"gain of round {last} over random moves: critical positions kept"
    yield Measurement.mean(name, gains, unit="points")
    yield Figure(
        "Learning from games of their own",
        draw,
        [[each[0] for each in rounds] for rounds in found],
        "Critical positions kept by round, one line for each learner.",
    )


def _learn(context: Context, seed: int) -> Iterator[list[float]]:
    """Yield critical positions kept and games not lost of each round; the first is random play."""
    folder = solve(context)
    entries: list[str] = []
    spec = "random"
    for number in range(context.setting("rounds") + 1):
        context.progress(number, context.setting("rounds") + 1, f"learner {seed}")
        if number:
            game_seed = context.seed_for("games", seed, number)
            played = context.cached(
                f"games of {seed} {number}", partial(play_games, context, spec, game_seed)
            )
            entries = list(dict.fromkeys([*entries, *played]))
            file = context.folder("networks") / f"{seed}-{number}.safetensors"
            context.cached(
                f"training {seed} {number}", partial(train, context, entries, file, seed)
            )
            spec = f"nnmm:weights={file}"
        yield context.cached(
            f"measured {seed} {number}", partial(measure, context, folder, spec, seed)
        )


def play_games(context: Context, spec: str, seed: int) -> list[str]:
    """Positions and moves of the sides that won, in games of a player with itself."""
    game: Any = named_game(GAME, get_rules(context))
    player, source = named_player(spec, game), random.Random(seed)
    found: dict[str, None] = {}
    for _ in range(context.setting("games")):
        player.start_game(source.getrandbits(32))
        position = game.start()
        moves: list[tuple[Any, Any]] = []
        while position.outcome() is None and len(moves) < MAX_PLIES:
            if source.random() < RANDOM_RATE:
                move = source.choice(position.legal_moves())
            else:
                move = player.choose(position).move
            moves.append((position, move))
            position = position.play(move)
        outcome = position.outcome()
        if outcome is not None and outcome.winner is not None:
            found |= {
                f"{each}|{move}": None for each, move in moves if each.mover == outcome.winner
            }
    return list(found)


def draw(axes: Any, data: list[list[float]]) -> None:
    for number, kept in enumerate(data):
        axes.plot(kept, "o-", label=f"learner {number + 1}")
    axes.set_xlabel("round")
    axes.set_ylabel("critical positions kept, %")
    axes.legend()
