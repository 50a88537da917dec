"""Files of values: read back as written, and never otherwise than written."""

import json
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from ludus._native.solver import Solver
from ludus.core.errors import BadDatabase, CannotWrite
from ludus.games.nine_mens_morris.rules import PRESETS
from ludus.oracles.morris import database as table_file
from ludus.oracles.morris.database import BLOCK_SLOTS, Database, TableFile, ValueCounts
from ludus.oracles.morris.sectors import moving_sectors
from support.repetition import repeat
from support.solved_games import contents, solve_into

RULES = PRESETS["standard"]
HALF = (3, 3, 0, 0), True
FILE = "3_3_0_0.values"


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """All positions with at most four men a side."""
    folder = tmp_path_factory.mktemp("solved")
    solve_into(folder, RULES, max_men=4)
    return folder


@pytest.fixture
def copy(solved, tmp_path):
    """A database to be damaged."""
    return Path(shutil.copytree(solved, tmp_path / "copy"))


def test_tables_are_read_as_they_were_solved(solved):
    solver, database = Solver(RULES, 2), Database.open(solved)
    assert (database.rules, database.has_depth) == (RULES, True)
    for sector in moving_sectors(RULES, 4):
        solver.solve(sector)
        for side in (True, False):
            values = solver.values(sector, side)
            assert ((sector, side) in database.sectors) == (values is not None)
            if values is not None:
                assert np.array_equal(database.read_table(sector, side), values)
                assert database.read_counts(sector, side) == ValueCounts(
                    **solver.tally(sector, side)
                )
    assert len(database.sectors) == 4


@given(st.data())
def test_some_slots_are_read_as_the_table_has_them(solved, data):
    database = Database.open(solved)
    sector, side = data.draw(st.sampled_from(sorted(database.sectors)))
    table = database.read_table(sector, side)
    near_an_edge = st.integers(0, len(table) // BLOCK_SLOTS).flatmap(
        lambda block: st.integers(block * BLOCK_SLOTS - 2, block * BLOCK_SLOTS + 2)
    )
    slot = (st.integers(0, len(table) - 1) | near_an_edge).filter(lambda s: 0 <= s < len(table))
    slots = np.array(data.draw(st.lists(slot, max_size=50)), dtype=np.uint64)
    assert np.array_equal(database.read(sector, side, slots), table[slots])


def test_a_slot_that_there_is_not(solved):
    with pytest.raises(IndexError):
        Database.open(solved).read(*HALF, np.array([0, 10**9], dtype=np.uint64))


def test_a_subspace_that_there_is_not(solved):
    with pytest.raises(BadDatabase, match=r"9_9_0_0\.values"):
        Database.open(solved).read_table((9, 9, 0, 0), True)


@given(
    st_numpy.arrays(np.uint8, st.integers(1, 40), elements=st.integers(0, 255)),
)
def test_values_without_depth_are_packed_and_unpacked(values):
    values[values == 254] = 255
    packed = table_file.pack(values, has_depth=False)
    assert len(packed) == table_file.count_packed_bytes(len(values), has_depth=False)
    plain = table_file.unpack(packed, len(values), has_depth=False)
    assert np.array_equal(plain, np.where(values == 255, 255, values % 2))
    assert np.array_equal(plain, table_file.drop_depth(values))


def everything(folder):
    """Whatever can be read from a database."""
    database = Database.open(folder)
    halves = sorted(database.sectors)
    counts = [database.read_counts(*half) for half in halves]
    return halves, counts, [database.read_table(*half).tobytes() for half in halves]


def flips(data, seed, samples):
    """Places of a file to change: every one near the beginning, and many of the rest."""
    near = range(min(len(data), repeat(150, 1500)))
    return {*near, *random.Random(seed).sample(range(len(data)), min(len(data), samples))}


def test_a_changed_byte_of_a_table_is_found(copy):
    path = copy / FILE
    data = path.read_bytes()
    source = random.Random(2)
    for place in flips(data, 1, repeat(100, 1000)):
        changed = bytearray(data)
        changed[place] ^= source.randint(1, 255)
        path.write_bytes(changed)
        with pytest.raises(BadDatabase, match="3_3_0_0"):
            Database.open(copy).read_table(*HALF)
    path.write_bytes(data)
    everything(copy)


def test_a_damaged_block_is_named_and_spoils_no_other(copy):
    database = Database.open(copy)
    table = database.read_table(*HALF)
    path = copy / FILE
    data = bytearray(path.read_bytes())
    data[-10] ^= 1
    path.write_bytes(data)
    last = table_file.count_blocks(len(table)) - 1
    for slot in (0, BLOCK_SLOTS, len(table) - 1):
        slots = np.array([slot], dtype=np.uint64)
        if slot // BLOCK_SLOTS == last:
            with pytest.raises(BadDatabase, match=f"{path.name}' is damaged: block {last}"):
                database.read(*HALF, slots)
        else:
            assert database.read(*HALF, slots)[0] == table[slot]


def test_a_changed_byte_of_the_manifest_is_found(copy):
    path = copy / "ludus.json"
    data = path.read_bytes()
    source = random.Random(3)
    for place in range(len(data)):
        for change in (1, 2, source.randint(3, 255)):
            changed = bytearray(data)
            changed[place] ^= change
            path.write_bytes(changed)
            with pytest.raises(BadDatabase):
                Database.open(copy)


