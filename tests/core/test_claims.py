"""Claims in a shared folder: one owner each, and none survives its owner."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ludus.core import claims as module
from ludus.core.claims import ClaimFolder


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    times = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: times[0])
    return times


def test_one_of_many_gets_a_claim(tmp_path):
    folders = [ClaimFolder(tmp_path / "claims") for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        for name in ("a", "b", "c"):
            assert sum(threads.map(lambda each, name=name: each.acquire(name), folders)) == 1
    for each in folders:
        each.__exit__()
    assert not (tmp_path / "claims").exists()


def test_a_released_claim_is_free_and_another_ones_is_not_released(tmp_path):
    with ClaimFolder(tmp_path / "claims") as one, ClaimFolder(tmp_path / "claims") as other:
        assert one.acquire("a")
        other.release("a")
        assert not other.acquire("a")
        one.release("a")
        assert other.acquire("a")


def write_claim(folder, owner):
    folder.mkdir(exist_ok=True)
    path = folder / "a.claim"
    path.write_text(owner)
    return path


def test_a_claim_of_a_dead_process_of_this_machine_is_void_at_once(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    write_claim(tmp_path / "claims", f"{os.uname().nodename} {gone.pid} token")
    with ClaimFolder(tmp_path / "claims") as claims:
        assert claims.acquire("a")


def test_a_claim_of_another_machine_is_void_when_nobody_touches_it(tmp_path, clock):
    path = write_claim(tmp_path / "claims", "elsewhere 1 token")
    with ClaimFolder(tmp_path / "claims", expiry_seconds=60) as claims:
        assert not claims.acquire("a")
        clock[0] = 59
        assert not claims.acquire("a")
        os.utime(path, ns=(1, 1))  # its owner is alive, whatever its clock says
        clock[0] = 90
        assert not claims.acquire("a")
        clock[0] = 149
        assert not claims.acquire("a")
        clock[0] = 151
        assert claims.acquire("a")
        assert path.read_text().startswith(os.uname().nodename)


def test_a_new_claim_is_not_mistaken_for_the_void_one(tmp_path, clock, monkeypatch):
    """A quicker process takes the claim over between looking and renaming."""
    path = write_claim(tmp_path / "claims", "elsewhere 1 token")
    with ClaimFolder(tmp_path / "claims", expiry_seconds=60) as claims:
        assert not claims.acquire("a")
        clock[0] = 61
        rename = Path.rename

        def lose_then_rename(place, target):
            path.write_text("quicker 2 token")
            return rename(place, target)

        monkeypatch.setattr(Path, "rename", lose_then_rename)
        assert not claims.acquire("a")
        assert path.read_text() == "quicker 2 token"
