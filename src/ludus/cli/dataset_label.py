"""`ludus dataset label`: what perfect play makes of every entry."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ludus.cli.dataset_expand import Out
from ludus.cli.dataset_stats import MORRIS, DatasetFile, morris_rules
from ludus.cli.files import whole_file
from ludus.cli.options import Json, OracleFolder, Rules
from ludus.cli.output import print_json, with_progress

if TYPE_CHECKING:
    from ludus.datasets.morris.entries import Entries
    from ludus.datasets.morris.label_tally import LabelTally
    from ludus.oracle.morris import MorrisOracle

CHUNK = 1 << 17
"""Entries that are sorted for the oracle and written at a time."""

BATCH = 4096
"""Entries that are labelled at a time; the bar moves so often."""


def label(
    file: DatasetFile,
    out: Out,
    oracle: OracleFolder = None,
    rules: Rules = "",
    json: Json = False,
) -> None:
    """Add to every entry its exact value, the plies to the end, and the moves that keep it."""
    from ludus.datasets.morris.files import read
    from ludus.datasets.morris.label_tally import LabelTally
    from ludus.games import game
    from ludus.oracle import oracle_for
    from ludus.oracle.morris import MorrisOracle

    asked = oracle_for(game(MORRIS, morris_rules(rules)), oracle)
    assert isinstance(asked, MorrisOracle)
    entries = read(file)
    began = time.perf_counter()
    tally = LabelTally()
    with whole_file(out) as target:
        # A chunk is a whole number of batches, so batches can be counted without chunks.
        batches = -(-len(entries) // BATCH)
        for part in with_progress(_labelled(entries, asked, tally), batches, "labelling"):
            target.writelines(f"{line}\n" for line in part)
    seconds = round(time.perf_counter() - began, 3)
    if json:
        print_json(**tally.as_json(), solved=asked.extent, out=str(out), seconds=seconds)
        return
    _print(tally)


def _labelled(
    entries: "Entries", oracle: "MorrisOracle", tally: "LabelTally"
) -> Iterator[list[str]]:
    """The lines of a chunk after its last batch, nothing after the others."""
    from ludus.datasets.morris.labels import by_numbers_of_men, label, labelled_lines

    for first in range(0, len(entries), CHUNK):
        chunk = entries[first : first + CHUNK]
        lines = [""] * len(chunk)
        *early, last = by_numbers_of_men(chunk, BATCH)
        for numbers in (*early, last):
            labels = label(chunk[numbers], oracle)
            tally.add(labels)
            found = labelled_lines(chunk[numbers], labels)
            for number, line in zip(numbers.tolist(), found, strict=True):
                lines[number] = line
            yield lines if numbers is last else []


def _print(tally: "LabelTally") -> None:
    from ludus.datasets.morris.labels import RESULTS

    counts = ", ".join(
        f"{count} {name}" for name, count in zip(RESULTS, tally.results.tolist(), strict=True)
    )
    print(f"{tally.entries} entries: {counts}")
    share = tally.critical_kept / max(1, tally.critical)
    random_share = tally.random_kept / max(1, tally.critical)
    print(
        f"{tally.critical} are critical; their moves keep the value in {share:.1%}, "
        f"random moves would in {random_share:.1%}"
    )
    print(f"{tally.critical_reached} of them have numbers of men that a game can lead to")
