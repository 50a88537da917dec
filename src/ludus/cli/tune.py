"""`ludus tune`: search for the best settings of a learner."""

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import (
    ClusterOption,
    DeviceOption,
    ForceOption,
    JsonOption,
    RulesOption,
    StudyOption,
    ThreadsOption,
)
from ludus.cli.output import print_json, show_progress
from ludus.core.files import check_output, write_text
from ludus.core.processes import count_cores
from ludus.core.spec import list_options
from ludus.games import game as named_game

DataOption = Annotated[
    Path,
    typer.Option(
        "--data",
        metavar="FILE",
        help="A dataset of good moves, not expanded.",
        show_default=False,
    ),
]


def tune_nnmm(
    data: DataOption,
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="Name of the first configuration.")
    ] = "quick",
    presets: Annotated[
        Path | None,
        typer.Option("--presets", metavar="FILE", help="Further configurations, in TOML."),
    ] = None,
    changes: Annotated[
        str,
        typer.Option(
            "--set", metavar="OPTIONS", help="Change the preset: blocks=3,learning_rate=0.002."
        ),
    ] = "",
    part: Annotated[
        str, typer.Option("--part", metavar="PART", help="The network to train.")
    ] = "TO",
    trials: Annotated[int, typer.Option(help="Configurations to try.")] = 30,
    architecture: Annotated[
        list[str] | None,
        typer.Option("--architecture", metavar="NAME", help="Try only this one; repeatable."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds-per-network", metavar="SECONDS", help="Time of each network."),
    ] = None,
    limit: Annotated[
        int,
        typer.Option("--limit-entries", help="Use only the first N entries; 0: all."),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Random seed of the search.")] = 0,
    device: DeviceOption = "auto",
    threads: ThreadsOption = 0,
    cluster: ClusterOption = "",
    study: StudyOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the best preset, for --presets."),
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Search for the configuration with the best validation accuracy (needs torch and optuna)."""
    if out is not None:
        check_output(out, data, presets, study, force=force)
    from ludus.learn.nnmm.config import format_toml, parse_changes
    from ludus.learn.nnmm.tuning import SearchConfig, tune_network

    fields = {
        **parse_changes(changes),
        "data": data,
        "preset": preset,
        "presets": presets,
        "part": part,
        "trials": trials,
        "seconds_per_network": seconds,
        "limit_entries": limit,
        "seed": seed,
        "device": device,
        "threads": threads,
        **({"architectures": architecture} if architecture else {}),
    }
    config = SearchConfig.parse(fields, "tune nnmm")
    with show_progress("searching", config.trials) as update:
        found = tune_network(
            config,
            study,
            cluster,
            lambda done, best: update(done, label=f"searching, best {best:.2%}"),
        )
    text = format_toml(found.preset, "tuned")
    if out is not None:
        write_text(out, text)
    if json:
        print_json(part=part, **found.to_dict())
        return
    print(text)
    print(f"# {part}: {found.accuracy:.2%} of the validation part, best of {found.trials} trials")


def tune_patterns(
    opponent: Annotated[
        str, typer.Option("--opponent", metavar="HEURISTIC", help="newbie, basic or focused.")
    ] = "focused",
    trials: Annotated[int, typer.Option(min=1, max=1_000_000, help="Settings to try.")] = 800,
    games: Annotated[int, typer.Option(min=2, max=1_000_000, help="Games per setting.")] = 2048,
    network: Annotated[
        str, typer.Option("--network", metavar="NETWORK", help="The Fuzzy player's network.")
    ] = "long",
    study: StudyOption = None,
    rules: RulesOption = "vrajitoru",
    seed: Annotated[
        int, typer.Option(min=0, max=10**6, help="The same seed gives the same search.")
    ] = 0,
    threads: Annotated[
        int, typer.Option(min=0, max=256, help="Number of threads; 0: one per core.")
    ] = 0,
    cluster: ClusterOption = "",
    json: JsonOption = False,
) -> None:
    """Search for the settings of the Fuzzy player that win most (needs the extra `learn`)."""
    from ludus.arena.executors import make_executor
    from ludus.learn.patterns.tuning import PatternSearchConfig, search_settings

    chosen = named_game("nine_mens_morris", rules)
    plan = PatternSearchConfig(opponent, trials, games, network, seed, threads or count_cores())
    with (
        make_executor(cluster=cluster) if cluster else nullcontext() as executor,
        show_progress("searching", trials) as update,
    ):
        result = search_settings(
            chosen,
            plan,
            study,
            lambda done, best: update(done, label=f"searching, best {best:.1%}"),
            executor,
        )
    if json:
        print_json(
            settings=asdict(result.settings), wins=result.wins, games=result.games, trials=trials
        )
        return
    print(f"fuzzy:{','.join(list_options(result.settings))}")
    percent = 100 * result.wins / result.games
    print(f"wins {result.wins} of {result.games} further games against {opponent}: {percent:.1f}%")
