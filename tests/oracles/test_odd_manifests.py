"""Manifests and headers with right checksums that hold anything at all, and files that are none.

Checksums find damage. A folder from a stranger has right ones, and gives one line as well.
"""

import json
import os
import random

import numpy as np
import pytest

import ludus
from fuzzing.hostile import change_value
from ludus.core.errors import BadDatabase, LudusError
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles import oracle as find_oracle
from ludus.oracles.backgammon.tables import EQUITY_FILE, TableFolder, check_extent
from ludus.oracles.morris.database import Database
from ludus.oracles.storage import (
    MANIFEST_NAME,
    BlockFile,
    _format_manifest,
    read_manifest,
    write_blocks,
)
from support.repetition import repeat
from support.solved_games import solved_copy

GAMES = {
    "morris": ludus.game("nine_mens_morris:men=3"),
    "bearing_off": ludus.game("backgammon:hypergammon"),
}
TABLE = "3_3_0_0.values"


def read_all(folder):
    """Read what can be read from a database of either game."""
    if read_manifest(folder).get("game") == "backgammon":
        return TableFolder.open(folder).read_all(EQUITY_FILE)
    database = Database.open(folder)
    return [database.read_table(*half) for half in sorted(database.sectors)]


@pytest.fixture
def morris(tmp_path):
    return solved_copy(tmp_path / "oracle" / "morris", Rules(men=3, flying=True))


@pytest.fixture
def bearing_off(tmp_path):
    extent, folder = check_extent("bearoff", 1), tmp_path / "oracle" / "bearing"
    with TableFolder.open_for_writing(folder, extent) as tables:
        size = extent.num_placements
        tables.write(EQUITY_FILE, np.zeros((size, size), np.float32))
    return folder


def check_refusals(folder, change, num_changes, min_refused):
    """Change a folder and read it, many times: it works, or one line says what is wrong."""
    errors = []
    for _ in range(num_changes):
        change()
        try:
            read_all(folder)
        except LudusError as error:
            errors.append(str(error))
    assert len(errors) >= min_refused
    assert all(len(each) < 1000 and "\n" not in each for each in errors)


@pytest.mark.filterwarnings("ignore::ludus.core.errors.LudusWarning")
@pytest.mark.parametrize("which", ["morris", "bearing_off"])
def test_odd_manifests(request, monkeypatch, which):
    folder = request.getfixturevalue(which)
    monkeypatch.setenv("LUDUS_ORACLE", str(folder.parent))
    whole, source = read_manifest(folder), random.Random(which)
    read_all(folder)

    def change():
        fields = change_value(whole, source)
        fields = fields if isinstance(fields, dict) else {}
        (folder / MANIFEST_NAME).write_text(_format_manifest(fields))
        find_oracle(GAMES[which])  # the game is still there, whatever is in the folder

    check_refusals(folder, change, repeat(40, 4000), 20)


@pytest.mark.parametrize("which", ["morris", "bearing_off"])
def test_odd_headers_of_tables(request, which):
    folder = request.getfixturevalue(which)
    path = folder / (TABLE if which == "morris" else EQUITY_FILE)
    file, source = BlockFile(path), random.Random(which)
    whole = json.loads(file.header_bytes)
    blocks = file.read_compressed(0, file.num_blocks)

    def change():
        header = json.dumps(change_value(whole, source) if source.random() < 0.9 else whole)
        chosen = [each if source.random() < 0.9 else source.randbytes(20) for each in blocks]
        chosen = chosen if source.random() < 0.8 else chosen[: source.randrange(len(chosen) + 1)]
        write_blocks(path, header.encode(), len(chosen), chosen)

    check_refusals(folder, change, repeat(40, 4000), 20)


def test_tables_that_are_no_files(morris):
    """A pipe would be waited for, and a device never ends."""
    path = morris / TABLE
    for make in (os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")):
        path.unlink()
        make(path)
        with pytest.raises(BadDatabase, match="3_3_0_0"):
            read_all(morris)
        path.rmdir() if path.is_dir() else path.unlink()
        path.touch()
