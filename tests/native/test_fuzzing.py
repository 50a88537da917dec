"""Hostile strings and values, in processes watched by the address and undefined-behaviour
sanitizers. The compiler that built the package builds the sanitized modules, so nothing is left
out where they cannot be built: that is a failure.
"""

import json

import pytest

from fuzzing import sanitized

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]
"""The first test builds the modules, which takes minutes on a busy machine."""

SHARDS = 2
"""Long work is shared by processes, so that it can use two cores."""

FEW, MANY, VERY_MANY = 30_000, 120_000, 2_500_000
"""Numbers of strings, from a quick look to a long search."""


@pytest.fixture(scope="session")
def modules():
    """The folder with the sanitized modules."""
    return sanitized.build()


def report_of(done):
    assert done.returncode == 0, done.stderr[-6000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("mistake", "argument", "complaint"),
    [
        ("reads_past_the_end", 4, "heap-buffer-overflow"),
        ("adds_too_much", 1, "signed integer overflow"),
        ("leaves_an_array", 4, "Assertion '__n < this->size()' failed"),
    ],
)
def test_mistakes_are_seen(modules, mistake, argument, complaint):
    done = sanitized.run("process", modules, "canary", mistake, argument)
    assert done.returncode != 0
    assert complaint in done.stderr


def test_what_is_no_mistake_passes(modules):
    done = sanitized.run("process", modules, "canary", "leaves_an_array", 3)
    assert (done.returncode, done.stdout.strip()) == (0, "4"), done.stderr


def feed(modules, seed, strings, folder):
    """How many strings of which kind went to which parser, and how many were accepted."""
    last = folder / "last.txt"
    done = sanitized.run("process", modules, "parsers", seed, strings, last, timeout=7200)
    assert done.returncode == 0, f"{done.stderr[-6000:]}\nthe last string was {last.read_text()}"
    report = json.loads(done.stdout)
    bindings = (sanitized.ROOT / "native" / "bind").glob("*.cpp")
    assert sorted(report["modules"]) == sorted(file.stem for file in bindings)
    hostile = sum(report["kinds"].values()) - report["kinds"]["odd"]
    assert sum(report["fed"].values()) >= strings
    # The others are well formed: a part of what parsers of positions get.
    assert hostile >= strings * 0.8
    return report


def feed_every_parser(modules, seed, strings, folder):
    """Every parser gets its share of every kind, and some strings get past every parser."""
    report = feed(modules, seed, strings, folder)
    assert min(report["fed"].values()) > strings / 300
    assert min(report["kinds"].values()) > strings / 300
    accepted = {name for name, count in report["accepted"].items() if count > strings / 5000}
    unsure = {name for name in report["fed"] if name.startswith("move of")}
    assert accepted | unsure == report["fed"].keys()
    assert sum(report["accepted"][name] for name in unsure) > strings / 1000


def test_hostile_strings(modules, tmp_path):
    feed_every_parser(modules, 0, FEW, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_many_hostile_strings(modules, shard, tmp_path):
    feed_every_parser(modules, 10 + shard, MANY // SHARDS, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_two_million_hostile_strings(modules, shard, tmp_path):
    feed(modules, 1000 + shard, VERY_MANY // SHARDS, tmp_path)


@pytest.mark.parametrize(
    ("game", "calls"),
    [
        ("morris", 8000),
        ("backgammon", 8000),
        ("search", 2500),
        ("patterns", 8000),
        ("sampling", 4000),
        ("equities", 3000),
        ("environments", 1500),
        ("chances", 3000),
        ("gammon", 3000),
    ],
)
def test_hostile_values(modules, game, calls):
    """Native code, called directly, refuses what it cannot use and uses the rest."""
    report = report_of(sanitized.run("process", modules, "values", game, 1, calls))
    names = {key.partition(" ")[0] for key in report}
    for name in names - {"use_types", "Endgames"}:  # what is asked for once takes no part in it
        assert report[f"{name} done"] > calls / 50
    for name in names:
        assert report[f"{name} refused"] > 100


def test_hostile_values_of_the_solvers(modules):
    """Most sectors have lost sides or need others, so that few are solved."""
    report = report_of(sanitized.run("process", modules, "values", "solver", 1, 4000))
    for key in ("solve done", "verify done", "load done"):
        assert report[key] > 0
    for key in ("shape done", "rank done", "unrank done", "solve refused", "load refused"):
        assert report[key] > 100


def scenario(modules, name, *calls):
    return report_of(sanitized.run("process", modules, "scenario", name, *calls))


def test_solvers_in_several_threads(modules):
    report = scenario(modules, "solvers_in_threads", 4)
    assert report["solved"] == 8


def test_more_threads_than_any_machine_has(modules):
    report = scenario(modules, "many_threads", 2**21)
    assert set(report.values()) == {2**21}


def test_positions_with_a_common_past_in_several_threads(modules):
    report = scenario(modules, "shared_history", 1000)
    assert report["played"] > 0


def test_finalizers_may_ask_for_moves(modules):
    report = scenario(modules, "moves_while_collecting", 2000)
    assert report["asked"] > 100


def test_modules_that_were_not_prepared(modules):
    report = report_of(sanitized.run("process", modules, "unprepared"))
    assert report["refused"] == 4
