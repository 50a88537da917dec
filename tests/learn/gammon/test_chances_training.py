"""Training of the strong networks: games in batches, targets, labels, and runs that resume."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import ludus
from ludus.core.errors import BadSpec
from ludus.games.backgammon.batch import generate_afterstates, position_to_row, row_to_position
from ludus.learn.gammon.network import load_shipped_chances
from support.backgammon import met

torch = pytest.importorskip("torch")

from ludus.learn import fit  # noqa: E402 - torch is optional
from ludus.learn.gammon.afterstates import (  # noqa: E402
    LibraryAfterstates,
    NativeAfterstates,
)
from ludus.learn.gammon.chances_training import ExpertTraining, SelfplayTraining  # noqa: E402
from ludus.learn.gammon.config import ExpertConfig, SelfplayConfig  # noqa: E402
from ludus.learn.gammon.data import LabelFolder, label_boards  # noqa: E402
from ludus.learn.gammon.model import (  # noqa: E402
    ChancesModel,
    Predictor,
    apply_rules,
    average_replies,
    choose_best,
    compute_equity,
    flip_chances,
    list_replies,
)
from ludus.learn.gammon.selfplay import (  # noqa: E402
    PlayedMoves,
    SelfplayGames,
    compute_returns,
    draw_groups,
)

CPU = torch.device("cpu")
TINY = {
    "hidden": (8, 4),
    "batch": 32,
    "games": 6,
    "opening_plies": 2,
    "device": "cpu",
    "threads": 1,
}
SELFPLAY = SelfplayConfig(
    **TINY,
    td_rounds=2,
    window=3,
    lookahead_rounds=2,
    lookahead_boards=3,
    steps_per_round=2,
    replay=200,
)
START = position_to_row(ludus.game("backgammon").start())


def sample_boards(count):
    return np.concatenate([generate_afterstates(here)[:1] for here in met(games=1, seed=4)])[:count]


def test_the_model_is_the_network_that_plays():
    network = load_shipped_chances("selfplay")
    predictor = Predictor(ChancesModel.from_layers(network.layers), NativeAfterstates(1))
    boards = sample_boards(12)
    found = predictor.predict(torch.from_numpy(boards)).numpy()
    native = network.to_native()
    np.testing.assert_allclose(found, native.evaluate(boards), atol=1e-4)
    replies = average_replies(*list_replies(boards[:2], NativeAfterstates(1)), predictor)
    np.testing.assert_allclose(replies.numpy(), native.evaluate(boards[:2], 1), atol=1e-4)
    again = ChancesModel.from_layers(network.layers).export()
    for ours, theirs in zip(again.layers, network.layers, strict=True):
        assert all((one == other).all() for one, other in zip(ours, theirs, strict=True))


def test_the_rules_know_finished_games():
    boards = torch.zeros((2, 52), dtype=torch.int8)
    boards[:, 0] = 15
    boards[0, 26 + 10] = 15  # a gammon
    boards[1, 26] = 15  # all on the bar: a backgammon
    chances = apply_rules(boards, torch.full((2, 5), 0.5))
    assert compute_equity(chances).tolist() == [2, 3]
    assert compute_equity(flip_chances(chances)).tolist() == [-2, -3]


def test_the_best_of_each_list_is_chosen():
    scores = torch.tensor([0.1, 0.5, 0.5, -1.0, 3.0, 2.0])
    assert choose_best(scores, torch.tensor([0, 3, 4, 6])).tolist() == [1, 3, 4]


def test_batches_play_by_the_rules():
    afterstates = NativeAfterstates(1)
    predictor = Predictor(
        ChancesModel.from_layers(load_shipped_chances("selfplay").layers), afterstates
    )
    with ThreadPoolExecutor(1) as executor:
        batch = SelfplayGames(5, afterstates, executor, (1,), random_rate=0.2, opening_plies=3)
        before = np.repeat(START[None], 5, axis=0)
        for _ in range(70):
            decisions = batch.play(predictor, torch.Generator(), with_groups=True)
            for row, end in zip(before, decisions.boards.numpy(), strict=True):
                reachable = (
                    generate_afterstates(row_to_position(row, (high, low)))
                    for high in range(1, 7)
                    for low in range(1, high + 1)
                )
                assert any((ends == end).all(axis=1).any() for ends in reachable)
            before = decisions.boards.numpy()[:, ::-1].copy()
            before[decisions.is_over.numpy()] = START
            equities = compute_equity(predictor.predict(decisions.groups.flatten(0, 1)))
            equities = equities.reshape(5, 4)
            assert (equities[:, 0] >= equities.max(dim=1).values - 1e-4).all()
    assert batch.num_finished > 0


def make_decisions(win, over=False, is_random=False, best=None):
    chances = torch.tensor([[win, 0.0, 0.0, 0.0, 0.0]])
    best_chances = chances if best is None else torch.tensor([[best, 0.0, 0.0, 0.0, 0.0]])
    flags = torch.tensor([over]), torch.tensor([is_random])
    return PlayedMoves(torch.zeros((1, 52), dtype=torch.int8), chances, best_chances, *flags)


def test_td_targets():
    def targets(*steps, decay=0.5):
        found = [target[:, 0].tolist() for _, target in compute_returns(list(steps), decay)]
        return [win for wins in found[::-1] for win in wins]

    first, second, third = make_decisions(0.6), make_decisions(0.3), make_decisions(0.9)
    # The last move has no target; each target is of the side that moved.
    assert targets(first, second, third) == pytest.approx([1 - (0.15 + 0.05), 0.1])
    assert targets(first, second, third, decay=0) == pytest.approx([0.7, 0.1])
    won = make_decisions(1.0, over=True)
    assert targets(first, second, won) == pytest.approx([1 - 0.15, 0.0])
    assert targets(first, won, third) == pytest.approx([0.0])
    strayed = make_decisions(0.1, is_random=True, best=0.8)
    assert targets(first, strayed, third) == pytest.approx([0.2, 0.1])


def test_labels_are_learned():
    """A network's chances of a few boards, which a small network can learn by heart."""
    boards = sample_boards(24)
    labels = load_shipped_chances("selfplay").to_native().evaluate(boards)
    config = ExpertConfig(**TINY, steps=100, learning_rate=0.02)
    training = ExpertTraining(config, (boards.reshape(-1, 4, 52), labels.reshape(-1, 4, 5)))
    tensors = torch.from_numpy(boards), torch.from_numpy(labels)
    first = ExpertTraining(config, (boards, labels)).trainer.train_on(
        *tensors, 0.5, 4, config.comparison_weight
    )
    run = fit(training)
    assert training.trainer.optimizer.steps == 100
    assert run.history[-1]["loss/labels"] < float(first) / 2


