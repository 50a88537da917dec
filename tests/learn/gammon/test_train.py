"""Learning: each step against plain numpy, and the paper's way with uncommented moves."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.core.errors import BadSpec, LudusError
from ludus.datasets.backgammon.scored_positions import ScoredPosition
from ludus.learn import fit, train
from ludus.learn.gammon.config import GammonConfig
from ludus.learn.gammon.data import ScoredMoves
from ludus.learn.gammon.encoding import MOVE_ENCODINGS
from ludus.learn.gammon.network import GammonNetwork
from ludus.learn.gammon.train import NOISE_RANGE, GammonTraining
from ludus.learn.weights import BadWeights
from support.backgammon import met


def make_examples(count=40, coding="raw"):
    """Positions of games; the first move counts as best, the last one as worst."""
    some = [here for here in met(games=4, seed=2) if len(here.legal_moves()) > 6][:count]
    made = [
        ScoredPosition(here, "middle", {here.legal_moves()[0]: 100, here.legal_moves()[-1]: -60})
        for here in some
    ]
    return ScoredMoves.from_positions(made, MOVE_ENCODINGS[coding])


def logistic(x):
    return 1 / (1 + np.exp(-x))


def forward(layers, x):
    """Every layer's activities."""
    activities = [x]
    for weights, biases in layers:
        activities.append(logistic(activities[-1] @ weights + biases))
    return activities


def stepped(layers, x, output_error, rate):
    """The layers after one step of gradient descent, by the textbook."""
    activities = forward(layers, x)
    error = np.array([output_error])
    made = []
    for (weights, biases), below in zip(layers[::-1], activities[-2::-1], strict=True):
        made.append((weights + rate * np.outer(below, error), biases + rate * error))
        error = (weights @ error) * below * (1 - below)
    return made[::-1]


@pytest.mark.parametrize("hidden", [(), (5,), (6, 4)])
def test_back_propagation_is_the_textbook_one(hidden):
    """Three patterns in a row, as compiled code and as numpy learn them."""
    known = make_examples()
    dense = known.encoded_moves.to_dense(MOVE_ENCODINGS["raw"].num_units).astype(np.float64)
    network = GammonNetwork.initialise(MOVE_ENCODINGS["raw"], hidden, np.random.default_rng(1))
    layers = [(w.astype(np.float64), b.astype(np.float64)) for w, b in network.layers]
    rows, targets = np.array([0, 7, 30]), np.array([0.9, 0.1, 0.5], np.float32)
    compiled = network.to_native()
    patterns = known.encoded_moves
    error = compiled.learn(
        patterns.offsets, patterns.unit_indices, patterns.activations, rows, targets, 0.3
    )
    expected = 0.0
    for row, target in zip(rows, targets, strict=True):
        output = forward(layers, dense[row])[-1][0]
        expected += (target - output) ** 2
        layers = stepped(layers, dense[row], (target - output) * output * (1 - output), 0.3)
    assert error == pytest.approx(expected, rel=1e-4)
    for (weights, biases), (wanted, bias) in zip(compiled.layers(), layers, strict=True):
        np.testing.assert_allclose(weights, wanted, atol=1e-5)
        np.testing.assert_allclose(biases, bias, atol=1e-5)


def test_comparing_moves_the_difference_and_not_the_level():
    """Two moves that the teacher likes equally are left alone however low they stand, and of
    two that differ the better one rises and the worse one falls."""
    known = make_examples()
    patterns = known.encoded_moves
    coded = patterns.offsets, patterns.unit_indices, patterns.activations
    network = GammonNetwork.initialise(MOVE_ENCODINGS["raw"], (8,), np.random.default_rng(2))
    twice, both = np.array([3, 3]), np.array([0, 2])
    same = network.to_native()
    same.compare(*coded, twice, np.array([1, 1], np.float32), both, 8.0, 0.5)
    for (weights, _), (before, _) in zip(same.layers(), network.layers, strict=True):
        np.testing.assert_array_equal(weights, before)
    pair = np.array([3, 4])
    learned = network.to_native()
    before = learned.scores(*coded)[pair]
    learned.compare(*coded, pair, np.array([1, 0], np.float32), both, 8.0, 0.5)
    after = learned.scores(*coded)[pair]
    assert after[0] - after[1] > before[0] - before[1]


