"""The endings that are solved at first need, and the folder in which they are kept."""

import json
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import ludus
from ludus.core.files import cache_folder, data_folder, lock_folder
from ludus.oracles import Value
from ludus.oracles import oracle as find_oracle
from ludus.oracles.morris import endgames as module
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.endgames import EndgameTables
from ludus.oracles.morris.oracle import MorrisOracle
from support.morris import derived, random_positions
from support.waiting import PATIENCE

RULES = ludus.game("nine_mens_morris").rules
WON = "W.W/W../.../...BBB/.../.../... w 0 0"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def no_solver(monkeypatch):
    """Make every later attempt to solve anything fail."""

    def fail(*_, **__):
        raise AssertionError("it was to be read, not solved")

    return lambda: monkeypatch.setattr(module.native, "Solver", fail)


def answer(tables, text=WON):
    return MorrisOracle(tables, "here").value(ludus.game("nine_mens_morris").parse(text))


@pytest.fixture(scope="module")
def solved_cache(tmp_path_factory):
    """A cache that holds the endings of the standard rules."""
    folder = tmp_path_factory.mktemp("solved")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_CACHE", str(folder))
        answer(EndgameTables(RULES))
    return folder


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_nothing_is_solved_before_it_is_needed(cache, no_solver):
    no_solver()
    tables = EndgameTables(RULES)
    oracle = MorrisOracle(tables, "here")
    game = ludus.game("nine_mens_morris")
    assert oracle.coverage == "up to 4 men a side"
    assert oracle.has_value(game.parse(WON))
    assert not oracle.has_value(game.start())
    assert not cache.exists()
    with pytest.raises(AssertionError, match="not solved"):
        answer(tables)


def test_they_are_solved_once_and_then_read(cache, no_solver):
    first = EndgameTables(RULES)
    assert answer(first) == Value("win", 1)
    names = sorted(contents(first.folder))
    assert names == [f"{pair}_0_0.values" for pair in ("3_3", "3_4", "4_3", "4_4")] + ["ludus.json"]
    assert first.folder.is_relative_to(cache)
    no_solver()
    second = EndgameTables(RULES)
    assert answer(second) == Value("win", 1)
    for half in first.sectors:
        assert np.array_equal(first._tables[half], second._tables[half])


def test_rules_that_differ_have_a_folder_each_and_repetition_makes_none(cache):
    folders = {
        EndgameTables(ludus.game("nine_mens_morris", rules).rules).folder
        for rules in ("standard", "repetition=3", "flying=no", "diagonals=yes")
    }
    assert len(folders) == 3


def test_few_men(cache):
    rules = ludus.game("nine_mens_morris", "men=3").rules
    assert EndgameTables(rules).sectors == {((3, 3, 0, 0), True)}


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        *[("ludus.json", "flip"), ("4_4_0_0.values", "cut"), ("3_4_0_0.values", "remove")],
        *[
            pytest.param(*each, marks=pytest.mark.slow)
            for each in [
                *[("ludus.json", "cut"), ("ludus.json", "remove"), ("4_4_0_0.values", "flip")],
                *[("4_4_0_0.values", "remove"), ("3_4_0_0.values", "flip")],
                ("3_4_0_0.values", "cut"),
            ]
        ],
    ],
)
def test_a_damaged_cache_is_solved_again_and_mended(cache, solved_cache, name, damage):
    shutil.copytree(solved_cache, cache)
    tables = EndgameTables(RULES)
    whole = contents(tables.folder)
    path = tables.folder / name
    data = bytearray(whole[name])
    if damage == "flip":
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    elif damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    else:
        path.unlink()
    assert answer(EndgameTables(RULES)) == Value("win", 1)
    assert contents(tables.folder) == whole


def test_a_database_of_other_rules_in_its_place_is_not_believed(cache):
    tables = EndgameTables(RULES)
    other = ludus.game("nine_mens_morris", "flying=no,repetition=0").rules
    with Database.open_for_writing(tables.folder, other, has_depth=True):
        pass
    assert answer(tables) == Value("win", 1)
    assert Database.open(tables.folder).rules == tables.rules


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("mine")
    monkeypatch.setenv("LUDUS_CACHE", str(file))
    assert answer(EndgameTables(RULES)) == Value("win", 1)
    assert file.read_text() == "mine"


def test_a_cache_that_somebody_else_writes_is_done_without(cache):
    tables = EndgameTables(RULES)
    with lock_folder(tables.folder):
        assert answer(tables) == Value("win", 1)
        assert contents(tables.folder) == {}


def test_processes_may_begin_at_once(cache):
    """Several first uses at the same time: all answer, and what they leave is whole."""
    command = [sys.executable, "-m", "ludus.cli", "value", "nine_mens_morris", WON, "--json"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    result = [json.loads(process.communicate(timeout=PATIENCE)[0]) for process in running]
    assert [(each["value"], each["depth"]) for each in result] == [("win", 1)] * 3
    tables = EndgameTables(RULES)
    assert tables._load() is not None
    assert not list(tables.folder.glob(".*"))


def test_threads_may_ask_at_once(cache):
    tables, found = EndgameTables(RULES), []
    threads = [threading.Thread(target=lambda: found.append(answer(tables))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [Value("win", 1)] * 4


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("LUDUS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "ludus"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "ludus"
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert data_folder() == tmp_path / ".local" / "share" / "ludus"


def test_a_user_without_a_home(monkeypatch):
    for variable in ("LUDUS_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert cache_folder() is data_folder() is None
    assert answer(EndgameTables(RULES)) == Value("win", 1)
    assert find_oracle(ludus.game("nine_mens_morris")).source == "the built-in endings"


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["lasker", "morabaraba"])
def test_other_games_of_the_family_have_endings_too(preset):
    oracle = find_oracle(ludus.game("nine_mens_morris", preset))
    for position in random_positions(preset, 8, engine="python"):
        assert oracle.value(position) == derived(oracle, position), position
