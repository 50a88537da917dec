"""The loss of training, and the classes that the rules allow."""

import math

import numpy as np
import pytest
import torch

from ludus.datasets.morris.files import parse_lines
from ludus.games.nine_mens_morris import to_thesis, to_thesis_move
from ludus.learn.nnmm.config import Hyperparameters, NetworkConfig
from ludus.learn.nnmm.data import compute_legal_masks
from ludus.learn.nnmm.encoding import InputColumns
from ludus.learn.nnmm.network import build_network
from ludus.learn.nnmm.network_trainer import Loss, compute_illegal_probability, select_weights
from ludus.learn.nnmm.parts import NUM_CLASSES, PartOrder, points_to_classes
from support.morris import positions
from support.nnmm import teacher_moves

NETWORK = build_network(
    NetworkConfig(first=8, units=6, blocks=2), InputColumns(10), torch.Generator().manual_seed(1)
)
SCORES = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
TARGETS = torch.tensor([2, 0])


def loss(legal: torch.Tensor | None = None, **settings: object) -> float:
    return Loss(select_weights(NETWORK), Hyperparameters(**settings))(SCORES, TARGETS, legal).item()  # type: ignore[arg-type]


def test_it_is_the_negative_log_likelihood():
    first = 3 - math.log(math.exp(1) + math.exp(2) + math.exp(3))
    assert loss() == pytest.approx(-(first + math.log(1 / 3)) / 2)


def test_norms_are_added():
    layers = [each for each in NETWORK.modules() if isinstance(each, torch.nn.Linear)]
    weights = np.concatenate([each.weight.detach().numpy().ravel() for each in layers])
    last = layers[-1].weight.detach().numpy()
    for penalty, norm in (("L1", np.abs), ("L2", np.square)):
        every = loss(penalty=penalty, penalty_weight=0.01) - loss()
        assert every == pytest.approx(0.01 * norm(weights).sum(), rel=1e-4)
        end = loss(penalty=penalty, penalty_weight=0.01, penalised="last") - loss()
        assert end == pytest.approx(0.01 * norm(last).sum(), rel=1e-4)


def test_what_lies_on_illegal_classes_is_added():
    legal = torch.tensor([0b110, 0b001], dtype=torch.int32)
    masses = compute_illegal_probability(SCORES, legal)
    first = math.exp(1) / (math.exp(1) + math.exp(2) + math.exp(3))
    assert masses.tolist() == pytest.approx([first, 2 / 3])
    assert loss(legal, legality=5.0) - loss() == pytest.approx(5 * (first + 2 / 3) / 2)
    everything = torch.tensor([0b111, 0b111], dtype=torch.int32)
    assert loss(everything, legality=5.0) == pytest.approx(loss())


def allowed(masks: np.ndarray) -> list[set[int]]:
    return [{number for number in range(NUM_CLASSES) if mask >> number & 1} for mask in masks]


@pytest.mark.parametrize("name", ["TFR", "RTF", "FTR5"])
def test_legal_classes_are_those_of_the_rules(name):
    """Legal moves that agree with the choices so far allow their class; nothing else does."""
    order = PartOrder.parse(name)
    for position in positions(1)[::3]:
        state = to_thesis(position)
        lines = [f"{state}-{to_thesis_move(move)}\n" for move in position.legal_moves()]
        entries = parse_lines("".join(lines).encode()).moves
        moves = points_to_classes(entries.points)
        for step, masks in zip(order.steps, compute_legal_masks(entries, order.steps), strict=True):
            after = list(step.parts_before)
            for true, found in zip(moves, allowed(masks), strict=True):
                fitting = moves[(moves[:, after] == true[after]).all(axis=1), step.part]
                answers = fitting != 0 if step.predicts_presence else fitting
                assert found == set(answers.astype(int).tolist())


def test_what_the_teacher_plays_is_legal():
    entries = teacher_moves()
    for step, masks in zip(
        PartOrder().steps, compute_legal_masks(entries, PartOrder().steps), strict=True
    ):
        assert (masks >> points_to_classes(entries.points)[:, step.part] & 1).all()


def test_without_any_legal_move_every_class_counts():
    lost = parse_lines(b"MMOOOOOOOOOOOOOOOOOOOEEE0023-a1a4\n").moves
    assert compute_legal_masks(lost, PartOrder().steps)[0].tolist() == [2**25 - 1]
