"""The experiments on scholars, small: endings of four men a side, networks that know nothing."""

import importlib
import json
import random
import re
import shutil

import numpy as np
import pytest

from ludus.cli.main import run
from ludus.core.errors import LudusError
from ludus.datasets import read_dataset
from ludus.games.nine_mens_morris import to_thesis, to_thesis_move
from ludus.games.nine_mens_morris.batch import moves_to_points, pack_moves
from ludus.learn.scholar.examples import OracleExampleSource
from ludus.oracles import oracle as find_oracle
from ludus.reproduce import find_experiment
from support.paths import EXPERIMENTS
from support.scholar import GAME, saved

SIZES = {"positions": 150, "games": 2, "moves": 5, "shown": 2}
GAMES = 24
"""Drawn positions that games begin with."""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A folder with data like the author's, the experiments in a small size, and networks."""
    folder = tmp_path_factory.mktemp("scholar")
    for name in ("scholar", "galassi"):
        leave = shutil.ignore_patterns("trainings", "results")
        shutil.copytree(EXPERIMENTS / name, folder / "experiments" / name, ignore=leave)
    for file in (folder / "experiments/scholar").glob("*.toml"):
        text = file.read_text()
        for name, value in SIZES.items():
            text = re.sub(rf"^{name} = \d+$", f"{name} = {value}", text, flags=re.MULTILINE)
        if file.stem == "games":
            text = text.replace("positions = 150", f"positions = {GAMES}")
        file.write_text(text)
    (folder / "data").mkdir()
    drawn = OracleExampleSource(find_oracle(GAME)).sample_positions(200, 5)
    positions = drawn.to_positions(GAME)
    source = random.Random(3)
    lines = [
        f"{to_thesis(position)}-{to_thesis_move(source.choice(position.legal_moves()))}"
        for position in positions
    ]
    (folder / "data/dataset.txt").write_text("\n".join(lines) + "\n")
    (folder / "data/states.txt").write_text("\n".join(map(to_thesis, positions[::2])) + "\n")
    for kind in ("scorer", "chain"):
        saved(folder, kind)
    return folder


def module(folder, name):
    package = find_experiment("scholar-kept", folder / "experiments").module().__package__
    return importlib.import_module(f"{package}.{name}")


@pytest.fixture
def reproduced(small, monkeypatch, capsys):
    """Runs an experiment and reads what comes out."""
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(small / "data"))

    def reproduce(identity, *players):
        specs = ";".join(each.replace("FOLDER", str(small)) for each in players)
        monkeypatch.setenv("LUDUS_SCHOLAR_PLAYERS", specs)
        command = ["reproduce", identity, "--size", "quick", "--out", str(small / "out")]
        options = ["--experiments", str(small / "experiments"), "--jobs", "1", "--json"]
        assert run([*command, *options]) == 0
        return json.loads(capsys.readouterr().out)

    return reproduce


def rows_of(result):
    return {row["name"]: row for row in result["rows"]}


def tables_of(result):
    return {table["name"]: table for table in result["tables"]}


SCORER = "scholar:weights=FOLDER/scorer.safetensors"


def test_what_players_keep(reproduced):
    result = reproduced("scholar-kept", SCORER, "perfect", "random")
    rows, tables = rows_of(result), tables_of(result)
    assert rows["perfect: dataset"]["ours"] == rows["perfect: states"]["ours"] == 100
    chance, drawn = rows["any legal move: dataset"], rows["random: dataset"]
    assert drawn["interval"][0] < chance["ours"] < drawn["interval"][1]
    assert "the dataset's moves: dataset" in rows
    assert "the dataset's moves: states" not in rows, "states have no moves"
    given = {row[0]: row[1:] for row in tables["What is given away, dataset"]["rows"]}
    assert given["perfect"] == [0, 0, 0, 0, 100, 0]
    assert given["random"][0] > 0.1
    name = "scholar:weights=scorer.safetensors"
    errors = tables[f"Errors of {name}, dataset"]["rows"]
    assert errors
    for position, played, right, utility, becomes in errors:
        here = GAME.parse(position)
        found = find_oracle(GAME).verdict(here)
        assert found.cost(GAME.parse_move(played, here)) > 0
        assert set(right.split(" and ")[0].split(", ")) <= set(map(str, found.best))
        assert (utility, becomes) != ("draw", "win")
    share = rows[f"{name}: dataset"]
    where = tables[f"Where {name} errs, dataset"]["rows"]
    by_number = [row for row in where if row[0].startswith("moves that keep")]
    assert sum(row[1] for row in by_number) == share["count"]
    assert sum(row[3] for row in by_number) == pytest.approx(100, abs=0.5)


