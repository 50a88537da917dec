"""`ludus dataset label|export`: exact values of the positions of a dataset."""

import time as clock
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cli.options import (
    DatasetArgument,
    ForceOption,
    JsonOption,
    OracleOption,
    OutputFileOption,
    RulesOption,
)
from ludus.cli.output import dataclass_as_json, print_json, track_progress
from ludus.cli.tournament import ClusterOption
from ludus.core.errors import BadSpec
from ludus.core.files import atomic_file, check_output, quote_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ludus.datasets.morris.labels import LabelCounts, LabelledBatch, Labels
    from ludus.games.nine_mens_morris.batch import MoveBatch
    from ludus.oracles.morris.oracle import MorrisOracle


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
    check_output(out, file, force=force)
    from ludus.datasets.morris.files import check_entries, read_dataset
    from ludus.datasets.morris.labels import LABEL_CHUNK, LabelCounts, format_labels

    oracle_ = _open_oracle(rules, oracle)
    entries = read_dataset(file)
    check_entries(file, len(entries))
    began = clock.perf_counter()
    tally = LabelCounts()
    starts = range(0, len(entries), LABEL_CHUNK)
    with atomic_file(out) as target:
        chunks = (entries[first : first + LABEL_CHUNK] for first in starts)
        for part in _label_chunks(chunks, oracle_, oracle, cluster, len(entries)):
            tally.add(part.labels)
            target.writelines(f"{line}\n" for line in format_labels(*part))
    seconds = round(clock.perf_counter() - began, 3)
    if json:
        print_json(**tally.as_json(), solved=oracle_.coverage, out=str(out), seconds=seconds)
        return
    _print_label_counts(tally)


def _open_oracle(rules: str, folder: Path | None) -> "MorrisOracle":
    from ludus.datasets.morris.validation import parse_rules
    from ludus.games import game
    from ludus.oracles import oracle as find_oracle
    from ludus.oracles.morris.oracle import MorrisOracle

    found = find_oracle(game("nine_mens_morris", parse_rules(rules)), folder)
    assert isinstance(found, MorrisOracle)
    return found


def _label_chunks(
    chunks: "Iterable[MoveBatch]",
    oracle: "MorrisOracle",
    folder: Path | None,
    cluster: str,
    num_entries: int | None,
) -> "Iterator[LabelledBatch]":
    """Label entries, here or on a cluster, and show progress, if their number is known."""
    from ludus.datasets.morris.labels import LABEL_BATCH, LabelTask, label, label_chunks

    # A chunk is a whole number of batches, so batches can be counted without chunks.
    num_batches = None if num_entries is None else -(-num_entries // LABEL_BATCH)

    def label_batches(batches: "Iterable[MoveBatch]") -> "Iterable[Labels]":
        if not cluster:
            found: Iterable[Labels] = (label(batch, oracle) for batch in batches)
            yield from track_progress(found, num_batches, "labelling")
            return
        from ludus.arena.executors import make_executor

        task = LabelTask(oracle.rules, folder and folder.absolute())
        with make_executor(cluster=cluster) as executor:
            found = executor.map(task, batches)
            yield from track_progress(found, num_batches, "labelling")

    return label_chunks(chunks, label_batches)


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
    check_output(out, file, force=force)
    from ludus import __version__
    from ludus.core.parquet import import_pyarrow, is_parquet
    from ludus.datasets.download import compute_sha256
    from ludus.datasets.morris.files import read_entries
    from ludus.datasets.morris.labels import (
        LabelCounts,
        cut_chunks,
        has_labels,
        read_labelled_lines,
    )
    from ludus.datasets.morris.parquet import write_labelled
    from ludus.datasets.morris.validation import parse_rules

    if not is_parquet(out):
        raise BadSpec(f"{quote_path(out)} does not end in .parquet")
    import_pyarrow()
    chosen = parse_rules(rules)
    began = clock.perf_counter()
    tally = LabelCounts()
    if oracle is None and not is_parquet(file) and has_labels(file):
        solved = "as labelled"
        parts = read_labelled_lines(file, chosen)
    else:
        oracle_ = _open_oracle(rules, oracle)
        solved = oracle_.coverage
        chunks = cut_chunks(read_entries(file))
        parts = _label_chunks(chunks, oracle_, oracle, cluster, None)

    def count(parts: "Iterable[LabelledBatch]") -> "Iterator[LabelledBatch]":
        for part in parts:
            tally.add(part.labels)
            yield part

    about = {
        "game": "nine_mens_morris",
        "rules": dataclass_as_json(chosen),
        "source": file.name,
        "source_sha256": compute_sha256(file),
        "solved": solved,
        "ludus": __version__,
    }
    write_labelled(out, count(parts), about)
    seconds = round(clock.perf_counter() - began, 3)
    if json:
        size = out.stat().st_size
        print_json(**tally.as_json(), solved=solved, out=str(out), bytes=size, seconds=seconds)
        return
    _print_label_counts(tally)


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
