"""`ludus train menace|her|qlearning|deepq` and `ludus menace show`: learners of small games."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from ludus.cli.help import make_group
from ludus.cli.options import (
    ForceOption,
    GameArgument,
    JsonOption,
    PositionArgument,
    RulesOption,
    parse_position,
)
from ludus.cli.output import print_json, print_table, print_unsaved, track_progress
from ludus.cli.training_log import LogOption, open_training_log
from ludus.core.errors import BadPosition, LudusError, quote
from ludus.core.files import check_output, check_writable, quote_path, write_text
from ludus.core.spec import check_choice
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.core.game import AnyGame, Position
    from ludus.learn.common.learner import SavableLearner, TimedEpisode, TrainingRun

OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Save the learner here, and resume from it."),
]
GamesOption = Annotated[
    int, typer.Option("--games", min=1, max=10_000_000, help="Total number of games.")
]
OpponentOption = Annotated[
    str,
    typer.Option("--against", metavar="OPPONENT", help="The opponent: perfect, random or mixed."),
]
StartOption = Annotated[
    str,
    typer.Option("--start", metavar="START", help="Start positions: boards or everywhere."),
]
SetOption = Annotated[
    str, typer.Option("--set", metavar="OPTIONS", help="Options of the learner: alpha=0.1,gamma=1.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed gives the same training.")]


def _make_table_command(
    system: str, default_game: str, default_games: int, description: str
) -> Callable[..., None]:
    """Return the training command of a learner with a table; they differ in their defaults."""

    def train(
        game: GameArgument = default_game,
        games: GamesOption = default_games,
        rules: RulesOption = "",
        against: OpponentOption = "perfect",
        start: StartOption = "boards",
        options: SetOption = "",
        seed: SeedOption = 0,
        out: OutOption = None,
        log: LogOption = None,
        json: JsonOption = False,
    ) -> None:
        config = _make_training_config(games, seed, against, start)
        _train_learner(system, game, rules, options, config, out, log, json)

    train.__doc__ = description
    return train


menace = _make_table_command(
    "menace",
    "noughts_and_crosses",
    200,
    "Train MENACE, which learns by beads for the moves in matchboxes.",
)
her = _make_table_command("her", "hexapawn", 100, "Train HER, the matchbox learner for hexapawn.")
qlearning = _make_table_command(
    "qlearning", "noughts_and_crosses", 200, "Train a table of action values by Q-learning."
)


def deepq(
    game: GameArgument = "noughts_and_crosses",
    games: GamesOption = 200,
    rules: RulesOption = "",
    against: OpponentOption = "perfect",
    start: StartOption = "boards",
    options: SetOption = "",
    seed: SeedOption = 0,
    out: OutOption = None,
    log: LogOption = None,
    weights: Annotated[
        Path | None,
        typer.Option("--weights", metavar="FILE", help="Write the weights, for playing only."),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Train a network of action values by deep Q-learning (needs torch)."""
    if weights is not None:
        check_output(weights, out, force=force)
    config = _make_training_config(games, seed, against, start)
    learner = _train_learner("deepq", game, rules, options, config, out, log, json)
    if weights is not None:
        learner.save_weights(weights)


def _make_training_config(games: int, seed: int, against: str, start: str) -> "TrainingRun":
    from ludus.learn.common.learner import OpponentKind, StartKind, TrainingRun

    check_choice("there is no opponent", against, get_args(OpponentKind))
    check_choice("there is no start", start, get_args(StartKind))
    return TrainingRun(games, seed, against, start)  # type: ignore[arg-type]


def _train_learner(
    system: str,
    game: str,
    rules: str,
    options: str,
    config: "TrainingRun",
    out: Path | None,
    log: Path | None,
    json: bool,
) -> Any:
    """Train a learner, print the report and return the learner."""
    from ludus.learn import learner as named_learner

    spec = f"{system}:{options}" if options else system
    learner: Any = named_learner(spec, named_game(game, rules))
    num_resumed = _resume_training(learner, config, out)
    print_unsaved(out, json)
    regrets: list[int] = []
    seconds = 0.0
    blocks = _run_blocks(learner, config, num_resumed, out)
    with open_training_log(log, f"{system} {learner.game.id}") as curves:
        for episode in track_progress(blocks, config.games - num_resumed, "learning"):
            regrets.append(episode.episode.regret)
            seconds += episode.seconds
            done = num_resumed + len(regrets)
            curves.add_mean(done, {"regret a game": episode.episode.regret}, config.games)
    report = {
        "system": system,
        "game": learner.game.id,
        "rules": dataclasses.asdict(learner.game.rules),
        "options": dataclasses.asdict(learner.settings),
        **dataclasses.asdict(config),
        "resumed_after": num_resumed,
        "cumulative_regret": sum(regrets),
        "mean_regret": sum(regrets) / len(regrets) if regrets else None,
        "seconds_a_game": seconds / len(regrets) if regrets else None,
        "learned": learner.summary(),
        "out": None if out is None else str(out),
    }
    if json:
        print_json(**report)
    else:
        _print_report(report, len(regrets))
    return learner


