"""`ludus dataset stats|check|expand|label|export|generate|fetch`: datasets of good moves."""

import sys
import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.dataset_labels import export, label
from ludus.cli.help import make_group
from ludus.cli.options import (
    DatasetArgument,
    DepthOption,
    ForceOption,
    GameArgument,
    JsonOption,
    NodesOption,
    OutputFileOption,
    RulesOption,
    TimeOption,
)
from ludus.cli.output import dataclass_as_json, print_json, print_table, track_progress
from ludus.cli.tournament import ClusterOption, JobsOption
from ludus.core.files import atomic_file, check_output, write_text
from ludus.core.spec import check_choice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.datasets.download import RemoteFile
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
    found, chosen = _describe_file(file, rules)
    seconds = round(clock.perf_counter() - began, 3)
    if plot is not None:
        from ludus.datasets.morris.statistics import draw_statistics

        write_text(plot, draw_statistics(found, file.name))
    if json:
        about = {"file": str(file), "rules": dataclass_as_json(chosen)}
        print_json(**about, **found.as_json(), seconds=seconds)
        return
    _print_contents(found)
    print()
    _print_faults(found)


def check(file: DatasetArgument, rules: RulesOption = "", json: JsonOption = False) -> None:
    """Check a dataset for invalid lines; exit with status 1 if there are any.

    There must be lines, well-formed, legal under the rules, and with different states. Unreachable
    states and states that are symmetric to others are reported, but are not errors.
    """
    found, chosen = _describe_file(file, rules)
    if json:
        statistics = found.as_json()
        keys = ("entries", "bad", "illegal", "impossible", "duplicates", "symmetric_duplicates")
        about = {"file": str(file), "rules": dataclass_as_json(chosen), "is_right": found.is_valid}
        print_json(**about, **{key: statistics[key] for key in keys})
    else:
        _print_faults(found)
        verdict = "valid" if found.is_valid else "invalid" if found.entries else "nothing to check"
        print(f"{found.entries} entries; {verdict}")
    if not found.is_valid:
        raise typer.Exit(1)


def _describe_file(file: Path, text: str) -> "tuple[DatasetStatistics, MorrisRules]":
    from ludus.datasets.morris.files import read_chunks
    from ludus.datasets.morris.statistics import compute_statistics
    from ludus.datasets.morris.validation import parse_rules

    rules = parse_rules(text)
    return compute_statistics(read_chunks(file), rules), rules


def _print_contents(found: "DatasetStatistics") -> None:
    from ludus.datasets.morris.statistics import CHOICES
    from ludus.games.nine_mens_morris.batch import PARTS

    phases = ", ".join(f"{phase}: {found.phases[phase]}" for phase in (1, 2, 3))
    print(f"{found.entries} entries, {found.with_move} with a move; phases {phases}\n")
    frequencies = [found.proportions(part) for part in range(len(PARTS))]
    rows = [(name, *(f"{column[name]:.2%}" for column in frequencies)) for name in CHOICES]
    entropies = (f"{found.entropy(part):.3f} bits" for part in range(len(PARTS)))
    print_table(("point", *PARTS), [*rows, ("entropy", *entropies)])


def _print_faults(found: "DatasetStatistics") -> None:
    for number, reason in found.bad_lines[:MAX_LINES_SHOWN]:
        print(f"line {number}: {reason}")
    if len(found.bad_lines) > MAX_LINES_SHOWN:
        print(f"{len(found.bad_lines)} bad lines in all")
    for kind, faults in (("illegal", found.illegal), ("impossible", found.impossible)):
        for reason, lines in faults.items():
            print(f"{kind}, {reason}: {len(lines)} {_format_line_numbers(lines)}")
    for kind, pairs in (("repeated", found.duplicates), ("symmetric", found.symmetric)):
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
    teacher: Annotated[
        str,
        typer.Option(
            "--teacher",
            metavar="PLAYER",
            help="The player to record.",
            show_default="that of the game",
        ),
    ] = "",
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
    seed: Annotated[int, typer.Option(help="The same seed gives the same file.")] = 0,
    jobs: JobsOption = 0,
    cluster: ClusterOption = "",
    json: JsonOption = False,
) -> None:
    """Record the moves of a teacher program; the same command resumes an interrupted run.

    Limits apply to each of the teacher's moves. With --time a run is not reproducible.
    """
    from ludus.arena.executors import make_executor
    from ludus.core.player import Limit
    from ludus.datasets import GENERATORS
    from ludus.datasets.generation import GenerationRun
    from ludus.datasets.generator import GenerationPlan, parse_players
    from ludus.games import game as named_game

    kind = GENERATORS[named_game(game, rules).id]
    chosen = teacher or kind.teacher
    plan = GenerationPlan(
        game=game,
        teacher=chosen,
        opponents=parse_players(opponents) or (*kind.opponents, chosen),
        states=states,
        rules=rules,
        options=options,
        limit=Limit(time, nodes, depth),
        seed=seed,
    )
    run = GenerationRun(plan, out, make_executor(jobs, cluster))
    began = clock.perf_counter()
    found = 0
    try:
        for _ in track_progress(run.run(), states, "generating"):
            found += 1
    except KeyboardInterrupt:
        num_done = run.resumed + found
        message = f"{num_done} of {states} states; run the same command to resume"
        print(f"ludus: {message}", file=sys.stderr)
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


BYTES_PER_STEP = 1 << 14
"""Number of bytes per step of the progress bar."""


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
    from ludus.datasets.download import SOURCES, default_folder, is_fetched

    check_choice("there is no published data", name, SOURCES)
    source = SOURCES[name]
    folder = out or default_folder(name)
    missing = [remote for remote in source.files if not is_fetched(remote, folder)]
    for remote in missing:
        steps = _fetch_steps(remote, base or source.base, folder)
        for _ in track_progress(steps, remote.num_bytes // BYTES_PER_STEP, remote.name):
            pass
    if json:
        files = [
            {"file": str(folder / each.name), "bytes": each.num_bytes, "sha256": each.sha256}
            for each in source.files
        ]
        fetched = [remote.name for remote in missing]
        print_json(name=name, out=str(folder), files=files, fetched=fetched)
        return
    num_present = len(source.files) - len(missing)
    print(f"{folder}: {len(missing)} files fetched, {num_present} were present; checksums match")
    for note in source.notes:
        print(note)


def _fetch_steps(remote: "RemoteFile", base: str, folder: Path) -> "Iterator[int]":
    """Yield one item for every BYTES_PER_STEP bytes."""
    from ludus.datasets.download import fetch

    rest = 0
    for num_bytes in fetch(remote, base, folder):
        steps, rest = divmod(rest + num_bytes, BYTES_PER_STEP)
        yield from range(steps)


app = make_group(
    help="Datasets of positions with good moves: describe, check, expand, label, export, …",
)

for command in (stats, check, expand, label, export, generate, fetch):
    app.command()(command)
