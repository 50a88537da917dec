"""Verifying a database: every byte, every value, every count."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ludus._native.solver import Solver
from ludus.games.nine_mens_morris.batch import DRAW
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.database import Database, ValueCounts
from ludus.oracles.morris.verification import VerificationRun
from support.repetition import repeat
from support.solved_games import solve_into, solved_copy


@pytest.mark.parametrize("has_depth", [True, False])
def test_verify_finds_nothing_wrong(tmp_path, has_depth):
    rules = Rules(men=4)
    solved_copy(tmp_path, rules, has_depth)
    found = VerificationRun(Database.open(tmp_path), Solver(rules, 2), 2).run()
    assert found.is_valid
    assert found.num_subspaces == len(solve_into(tmp_path, rules, has_depth=has_depth).counts)


@pytest.mark.parametrize(
    ("men", "has_depth", "sector"),
    [
        *((3, True, (3, 3, 0, 0)), (4, False, (4, 4, 0, 0)), (3, True, (2, 2, 1, 1))),
        *((4, True, (3, 3, 0, 0)), (4, True, (4, 4, 0, 0)), (4, True, (3, 3, 1, 1))),
        *((4, False, (3, 3, 0, 0)), (4, False, (3, 3, 1, 1))),
    ][: repeat(3, 8)],
)
def test_verify_finds_one_wrong_value(tmp_path, men, has_depth, sector):
    rules = Rules(men=men)
    solved_copy(tmp_path, rules, has_depth)
    with Database.open_for_writing(tmp_path, rules, has_depth) as database:
        values = database.read_table(sector, True)
        tally = database.read_counts(sector, True)
        slot = int(np.flatnonzero(values == DRAW)[0])
        values[slot] = 1
        with ThreadPoolExecutor(1) as pool:
            database.write(sector, True, values, tally, pool)
    found = VerificationRun(Database.open(tmp_path), Solver(rules, 2), 2).run()
    assert not found.is_valid
    assert found.num_wrong >= 1
    name = "_".join(map(str, sector))
    assert found.problems == [f"{name} has other counts than its file says"]


def test_verify_names_what_is_missing(tmp_path):
    rules = Rules(men=4)
    solved_copy(tmp_path, rules)
    (tmp_path / "3_4_0_0.values").unlink()
    found = VerificationRun(Database.open(tmp_path), Solver(rules), 1).run()
    assert "4_4_0_0 needs 4_3_0_0, which is missing" in found.problems
    assert not found.is_valid


def test_verify_names_what_is_damaged(tmp_path):
    rules = Rules(men=4)
    solved_copy(tmp_path, rules)
    path = tmp_path / "3_4_0_0.values"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    found = VerificationRun(Database.open(tmp_path), Solver(rules), 1).run()
    assert len(found.problems) == 1
    assert "3_4_0_0.values' is damaged: block" in found.problems[0]


def test_verify_names_files_that_are_no_part_of_the_game(tmp_path):
    """A table, checksums and all, of positions in which a side has lost already."""
    rules = Rules(men=4)
    solved_copy(tmp_path, rules)
    tally = ValueCounts(win=0, loss=0, draw=1, max_win=0, max_loss=0)
    with (
        Database.open_for_writing(tmp_path, rules, has_depth=True) as database,
        ThreadPoolExecutor(1) as pool,
    ):
        database.write((0, 0, 1, 1), True, np.array([DRAW], np.uint8), tally, pool)
    found = VerificationRun(Database.open(tmp_path), Solver(rules), 1).run()
    assert found.problems == ["0_0_1_1 is not a part of this game"]
