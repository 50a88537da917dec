"""The shipped networks as ONNX models give what ours give."""

import itertools
import json
import random
import sys
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from ludus._native import chances as native_chances
from ludus.cli.main import run as run_command
from ludus.games import game
from ludus.games.backgammon.batch import position_to_row
from ludus.games.nine_mens_morris.batch import PARTS, PositionBatch, moves_to_points
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.dqn.inference import compute_q_values, encode_position
from ludus.learn.gammon.encoding import encode_positions
from ludus.learn.gammon.network import load_network, load_shipped_chances
from ludus.learn.nnmm.chain import load_chain
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.weights import save_weights
from ludus.learn.onnx_export import build_onnx_model
from ludus.learn.scholar import inference
from ludus.learn.scholar.encoding import encode
from ludus.learn.scholar.inference import NUM_RESULTS, load_networks
from ludus.learn.scholar.weights import pack_weights
from ludus.players import player
from support.games import play_randomly
from support.morris_data import positions
from support.scholar_weights import random_weights

onnxruntime = pytest.importorskip("onnxruntime")

TOLERANCE = 1e-4
FEW, MANY = 40, 10_000


def run(model, **inputs):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.data, options, ["CPUExecutionProvider"])
    assert [each.name for each in session.get_inputs()] == [each.name for each in model.inputs]
    names = [each.name for each in model.outputs]
    return dict(zip(names, session.run(names, inputs), strict=True))


def assert_agrees(found, expected):
    """Absolutely for numbers up to 1, relatively for larger ones."""
    assert found.shape == expected.shape
    assert (np.abs(found - expected) / np.maximum(1, np.abs(expected))).max() <= TOLERANCE


