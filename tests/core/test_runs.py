"""The list of running trainings, tournaments and solves."""

import json
import os
import subprocess
import sys

import pytest

from ludus.core.files import data_folder
from ludus.core.runs import Run, announce_run, list_runs


@pytest.fixture(autouse=True)
def data_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def test_a_run_is_listed_while_it_lasts(tmp_path, monkeypatch):
    monkeypatch.setattr("ludus.core.runs.UPDATE_SECONDS", 0.0)
    assert list_runs() == []
    with announce_run("training", "menace", tmp_path / "curves") as run:
        run.update(3, 10)
        [found] = list_runs()
        assert found == Run("training", "menace", found.began, str(tmp_path / "curves"), "", 3, 10)
        with announce_run("solve", "later"):
            assert [each.title for each in list_runs()] == ["later", "menace"]
    assert list_runs() == []
    assert list((tmp_path / "ludus" / "runs").iterdir()) == []


def test_a_killed_run_disappears():
    script = """
from ludus.core.runs import announce_run
import os, signal
with announce_run("solve", "killed"):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", script], env=os.environ, check=False, timeout=60)
    folder = data_folder() / "runs"
    assert [file.suffix for file in sorted(folder.iterdir())] == [".json", ".lock"]
    assert list_runs() == []
    assert list(folder.iterdir()) == []


def test_a_run_goes_on_where_nothing_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    (tmp_path / "file").write_text("no folder")
    with announce_run("training", "menace") as run:
        run.update(1, 2)
        assert list_runs() == []


def test_damaged_files_are_skipped(tmp_path):
    with announce_run("training", "menace"):
        [file] = (tmp_path / "ludus" / "runs").glob("*.json")
        odd = {"kind": "training", "title": "menace", "began": "now"}
        for text in ("", "[1]", '{"kind": 1}', json.dumps(odd), json.dumps(odd | {"began": [1]})):
            file.write_text(text)
            assert list_runs() == []
