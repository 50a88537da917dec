"""The commands around the networks: import, evaluate, and players by name."""

import json

import numpy as np
import pytest

from ludus.cli.main import run
from ludus.datasets import augment, read_dataset
from ludus.games.nine_mens_morris import to_thesis, to_thesis_move
from ludus.learn.nnmm.chain import NetworkChain
from ludus.learn.nnmm.evaluate import evaluate_dataset
from ludus.learn.nnmm.parts import points_to_classes
from support.facilities import external
from support.morris import positions
from support.nnmm import saved_chain, write_authors_network


@pytest.fixture
def files(tmp_path):
    """A chain of random networks, and a small dataset of legal moves."""
    lines = [
        f"{to_thesis(position)}-{to_thesis_move(position.legal_moves()[0])}"
        for position in positions(3)
    ]
    (tmp_path / "moves.txt").write_text("\n".join(dict.fromkeys(lines)) + "\n")
    (tmp_path / "states.txt").write_text("\n".join(line[:28] for line in lines) + "\n")
    return saved_chain(tmp_path), tmp_path / "moves.txt", tmp_path / "states.txt"


def evaluated(capsys, *arguments):
    assert run(["evaluate", "nnmm", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("options", [(), ("--rule", "joint"), ("--symmetries", "16")])
def test_evaluation_counts_what_the_chain_gets_right(files, capsys, options):
    weights, moves, _ = files
    entries = augment(read_dataset(moves), "published")
    found = evaluated(capsys, moves, "--weights", weights, *options)
    rule = "joint" if "joint" in options else "parts"
    symmetries = 16 if "16" in options else 1
    predicted = NetworkChain.load(weights).predict(entries, rule, symmetries).classes
    is_right = predicted == points_to_classes(entries.points)
    accuracy = found["accuracy"]
    for part, name in enumerate(("TO", "FROM", "REMOVE")):
        assert accuracy[name]["hits"] == np.count_nonzero(is_right[:, part])
        assert accuracy[name]["of"] == found["entries"] == len(entries)
    assert accuracy["whole move"]["hits"] == np.count_nonzero(is_right.all(axis=1))
    assert set(found["legality"]) == {"rules", "author"}


def test_the_command_prints_what_the_library_returns(files, capsys):
    weights, moves, _ = files
    printed = evaluated(capsys, moves, "--weights", weights, "--part", "validation")
    done: list[tuple[int, int]] = []
    found = evaluate_dataset(
        NetworkChain.load(weights),
        read_dataset(moves),
        part="validation",
        on_progress=lambda *numbers: done.append(numbers),
    )
    assert found.to_dict().items() <= printed.items()
    assert done == [(found.num_entries, found.num_entries)] == [(printed["entries"],) * 2]


def test_parts_of_the_authors_split_add_up(files, capsys):
    weights, moves, _ = files
    whole, *parts = (
        evaluated(capsys, moves, "--weights", weights, "--part", part)
        for part in ("all", "training", "validation", "test")
    )
    assert sum(part["entries"] for part in parts) == whole["entries"]
    for name, line in whole["accuracy"].items():
        assert sum(part["accuracy"][name]["hits"] for part in parts) == line["hits"]


def test_states_without_moves_have_no_accuracy_but_legality(files, capsys):
    weights, _, states = files
    found = evaluated(capsys, states, "--weights", weights, "--recipe", "none")
    assert found["accuracy"] == {}
    assert 0 < found["legality"]["rules"]["TO self"]["percent"] < 100
    assert run(["evaluate", "nnmm", str(states), "--weights", str(weights)]) == 0
    result = capsys.readouterr().out
    assert "legal by rules" in result
    assert "accuracy" not in result


def test_people_read_a_table(files, capsys):
    weights, moves, _ = files
    assert run(["evaluate", "nnmm", str(moves), "--weights", str(weights)]) == 0
    result = capsys.readouterr().out
    for word in ("accuracy", "whole move", "legal by author", "%"):
        assert word in result


@pytest.mark.parametrize(
    "arguments",
    [
        ("--recipe", "cake"),
        ("--part", "half"),
        ("--rule", "guess"),
        ("--symmetries", "0"),
        ("--breadth", "0"),
        ("--order", "FTR"),
        ("--weights", "/nowhere"),
        ("--weights", "\0"),
        ("--size", "x" * 3000),
    ],
)
def test_what_cannot_be_evaluated_is_reported_in_one_line(files, capsys, arguments):
    weights, moves, _ = files
    chosen = () if {"--weights", "--size"} & set(arguments) else ("--weights", str(weights))
    assert run(["evaluate", "nnmm", str(moves), *chosen, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1


def wins_of_imported(folder, out, capsys):
    """Import networks and let them play four games against random moves."""
    assert run(["import", "nnmm", str(folder), "--out", str(out), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["networks"] == ["TO", "FROM", "REMOVE"]
    assert result["inputs"] == "rawest"
    command = ["match", "nine_mens_morris", f"nnmm:weights={out}", "random", "--games", "4"]
    assert run([*command, "--seed", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["reasons"]).isdisjoint({"illegal", "crash"})
    assert sum(found["wins"]) + found["draws"] == 4
    return found["wins"]


def test_imported_networks_play(tmp_path, capsys):
    (tmp_path / "npz").mkdir()
    for number, part in enumerate(("TO", "FROM", "REMOVE")):
        file = tmp_path / "npz" / f"TEST-rawest-TFR_{part}.npz"
        write_authors_network(file, 90 + 25 * number)
    wins_of_imported(tmp_path / "npz", tmp_path / "imported.safetensors", capsys)


@pytest.mark.external("nnmm")
def test_the_authors_networks_win_when_imported(tmp_path, capsys):
    wins = wins_of_imported(external("nnmm", "npz"), tmp_path / "author.safetensors", capsys)
    assert wins == [4, 0]


@pytest.mark.parametrize("arguments", [("/nowhere",), (".",), (".", "--order", "XXX")])
def test_what_cannot_be_imported_is_reported_in_one_line(tmp_path, capsys, arguments):
    assert run(["import", "nnmm", *arguments, "--out", str(tmp_path / "x")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "x").exists()
