"""Commands of the networks for nine men's morris (Galassi 2018): evaluate, import, join, tune."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ludus.cli.options import (
    DatasetArgument,
    DeviceOption,
    ForceOption,
    JsonOption,
    OutputFileOption,
    StudyOption,
    ThreadsOption,
)
from ludus.cli.output import print_json, print_table, show_progress
from ludus.core.files import check_output, write_text

if TYPE_CHECKING:
    from ludus.learn.move_explanation import DecodingRule
    from ludus.learn.nnmm.evaluate import ChainEvaluation, EvaluatedPart, Recipe


SizeOption = Annotated[
    str,
    typer.Option(
        "--size",
        metavar="NAME",
        help="Name of the shipped networks.",
        show_default="the best of them",
    ),
]


def evaluate_nnmm(
    file: DatasetArgument,
    weights: Annotated[
        str,
        typer.Option(
            "--weights",
            metavar="FILE",
            help="Networks written by `ludus train nnmm`, `import nnmm` or `join nnmm`.",
            show_default="the shipped networks",
        ),
    ] = "",
    size: SizeOption = "",
    order: Annotated[
        str, typer.Option("--order", metavar="ORDER", help="Order, such as TFR.")
    ] = "",
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            metavar="RECIPE",
            help="Expansion of the entries: published, symmetries, or none.",
        ),
    ] = "published",
    part: Annotated[
        str,
        typer.Option(
            "--part",
            metavar="PART",
            help="all, or the training, validation or test part of the author's split.",
        ),
    ] = "all",
    rule: Annotated[
        str,
        typer.Option("--rule", metavar="RULE", help="parts: greedy decoding. joint: beam search."),
    ] = "parts",
    symmetries: Annotated[int, typer.Option(help="Symmetries to average over, 1 to 16.")] = 1,
    breadth: Annotated[int, typer.Option(help="Beam width of the rule joint.")] = 3,
    json: JsonOption = False,
) -> None:
    """Evaluate Morris networks: accuracy and legality as in chapter 6 of Galassi 2016."""
    from ludus.datasets import read_dataset
    from ludus.learn.nnmm.chain import DEFAULT_SIZE, load_chain
    from ludus.learn.nnmm.evaluate import evaluate_dataset

    chain = load_chain(weights, size or DEFAULT_SIZE, order)
    entries = read_dataset(file)
    began = time.perf_counter()
    with show_progress("evaluating") as update:
        found = evaluate_dataset(
            chain,
            entries,
            cast("Recipe", recipe),
            cast("EvaluatedPart", part),
            cast("DecodingRule", rule),
            symmetries,
            breadth,
            on_progress=update,
        )
    about = {
        "file": str(file),
        "recipe": recipe,
        "part": part,
        "order": str(chain.order),
        "rule": rule,
        "symmetries": symmetries,
        "breadth": breadth,
        "entries": found.num_entries,
        "seconds": round(time.perf_counter() - began, 3),
    }
    if json:
        print_json(**about, **found.to_dict())
    else:
        _print_evaluation(found, about)


def _print_evaluation(found: "ChainEvaluation", about: dict[str, Any]) -> None:
    print(f"{about['entries']} positions, order {about['order']}, {about['seconds']:.1f} s")
    tables = {"accuracy": found.accuracy}
    tables |= {f"legal by {judge}": lines for judge, lines in found.legality.items()}
    for title, lines in tables.items():
        rows = [
            (
                name,
                "–" if hits.percent is None else f"{hits.percent:.4f}",
                f"{hits.hits}/{hits.total}",
            )
            for name, hits in lines.items()
        ]
        if rows:
            print()
            print_table((title, "%", "of"), rows)


def import_nnmm(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Folder of Galassi's npz files: TEST-rawest-TFR_TO.npz and so on.",
            show_default=False,
        ),
    ],
    out: OutputFileOption,
    order: Annotated[
        str, typer.Option("--order", metavar="ORDER", help="Networks of this order.")
    ] = "TFR",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Convert the networks published with Galassi 2018 to a weights file for players."""
    check_output(out, force=force)
    from ludus.learn.nnmm.weights import import_galassi_networks

    weights = import_galassi_networks(folder, order)
    weights.save(out)
    names = [step.name for step in weights.order.steps]
    if json:
        print_json(
            out=str(out),
            order=order,
            inputs=weights.model.name,
            networks=names,
            bytes=out.stat().st_size,
        )
    else:
        print(f"networks for {', '.join(names)}, inputs {weights.model.name}, are in {out}")


def join_nnmm(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="Sets of networks written by `ludus train nnmm` or `ludus import nnmm`.",
            show_default=False,
        ),
    ],
    out: OutputFileOption,
    shares: Annotated[
        str,
        typer.Option(
            "--shares",
            metavar="NUMBERS",
            help="Weights of the sets: 0.4,0.6.",
            show_default="equal weights",
        ),
    ] = "",
    symmetries: Annotated[
        str,
        typer.Option(
            "--symmetries",
            metavar="NUMBERS",
            help="Number of symmetries that each set averages over, 1 to 16: 1,16.",
            show_default="one",
        ),
    ] = "",
    half: Annotated[bool, typer.Option("--half", help="Write half precision.")] = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Join several sets of networks in one file; their weighted mean chooses the move."""
    check_output(out, *files, force=force)
    from ludus.learn.nnmm.chain import join_networks, parse_voting_options, save_committee

    committee = join_networks(files, parse_voting_options(len(files), shares, symmetries))
    save_committee(out, committee, half)
    rows = [
        {"inputs": weights.model.name, "members": len(weights.members)}
        | {"share": voting.share, "symmetries": voting.symmetries, "file": str(file)}
        for file, weights, voting in zip(files, committee.sets, committee.voting, strict=True)
    ]
    if json:
        print_json(out=str(out), order=str(committee.order), sets=rows, bytes=out.stat().st_size)
    else:
        print_table(tuple(rows[0]), [tuple(map(str, each.values())) for each in rows])
        print(f"written to {out}")


TUNED_PRESET_NAME = "tuned"
"""Name of the preset in the output file."""


DataOption = Annotated[
    Path,
    typer.Option(
        "--data", metavar="FILE", help="A dataset of good moves, not expanded.", show_default=False
    ),
]
PresetFileOption = Annotated[
    Path | None,
    typer.Option("--presets", metavar="FILE", help="Further configurations, in TOML."),
]
ChangesOption = Annotated[
    str,
    typer.Option(
        "--set", metavar="OPTIONS", help="Change the preset: blocks=3,learning_rate=0.002."
    ),
]
ClusterOption = Annotated[
    str,
    typer.Option("--cluster", metavar="ADDRESS", help="Use a Ray cluster; auto: the local one."),
]


def tune_nnmm(
    data: DataOption,
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="Name of the first configuration.")
    ] = "quick",
    presets: PresetFileOption = None,
    changes: ChangesOption = "",
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
    text = format_toml(found.preset, TUNED_PRESET_NAME)
    if out is not None:
        write_text(out, text)
    if json:
        print_json(part=part, **found.to_dict())
        return
    print(text)
    print(f"# {part}: {found.accuracy:.2%} of the validation part, best of {found.trials} trials")
