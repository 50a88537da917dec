"""`ludus train gammon-selfplay|gammon-expert`: train the strong backgammon networks."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.nnmm_training import DeviceOption, ThreadsOption
from ludus.cli.options import MAX_SEED, ForceOption, JsonOption, OutputFileOption
from ludus.cli.output import print_json, show_progress
from ludus.cli.tournament import ClusterOption
from ludus.cli.training_log import LogOption, open_training_log
from ludus.core.errors import BadSpec, quote
from ludus.core.files import add_suffix, check_output

if TYPE_CHECKING:
    from ludus.learn.gammon.chances_training import ChancesTrainer

SAVE_EVERY = 50
"""Rounds between two saved states."""

HiddenOption = Annotated[
    str, typer.Option("--hidden", metavar="N,N…", help="Sizes of the hidden layers.")
]
BatchOption = Annotated[int, typer.Option("--batch", help="Boards of a training step.")]
GamesOption = Annotated[int, typer.Option("--games", help="Games at once, in each of two batches.")]
SeedOption = Annotated[
    int, typer.Option(min=0, max=MAX_SEED, help="Seed of weights, dice and random moves.")
]


def train_by_selfplay(
    out: OutputFileOption,
    td_rounds: Annotated[int, typer.Option(help="Rounds of TD(lambda).")] = 350,
    lookahead_rounds: Annotated[int, typer.Option(help="Rounds of lookahead targets.")] = 1900,
    boards: Annotated[int, typer.Option(help="Boards looked at in a round of lookahead.")] = 8192,
    games: GamesOption = 16384,
    batch: BatchOption = 16384,
    hidden: HiddenOption = "768,64",
    device: DeviceOption = "auto",
    threads: ThreadsOption = 0,
    jobs: Annotated[
        int, typer.Option(min=0, max=1024, help="Worker processes; 0: none, or all of the cluster.")
    ] = 0,
    cluster: ClusterOption = "",
    seed: SeedOption = 0,
    log: LogOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Train a backgammon network by self-play alone (needs torch; the defaults need a GPU).

    An interrupted training is resumed by the same command. On a cluster or with --jobs, worker
    processes compute the lookahead targets.
    """
    check_output(out, force=force)
    trainer = _make_trainer(
        device,
        threads,
        td_rounds=td_rounds,
        lookahead_rounds=lookahead_rounds,
        lookahead_boards=boards,
        games=games,
        batch=batch,
        hidden=_parse_hidden(hidden),
        seed=seed,
    )
    from ludus.arena.executors import make_executor
    from ludus.learn.gammon.chances_runs import TrainingState, run_selfplay

    state = TrainingState(add_suffix(out, ".training"), trainer, "selfplay")
    began = time.monotonic()
    num_games = 0
    total = td_rounds + lookahead_rounds
    with ExitStack() as stack:
        update = stack.enter_context(show_progress("learning", total))
        is_parallel = jobs or cluster
        workers = stack.enter_context(make_executor(jobs, cluster)) if is_parallel else None
        curves = stack.enter_context(open_training_log(log, "gammon selfplay"))
        for each in run_selfplay(trainer, state, SAVE_EVERY, workers):
            done = each.done + (td_rounds if each.part == "lookahead" else 0)
            update(done)
            curves.add(done, {f"loss/{each.part}": each.loss, "games": each.games}, total)
            num_games = each.games
    _finish(out, trainer, state, time.monotonic() - began, json, way="selfplay", games=num_games)


def train_on_expert(
    out: OutputFileOption,
    data: Annotated[
        Path,
        typer.Option("--data", metavar="DIR", help="Folder for labelled positions; is kept."),
    ],
    groups: Annotated[
        int, typer.Option(min=1, help="Decisions to label, with four alternatives each.")
    ] = 3_600_000,
    plies: Annotated[int, typer.Option(min=0, max=2, help="Lookahead of the expert.")] = 0,
    steps: Annotated[int, typer.Option(help="Training steps.")] = 36_000,
    games: GamesOption = 16384,
    batch: BatchOption = 16384,
    hidden: HiddenOption = "768,64",
    device: DeviceOption = "auto",
    threads: ThreadsOption = 0,
    cluster: ClusterOption = "",
    seed: SeedOption = 0,
    log: LogOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Train a backgammon network on labels of bgsage (needs torch; the defaults need a GPU).

    The positions are those of games of the shipped self-play network with itself. An interrupted
    training is resumed by the same command.
    """
    check_output(out, force=force)
    trainer = _make_trainer(
        device,
        threads,
        label_steps=steps,
        games=games,
        batch=batch,
        hidden=_parse_hidden(hidden),
        seed=seed,
    )
    from ludus.arena.executors import make_executor
    from ludus.learn.gammon.chances_network import load_shipped_chances
    from ludus.learn.gammon.chances_runs import LabelledGroups, TrainingState, run_labels

    labelled = LabelledGroups(data)
    began = time.monotonic()
    with show_progress("labelling", groups) as update:
        player = load_shipped_chances("selfplay")
        # --threads is for this machine; on a cluster all cores label.
        with make_executor(0 if cluster else threads, cluster) as executor:
            for done in labelled.extend(groups, player, trainer, executor, plies):
                update(done)
    state = TrainingState(add_suffix(out, ".training"), trainer, f"expert {groups}")
    with (
        show_progress("learning", steps) as update,
        open_training_log(log, "gammon expert") as curves,
    ):
        for each in run_labels(trainer, state, *labelled.read(groups), SAVE_EVERY):
            update(each.done)
            curves.add(each.done, {"loss/labels": each.loss}, steps)
    _finish(out, trainer, state, time.monotonic() - began, json, way="expert", groups=groups)


def _make_trainer(device: str, threads: int, **options: Any) -> "ChancesTrainer":
    from ludus.learn.common.devices import require_package, select_device

    require_package("torch", "training networks")
    from ludus.learn.gammon.afterstates import open_afterstates
    from ludus.learn.gammon.chances_training import ChancesTrainer, ChancesTrainingConfig

    settings = ChancesTrainingConfig(**options)
    torch_device = select_device(device, threads)
    return ChancesTrainer(settings, open_afterstates(torch_device, threads), torch_device)


def _finish(
    out: Path, trainer: "ChancesTrainer", state: Any, seconds: float, json: bool, **facts: Any
) -> None:
    from ludus.learn.gammon.chances_runs import export_network

    facts |= {"steps": trainer.optimizer.steps, "seed": trainer.settings.seed}
    network = export_network(trainer.averaged, **facts)
    network.save(out)
    state.remove()
    if json:
        print_json(network=network.name, seconds=round(seconds, 1), **facts, out=str(out))
    else:
        print(f"{network.name}: {facts['steps']} steps in {seconds:.0f} s, written to {out}")


def _parse_hidden(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) <= 6 for part in parts):
        raise BadSpec(f"hidden layers {quote(text)} must be numbers as in 768,64")
    return tuple(int(part) for part in parts)
