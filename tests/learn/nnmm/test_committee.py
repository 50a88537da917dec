"""Several sets of networks that choose together: their mean, their file, and the command."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from ludus.cli.main import run
from ludus.core.errors import LudusError
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.nnmm.chain import NetworkChain, PartialMoves
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.weights import (
    Committee,
    VotingOptions,
    join_networks,
    load_committee,
    parse_voting_options,
    save_committee,
)
from ludus.learn.nnmm.weights import load_weights as load_one
from ludus.learn.weights import BadWeights
from support.morris import positions
from support.nnmm import is_close, random_chain, saved_chain

SOME = PositionBatch.from_positions(positions(4)[::5])

SYMMETRIC = random_chain(
    "TFR", "lines", 2, NetworkConfig(architecture="symmetric", first=4, blocks=1), seed=1
)
PLAIN = random_chain("TFR", "rawest", seed=2)
BOTH = Committee.combine(SYMMETRIC, PLAIN, voting=[VotingOptions(1, 1), VotingOptions(3, 16)])


def predict_alone(weights, symmetries, chosen):
    """Return a chain's output for each part of these moves, given the parts before it."""
    decoder = NetworkChain(weights).decoder(SOME, symmetries)
    start = decoder.start()
    return [
        decoder.probabilities(
            number, PartialMoves(start.position, chosen, start.probability, start.probability)
        )
        for number in range(3)
    ]


def test_output_is_the_weighted_mean_over_sets_with_their_symmetries():
    answer = NetworkChain(BOTH).predict(SOME)
    mine = predict_alone(SYMMETRIC, 1, answer.classes)
    yours = predict_alone(PLAIN, 16, answer.classes)
    for part in range(3):
        wanted = 0.25 * mine[part] + 0.75 * yours[part]
        assert is_close(answer.probabilities[:, part], wanted)
        assert (answer.classes[:, part] == wanted.argmax(axis=1)).mean() > 0.95  # but for equals
    assert not is_close(mine[0], yours[0], 0.05)
    assert not is_close(predict_alone(PLAIN, 1, answer.classes)[0], yours[0], 0.01)


def test_more_symmetries_on_request_apply_to_every_set():
    lone = Committee.combine(PLAIN, voting=[VotingOptions(5, 4)])
    for requested, seen in ((1, 4), (4, 4), (16, 16)):
        answers = (
            NetworkChain(lone).predict(SOME, symmetries=requested),
            NetworkChain(PLAIN).predict(SOME, "parts", seen),
        )
        assert is_close(*(answer.probabilities for answer in answers))


def test_a_set_joined_with_itself_chooses_as_it_does_alone():
    twins, alone = NetworkChain(Committee.combine(PLAIN, PLAIN)), NetworkChain(PLAIN)
    for rule in ("parts", "joint"):
        assert (twins.predict(SOME, rule).classes == alone.predict(SOME, rule).classes).all()
    assert (twins.num_members, alone.num_members) == (2, 1)


def test_sets_of_another_order_or_without_a_way_are_refused():
    with pytest.raises(BadWeights, match="TFR, FTR"):
        Committee.combine(PLAIN, random_chain("FTR"))
    for sets, ways in (((), ()), ((PLAIN,), (VotingOptions(), VotingOptions()))):
        with pytest.raises(LudusError, match="ways"):
            Committee.combine(*sets, voting=ways)


def test_what_is_written_is_read_back(tmp_path):
    save_committee(tmp_path / "both", BOTH)
    again = load_committee(tmp_path / "both")
    assert again.voting == BOTH.voting == (VotingOptions(0.25, 1), VotingOptions(0.75, 16))
    for weights, twin in zip(BOTH.sets, again.sets, strict=True):
        assert (weights.model, weights.designs, weights.trained) == (
            twin.model,
            twin.designs,
            twin.trained,
        )
    answers = (
        NetworkChain(BOTH).predict(SOME, "joint"),
        NetworkChain.load(tmp_path / "both").predict(SOME, "joint"),
    )
    assert (answers[0].probabilities == answers[1].probabilities).all()
    with pytest.raises(BadWeights, match="committee"):
        load_one(tmp_path / "both")


def change_description(change):
    """The JSON of a good file, changed."""

    def changed(path):
        content = path.read_bytes()
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        described = json.loads(header["__metadata__"]["ludus"])
        change(described)
        save_file(load_file(path), path, {"ludus": json.dumps(described)})

    return changed


def first_set(**changes):
    return change_description(lambda described: described["sets"][0].update(changes))


