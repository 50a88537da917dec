"""What a network of 1988 has learned: agreement by theme, and its weights as in Figure 3."""

import json

import numpy as np
import pytest

from ludus.cli.main import run
from ludus.learn import fit
from ludus.learn.gammon import (
    MOVE_ENCODINGS,
    GammonConfig,
    GammonNetwork,
    GammonTraining,
    load_test_positions,
)
from ludus.learn.gammon.evaluation import GammonEvaluation, arrange_weights, draw_weights


@pytest.fixture(scope="module")
def training():
    trained = GammonTraining(GammonConfig(hidden=(3,), cycles=1, positions=60))
    fit(trained)
    return trained


def test_the_agreement_is_that_of_the_training(training):
    found = GammonEvaluation.of(training.export(), load_test_positions())
    hits, count = found.agreement
    assert count == 1000
    assert hits / count == pytest.approx(training.metrics()["accuracy/test"])
    assert set(found.themes) == {each.theme for each in load_test_positions()}


def test_units_name_their_largest_weights():
    encoding = MOVE_ENCODINGS["features"]
    weights = np.zeros((encoding.num_units, 1), np.float32)
    weights[[5, 400]] = [[-2.0], [3.0]]
    network = GammonNetwork(encoding, ((weights, np.zeros(1, np.float32)),))
    (unit,) = GammonEvaluation.of(network, load_test_positions()[:5]).units
    assert unit.outgoing is None
    assert unit.strongest[:2] == (
        (encoding.unit_names[400], 3.0),
        (encoding.unit_names[5], -2.0),
    )


@pytest.mark.parametrize("name", sorted(MOVE_ENCODINGS))
def test_rows_of_the_diagram_hold_every_weight_once(name):
    encoding = MOVE_ENCODINGS[name]
    numbers = np.arange(encoding.num_units, dtype=np.float32)
    network = GammonNetwork(encoding, ((numbers[:, None], np.zeros(1, np.float32)),))
    rows = arrange_weights(network, 0)
    assert np.concatenate(rows).tolist() == numbers.tolist()
    # 24 locations, a row for the bars and three for the roll, as in Figure 3.
    assert [encoding.unit_names[int(row[0])] for row in rows[24:28]] == [
        "own men on the bar before: 1",
        "roll 11",
        "roll 42",
        "roll 55",
    ]


def test_the_diagram_has_a_panel_for_each_hidden_unit(training):
    network = training.export()
    svg = draw_weights(network).svg()
    assert all(f">unit {number}<" in svg for number in (1, 2, 3))
    weights = network.layers[0][0]
    assert svg.count('"excites"') == (weights > 0).sum()
    assert svg.count('"inhibits"') == (weights <= 0).sum()


def test_the_command(training, tmp_path, capsys):
    file, svg = tmp_path / "net.npz", tmp_path / "weights.svg"
    training.export().save(file)
    assert run(["evaluate", "gammon", str(file), "--svg", str(svg), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["positions"] == 1000
    assert len(found["units"]) == 3
    assert svg.read_text("utf-8").startswith("<svg")
    assert run(["evaluate", "gammon", str(file)]) == 0
    assert f"{found['agreement']:.1%}" in capsys.readouterr().out
