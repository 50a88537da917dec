"""Every command with odd values and files: one line and status 2, or it does its work.

Files that were there are as before, and a command that refuses leaves none behind.
"""

import io
import os
import random
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ludus.learn import LEARNERS
from support.command_line import list_commands
from support.repetition import repeat

LONG = {
    *("play", "serve nnmm", "engine", "bench", "reproduce", "solve"),
    *("tune patterns", "train patterns", "tune nnmm", "certify scholar"),
}
"""Commands that may run for long; they also get an option that is refused in any case."""

SMALL = {
    "train menace": "--games 2",
    "train her": "--games 2",
    "train qlearning": "--games 2",
    "train deepq": "--games 2",
    "train gammon": "--hidden 0 --cycles 1 --positions 2 --games 1",
    "train gammon-selfplay": "--td-rounds 0 --lookahead-rounds 0 --games 1 --batch 4 --hidden 1",
    "train gammon-expert": "--groups 1 --steps 0 --games 1 --batch 4 --hidden 1",
    "train scholar": "--kind chain --size tiny --minutes 0.01",
    "train nnmm": "--preset quick --seconds-per-network 0.1",
}
"""Options of trainings that end soon; odd values of the same options come later and count."""

TEXTS = (
    *("", "x", "-1", "0", "1", "1.5", "²", "nan", "-inf", "1e999", "9" * 30, "x" * 2000, "%s%n"),
    *("a\nb", "\u202e", "x:y=z", "x=", "=", ",", "..", "~", "{}", "[1", "hexapawn", "backgammon"),
    *("noughts_and_crosses:size=99", "random", "perfect:draws=x", "start", "BBB/.../WWW w", "*"),
)
FILES = ("empty", "junk.bin", "text.txt", "list.json", "folder", "missing", "missing/file")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/proc/self/mem", "/")


def write_files(folder: Path) -> None:
    """Write the files of FILES, as far as they exist, into the current folder of the commands."""
    (folder / "empty").touch()
    (folder / "junk.bin").write_bytes(random.Random(1).randbytes(3000))
    (folder / "text.txt").write_text("some words\nand more\n")
    (folder / "list.json").write_text("[[1]]")
    (folder / "folder").mkdir()


def make_arguments(name: str, command: Any, source: random.Random) -> list[str]:
    """Return arguments of a command: odd values for those it needs, and some options."""
    words = [*name.split(), *SMALL.get(name, "").split()]
    parameters = [each for each in command.params if each.name != "help"]
    options = [each for each in parameters if each.param_type_name == "option"]
    arguments = [each for each in parameters if each.param_type_name == "argument"]
    given = [each for each in arguments if each.required or source.random() < 0.5]
    words += [_odd_value(source) for _ in given]
    needed = [each for each in options if each.required]
    others = source.sample(options, min(len(options), source.randrange(4)))
    for option in {id(each): each for each in (*needed, *others)}.values():
        words.append(source.choice(option.opts))
        if not option.is_flag:
            value = _odd_value(source)
            # Curves may be written into any folder, and these tests may run as root.
            words.append("folder" if "--log" in option.opts and value == "/" else value)
    if name in LONG:
        words.append("--no-such-option")
    return words


def _odd_value(source: random.Random) -> str:
    return source.choice(source.choice((TEXTS, FILES, DEVICES)))


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
    assert len(COMMANDS) > 45
