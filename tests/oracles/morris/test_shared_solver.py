"""Several processes solve one game into one folder: no sector twice, and the same files."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from ludus.cli.main import run
from ludus.core.errors import CannotWrite
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.sectors import all_sectors
from ludus.oracles.morris.solver import CLAIMS_NAME, SharedSolveRun, SolveRun, make_solver
from support.waiting import wait_until

RULES = Rules(men=4)
SECTORS = all_sectors(RULES)


def read_files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The files and the result of one process."""
    folder = tmp_path_factory.mktemp("alone")
    with Database.open_for_writing(folder, RULES, True) as database:
        result = SolveRun(RULES, SECTORS, make_solver(RULES), database).run()
    return read_files(folder), result


def make_run(database):
    return SharedSolveRun(RULES, SECTORS, make_solver(RULES), database)


def test_two_workers_solve_every_sector_once_and_write_the_same_files(alone, tmp_path):
    def work(database):
        run = make_run(database)
        return run.run(), run.num_solved

    def share():
        return Database.open_for_writing(tmp_path, RULES, True, is_shared=True)

    with share() as first, share() as second, ThreadPoolExecutor(2) as threads:
        (one, num_one), (other, num_other) = threads.map(work, (first, second))
    assert num_one + num_other == len(SECTORS)
    assert one.counts == other.counts == alone[1].counts
    assert one.root == other.root == alone[1].root
    assert read_files(tmp_path) == alone[0]
    assert not (tmp_path / CLAIMS_NAME).exists()


def test_the_claim_of_a_killed_worker_does_not_stop_the_others(alone, tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / CLAIMS_NAME).mkdir()
    claim = tmp_path / CLAIMS_NAME / "4_3_0_0.claim"
    claim.write_text(f"{os.uname().nodename} {gone.pid} token")
    with Database.open_for_writing(tmp_path, RULES, True, is_shared=True) as database:
        run = make_run(database)
        assert run.run().counts == alone[1].counts
    assert run.num_solved == len(SECTORS)
    assert read_files(tmp_path) == alone[0]


def test_those_who_share_and_those_who_do_not_exclude_each_other(tmp_path):
    with (
        Database.open_for_writing(tmp_path, RULES, True, is_shared=True),
        pytest.raises(CannotWrite, match="another process is writing into"),
        Database.open_for_writing(tmp_path, RULES, True),
    ):
        pass


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced_by_the_others(tmp_path):
    """As people run it: processes of the command, one killed while it solves, another resumed."""
    words = ["-m", "ludus.cli", "solve", "nine_mens_morris", "--max-men", "5", "--threads", "1"]

    def start(folder, *options):
        return subprocess.Popen(
            [sys.executable, *words, "--out", str(folder), "--json", *options],
            stdout=subprocess.PIPE,
            text=True,
        )

    whole, shared = tmp_path / "whole", tmp_path / "shared"
    victim = start(shared, "--shared")
    claims = shared / CLAIMS_NAME
    is_at_work = lambda: list(claims.glob("5_4*.claim"))  # noqa: E731 - one of the large sectors
    wait_until(is_at_work, "it works on a large sector", victim, 0.01)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    assert list(claims.glob("5_4*.claim")), "it was killed before it could finish"
    results = [each.communicate()[0] for each in [start(shared, "--shared") for _ in range(2)]]
    found = [json.loads(each) for each in results]
    expected = json.loads(start(whole).communicate()[0])
    assert all(each["subspaces"] == expected["subspaces"] for each in found)
    assert sum(each["solved_here"] for each in found) >= 2
    assert read_files(shared) == read_files(whole)


@pytest.mark.parametrize("shared", [["--shared"], []])
def test_a_damaged_table_is_named_and_solved_again_once_it_is_deleted(tmp_path, capsys, shared):
    command = ["solve", "nine_mens_morris", "--max-men", "3", "--out", str(tmp_path), *shared]
    assert run([*command, "--json"]) == 0
    (table,) = tmp_path.glob("*.values")
    whole = table.read_bytes()
    middle = len(whole) // 2
    changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    for content in (b"", whole[:1000], changed):
        table.write_bytes(content)
        capsys.readouterr()
        assert run(command) == 2
        message = capsys.readouterr().err
        assert message.startswith(f"ludus: {str(table)!r} ")
        assert message.endswith(
            "; delete this file, and the same command solves its positions again\n"
        )
    table.unlink()
    assert run(command) == 0
    assert table.read_bytes() == whole


def test_a_damaged_manifest_is_written_again_once_it_is_deleted(tmp_path, capsys):
    command = ["solve", "nine_mens_morris", "--max-men", "3", "--out", str(tmp_path), "--json"]
    assert run(command) == 0
    manifest = tmp_path / "ludus.json"
    whole = manifest.read_bytes()
    for content in (b"{}", whole.replace(b"true", b"tru"), whole.replace(b"9", b"8")):
        manifest.write_bytes(content)
        assert run(command) == 2
        message = "is damaged; delete this file, and the `ludus solve` that made the folder writes"
        assert message in capsys.readouterr().err
    manifest.unlink()
    assert run(command) == 0
    assert manifest.read_bytes() == whole
    assert json.loads(capsys.readouterr().out)["resumed"] == 1
