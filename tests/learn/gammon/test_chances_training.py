"""Training of the strong networks: games in batches, targets, labels, and runs that resume."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ludus
from ludus.games.backgammon.batch import generate_afterstates, position_to_row, row_to_position
from ludus.learn.gammon.chances_network import load_shipped_chances
from support.backgammon_rolls import met

torch = pytest.importorskip("torch")

from ludus.learn.common.checkpoint import BadCheckpoint  # noqa: E402 - torch is optional
from ludus.learn.gammon.afterstates import (  # noqa: E402
    LibraryAfterstates,
    NativeAfterstates,
)
from ludus.learn.gammon.chances_model import (  # noqa: E402
    Predictor,
    apply_rules,
    average_replies,
    choose_best,
    compute_equity,
    flip_chances,
    list_replies,
)
from ludus.learn.gammon.chances_runs import (  # noqa: E402
    LabelledGroups,
    TrainingState,
    export_network,
    load_model,
    run_selfplay,
)
from ludus.learn.gammon.chances_training import (  # noqa: E402
    ChancesTrainer,
    ChancesTrainingConfig,
    SelfplayTraining,
    train_on_labels,
)
from ludus.learn.gammon.expert_labels import label_boards  # noqa: E402
from ludus.learn.gammon.selfplay import (  # noqa: E402
    Decisions,
    GameBatch,
    compute_returns,
    make_start_row,
)

CPU = torch.device("cpu")
TINY = ChancesTrainingConfig(
    hidden=(8, 4),
    batch=32,
    games=6,
    td_rounds=2,
    window=3,
    lookahead_rounds=2,
    lookahead_boards=3,
    steps_per_round=2,
    label_steps=40,
    replay=200,
    opening_plies=2,
)


def make_trainer(settings=TINY):
    return ChancesTrainer(settings, NativeAfterstates(1), CPU)


def sample_boards(count):
    return np.concatenate([generate_afterstates(here)[:1] for here in met(games=1, seed=4)])[:count]


def test_the_model_is_the_network_that_plays():
    network = load_shipped_chances("selfplay")
    predictor = Predictor(load_model(network, CPU), NativeAfterstates(1))
    boards = sample_boards(12)
    found = predictor.predict(torch.from_numpy(boards)).numpy()
    native = network.to_native()
    np.testing.assert_allclose(found, native.evaluate(boards), atol=1e-4)
    replies = average_replies(*list_replies(boards[:2], NativeAfterstates(1)), predictor)
    np.testing.assert_allclose(replies.numpy(), native.evaluate(boards[:2], 1), atol=1e-4)
    again = export_network(load_model(network, CPU))
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
    predictor = Predictor(load_model(load_shipped_chances("selfplay"), CPU), afterstates)
    with ThreadPoolExecutor(1) as executor:
        batch = GameBatch(5, afterstates, executor, (1,), random_rate=0.2, opening_plies=3)
        before = np.repeat(make_start_row()[None], 5, axis=0)
        for _ in range(70):
            decisions = batch.play(predictor, CPU, with_groups=True)
            for row, end in zip(before, decisions.boards.numpy(), strict=True):
                reachable = (
                    generate_afterstates(row_to_position(row, (high, low)))
                    for high in range(1, 7)
                    for low in range(1, high + 1)
                )
                assert any((ends == end).all(axis=1).any() for ends in reachable)
            before = decisions.boards.numpy()[:, ::-1].copy()
            before[decisions.is_over.numpy()] = make_start_row()
            equities = compute_equity(predictor.predict(decisions.groups.flatten(0, 1)))
            equities = equities.reshape(5, 4)
            assert (equities[:, 0] >= equities.max(dim=1).values - 1e-4).all()
    assert batch.num_finished > 0
    assert (make_start_row() == position_to_row(ludus.game("backgammon").start())).all()


def make_decisions(win, over=False, is_random=False, best=None):
    chances = torch.tensor([[win, 0.0, 0.0, 0.0, 0.0]])
    best_chances = chances if best is None else torch.tensor([[best, 0.0, 0.0, 0.0, 0.0]])
    flags = torch.tensor([over]), torch.tensor([is_random])
    return Decisions(torch.zeros((1, 52), dtype=torch.int8), chances, best_chances, *flags, None)


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
    """The expert's chances of a few boards, which a small network can learn by heart."""
    pytest.importorskip("bgbot_cpp")
    boards = sample_boards(24)
    labels = label_boards(boards)
    assert ((labels >= 0) & (labels <= 1)).all()
    trainer = make_trainer(replace(TINY, learning_rate=0.02))
    groups, targets = boards.reshape(-1, 4, 52), labels.reshape(-1, 4, 5)
    losses = [each.loss for each in train_on_labels(trainer, groups, targets)]
    untrained = make_trainer()
    first = untrained.train_on(torch.from_numpy(boards), torch.from_numpy(labels), 0.5, 4)
    assert losses[-1] < float(first) / 2


def test_selfplay_runs_and_resumes(tmp_path):
    file = tmp_path / "state"
    whole = list(run_selfplay(make_trainer(), TrainingState(file, make_trainer(), "selfplay"), 100))
    assert [(each.part, each.done) for each in whole] == [
        *(("td", 1), ("td", 2), ("lookahead", 1), ("lookahead", 2))
    ]
    file.unlink()
    trainer = make_trainer()
    state = TrainingState(file, trainer, "selfplay")
    interrupted = run_selfplay(trainer, state, 1)
    for _ in range(4):
        next(interrupted)
    again = make_trainer()
    rest = list(run_selfplay(again, TrainingState(file, again, "selfplay"), 100))
    assert [(each.part, each.done) for each in rest] == [("lookahead", 2)]
    assert again.optimizer.steps == whole[-1].steps
    with pytest.raises(BadCheckpoint, match="another training run"):
        TrainingState(file, again, "expert").load()


def test_selfplay_draws_groups():
    groups = SelfplayTraining(make_trainer()).draw_groups(13)
    assert groups.shape == (13, 4, 52)
    assert (groups.astype(int).sum(axis=2) == 30).all()


def test_labelled_groups_are_kept(tmp_path, monkeypatch):
    pytest.importorskip("bgbot_cpp")
    monkeypatch.setattr(
        "ludus.learn.gammon.chances_runs.label_in_parallel",
        lambda rows, executor, plies: iter([label_boards(rows, plies)]),
    )
    labelled = LabelledGroups(tmp_path)
    network = load_shipped_chances("selfplay")
    assert list(labelled.extend(7, network, make_trainer(), None, 0)) == [7]
    groups, labels = labelled.read(7)
    np.testing.assert_allclose(labels[2], label_boards(groups[2]), atol=1e-6)
    stamp = next(tmp_path.iterdir()).stat().st_mtime_ns
    assert list(labelled.extend(7, network, make_trainer(), None, 0)) == [7]
    assert next(tmp_path.iterdir()).stat().st_mtime_ns == stamp


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