def _run_blocks(
    learner: "SavableLearner", config: "TrainingRun", done: int, out: Path | None
) -> "Iterator[TimedEpisode]":
    """Yield the episodes of the training; save the learner after each block."""
    for block in config.run_blocks(learner, done):
        yield from block
        done += len(block)
        if out is not None:
            learner.save(out, {**dataclasses.asdict(config), "games": done})


def _resume_training(learner: "SavableLearner", config: "TrainingRun", out: Path | None) -> int:
    """Load a learner that was trained with the same settings; return its number of games."""
    from ludus.learn.common.learner import BLOCK_SIZE

    if out is None:
        return 0
    check_writable(out)  # before the training, and before exists(), which raises for some paths
    if not out.exists():
        return 0
    before, name = learner.load(out), quote_path(out)
    for key, value in dataclasses.asdict(config).items():
        if key != "games" and before.get(key) != value:
            raise LudusError(f"{name} was trained with another {key}; choose another file")
    games = before.get("games")
    if not isinstance(games, int) or not 0 <= games <= config.games:
        raise LudusError(f"{name} has {quote(str(games))} games, not at most {config.games}")
    if games < config.games and games % BLOCK_SIZE:
        raise LudusError(f"{name} has {games} games, which are not whole blocks of {BLOCK_SIZE}")
    return games


def _print_report(report: dict[str, Any], games: int) -> None:
    if not games:
        print("no games were left to play")
    else:
        print(
            f"cumulative regret {report['cumulative_regret']} in {games} games, "
            f"{report['mean_regret']:.4f} a game, {1000 * report['seconds_a_game']:.2f} ms a game"
        )
    print(f"{report['system']} has {report['learned']}")
    if report["out"]:
        print(f"saved in {report['out']}")


MAX_BEADS_SHOWN = 40
"""Maximum number of beads printed in a line; with more in a box, one represents several."""

menace_app = make_group(help="Inspect the matchboxes of MENACE and HER.")


@menace_app.command()
def show(
    position: PositionArgument,
    game: Annotated[
        str,
        typer.Option(
            "--game", metavar="GAME", help="noughts_and_crosses (MENACE) or hexapawn (HER)."
        ),
    ] = "noughts_and_crosses",
    rules: RulesOption = "",
    table: Annotated[
        Path | None,
        typer.Option("--table", metavar="FILE", help="Matchboxes saved by `ludus train`."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw the matchbox as SVG.")
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Show the beads in the matchbox of a position, on the board and in a table."""
    if svg is not None:
        check_output(svg, table, force=force)
    chosen = named_game(game, rules)
    position_ = parse_position(chosen, position)
    if (outcome := position_.outcome()) is not None:
        raise BadPosition(f"the game is over in {position_}: {outcome}")
    from ludus.learn.tabular.player import MATCHBOX_PLAYERS

    system = MATCHBOX_PLAYERS.get(chosen.id, "menace")
    player: Any = named_player(system, chosen)
    if table is not None:
        from ludus.learn.tabular.table import load_table

        player.table = load_table(table, chosen, system).table
    beads = player.row_values(position_)
    if svg is not None:
        from ludus.learn.tabular.player import draw_matchbox

        write_text(svg, draw_matchbox(chosen, position_, beads))
    if json:
        shown = {str(move): number for move, number in beads.items()}
        print_json(system=system, game=chosen.id, position=str(position_), beads=shown)
    else:
        _print_box(chosen, position_, player)


def _print_box(game: "AnyGame", position: "Position", player: Any) -> None:
    from ludus.learn.tabular.player import make_heat_marks

    beads, chances = player.row_values(position), player.move_probabilities(position)
    print(position.text(make_heat_marks(game, chances)), end="\n\n")
    if not beads:
        single = len(position.legal_moves()) == 1
        print("a single move needs no box" if single else "there is no box for this position yet")
        return
    print("Heat is the probability of a move; mirror images share their beads.\n")
    most = max(*beads.values(), MAX_BEADS_SHOWN)
    rows = [
        (str(move), f"{number:.0f}", "●" * round(MAX_BEADS_SHOWN * number / most))
        for move, number in sorted(beads.items(), key=lambda item: -item[1])
    ]
    print_table(("move", "beads", ""), rows)