@pytest.mark.parametrize("name", [FILE, "ludus.json"])
def test_a_file_cut_short_or_grown_is_found(copy, name):
    path = copy / name
    data = path.read_bytes()
    for size in {0, 1, 19, 20, 21, *random.Random(4).sample(range(len(data)), 60), len(data) - 1}:
        path.write_bytes(data[:size])
        with pytest.raises(BadDatabase):
            everything(copy)
    path.write_bytes(data + b"\0")
    with pytest.raises(BadDatabase):
        everything(copy)


def test_a_file_cut_short_while_it_is_open_is_found(copy):
    database = Database.open(copy)
    database.read(*HALF, np.array([0], dtype=np.uint64))
    path = copy / FILE
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(BadDatabase, match="block 2"):
        database.read(*HALF, np.array([2 * BLOCK_SLOTS], dtype=np.uint64))


def test_files_do_not_stand_in_for_each_other(copy):
    shutil.copy(copy / "4_3_0_0.values", copy / "3_4_0_0.values")
    with pytest.raises(BadDatabase, match="another subspace"):
        everything(copy)


def test_a_file_of_other_rules_is_not_read(copy, tmp_path):
    solve_into(tmp_path / "lasker", PRESETS["lasker"], max_men=3)
    shutil.copy(tmp_path / "lasker" / FILE, copy / FILE)
    with pytest.raises(BadDatabase, match="another database"):
        Database.open(copy).read_table(*HALF)


def test_a_folder_of_other_rules_is_not_written_to(copy):
    before = contents(copy)
    with pytest.raises(BadDatabase, match="other rules: men=9, place_or_move=False"):
        solve_into(copy, PRESETS["lasker"], max_men=3)
    with pytest.raises(BadDatabase, match="with depth, not without it"):
        solve_into(copy, RULES, max_men=3, has_depth=False)
    assert contents(copy) == before


def test_another_version_is_refused_and_named(copy):
    manifest = json.loads((copy / "ludus.json").read_text())
    (copy / "ludus.json").write_text(json.dumps({**manifest, "version": 2}))
    with pytest.raises(BadDatabase, match="version 2"):
        Database.open(copy)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "[" * 9999,
        '{"version": [1]}',
        '{"version": 1, "rules": {}}',
        "\0",
        "²",
    ],
    ids=ascii,
)
def test_a_manifest_that_is_none(tmp_path, text):
    (tmp_path / "ludus.json").write_text(text)
    with pytest.raises(BadDatabase):
        Database.open(tmp_path)


@pytest.mark.parametrize("path", ["missing", "file", "file/below", "n\0l", "x" * 5000])
def test_a_folder_that_is_none(tmp_path, path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadDatabase):
        Database.open(tmp_path / path)


def test_other_files_in_the_folder_do_not_matter(copy):
    before = everything(copy)
    for name in ("notes.txt", "99_99_0_0.values", "3_3_0_0.values.old", "9_9_1_1.values"):
        (copy / name).write_text("mine")
    assert everything(copy) == before


def test_one_process_writes_at_a_time(copy):
    with (
        Database.open_for_writing(copy, RULES, True),
        pytest.raises(CannotWrite, match="another process"),
        Database.open_for_writing(copy, RULES, True),
    ):
        pass
    with Database.open_for_writing(copy, RULES, True):
        pass


@pytest.mark.parametrize("path", ["file", "file/below", "n\0l", "x" * 5000])
def test_a_folder_that_cannot_be_made(tmp_path, path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite), Database.open_for_writing(tmp_path / path, RULES, True):
        pass


def test_an_error_while_writing_leaves_nothing_behind(copy, monkeypatch):
    before = contents(copy)

    def fail(*_):
        raise OSError(28, "No space left on device")

    with Database.open_for_writing(copy, RULES, True) as database, ThreadPoolExecutor(1) as pool:
        values, tally = database.read_table(*HALF), database.read_counts(*HALF)
        monkeypatch.setattr("os.fsync", fail)
        with pytest.raises(CannotWrite, match=r"3_3_0_0\.values': No space left on device"):
            database.write(*HALF, values, replace(tally, win=0), pool)
    assert contents(copy) == before


def test_the_cache_keeps_to_its_size_and_forgets_the_oldest(solved, monkeypatch):
    database, reads = Database.open(solved, cache_bytes=3 * BLOCK_SLOTS), []
    read_block = TableFile.read_block

    def read(file, number):
        reads.append(number)
        return read_block(file, number)

    monkeypatch.setattr(TableFile, "read_block", read)
    values = database.read_table(*HALF)
    for number in (1, 2, 3, 1, 0, 1, 3, 2):
        slot = number * BLOCK_SLOTS + 5
        assert database.read(*HALF, np.array([slot], dtype=np.uint64)) == values[slot]
    assert reads == [1, 2, 3, 0, 2]


def test_a_database_without_cache_reads_the_same(solved):
    slots = np.arange(0, 200_000, 7, dtype=np.uint64)
    small, large = Database.open(solved, cache_bytes=0), Database.open(solved)
    assert np.array_equal(small.read(*HALF, slots), large.read(*HALF, slots))
