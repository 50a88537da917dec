"""A solve that ends before its end: killed, stopped, or out of disk."""

import json
import resource
import signal
import subprocess
import sys

import pytest

from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.morris.database import Database
from support.repetition import repeat
from support.solved_games import contents, solve_into, solved_copy
from support.waiting import PATIENCE, wait_until

RULES = Rules(men=4, place_or_move=True)
COMMAND = (sys.executable, "-m", "ludus.cli", "solve", "nine_mens_morris")
GAME = ("--rules", "men=4,place_or_move=yes")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return contents(solved_copy(tmp_path_factory.mktemp("undisturbed"), RULES))


def begin(folder, **options):
    return subprocess.Popen(
        [*COMMAND, *GAME, "--json", "--out", folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def wait_for_files(folder, count, running):
    """Wait until this number of files exists, complete or temporary, or the process has ended."""
    wait_until(
        lambda: (
            running.poll() is not None or (folder.exists() and len(list(folder.iterdir())) >= count)
        ),
        f"{count} files are there",
        pause=0.001,
    )


def whole_files_are_right(folder, undisturbed):
    """Check that files with final names are complete, and that at most one file is temporary."""
    found = contents(folder)
    whole = {name: data for name, data in found.items() if not name.startswith(".")}
    assert whole.items() <= undisturbed.items()
    assert len(found) - len(whole) <= 1


def kill_many_times(folder, kills, undisturbed):
    """Kill at moments spread over the whole solve; what was done before is never lost."""
    num_killed = 0
    for number in range(kills):
        with begin(folder) as running:
            wait_for_files(folder, 1 + number * len(undisturbed) // kills, running)
            running.send_signal(signal.SIGKILL)
        num_killed += running.returncode == -signal.SIGKILL
        whole_files_are_right(folder, undisturbed)
    # On a busy machine one may have ended before it was killed.
    assert num_killed >= kills * 2 / 3 or kills == 1
    with begin(folder) as running:
        _, complaint = running.communicate(timeout=PATIENCE)
    assert (running.returncode, complaint) == (0, b"")
    assert contents(folder) == undisturbed


def test_a_killed_solve_goes_on_to_the_same_bytes(tmp_path, undisturbed):
    kill_many_times(tmp_path / "killed", repeat(1, 6), undisturbed)


@pytest.mark.slow
def test_twenty_times_killed_and_still_the_same_bytes(tmp_path, undisturbed):
    kill_many_times(tmp_path / "killed", 20, undisturbed)


def test_an_interrupt_ends_quietly_and_leaves_whole_files(tmp_path, undisturbed):
    folder = tmp_path / "stopped"
    with begin(folder) as running:
        wait_for_files(folder, 5, running)
        running.send_signal(signal.SIGINT)
        _, complaint = running.communicate(timeout=PATIENCE)
    assert (running.returncode, complaint) == (130, b"")
    found = contents(folder)
    assert found.items() <= undisturbed.items()
    solve_into(folder, RULES)
    assert contents(folder) == undisturbed


def test_an_interrupt_stops_a_long_sector_at_once(tmp_path):
    """The last sectors take seconds each; nobody waits for them."""
    with begin_moving(tmp_path / "stopped", "6") as running:
        wait_for_files(tmp_path / "stopped", 7, running)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert not (tmp_path / "stopped" / "6_6_0_0.values").exists()


def begin_moving(folder, max_men):
    return subprocess.Popen(
        [*COMMAND, "--max-men", max_men, "--out", folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_a_full_disk_is_a_clear_error_and_no_half_file(tmp_path, undisturbed):
    """The system lets no file grow beyond a limit, which is how a full disk shows too."""
    folder = tmp_path / "full"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    with begin(folder, preexec_fn=limit) as running:
        output, complaint = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    assert json.loads(output)["type"] == "CannotWrite"
    assert complaint.count(b"\n") == 1
    assert complaint.startswith(b"ludus: cannot write ")
    assert b"File too large" in complaint
    found = contents(folder)
    assert found.items() <= undisturbed.items()
    assert 0 < len(found) < len(undisturbed)
    solve_into(folder, RULES)
    assert contents(folder) == undisturbed


def test_a_sector_of_which_one_half_was_written_is_finished(tmp_path, undisturbed):
    solved_copy(tmp_path, RULES)
    (tmp_path / "3_4_0_0.values").unlink()
    database = Database.open(tmp_path)
    assert not database.has((4, 3, 0, 0))
    assert ((4, 3, 0, 0), True) in database.sectors
    assert solve_into(tmp_path, RULES).num_resumed == len(undisturbed) - 1 - 2
    assert contents(tmp_path) == undisturbed