def morris_examples(count):
    """Positions of random games, and a legal move in each, the same every time."""
    found = random.Random(1).sample(positions(count // 20 + 3, Rules()), count)
    source = random.Random(2)
    moves = [source.choice(position.legal_moves()) for position in found]
    return PositionBatch.from_positions(found), moves_to_points(moves)


def check_nnmm(size, count):
    batch, _ = morris_examples(count)
    chain = load_chain(size=size)
    expected = chain.predict(batch)
    classes = expected.classes.astype(np.int64)
    found = run(
        build_onnx_model(f"nnmm:size={size}"),
        position=chain.models[0].encode(batch).astype(np.float32),
        TO_class=classes[:, 0],
        FROM_class=classes[:, 1],
    )
    for number, part in enumerate(PARTS):
        assert_agrees(found[f"{part}_probabilities"], expected.probabilities[:, number])


@pytest.mark.parametrize("architecture", ["residual", "dense", "feedforward", "symmetric"])
def test_trained_chains_of_any_kind_agree(tmp_path, architecture):
    """Five networks, batch normalisation and two members: what shipped chains do not have."""
    torch = pytest.importorskip("torch")
    from support.nnmm_chains import random_chain

    assert torch
    is_symmetric = architecture == "symmetric"
    design = NetworkConfig(
        architecture, first=8, units=8, blocks=2, batch_normalisation=not is_symmetric
    )
    file = tmp_path / "chain.safetensors"
    save_weights(file, random_chain("TFR5", "raw", 2, design))
    batch, _ = morris_examples(FEW)
    chain = load_chain(str(file))
    expected = chain.predict(batch)
    classes = expected.classes.astype(np.int64)
    rows = chain.models[0].encode(batch).astype(np.float32)
    model = build_onnx_model(str(file))
    found = run(model, position=rows, TO_class=classes[:, 0], FROM_class=classes[:, 1])
    for number, part in enumerate(PARTS):
        assert_agrees(found[f"{part}_probabilities"], expected.probabilities[:, number])


def check_scorer(size, count):
    batch, _ = morris_examples(count)
    expected = load_networks("scorer", size).evaluate(batch)
    found = run(build_onnx_model(f"scholar:size={size}"), features=encode(batch))
    assert_agrees(found["probabilities"], expected.probabilities)
    assert_agrees(found["log2_plies"], expected.log2_plies)


def check_chain(count):
    batch, points = morris_examples(count)
    expected = load_networks("chain").probabilities_along(batch, points)
    to, frm = points[:, 0].astype(np.int64), points[:, 1].astype(np.int64)
    model = build_onnx_model("scholar:way=chain")
    found = run(model, features=encode(batch), to_point=to, from_point=frm)
    for number, part in enumerate(("to", "from", "take")):
        assert_agrees(found[f"{part}_probabilities"], expected[:, number])


def backgammon_positions():
    """Positions of random games in which a roll is to be played, without end."""
    source = random.Random(3)
    backgammon = game("backgammon")
    position = backgammon.start()
    while True:
        if position.outcome() is not None:
            position = backgammon.start()
        if position.mover >= 0 and position.dice is not None:
            yield position
        position = position.play(source.choice(position.legal_moves()))


def check_chances(net, count):
    boards = [position_to_row(each) for each in islice(backgammon_positions(), count)]
    inputs = np.asarray(native_chances.encode(np.array(boards, np.int8)), np.float32)
    found = run(build_onnx_model(f"gammon:net={net}"), board=inputs)
    expected = 1 / (1 + np.exp(-load_shipped_chances(net).logits(inputs)))
    assert_agrees(found["chances"], expected)


def check_paper(name, count):
    """Moves of random games, at least one in each position, scored as the player scores them."""
    network = load_network(name)
    met = list(islice(backgammon_positions(), count // 8))
    offsets, encoded = encode_positions(met, network.encoding)
    assert offsets[-1] >= count
    rows = encoded.to_dense(network.encoding.num_units)
    found = run(build_onnx_model(f"gammon:weights={name}"), units=rows[:count])
    assert_agrees(found["score"], network.scores(encoded)[:count, None])


def check_deepq(name, count):
    chosen = game(name)
    weights = player("deepq", chosen).weights
    met = (each for seed in itertools.count() for each in play_randomly(chosen, seed))
    rows = np.array([encode_position(each) for each in islice(met, count)], np.float32)
    found = run(build_onnx_model("deepq", name), squares=rows)
    assert_agrees(found["q_values"], compute_q_values(weights, rows))


CHECKS = {
    "nnmm symmetric": lambda count: check_nnmm("symmetric", count),
    "nnmm thesis": lambda count: check_nnmm("thesis", count),
    "scholar scorer small": lambda count: check_scorer("small", count),
    "scholar scorer compact": lambda count: check_scorer("compact", count),
    "scholar scorer full": lambda count: check_scorer("full", count),
    "scholar chain": check_chain,
    "gammon expert": lambda count: check_chances("expert", count),
    "gammon selfplay": lambda count: check_chances("selfplay", count),
    "gammon paper": lambda count: check_paper("paper", count),
    "gammon comparison": lambda count: check_paper("comparison", count),
    "deepq hexapawn": lambda count: check_deepq("hexapawn", count),
    "deepq noughts": lambda count: check_deepq("noughts_and_crosses", count),
}
LARGE = ("scholar scorer full", "scholar chain")
"""Networks whose model is large; the small scorer has the same graph."""


@pytest.mark.parametrize("name", [name for name in CHECKS if name not in LARGE])
def test_a_model_agrees_with_our_network(name):
    CHECKS[name](FEW)


def enlarge_opening(way):
    """Networks whose expert of the opening has logits of millions that differ by about 1."""
    weights = random_weights(way)
    opening = weights.expert_weights(0)
    for name, values in opening.items():
        if name.endswith("first"):
            values *= 3_000_000
        elif name.endswith("last"):
            values[: NUM_RESULTS if way == "scorer" else None] = 16
        elif name.endswith("last_bias"):
            values[0, 1] = 1
    return replace(weights, experts=(pack_weights(opening), *weights.experts[1:]))


@pytest.mark.parametrize("way", ["scorer", "chain"])
def test_large_logits_of_the_opening_keep_their_differences(way, tmp_path, monkeypatch):
    """Nothing limits them in training where nearly all is drawn."""
    file = tmp_path / f"{way}.safetensors"
    enlarge_opening(way).save(file)
    openings = (islice(play_randomly(game("nine_mens_morris"), seed), 1, 5) for seed in range(10))
    met = list(itertools.chain.from_iterable(openings))
    batch = PositionBatch.from_positions(met)
    points = moves_to_points([each.legal_moves()[0] for each in met])

    def compare():
        networks, model = load_networks(way, weights=str(file)), build_onnx_model(str(file))
        if way == "scorer":
            expected = networks.evaluate(batch).probabilities
            return run(model, features=encode(batch))["probabilities"], expected
        to, frm = points[:, :2].T.astype(np.int64)
        found = run(model, features=encode(batch), to_point=to, from_point=frm)
        return found["to_probabilities"], networks.probabilities_along(batch, points)[:, 0]

    found, exact = compare()
    assert_agrees(found, exact)
    monkeypatch.setattr(inference, "DOUBLE_PRECISION_EXPERTS", frozenset())
    found, _ = compare()
    assert np.abs(found - exact).max() > 10 * TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_a_model_agrees_on_ten_thousand_positions(name):
    CHECKS[name](MANY)


def test_the_command_writes_a_model_and_says_what_it_reads(tmp_path, capsys):
    out = tmp_path / "x.onnx"
    assert run_command(["export", "onnx", "gammon:net=expert", "--out", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found["inputs"]] == ["board"]
    assert found["bytes"] == out.stat().st_size
    assert onnxruntime.InferenceSession(out).get_outputs()[0].shape == ["rows", 5]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("random",), "'random' has no networks; players with networks are nnmm, hybrid"),
        (("deepq",), "'deepq' plays hexapawn and noughts_and_crosses; name one with --game"),
        (("missing.npz",), "there is no file 'missing.npz'"),
    ],
)
def test_what_has_no_networks_is_one_line(tmp_path, capsys, words, message):
    assert run_command(["export", "onnx", *words, "--out", str(tmp_path / "x.onnx")]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_package_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "onnx", None)  # as if it were not installed
    assert run_command(["export", "onnx", "nnmm", "--out", str(tmp_path / "x.onnx")]) == 2
    assert capsys.readouterr().err == "ludus: an ONNX model needs onnx: pip install 'ludus[onnx]'\n"
