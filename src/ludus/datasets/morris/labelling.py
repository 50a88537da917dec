"""Label whole files of Morris positions with exact values, as lines or as Parquet."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ludus.core.errors import BadSpec
from ludus.core.executors import TaskExecutor
from ludus.core.files import atomic_file, quote_path
from ludus.core.parquet import import_pyarrow, is_parquet
from ludus.datasets.download import compute_sha256
from ludus.datasets.morris.files import check_entries, read_dataset, read_entries
from ludus.datasets.morris.labels import (
    LABEL_BATCH,
    LABEL_CHUNK,
    LabelCounts,
    LabelledBatch,
    Labels,
    LabelTask,
    cut_chunks,
    format_labels,
    has_labels,
    label,
    label_chunks,
    open_oracle,
    read_labelled_lines,
)
from ludus.datasets.morris.parquet import write_labelled
from ludus.games.nine_mens_morris.batch import MoveBatch
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.oracle import MorrisOracle

Track = Callable[[Iterable[Labels], int | None], Iterable[Labels]]
"""Passes on the labels of batches, whose number is given, and shows progress."""


@dataclass(frozen=True)
class Labeller:
    """Labels datasets under these rules, here or with an executor on other machines."""

    rules: Rules
    folder: Path | None = None
    """The folder of a database, which all machines must have; None: what `ludus.oracle` finds."""

    executor: TaskExecutor | None = None
    track: Track = lambda batches, count: batches
    counts: LabelCounts = field(default_factory=LabelCounts)
    """Counts of all that has been labelled."""

    def label_file(self, file: Path, out: Path) -> str:
        """Write a dataset with labels behind its entries; return what is solved."""
        oracle = open_oracle(self.rules, self.folder)
        entries = read_dataset(file)
        check_entries(file, len(entries))
        starts = range(0, len(entries), LABEL_CHUNK)
        chunks = (entries[first : first + LABEL_CHUNK] for first in starts)
        with atomic_file(out) as target:
            # A chunk is a whole number of batches, so batches can be counted without chunks.
            for part in self._label(chunks, oracle, -(-len(entries) // LABEL_BATCH)):
                target.writelines(f"{line}\n" for line in format_labels(*part))
        return oracle.coverage

    def export_file(self, file: Path, out: Path) -> str:
        """Write a dataset with labels as a Parquet file; return what is solved.

        Labels that the file has are taken over, unless a folder of a database is given.
        """
        from ludus import __version__

        if not is_parquet(out):
            raise BadSpec(f"{quote_path(out)} does not end in .parquet")
        import_pyarrow()
        if self.folder is None and not is_parquet(file) and has_labels(file):
            solved = "as labelled"
            parts = self._count(read_labelled_lines(file, self.rules))
        else:
            oracle = open_oracle(self.rules, self.folder)
            solved = oracle.coverage
            parts = self._label(cut_chunks(read_entries(file)), oracle, None)
        about = {
            "game": "nine_mens_morris",
            "rules": asdict(self.rules),
            "source": file.name,
            "source_sha256": compute_sha256(file),
            "solved": solved,
            "ludus": __version__,
        }
        write_labelled(out, parts, about)
        return solved

    def _label(
        self, chunks: Iterable[MoveBatch], oracle: MorrisOracle, num_batches: int | None
    ) -> Iterator[LabelledBatch]:
        def label_batches(batches: Iterable[MoveBatch]) -> Iterable[Labels]:
            if self.executor is None:
                labels: Iterable[Labels] = (label(batch, oracle) for batch in batches)
            else:
                task = LabelTask(self.rules, self.folder and self.folder.absolute())
                labels = self.executor.map(task, batches)
            return self.track(labels, num_batches)

        return self._count(label_chunks(chunks, label_batches))

    def _count(self, parts: Iterable[LabelledBatch]) -> Iterator[LabelledBatch]:
        for part in parts:
            self.counts.add(part.labels)
            yield part
