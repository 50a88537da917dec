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
from ludus.learn.dqn.train import REWARDS_BY_SCORE
from ludus.learn.dqn.weights import compute_q_values, encode_position
from ludus.learn.gammon.encoding import encode_positions
from ludus.learn.gammon.network import load_network, load_shipped_chances
from ludus.learn.nnmm.chain import load_chain
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.weights import save_weights
from ludus.learn.onnx_export import build_onnx_model
from ludus.learn.scholar import inference
from ludus.learn.scholar.encoding import encode, expert_table, select_experts
from ludus.learn.scholar.inference import NUM_RESULTS, load_networks
from ludus.learn.scholar.weights import pack_weights
from ludus.players import player
from support.games import play_randomly
from support.morris import positions
from support.nnmm import random_chain
from support.scholar import random_weights

pytest.importorskip("torch")
pytest.importorskip("onnxscript")
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


@pytest.mark.parametrize(
    ("architecture", "order", "members"),
    [
        pytest.param("residual", "TFR5", 1, marks=pytest.mark.slow),
        pytest.param("dense", "FTR", 2, marks=pytest.mark.slow),
        ("feedforward", "RFT", 1),
        pytest.param("symmetric", "TFR", 1, marks=pytest.mark.slow),
    ],
)
def test_trained_chains_of_any_kind_agree(tmp_path, architecture, order, members):
    """Five networks, batch normalisation, two members: what shipped chains do not have."""
    is_symmetric = architecture == "symmetric"
    design = NetworkConfig(
        architecture=architecture, first=8, units=8, blocks=1, batch_normalisation=not is_symmetric
    )
    file = tmp_path / "chain.safetensors"
    save_weights(file, random_chain(order, "raw", members, design))
    batch, _ = morris_examples(FEW)
    chain = load_chain(str(file))
    expected = chain.predict(batch)
    parts = [PARTS[part] for part in chain.order.parts]
    classes = expected.classes.astype(np.int64)
    found = run(
        build_onnx_model(str(file)),
        position=chain.models[0].encode(batch).astype(np.float32),
        **{f"{part}_class": classes[:, PARTS.index(part)] for part in parts[:2]},
    )
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
    model = build_onnx_model("scholar:kind=chain")
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
    win = REWARDS_BY_SCORE[1]  # values are in rewards
    assert_agrees(found["q_values"] / win, compute_q_values(weights, rows) / win)


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


@pytest.mark.parametrize("name", [name for name in CHECKS if name.startswith(("gammon", "deepq"))])
def test_a_model_agrees_with_our_network(name):
    """Those whose export takes a second; random weights stand for the others."""
    CHECKS[name](FEW)


def enlarge_opening(kind):
    """Networks whose expert of the opening has logits of millions that differ by about 1."""
    weights = random_weights(kind)
    opening = weights.expert_weights(0)
    for name, values in opening.items():
        if name.endswith("first"):
            values *= 3_000_000
        elif name.endswith("last"):
            values[: NUM_RESULTS if kind == "scorer" else None] = 16
        elif name.endswith("last_bias"):
            values[0, 1] = 1
    return replace(weights, experts=(pack_weights(opening), *weights.experts[1:]))


def check_opening(kind, file, model, monkeypatch):
    """Nothing limits the logits in training where nearly all is drawn."""
    openings = (islice(play_randomly(game("nine_mens_morris"), seed), 1, 5) for seed in range(10))
    met = list(itertools.chain.from_iterable(openings))
    batch = PositionBatch.from_positions(met)
    points = moves_to_points([each.legal_moves()[0] for each in met])

    def probabilities():
        networks = load_networks(kind, weights=str(file))
        if kind == "scorer":
            return networks.evaluate(batch).probabilities
        return networks.probabilities_along(batch, points)[:, 0]

    exact = probabilities()
    if kind == "scorer":
        found = run(model, features=encode(batch))["probabilities"]
    else:
        to, frm = points[:, :2].T.astype(np.int64)
        found = run(model, features=encode(batch), to_point=to, from_point=frm)["to_probabilities"]
    assert_agrees(found, exact)
    monkeypatch.setattr(inference, "DOUBLE_PRECISION_EXPERTS", frozenset())
    assert np.abs(probabilities() - exact).max() > 10 * TOLERANCE  # what single precision does


@pytest.mark.slow
def test_rows_go_to_their_experts_and_large_logits_keep_their_differences(tmp_path, monkeypatch):
    """One row, rows of one expert, rows of many experts, and rows of the opening alone."""
    file = tmp_path / "scorer.safetensors"
    enlarge_opening("scorer").save(file)
    model, networks = build_onnx_model(str(file)), load_networks("scorer", weights=str(file))
    batch, _ = morris_examples(400)
    experts = select_experts(batch, expert_table())
    assert len(np.unique(experts)) > 20
    most = np.flatnonzero(experts == np.bincount(experts).argmax())
    for which in (slice(0, 400), slice(0, 1), most):
        found = run(model, features=encode(batch[which]))
        assert_agrees(found["probabilities"], networks.evaluate(batch[which]).probabilities)
    check_opening("scorer", file, model, monkeypatch)


@pytest.mark.slow
def test_large_logits_of_a_chain_keep_their_differences(tmp_path, monkeypatch):
    file = tmp_path / "chain.safetensors"
    enlarge_opening("chain").save(file)
    check_opening("chain", file, build_onnx_model(str(file)), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_a_model_agrees_on_ten_thousand_positions(name):
    CHECKS[name](MANY)


def test_the_command_writes_a_model_and_says_what_it_reads(tmp_path, capfd):
    out = tmp_path / "x.onnx"
    assert run_command(["export", "onnx", "gammon:net=expert", "--out", str(out), "--json"]) == 0
    shown = capfd.readouterr()
    assert shown.err == ""
    found = json.loads(shown.out)
    assert [each["name"] for each in found["inputs"]] == ["board"]
    assert found["bytes"] == out.stat().st_size
    assert onnxruntime.InferenceSession(out).get_outputs()[0].shape == ["rows", 5]


@pytest.mark.slow
def test_the_same_weights_give_the_same_model_which_says_what_it_is():
    first, second = (build_onnx_model("gammon") for _ in range(2))
    assert first == second
    assert b"onnx_model.py" not in first.data  # the exporter notes where a node comes from
    about = onnxruntime.InferenceSession(first.data).get_modelmeta()
    assert about.producer_name == "ludus"
    described = json.loads(about.custom_metadata_map["ludus"])
    assert described["learner"] == "gammon"
    assert list(described["tensors"]) == ["units", "score"]


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


@pytest.mark.parametrize("package", ["onnx", "onnxscript"])
def test_a_missing_package_is_one_line(tmp_path, monkeypatch, capsys, package):
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    assert run_command(["export", "onnx", "nnmm", "--out", str(tmp_path / "x.onnx")]) == 2
    message = f"ludus: an ONNX model needs {package}: pip install 'ludus-games[onnx]'\n"
    assert capsys.readouterr().err == message