def test_arrays_agree_with_moves_evaluated_one_by_one(small):
    """Arrays beside the readable way through the oracle."""
    sets = module(small, "critical_positions")
    critical_moves = module(small, "critical_moves")
    oracle, source = find_oracle(GAME), random.Random(1)
    found = next(iter(sets.label_parts(Quiet(), OracleExampleSource(oracle), entries(small), "x")))
    positions = found.positions()
    moves = [source.choice(position.legal_moves()) for position in positions]
    chosen = found.numbers(pack_moves(moves_to_points(moves)))
    assert found.moves_at(chosen) == moves
    verdicts = oracle.verdicts(positions)
    lost = [verdict.cost(move) for verdict, move in zip(verdicts, moves, strict=True)]
    assert critical_moves.compute_regret(found, chosen).tolist() == lost
    assert all(each.is_critical for each in verdicts)
    kept = np.add.reduceat(found.kept, found.first[:-1]).tolist()
    assert kept == [len(each.best) for each in verdicts]
    assert (found.numbers([sets.NO_MOVE] * len(found)) == sets.NO_MOVE).all()


class Quiet:
    """A progress callback that does nothing."""

    def progress(self, done, total, label):
        pass


def entries(small):
    return read_dataset(small / "data/dataset.txt")


def test_groups_of_positions_hold_each_once(small):
    sets, groups = module(small, "critical_positions"), module(small, "position_groups")
    oracle = find_oracle(GAME)
    found = next(iter(sets.label_parts(Quiet(), OracleExampleSource(oracle), entries(small), "x")))
    for group in ("phase", "kind", "keeping", "value", "mills"):
        masks = getattr(groups, f"group_by_{group}")(found).values()
        assert (np.sum(list(masks), axis=0) == 1).all(), group
    own = groups.group_by_mills(found)["mills to close: the mover"]
    for position, closes in zip(found.positions(), own, strict=True):
        takes = any(move.take is not None for move in position.legal_moves())
        assert takes or not closes


@pytest.mark.slow
def test_games_from_drawn_positions(reproduced):
    """Without the whole game solved there are no games from its start."""
    result = reproduced("scholar-games", SCORER, "perfect:draws=any")
    assert "--oracle" in result["remarks"][0]
    rows, tables = rows_of(result), tables_of(result)
    for colour in ("White", "Black"):
        assert rows[f"perfect:draws=any, from drawn positions, as {colour}: lost"]["ours"] == 0
    lost = tables["Where scholar:weights=scorer.safetensors lost from drawn positions"]["rows"]
    assert lost
    for colour, _, position, played, right, _ in lost:
        here = GAME.parse(position)
        assert here.mover == ("White", "Black").index(colour)
        found = find_oracle(GAME).verdict(here)
        assert found.cost(GAME.parse_move(played, here)) == 1, "a draw is lost once"
        assert set(map(str, found.best)) == set(right.split(", "))
    counts = [row[3:6] for row in tables["Results"]["rows"]]
    assert all(sum(each) == GAMES and each[0] == 0 for each in counts)


@pytest.mark.slow
def test_a_loss_after_the_first_error_is_certain(reproduced, small):
    """Every game that was lost has an error, and a game without one is drawn."""
    reproduced("scholar-games", SCORER, "perfect:draws=any")
    files = (small / "out").rglob("games-*scholar*.json")
    games = [game for file in files for game in json.loads(file.read_text())["value"]]
    assert games
    assert all((game["error"] is None) == (game["result"] == "draw") for game in games)