def test_selfplay_has_two_parts():
    training = SelfplayTraining(SELFPLAY)
    run = fit(training)
    losses = [[name for name in each if name.startswith("loss/")] for each in run.history]
    assert losses == [["loss/td"], ["loss/td"], ["loss/lookahead"], ["loss/lookahead"]]
    assert training.report()["steps"] == training.trainer.optimizer.steps > 4
    assert training.export().description == {
        "way": "selfplay",
        "games": training.selfplay.num_games,
        "steps": training.trainer.optimizer.steps,
        "seed": 0,
    }


def test_a_training_goes_on_from_a_network(tmp_path):
    training = SelfplayTraining(SELFPLAY)
    fit(training)
    training.export().save(tmp_path / "net.safetensors")
    again = SelfplayTraining(SELFPLAY)
    again.init_from(tmp_path / "net.safetensors")
    for layers in (again.trainer.model.list_layers(), again.export().layers):
        for one, other in zip(layers, training.export().layers, strict=True):
            assert all((found == wanted).all() for found, wanted in zip(one, other, strict=True))
    with pytest.raises(BadSpec, match="it needs hidden=8,4"):
        SelfplayTraining(SELFPLAY.replace(hidden=(9,))).init_from(tmp_path / "net.safetensors")


def test_selfplay_draws_groups():
    training = SelfplayTraining(SELFPLAY)
    trainer = training.trainer
    groups = draw_groups(training.selfplay.batches, trainer.predictor(), trainer.generator, 13)
    assert groups.shape == (13, 4, 52)
    assert (groups.astype(int).sum(axis=2) == 30).all()


def test_positions_are_labelled_once(tmp_path):
    pytest.importorskip("bgbot_cpp")
    config = ExpertConfig(**TINY, data=tmp_path, groups=7, steps=1)
    training = ExpertTraining(config)
    fit(training)
    assert training.export().description["groups"] == 7
    groups, labels = LabelFolder(tmp_path, 7).read()
    np.testing.assert_allclose(labels[2], label_boards(groups[2]), atol=1e-6)
    stamp = next(tmp_path.iterdir()).stat().st_mtime_ns
    again = ExpertTraining(config)
    fit(again)
    assert next(tmp_path.iterdir()).stat().st_mtime_ns == stamp
    for one, other in zip(again.export().layers, training.export().layers, strict=True):
        assert all((found == wanted).all() for found, wanted in zip(one, other, strict=True))


def test_labels_need_a_folder():
    with pytest.raises(BadSpec, match="data is missing"):
        ExpertTraining(ExpertConfig(**TINY))


@pytest.mark.parametrize(
    "wrong",
    [
        {"hidden": ()},
        {"hidden": (0,)},
        {"batch": 3},
        {"decay": 1.5},
        {"learning_rate": 1e-5, "last_learning_rate": 1e-4},
        {"td_rounds": -1},
    ],
)
def test_settings_that_make_no_sense(wrong):
    with pytest.raises(BadSpec):
        SelfplayConfig.parse(wrong)


@pytest.mark.slow
def test_the_library_is_the_compiled_module(tmp_path):
    """The source of the GPU's library, compiled as C++, with loops in place of kernels."""
    native = Path(__file__).parents[3] / "native"
    library = tmp_path / "gammon.so"
    flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-x", "c++"]
    includes = [f"-I{native}", f"-I{native / 'core'}"]
    source = str(native / "cuda" / "gammon.cu")
    subprocess.run(["g++", *flags, *includes, source, "-o", str(library)], check=True)
    ours, module = LibraryAfterstates(library, 2), NativeAfterstates(1)
    boards = sample_boards(20)
    found, expected = (each.encode(torch.from_numpy(boards)) for each in (ours, module))
    assert torch.allclose(found, expected, atol=1e-6)
    positions = np.ascontiguousarray(boards[:, ::-1])
    for dice in (None, np.array([[3, 1]] * len(boards), np.int8)):
        for one, other in zip(
            ours.expand(positions, dice), module.expand(positions, dice), strict=True
        ):
            assert torch.equal(one, other)
    for table, expected in zip(ours.solve_bearoff(), module.solve_bearoff(), strict=True):
        np.testing.assert_allclose(table, expected, atol=1e-6)
