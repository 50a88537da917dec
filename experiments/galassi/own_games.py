"""Learning from own games against perfect play, in a game that is solved in seconds."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludus import play_game
from ludus.arena import RegretStatistics
from ludus.datasets import MoveBatch
from ludus.games import game as named_game
from ludus.games.nine_mens_morris import PositionBatch, moves_to_points
from ludus.learn import select_device
from ludus.learn.nnmm import NetworkChainTrainer, load_preset, save_weights, split_entries
from ludus.oracles import Database, SolveRun, all_sectors, make_solver
from ludus.oracles import oracle as find_oracle
from ludus.players import player as named_player
from ludus.reproduce import Context, Figure, Finding, Measurement

GAME = "nine_mens_morris"
RANDOM_RATE = 0.2
"""Own moves at random while games are collected, so that mistakes are met."""

MAX_PLIES = 120


@dataclass(frozen=True)
class Round:
    """Critical positions that a set of networks keeps, and its results against perfect play."""

    kept: float
    """Of critical positions, in percent."""

    not_lost: float
    """Of games against perfect play, in percent."""

    num_examples: int


def run(context: Context) -> Iterator[Finding]:
    found = [list(_learn(context, seed)) for seed in range(context.setting("seeds"))]
    last = context.setting("rounds")
    for number in range(last + 1):
        rounds = [each[number] for each in found]
        examples = sum(each.num_examples for each in rounds) / len(rounds)
        note = f"{examples:.0f} examples" if number else "no networks: random moves"
        yield Measurement.mean(
            f"round {number}: critical positions kept", [each.kept for each in rounds], note, "%"
        )
        yield Measurement.mean(
            f"round {number}: games not lost against perfect play",
            [each.not_lost for each in rounds],
            unit="%",
        )
    for text, first in (("random moves", 0), ("the first round", 1)):
        if first < last:
            # Each learner is compared with itself, so differences between learners cancel out.
            gains = [each[-1].kept - each[first].kept for each in found]
            name = f"gain of round {last} over {text}: critical positions kept"
            yield Measurement.mean(name, gains, unit="points")
    yield Figure(
        "Learning from own games",
        draw,
        [[[each.kept, each.not_lost] for each in rounds] for rounds in found],
        "Critical positions kept (solid), games not lost against perfect play (dashed), by round.",
    )


def _learn(context: Context, seed: int) -> Iterator[Round]:
    """Yield the rounds of one learner; the first one is random play."""
    folder = solve(context)
    entries: list[str] = []
    player = "random"
    for number in range(context.setting("rounds") + 1):
        context.progress(number, context.setting("rounds") + 1, f"learner {seed}")
        if number:
            played = context.cached(
                f"games of {seed} {number}",
                lambda player=player, number=number: _play_games(  # type: ignore[misc]
                    context, folder, player, context.seed_for("games", seed, number)
                ),
            )
            entries = list(dict.fromkeys([*entries, *played]))
            file = context.folder("networks") / f"{seed}-{number}.safetensors"
            context.cached(
                f"training {seed} {number}",
                lambda file=file, entries=entries: train(context, entries, file, seed),  # type: ignore[misc]
            )
            player = f"nnmm:weights={file}"
        measured = context.cached(
            f"measured {seed} {number}",
            lambda player=player: measure(context, folder, player, seed),  # type: ignore[misc]
        )
        kept, not_lost = measured
        yield Round(kept, not_lost, len(entries))


def get_rules(context: Context) -> str:
    return f"men={context.setting('men')}"


def solve(context: Context) -> Path:
    """Solve the game once into the folder of the run."""
    folder = context.folder("oracle")
    game = named_game(GAME, get_rules(context))

    def compute() -> str:
        solver = make_solver(game.rules, "cpu", context.jobs)
        with Database.open_for_writing(folder, game.rules, True) as database:
            SolveRun(game.rules, all_sectors(game.rules), solver, database, context.jobs).run()
        return "solved"

    context.cached("solved game", compute)
    return folder


def _play_games(context: Context, folder: Path, spec: str, seed: int) -> list[str]:
    """Positions and moves of games against perfect play that kept the value, as lines of text."""
    game = named_game(GAME, get_rules(context))
    oracle = find_oracle(game, folder)
    own, perfect = named_player(spec, game), named_player(f"perfect:oracle={folder}", game)
    source = random.Random(seed)
    found: dict[str, None] = {}
    for number in range(context.setting("games")):
        players = [own, perfect] if number % 2 == 0 else [perfect, own]
        for each in players:
            each.start_game(source.getrandbits(32))
        position = game.start()
        for _ in range(MAX_PLIES):
            if position.outcome() is not None:
                break
            mover = players[position.mover]
            if mover is own and source.random() < RANDOM_RATE:
                move = source.choice(position.legal_moves())
            else:
                move = mover.choose(position).move
            rated = {str(each.move): each.value for each in oracle.rate_moves(position)}
            if rated[str(move)] == next(iter(rated.values())):
                found[f"{position}|{move}"] = None
            position = position.play(move)
    return list(found)


def train(context: Context, lines: Sequence[str], file: Path, seed: int) -> str:
    game = named_game(GAME, get_rules(context))
    pairs = [line.split("|") for line in lines]
    positions = [game.parse(text) for text, _ in pairs]
    moves = [
        game.parse_move(move, position)
        for (_, move), position in zip(pairs, positions, strict=True)
    ]
    entries = MoveBatch.from_points(
        PositionBatch.from_positions(positions), np.asarray(moves_to_points(moves), np.int8)
    )
    preset = load_preset("quick").with_changes(
        inputs="lines", epochs=context.setting("epochs"), patience=0, batch=200, seed=seed
    )
    split = split_entries(entries, "entries", "symmetries", seed)
    trainer = NetworkChainTrainer(preset, split, select_device(context.device, context.jobs))
    for _ in trainer.epochs():
        pass
    save_weights(file, trainer.build_weights({}))
    return file.name


def measure(context: Context, folder: Path, spec: str, seed: int) -> list[float]:
    """Critical positions kept, and games not lost against perfect play, in percent."""
    game = named_game(GAME, get_rules(context))
    oracle = find_oracle(game, folder)
    player = named_player(spec, game)
    player.start_game(context.seed_for("measured", seed))
    statistics = RegretStatistics(game, oracle)
    positions = _sample_positions(context)
    statistics.add_moves(positions, [player.choose(position).move for position in positions])
    total = statistics.total
    perfect = named_player(f"perfect:oracle={folder}", game)
    saved = 0
    games = context.setting("match_games")
    for number in range(games):
        side = number % 2
        players: Any = (player, perfect) if side == 0 else (perfect, player)
        game_seed = context.seed_for("match", seed, number)
        winner = play_game(game, players, seed=game_seed, max_plies=MAX_PLIES).outcome.winner
        saved += winner != 1 - side
    return [100 * total.critical_kept / max(1, total.critical), 100 * saved / games]


def _sample_positions(context: Context) -> list[Any]:
    """Different positions of random games."""
    game = named_game(GAME, get_rules(context))
    source = random.Random(context.seed_for("tested"))
    found: dict[str, Any] = {}
    while len(found) < context.setting("tested"):
        position = game.start()
        for _ in range(source.randint(1, 30)):
            position = position.play(source.choice(position.legal_moves()))
            if position.outcome() is not None:
                break
        else:
            text = str(position)
            found[text] = game.parse(text)
    return list(found.values())


def draw(axes: Any, data: list[list[list[float]]]) -> None:
    for number, rounds in enumerate(data):
        (line,) = axes.plot([each[0] for each in rounds], "o-", label=f"learner {number + 1}")
        axes.plot([each[1] for each in rounds], "--", color=line.get_color())
    axes.set_xlabel("round")
    axes.set_ylabel("%")
    axes.legend()
