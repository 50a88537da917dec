"""`ludus dataset`: describe, check, expand, label, export, generate and fetch good moves."""

import time as clock
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.help import make_group
from ludus.cli.options import (
    ClusterOption,
    DatasetArgument,
    DepthOption,
    ForceOption,
    GameArgument,
    JobsOption,
    JsonOption,
    NodesOption,
    OracleOption,
    OutputFileOption,
    RulesOption,
    SeedOption,
    TimeOption,
)
from ludus.cli.output import (
    dataclass_as_json,
    print_interruption,
    print_json,
    print_table,
    track_progress,
)
from ludus.core.files import atomic_file, check_output, write_text
from ludus.core.player import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.datasets.morris.labels import LabelCounts
    from ludus.datasets.morris.statistics import DatasetStatistics
    from ludus.games.nine_mens_morris.batch import MoveBatch
    from ludus.games.nine_mens_morris.rules import Rules as MorrisRules

MAX_LINES_SHOWN = 10
"""Number of lines with the same fault that are printed; JSON has all."""


def stats(
    file: DatasetArgument,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE.svg", help="Draw the frequency of each point."),
    ] = None,
    rules: RulesOption = "",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Describe a dataset: phases, moves, entropies, and invalid or repeated lines."""
    if plot is not None:
        check_output(plot, file, force=force)
    began = clock.perf_counter()
    statistics, chosen = _describe_file(file, rules)
    seconds = round(clock.perf_counter() - began, 3)
    if plot is not None:
        from ludus.datasets.morris.statistics import draw_statistics

        write_text(plot, draw_statistics(statistics, file.name))
    if json:
        about = {"file": str(file), "rules": dataclass_as_json(chosen)}
        print_json(**about, **statistics.as_json(), seconds=seconds)
        return
    _print_contents(statistics)
    print()
    _print_faults(statistics)


def check(file: DatasetArgument, rules: RulesOption = "", json: JsonOption = False) -> None:
    """Check a dataset for invalid lines; exit with status 1 if there are any.

    There must be lines, well-formed, legal under the rules, and with different states. Unreachable
    states and states that are symmetric to others are reported, but are not errors.
    """
    statistics, chosen = _describe_file(file, rules)
    if json:
        values = statistics.as_json()
        keys = ("entries", "bad", "illegal", "impossible", "duplicates", "symmetric_duplicates")
        about = {
            "file": str(file),
            "rules": dataclass_as_json(chosen),
            "is_right": statistics.is_valid,
        }
        print_json(**about, **{key: values[key] for key in keys})
    else:
        _print_faults(statistics)
        invalid = "invalid" if statistics.entries else "nothing to check"
        print(f"{statistics.entries} entries; {'valid' if statistics.is_valid else invalid}")
    if not statistics.is_valid:
        raise typer.Exit(1)


def _describe_file(file: Path, text: str) -> "tuple[DatasetStatistics, MorrisRules]":
    from ludus.datasets.morris.files import read_chunks
    from ludus.datasets.morris.statistics import compute_statistics
    from ludus.datasets.morris.validation import parse_rules

    rules = parse_rules(text)
    return compute_statistics(read_chunks(file), rules), rules


def _print_contents(statistics: "DatasetStatistics") -> None:
    from ludus.datasets.morris.statistics import CHOICES
    from ludus.games.nine_mens_morris.batch import PARTS

    phases = ", ".join(f"{phase}: {statistics.phases[phase]}" for phase in (1, 2, 3))
    print(f"{statistics.entries} entries, {statistics.with_move} with a move; phases {phases}\n")
    frequencies = [statistics.proportions(part) for part in range(len(PARTS))]
    rows = [(name, *(f"{column[name]:.2%}" for column in frequencies)) for name in CHOICES]
    entropies = (f"{statistics.entropy(part):.3f} bits" for part in range(len(PARTS)))
    print_table(("point", *PARTS), [*rows, ("entropy", *entropies)])


def _print_faults(statistics: "DatasetStatistics") -> None:
    for number, reason in statistics.bad_lines[:MAX_LINES_SHOWN]:
        print(f"line {number}: {reason}")
    if len(statistics.bad_lines) > MAX_LINES_SHOWN:
        print(f"{len(statistics.bad_lines)} bad lines in all")
    for kind, faults in (("illegal", statistics.illegal), ("impossible", statistics.impossible)):
        for reason, lines in faults.items():
            print(f"{kind}, {reason}: {len(lines)} {_format_line_numbers(lines)}")
    for kind, pairs in (("repeated", statistics.duplicates), ("symmetric", statistics.symmetric)):
        print(
            f"{kind} states: {len(pairs)} "
            f"{_format_line_numbers([line for line, _ in pairs])}".rstrip()
        )


def _format_line_numbers(lines: list[int]) -> str:
    if not lines:
        return ""
    more = ", …" if len(lines) > MAX_LINES_SHOWN else ""
    return f"(lines {', '.join(map(str, lines[:MAX_LINES_SHOWN]))}{more})"


def expand(
    file: DatasetArgument,
    out: OutputFileOption,
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            metavar="RECIPE",
            help="symmetries: all 16, without repeated states. published: as in Galassi 2018.",
        ),
    ] = "symmetries",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Write every entry as its symmetric images, the entry itself first."""
    check_output(out, file, force=force)
    from ludus.datasets.morris.augmentation import augment_parts
    from ludus.datasets.morris.files import format_lines, read_entries

    began = clock.perf_counter()
    entries = written = 0

    def read_parts() -> "Iterator[MoveBatch]":
        nonlocal entries
        for part in read_entries(file):
            entries += len(part)
            yield part

    with atomic_file(out) as target:
        for part in augment_parts(read_parts(), recipe):
            target.write(format_lines(part).decode("ascii"))
            written += len(part)
    seconds = clock.perf_counter() - began
    if json:
        print_json(
            recipe=recipe,
            entries=entries,
            written=written,
            out=str(out),
            seconds=round(seconds, 3),
        )
    else:
        print(f"{entries} entries became {written} in {seconds:.1f} s")