def test_compiled_and_plain_scores_agree():
    known = make_examples(coding="features")
    network = GammonNetwork.initialise(
        MOVE_ENCODINGS["features"], (24, 12), np.random.default_rng(3)
    )
    plain = network.outputs(known.encoded_moves.to_dense(459))
    np.testing.assert_allclose(network.scores(known.encoded_moves), 200 * plain - 100, atol=1e-3)


def test_uncommented_moves_are_shown_as_the_paper_says():
    known = make_examples(count=200)
    uncommented = np.isnan(known.scores)
    doubles = known.is_double[known.position_of_move]
    training = GammonTraining(GammonConfig(hidden=(), coding="raw"), known)
    shown, noise = np.zeros(len(known.scores)), []
    cycles = 200
    for cycle in range(cycles):
        rows, targets, groups = training.sample_targets(np.random.default_rng(cycle))
        assert len(set(rows)) == len(rows)
        assert (groups[0], groups[-1]) == (0, len(rows))
        positions = known.position_of_move[rows]
        assert len(set(positions[groups[:-1]])) == len(groups) - 1 == len(known)
        shown[rows] += 1
        noise.append(200 * targets[uncommented[rows]] - 100)
    assert (shown[~uncommented] == cycles).all()
    assert shown[uncommented & ~doubles].mean() / cycles == pytest.approx(0.25, abs=0.01)
    assert shown[uncommented & doubles].mean() / cycles == pytest.approx(0.08, abs=0.01)
    drawn = np.concatenate(noise)
    assert NOISE_RANGE[0] - 1e-3 <= drawn.min() < drawn.max() <= NOISE_RANGE[1] + 1e-3
    assert drawn.mean() == pytest.approx(-15, abs=1)


def test_without_noise_only_comments_are_shown():
    known = make_examples()
    training = GammonTraining(GammonConfig(hidden=(), coding="raw", noise=False), known)
    rows, _, _ = training.sample_targets(np.random.default_rng(0))
    assert sorted(rows) == list(np.flatnonzero(~np.isnan(known.scores)))


@pytest.mark.parametrize("error", ["score", "comparison"])
def test_a_network_learns_its_examples(error):
    known = make_examples(coding="features")
    training = GammonTraining(
        GammonConfig(hidden=(12,), cycles=60, error=error, rate=1.0, seed=4), known
    )
    before = known.compute_accuracy(training.network.scores(known.encoded_moves))
    run = fit(training)
    assert [each["steps"] for each in run.history] == list(range(1, 61))
    assert before < 0.3
    assert run.history[-1]["accuracy/training"] > 0.6


def test_the_learning_rate_falls_linearly():
    training = GammonTraining(GammonConfig(cycles=3, rate=0.5, last_rate=0.1), make_examples(3))
    assert [training.get_learning_rate(n) for n in range(3)] == pytest.approx([0.5, 0.3, 0.1])


def test_a_training_goes_on_from_a_network(tmp_path):
    options = {"hidden": "5", "positions": 30, "games": 0}
    first = train("gammon", cycles=1, out=tmp_path / "first.npz", **options)
    begun = GammonTraining(GammonConfig.parse(options))
    begun.init_from(tmp_path / "first.npz")
    for (weights, biases), (w, b) in zip(begun.network.layers, first.weights.layers, strict=True):
        np.testing.assert_array_equal(weights, w)
        np.testing.assert_array_equal(biases, b)
    with pytest.raises(BadSpec, match="it needs hidden=5 and coding=features"):
        train("gammon", hidden=(6,), init_from=tmp_path / "first.npz")


def test_the_report_has_the_curve_and_final_games():
    found = train("gammon", hidden=(), cycles=2, positions=100, games=20)
    assert found.report["network"] == "459-1"
    assert [each["cycle"] for each in found.report["curve"]] == [1, 2]
    assert found.report["games"] == 20
    assert 0 <= found.report["against_tool"] <= 1
    assert "of 20 games against tool" in str(found)
    assert '"cycle": 2' in found.weights.notes


