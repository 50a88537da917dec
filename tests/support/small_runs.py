"""Copies of experiments that run in about a second, and what must hold of all their results."""

import fnmatch
import json
import os
import random
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus.games import game as named_game
from ludus.reproduce import find_experiment
from support.games import play_randomly
from support.morris import data, lines
from support.nnmm import write_authors_network, write_data
from support.paths import EXPERIMENTS

SMALL_RULES = "men=3"
"""A game of nine men's morris that is solved whole in a fraction of a second."""

Edit = tuple[str, str, str]
"""A file of the experiment's folder, a regular expression, and what replaces its matches."""


@dataclass(frozen=True)
class SmallRun:
    """How an experiment is made smaller than its size `quick`, and what it then has to find.

    Values are written in TOML.
    """

    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings of the size `quick`."""

    keys: Mapping[str, object] = field(default_factory=dict)
    """Keys of the TOML file, wherever they stand, in rows for instance."""

    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Table of the TOML file to the keys that stay in it, of players for instance."""

    edits: Sequence[Edit] = ()
    """Other changes, for what no setting says. ORACLE stands for the folder of a solved game."""

    unmeasured: Sequence[str] = ()
    """Rows of the TOML file, with `*` for any characters, that are not measured at this size."""

    has_figures: bool = True
    """Whether there are figures if the stored results have some."""

    is_repeated: bool = False
    """Whether it is run once more, for the same result."""


def write_small_experiment(
    identity: str, small: SmallRun, folder: Path, oracle: Path | None = None
) -> Path:
    """Copy the folder of an experiment, made small; return the folder of all experiments.

    A change that changes nothing is an error, so that no run becomes large unnoticed.
    """
    authors = identity.partition("-")[0]
    # Experiments on the scholar read those on the networks of the thesis.
    for name in {authors, "galassi"} if authors == "scholar" else {authors}:
        leave = shutil.ignore_patterns("results", "__pycache__")
        shutil.copytree(EXPERIMENTS / name, folder / name, ignore=leave)
    file = find_experiment(identity, folder).path.with_suffix(".toml")
    head, quick, rest = file.read_text().partition("[sizes.quick]\n")
    size, end, others = rest.partition("\n[")
    for key, value in small.settings.items():
        size = _replace(size, rf"^{key} = .*$", f"{key} = {value}")
    text = head + quick + size + end + others
    for key, value in small.keys.items():
        text = _replace(text, rf"^{key} = .*$", f"{key} = {value}")
    for table, keys in small.only.items():
        lines = re.search(rf"^\[{table}\]\n((?:.+\n)+)", text, re.MULTILINE)
        assert lines is not None, table
        text = text.replace(lines[1], _keep(lines[1], keys))
    file.write_text(text)
    for name, pattern, new in small.edits:
        changed = file.with_name(name)
        text = _replace(changed.read_text(), pattern, new.replace("ORACLE", str(oracle)))
        changed.write_text(text)
    return folder


def _replace(text: str, pattern: str, new: str) -> str:
    changed, count = re.subn(pattern, new, text, flags=re.MULTILINE)
    assert count, f"nothing is {pattern!r}"
    return changed


def _keep(lines: str, keys: Sequence[str]) -> str:
    known = {line.partition(" = ")[0].strip('"'): line for line in lines.splitlines(keepends=True)}
    return "".join(known[key] for key in keys)


PARTS = {"T": "TO", "F": "FROM", "R": "REMOVE"}


def write_authors_data(folder: Path, orders: Sequence[str] = ()) -> Path:
    """What experiments read of the author's data, made by us; networks of further orders, too."""
    write_data(folder)
    for order in orders:
        for number, letter in enumerate(order):
            file = folder / "npz" / f"TEST-rawest-{order}_{PARTS[letter]}.npz"
            write_authors_network(file, 90 + 25 * number)
    lines = (folder / "dataset.txt").read_bytes().splitlines(keepends=True)
    (folder / "dataset_gaming.txt").write_bytes(b"".join(lines[: len(lines) // 2]))
    return folder


def write_small_game_data(folder: Path) -> Path:
    """Positions of the small game, each with some legal move, and no networks."""
    game, source = named_game("nine_mens_morris", SMALL_RULES), random.Random(1)
    folder.mkdir()
    pairs = [
        (position, source.choice(position.legal_moves()))
        for seed in range(40)
        for position in play_randomly(game, seed, 40)
        if position.outcome() is None
    ]
    (folder / "dataset.txt").write_bytes(data(lines(pairs)))
    return folder


def write_deepmill_script(file: Path) -> Path:
    """A script that starts a program of ours with the protocol of DeepMill's engine."""
    file.write_text(f"#!/bin/sh\nexec {sys.executable} -m ludus.cli engine --player newbie\n")
    os.chmod(file, 0o755)
    return file


def check_findings(identity: str, small: SmallRun, found: Mapping[str, Any]) -> None:
    """Every row is measured, tables and figures are there, and no number is impossible."""
    assert (found["id"], found["size"]) == (identity, "quick")
    missing = [row["name"] for row in found["rows"] if row["ours"] is None]
    for pattern in small.unmeasured:
        assert fnmatch.filter(missing, pattern), pattern
        missing = [name for name in missing if not fnmatch.fnmatchcase(name, pattern)]
    assert missing == []
    measured = [row for row in found["rows"] if row["ours"] is not None]
    assert measured
    for row in measured:
        check_row(row)
    for table in found["tables"]:
        check_table(table)
    for conclusion in found["conclusions"]:
        assert conclusion["holds"] in (True, False, None)
        assert conclusion["evidence"]
    stored = json.loads(find_experiment(identity, EXPERIMENTS).results.read_text(encoding="utf-8"))
    assert bool(found["tables"]) == bool(stored["tables"])
    assert bool(found["figures"]) == (bool(stored["figures"]) and small.has_figures)
    texts, others = ([each["text"] for each in it["conclusions"]] for it in (found, stored))
    # Other numbers of conclusions are of sizes that decide nothing.
    assert texts == others or len(texts) != len(others)


def check_row(row: Mapping[str, Any]) -> None:
    if row["unit"] == "%":
        assert 0 <= row["ours"] <= 100, row
    if row["interval"] is not None:
        low, high = row["interval"]
        assert low <= row["ours"] <= high, row
    if row["count"] is not None:
        assert row["count"] > 0, row


def check_table(table: Mapping[str, Any]) -> None:
    """Rows are as long as the headings, and columns of percentages hold percentages."""
    headings = table["headings"]
    for row in table["rows"]:
        assert len(row) == len(headings), table["name"]
        for heading, cell in zip(headings, row, strict=True):
            if isinstance(cell, int | float) and heading.endswith(", %"):
                assert 0 <= cell <= 100, (table["name"], heading, cell)