def with_tensor(name):
    def changed(path):
        content = path.read_bytes()
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        arrays = {**load_file(path), name: np.zeros(3, "f")}
        save_file(arrays, path, header["__metadata__"])

    return changed


HOSTILE = {
    "no sets": change_description(lambda described: described.update(sets=[])),
    "sets left out": change_description(lambda described: described.pop("sets")),
    "sets of another type": change_description(lambda described: described.update(sets={"0": 1})),
    "a set of another type": change_description(lambda described: described.update(sets=[1, 2])),
    "more sets than tensors": change_description(lambda described: described["sets"].append({})),
    "fewer sets than tensors": change_description(lambda described: described["sets"].pop()),
    "too many sets": change_description(
        lambda described: described.update(sets=described["sets"] * 51)
    ),
    "a committee in a committee": first_set(kind="nnmm committee"),
    "another order": first_set(order="FTR"),
    "no share": change_description(lambda described: described["sets"][0].pop("share")),
    "share 0": first_set(share=0),
    "share below 0": first_set(share=-1.5),
    "share nan": first_set(share=float("nan")),
    "share infinite": first_set(share=float("inf")),
    "share of many digits": first_set(share=10**4000),
    "share of another type": first_set(share="half"),
    "share true": first_set(share=True),
    "symmetries 0": first_set(symmetries=0),
    "symmetries 17": first_set(symmetries=17),
    "symmetries of many digits": first_set(symmetries=10**4000),
    "symmetries of another type": first_set(symmetries=1.0),
    "tensor of no set": with_tensor("2/0/0/last.bias"),
    "tensor of no member": with_tensor("1/7/0/last.bias"),
    "tensor without a place": with_tensor("0"),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_with_one_line(tmp_path, name):
    path = tmp_path / "both"
    save_committee(path, BOTH)
    HOSTILE[name](path)
    with pytest.raises(BadWeights) as error:
        NetworkChain.load(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 600


@pytest.fixture
def files(tmp_path):
    return [
        str(saved_chain(tmp_path, "raw", inputs="raw", seed=1)),
        str(saved_chain(tmp_path, "rawest", inputs="rawest", members=2, seed=2)),
    ]


def test_files_are_joined_and_play(tmp_path, files, capsys):
    joined = join_networks(map(Path, files), parse_voting_options(2, "2, 6", "1,4"))
    assert joined.voting == (VotingOptions(0.25, 1), VotingOptions(0.75, 4))
    out = str(tmp_path / "both")
    ways = ["--shares", "2, 6", "--symmetries", "1,4"]
    assert run(["join", "nnmm", *files, *ways, "--out", out, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(each["inputs"], each["members"]) for each in found["sets"]] == [
        ("raw", 1),
        ("rawest", 2),
    ]
    assert load_committee(tmp_path / "both").voting == (
        VotingOptions(0.25, 1),
        VotingOptions(0.75, 4),
    )
    command = ["match", "nine_mens_morris", f"nnmm:weights={out}", "random", "--games", "2"]
    assert run([*command, "--json"]) == 0
    assert sum(json.loads(capsys.readouterr().out)["wins"]) <= 2


def test_without_shares_all_have_the_same_and_half_precision_is_smaller(tmp_path, files, capsys):
    for name, options in (("whole", []), ("half", ["--half"])):
        assert run(["join", "nnmm", *files, *options, "--out", str(tmp_path / name)]) == 0
    assert "0.5" in capsys.readouterr().out
    assert load_committee(tmp_path / "whole").voting == (VotingOptions(0.5), VotingOptions(0.5))
    sizes = [(tmp_path / name).stat().st_size for name in ("half", "whole")]
    assert sizes[0] < 0.7 * sizes[1]


@pytest.mark.parametrize(
    "options",
    [
        ["--shares", "1"],
        ["--shares", "1,2,3"],
        ["--shares", "1,"],
        ["--shares", "1,nan"],
        ["--shares", "1,٣"],
        ["--shares", "1,-1"],
        ["--shares", "1," * 5000],
        ["--symmetries", "1,17"],
        ["--symmetries", "1,1.5"],
        ["--symmetries", "\0,1"],
    ],
)
def test_what_cannot_be_joined_is_reported_in_one_line(tmp_path, files, capsys, options):
    assert run(["join", "nnmm", *files, *options, "--out", str(tmp_path / "x")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_files_that_are_joined_already_are_not_joined_again(tmp_path, files, capsys):
    save_committee(tmp_path / "both", BOTH)
    joined = [*files, str(tmp_path / "both")]
    assert run(["join", "nnmm", *joined, "--out", str(tmp_path / "x")]) == 2
    assert "committee" in capsys.readouterr().err
