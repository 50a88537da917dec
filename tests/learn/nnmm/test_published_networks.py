"""The author's published networks through the whole pipeline: decoder, expanding, seeing, choosing.

The figures on the whole published expansion are those of an independent program with the same
files: 52.8715, 63.0072, 75.6040 and, for the whole move, 37.2005 per cent.
"""

import shutil
from itertools import pairwise

import numpy as np
import pytest

from ludus.datasets import augment, parse_lines, read_dataset
from ludus.learn.nnmm.chain import NetworkChain
from ludus.learn.nnmm.parts import points_to_classes
from ludus.learn.nnmm.weights import import_galassi_networks, load_weights, save_weights
from ludus.learn.weights import BadWeights
from support.facilities import external

FIRST = 2000
"""Lines of the dataset that are expanded where not all are."""


def right_of(chain, entries):
    """How many predictions of TO, FROM, REMOVE and of all three are right."""
    is_right = chain.predict(entries).classes == points_to_classes(entries.points)
    return [*is_right.sum(axis=0).tolist(), int(is_right.all(axis=1).sum())]


@pytest.mark.external("nnmm")
def test_the_first_lines_come_out_exactly():
    """Counted among all entries by the test below, whose sums are those of the other program."""
    chain = NetworkChain(import_galassi_networks(external("nnmm", "npz")))
    entries = augment(read_dataset(external("nnmm", "dataset.txt"))[:FIRST], "published")
    assert len(entries) == 32_572
    assert right_of(chain, entries) == [17_130, 20_628, 24_896, 12_246]


@pytest.mark.external("nnmm")
@pytest.mark.slow
def test_all_1628673_entries_come_out_as_published():
    chain = NetworkChain(import_galassi_networks(external("nnmm", "npz")))
    entries = augment(read_dataset(external("nnmm", "dataset.txt")), "published")
    assert len(entries) == 1_628_673
    right = right_of(chain, entries)
    assert [f"{100 * hits / len(entries):.4f}" for hits in right] == [
        "52.8715",
        "63.0072",
        "75.6040",
        "37.2005",
    ]
    assert right == [861_104, 1_026_181, 1_231_342, 605_874]


@pytest.mark.external("nnmm")
def test_the_authors_networks_survive_the_way_through_a_file(tmp_path):
    check_the_way_through_a_file(import_galassi_networks(external("nnmm", "npz")), tmp_path)


def test_networks_survive_the_way_through_a_file(tmp_path):
    check_the_way_through_a_file(import_galassi_networks(made(tmp_path)), tmp_path)


def check_the_way_through_a_file(weights, tmp_path):
    save_weights(tmp_path / "author", weights)
    again = load_weights(tmp_path / "author")
    assert (str(again.order), again.model.name) == ("TFR", "rawest")
    for before, after in zip(weights.members[0], again.members[0], strict=True):
        assert all((before[name] == after[name]).all() for name in before)
        assert {tensor.dtype for tensor in after.values()} == {np.dtype("float64")}


def made(folder, name="TEST-rawest-TFR", inputs=90):
    """Files that look like the author's, of one hidden block."""
    rng = np.random.default_rng(0)
    for number, part in enumerate(("TO", "FROM", "REMOVE")):
        sizes = (inputs + 25 * number, 6, 7, 6, 25)
        arrays = []
        for below, above in pairwise(sizes):
            arrays += [rng.normal(size=(below, above)), rng.normal(size=above)]
        np.savez(folder / f"{name}_{part}.npz", *arrays)
    return folder


def test_a_network_of_one_block_is_computed_as_described(tmp_path):
    chain = NetworkChain(import_galassi_networks(made(tmp_path)))
    entries = read_one()
    row = chain.models[0].encode(entries)
    with np.load(tmp_path / "TEST-rawest-TFR_TO.npz") as stored:
        w = [stored[f"arr_{number}"] for number in range(8)]
    x = row @ w[0] + w[1]
    x = x + np.maximum(np.maximum(x, 0) @ w[2] + w[3], 0) @ w[4] + w[5]
    scores = np.exp(x @ w[6] + w[7])
    wanted = (scores / scores.sum())[0]
    assert np.allclose(chain.predict(entries).probabilities[0, 0], wanted, atol=1e-6)


def read_one():
    return parse_lines(b"EMOOMMOOEEOOMOOOOEEOMEOO1156-d5b2").moves


def without_remove(folder):
    (folder / "TEST-rawest-TFR_REMOVE.npz").unlink()


def two_kinds(folder):
    made(folder, "TEST-raw-TFR", 114)


def no_file(folder):
    shutil.rmtree(folder)
    folder.mkdir()


def written(content):
    return lambda folder: (folder / "TEST-rawest-TFR_FROM.npz").write_bytes(content)


def other_arrays(**arrays):
    return lambda folder: np.savez(folder / "TEST-rawest-TFR_FROM.npz", **arrays)


def changed(number, array):
    def change(folder):
        path = folder / "TEST-rawest-TFR_FROM.npz"
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
        np.savez(path, **arrays | {f"arr_{number}": array})

    return change


@pytest.mark.parametrize(
    "spoil",
    [
        without_remove,
        two_kinds,
        no_file,
        shutil.rmtree,
        written(b""),
        written(b"PK\3\4" + b"\0" * 100),
        written(b"\x80\x04]."),
        other_arrays(a=np.zeros(3)),
        changed(0, np.zeros((115, 6, 1))),
        changed(0, np.full((115, 6), np.nan)),
        changed(1, np.zeros(5)),
        changed(7, np.array(["many"] * 25)),
        changed(7, np.array([None] * 25)),
    ],
)
def test_what_is_not_the_authors_is_refused_with_one_line(tmp_path, spoil):
    folder = tmp_path / "npz"
    folder.mkdir()
    spoil(made(folder))
    with pytest.raises(BadWeights) as error:
        import_galassi_networks(folder)
    assert "\n" not in str(error.value)


def test_networks_that_do_not_fit_each_other_are_no_chain(tmp_path):
    made(tmp_path)
    changed(4, np.zeros((8, 6)))(tmp_path)
    with pytest.raises(BadWeights, match="has the shape"):
        NetworkChain(import_galassi_networks(tmp_path))
