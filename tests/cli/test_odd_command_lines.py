"""Every command with odd values and files: one line and status 2, or it does its work.

Files that were there are as before, and a command that refuses leaves none behind.
"""

import io
import os
import random
import shutil
import sys
from collections import Counter

import pytest

from ludus.learn import LEARNERS
from support.command_line import list_commands
from support.fuzzing.command_lines import make_arguments, write_files
from support.repetition import repeat

COMMANDS = list_commands()


def read_folder(folder):
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.filterwarnings("ignore:examples are endings alone")
@pytest.mark.parametrize("name", COMMANDS)
def test_odd_values(ludus, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    write_files(tmp_path)
    before = read_folder(tmp_path)
    statuses = Counter()
    for number in range(repeat(2, 60)):
        arguments = make_arguments(name, COMMANDS[name], random.Random(f"{number} {name}"))
        result = ludus(*arguments)
        statuses[result.status] += 1
        after = read_folder(tmp_path)
        if result.status == 0 and "--force" not in arguments:
            assert {path: after.get(path) for path in before} == before, arguments
        if result.status != 2:
            shutil.rmtree(tmp_path)
            tmp_path.mkdir()
            os.chdir(tmp_path)
            write_files(tmp_path)
            continue
        assert after == before, arguments
        *notes, line = result.err.splitlines()
        assert line.startswith("ludus: "), (arguments, result.err)
        assert all(each.startswith("ludus: note: ") for each in notes), (arguments, result.err)
        assert len(line) < 500
        assert line.isprintable()
    assert statuses.keys() <= {0, 1, 2}


def test_no_command_is_left_out():
    assert {"match", "dataset label", "certify scholar", "play"} <= COMMANDS.keys()
    assert {f"train {name}" for name in LEARNERS} <= COMMANDS.keys()
    assert len(COMMANDS) > 50