def label(
    file: DatasetArgument,
    out: OutputFileOption,
    oracle: OracleOption = None,
    rules: RulesOption = "",
    cluster: ClusterOption = "",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Add to every entry its exact value, its depth in plies, and the moves that keep the value."""
    _write_labels(False, file, out, oracle, rules, cluster, force, json)


def export(
    file: DatasetArgument,
    out: OutputFileOption,
    oracle: OracleOption = None,
    rules: RulesOption = "",
    cluster: ClusterOption = "",
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Write a dataset with exact values, depths and critical flags as a Parquet file.

    Labels that `ludus dataset label` wrote are used unless --oracle is given.
    """
    _write_labels(True, file, out, oracle, rules, cluster, force, json)


def _write_labels(
    is_export: bool,
    file: Path,
    out: Path,
    oracle: Path | None,
    rules: str,
    cluster: str,
    force: bool,
    json: bool,
) -> None:
    check_output(out, file, force=force)
    from ludus.arena.executors import make_executor
    from ludus.datasets.morris.labelling import Labeller
    from ludus.datasets.morris.validation import parse_rules

    began = clock.perf_counter()
    with make_executor(cluster=cluster) if cluster else nullcontext() as executor:
        labeller = Labeller(
            parse_rules(rules),
            oracle,
            executor,
            lambda batches, count: track_progress(batches, count, "labelling"),
        )
        write = labeller.export_file if is_export else labeller.label_file
        solved = write(file, out)
    seconds = round(clock.perf_counter() - began, 3)
    if json:
        size = {"bytes": out.stat().st_size} if is_export else {}
        counts = labeller.counts.as_json()
        print_json(**counts, solved=solved, out=str(out), **size, seconds=seconds)
        return
    _print_label_counts(labeller.counts)


def _print_label_counts(tally: "LabelCounts") -> None:
    from ludus.games.nine_mens_morris.batch import RESULT_NAMES

    counts = ", ".join(
        f"{count} {name}" for name, count in zip(RESULT_NAMES, tally.results.tolist(), strict=True)
    )
    print(f"{tally.entries} entries: {counts}")
    kept = tally.critical_kept / max(1, tally.critical)
    random_kept = tally.random_kept / max(1, tally.critical)
    print(
        f"{tally.critical} are critical; their moves keep the value in {kept:.1%}, "
        f"random moves would in {random_kept:.1%}"
    )
    print(f"{tally.critical_reached} of them have numbers of men that occur in games")


TeacherOption = Annotated[
    str,
    typer.Option(
        "--teacher",
        metavar="PLAYER",
        help="The player to record.",
        show_default="that of the game",
    ),
]


def generate(
    game: GameArgument,
    out: OutputFileOption,
    states: Annotated[
        int,
        typer.Option(
            "--states",
            metavar="N",
            min=1,
            max=100_000_000,
            help="Number of positions.",
            show_default=False,
        ),
    ],
    teacher: TeacherOption = "",
    opponents: Annotated[
        str,
        typer.Option(
            "--opponents",
            metavar="PLAYER,PLAYER…",
            help="The opponents of the teacher.",
            show_default="those of the game, and the teacher itself",
        ),
    ] = "",
    options: Annotated[
        str,
        typer.Option("--options", metavar="KEY=VALUE,…", help="Options of the game's generator."),
    ] = "",
    rules: RulesOption = "",
    time: TimeOption = None,
    nodes: NodesOption = None,
    depth: DepthOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = 0,
    cluster: ClusterOption = "",
    json: JsonOption = False,
) -> None:
    """Record the moves of a teacher program; the same command resumes an interrupted run.

    Limits apply to each of the teacher's moves. With --time a run is not reproducible.
    """
    from ludus.arena.executors import make_executor
    from ludus.datasets.generation import GenerationRun, make_plan

    limit = Limit(time, nodes, depth)
    plan = make_plan(
        game, states, teacher, opponents, rules=rules, options=options, limit=limit, seed=seed
    )
    run = GenerationRun(plan, out, make_executor(jobs, cluster))
    began = clock.perf_counter()
    num_new = 0
    try:
        for _ in track_progress(run.run(), states, "generating"):
            num_new += 1
    except KeyboardInterrupt:
        num_done = run.resumed + num_new
        print_interruption(f"{num_done} of {states} states; run the same command to resume")
        raise
    made = run.result
    seconds = clock.perf_counter() - began
    if json:
        print_json(
            **plan.as_json(),
            out=str(out),
            sidecar=str(made.sidecar),
            matches=made.matches,
            resumed=made.resumed,
            sha256=made.sha256,
            seconds=round(seconds, 3),
        )
        return
    print(f"{states} states of {made.matches} matches, {made.resumed} of them from before")
    print(f"{seconds:.1f} s; the settings are in {made.sidecar}")


def fetch(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="nnmm: the data of Neural Nine Men's Morris (Galassi 2018), 11 MB.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Target folder.", show_default="in the user's cache folder"
        ),
    ] = None,
    base: Annotated[
        str,
        typer.Option(
            "--from", metavar="URL", help="Base URL.", show_default="the author's repository"
        ),
    ] = "",
    json: JsonOption = False,
) -> None:
    """Download published data and verify its checksums.

    Existing files are kept, and an interrupted download is resumed.
    """
    from ludus.datasets.download import fetch_source

    data = fetch_source(name, out, base, track_progress)
    files = data.source.files
    if json:
        listed = [
            {
                "file": str(data.folder / remote.name),
                "bytes": remote.num_bytes,
                "sha256": remote.sha256,
            }
            for remote in files
        ]
        print_json(name=name, out=str(data.folder), files=listed, fetched=data.fetched)
        return
    num_fetched, num_present = len(data.fetched), len(files) - len(data.fetched)
    print(
        f"{data.folder}: {num_fetched} files fetched, {num_present} were present; checksums match"
    )
    for note in data.source.notes:
        print(note)


app = make_group(
    help="Datasets of positions with good moves: describe, check, expand, label, export, …",
)

for command in (stats, check, expand, label, export, generate, fetch):
    app.command()(command)