def test_legality_of_a_chain_without_the_check(reproduced):
    weights = "weights=FOLDER/chain.safetensors"
    result = reproduced(
        "scholar-legality",
        f"scholar:kind=chain,check=off,{weights}",
        f"scholar:kind=chain,{weights}",
    )
    rows = rows_of(result)
    free = rows["scholar:kind=chain,check=off,weights=chain.safetensors, dataset: whole move"]
    held = rows["scholar:kind=chain,weights=chain.safetensors, dataset: whole move"]
    assert 0 <= free["ours"] < 60
    assert held["ours"] == 100


def test_curves_of_trainings(reproduced, small):
    assert "ludus train scholar --json" in reproduced("scholar-curves")["remarks"][0]
    folder = small / "experiments/scholar/trainings"
    folder.mkdir()
    point = {"seconds": 10, "steps": 5, "examples": 5000, "kept": {"dataset": 0.7, "x": None}}
    facts = {
        "seconds": 60,
        "steps": 30,
        "exams": {"dataset": {"critical": 9, "kept": 0.9}, "x": {"kept": None}},
    }
    (folder / "big.json").write_text(json.dumps({**facts, "parameters": 1000, "history": [point]}))
    (folder / "other.json").write_text(json.dumps({**facts, "teacher": "dataset"}))
    result = reproduced("scholar-curves")
    rows = rows_of(result)
    assert rows["big, trained on perfect play: dataset"]["ours"] == pytest.approx(90)
    assert rows["other, trained on dataset: dataset"]["ours"] == pytest.approx(90)
    shipped = rows["symmetric chain, trained on dataset: states"]["ours"]
    assert 20 < shipped < 100
    assert len(result["figures"]) == 6, "over time, examples and parameters, in two sets"
    first = tables_of(result)["Trainings"]["rows"][0]
    assert first[:5] == ["big", "perfect play", 1000, 30_000, 60], "examples as many as steps"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "[]",
        "{}",
        "null",
        '{"seconds": 1, "exams": {"dataset": {"kept": 7}}}',
        '{"seconds": "x", "exams": {}}',
        '{"seconds": 1, "exams": {}, "history": [1]}',
        '{"seconds": 1, "steps": 1, "exams": {}, "history": [{"examples": 1, "steps": 0}]}',
        "[" * 100_000,
    ],
)
def test_files_that_tell_of_no_training(small, tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(LudusError, match="tells of no training") as error:
        module(small, "training_logs").read_training_logs(tmp_path)
    assert "\n" not in str(error.value)


def test_the_story(reproduced, small):
    file = small / "experiments/scholar/story.toml"
    text = file.read_text()
    options = ("kind=chain", "size=small", "size=compact", "exceptions=off", "")
    for option in options:
        kind = "chain" if option == "kind=chain" else "scorer"
        weights = f"weights={small / kind}.safetensors"
        new = f'spec = "scholar:kind={kind},{weights}"'
        text = text.replace(f'spec = "scholar:{option}"' if option else 'spec = "scholar"', new)
    file.write_text(text)
    result = reproduced("scholar-story")
    lines = tables_of(result)["The story"]["rows"]
    assert [line[0] for line in lines].count("perfect play") == len(options) + 1
    assert all(0 < line[3] <= 100 for line in lines)
    games = [line[4] for line in lines if line[4] is not None]
    assert games == [54], "the start is not solved here; one line is an earlier count"
    assert rows_of(result)["scholar: kept"]["count"] > 20


def test_positions_that_are_not_solved_are_not_evaluated(reproduced, monkeypatch, tmp_path):
    for name in ("dataset.txt", "states.txt"):
        (tmp_path / name).write_text(f"{to_thesis(GAME.start())}\n")
    monkeypatch.setenv("LUDUS_NNMM_DATA", str(tmp_path))
    for identity in ("scholar-kept", "scholar-story"):
        result = reproduced(identity, "random")
        assert "--oracle" in result["remarks"][0]
        assert all(row["ours"] is None for row in result["rows"])