def test_agreement_counts_the_move_that_is_played():
    known = make_examples(count=4)
    outputs = np.zeros(len(known.encoded_moves), np.float32)
    # All alike: the first is played, and it is the best.
    assert known.compute_accuracy(outputs) == 1.0
    outputs[known.move_offsets[1:] - 1] = 1
    assert known.compute_accuracy(outputs) == 0.0
    outputs[known.move_offsets[0]] = 2
    assert known.compute_accuracy(outputs) == 0.25


@pytest.mark.parametrize(
    "wrong",
    [
        {"hidden": (0, 3)},
        {"hidden": (1,) * 9},
        {"cycles": 0},
        {"positions": -1},
        {"rate": 0.1, "last_rate": 0.2},
        {"sharpness": 0.0},
    ],
)
def test_settings_that_make_no_sense(wrong):
    with pytest.raises(BadSpec):
        GammonConfig.parse(wrong)


def test_networks_are_kept_and_found_again(tmp_path):
    made = GammonNetwork.initialise(MOVE_ENCODINGS["tool"], (24, 12), np.random.default_rng(5))
    network = replace(made, notes="a note")
    network.save(tmp_path / "net.npz")
    again = GammonNetwork.load(tmp_path / "net.npz")
    assert (again.name, again.notes) == ("410-24-12-1", "a note")
    for (weights, biases), (w, b) in zip(again.layers, network.layers, strict=True):
        np.testing.assert_array_equal(weights, w)
        np.testing.assert_array_equal(biases, b)


def test_files_that_hold_no_network(tmp_path):
    file = tmp_path / "net.npz"
    GammonNetwork.initialise(MOVE_ENCODINGS["raw"], (3,), np.random.default_rng(6)).save(file)
    whole = file.read_bytes()
    wrong = {"cut": whole[: len(whole) // 2], "empty": b"", "text": b"\0not a network\xff" * 9}
    for name, content in wrong.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadWeights, match="is not an npz archive"):
            GammonNetwork.load(tmp_path / name)
    arrays = {"coding": np.array("raw"), "notes": np.array("")}
    shapes = {"few": (5, 1), "many": (393, 2)}
    for name, shape in shapes.items():
        with (tmp_path / name).open("wb") as target:
            np.savez(target, **arrays, weights0=np.zeros(shape), biases0=np.zeros(shape[1]))
        with pytest.raises(BadWeights):
            GammonNetwork.load(tmp_path / name)
    with (tmp_path / "nan").open("wb") as target:
        np.savez(target, **arrays, weights0=np.full((393, 1), np.nan), biases0=np.zeros(1))
    with pytest.raises(BadWeights, match="not a number"):
        GammonNetwork.load(tmp_path / "nan")
    with (tmp_path / "objects").open("wb") as target:
        np.savez(target, **arrays, weights0=np.array([{}], object), biases0=np.zeros(1))
    with pytest.raises(BadWeights):
        GammonNetwork.load(tmp_path / "objects")
    with pytest.raises(LudusError, match="cannot read"):
        GammonNetwork.load(tmp_path / "nowhere")


def test_compiled_networks_refuse_what_does_not_fit():
    known = make_examples(count=3)
    patterns = known.encoded_moves
    network = GammonNetwork.initialise(
        MOVE_ENCODINGS["raw"], (4,), np.random.default_rng(0)
    ).to_native()
    coded = patterns.offsets, patterns.unit_indices, patterns.activations
    one = np.array([1.0], np.float32)
    with pytest.raises(ValueError, match="no such pattern"):
        network.learn(*coded, np.array([len(patterns)]), one, 0.1)
    with pytest.raises(ValueError, match="target"):
        network.learn(*coded, np.array([0, 1]), one, 0.1)
    with pytest.raises(ValueError, match="has not"):
        network.scores(
            patterns.offsets, patterns.unit_indices + np.uint16(400), patterns.activations
        )
    with pytest.raises(ValueError, match="not patterns"):
        network.scores(patterns.offsets[::-1].copy(), patterns.unit_indices, patterns.activations)
    with pytest.raises(ValueError, match="groups"):
        network.compare(*coded, np.array([0]), one, np.array([0, 0, 1]), 8.0, 0.1)
