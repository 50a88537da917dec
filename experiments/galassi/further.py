"""Future work of section 7 in small: tuning, cross-validation, ordering of moves, hidden units."""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus import Limit
from ludus.datasets import MoveBatch, read_dataset
from ludus.games import game as named_game
from ludus.learn import select_device
from ludus.learn.nnmm import (
    NetworkChainTrainer,
    Preset,
    SearchConfig,
    Split,
    find_shipped_weights,
    load_preset,
    load_weights,
    points_to_classes,
    split_contiguously,
    split_entries,
    split_fold,
    tune_network,
)
from ludus.players import AlphaBetaSearch, TableEntry
from ludus.players import player as named_player
from ludus.reproduce import Context, Figure, Finding, Measurement

from .data import HELD_OUT, WHOLE, find_data_folder, read_held_out_entries, read_positions
from .games import GAME, RULES
from .network_training import DATASET

PART = "TO"
"""The network that is tuned and cross-validated."""


def run(context: Context) -> Iterator[Finding]:
    yield from measure_tuning(context)
    yield from measure_folds(context)
    nodes = context.cached("nodes", lambda: count_nodes(context))
    yield from report_nodes(nodes)
    yield from measure_hidden_units(context)
    yield Figure(
        "Positions visited with either order of moves",
        draw_nodes,
        nodes,
        "Each dot is a position; below the diagonal the networks' order visits fewer.",
    )


def measure_tuning(context: Context) -> Iterator[Measurement]:
    """Search for a configuration and test it and the first one on entries of neither part."""

    def compute() -> dict[str, float]:
        size = context.setting("entries")
        study = context.folder("tuning") / "study.db"
        config = SearchConfig(
            data=find_data_folder() / DATASET,
            limit_entries=size,
            part=PART,
            trials=context.setting("trials"),
            device=context.device,
            threads=context.jobs,
        )
        first = config.make_preset().with_changes(epochs=context.setting("epochs"))
        config = config.replace(epochs=context.setting("epochs"))
        found = tune_network(
            config,
            study,
            report=lambda done, _: context.progress(done, config.trials, "tuning"),
        )
        split = split_entries(_read_entries(context), "entries", "published")
        return {
            "first": 100 * test_network(context, first, split),
            "tuned": 100 * test_network(context, found.preset, split),
        }

    found = context.cached("tuning", compute)
    trials = f"{context.setting('trials')} trials"
    yield Measurement("tuning: test accuracy of the first configuration", found["first"], unit="%")
    yield Measurement(
        "tuning: test accuracy of the best one", found["tuned"], note=trials, unit="%"
    )


def _read_entries(context: Context) -> MoveBatch:
    return read_dataset(find_data_folder() / DATASET)[: context.setting("entries")]


def test_network(context: Context, preset: Preset, split: Split) -> float:
    """Train the network of PART and return its accuracy on the test part."""
    device = select_device(context.device, context.jobs)
    chain = NetworkChainTrainer(preset, split, device, [PART])
    for _ in chain.epochs():
        pass
    (result,) = chain.results.values()
    assert result.test is not None
    return result.test


def measure_folds(context: Context) -> Iterator[Measurement]:
    """Cross-validate one configuration; its folds differ as samples of entries do."""
    entries, number = _read_entries(context), context.setting("folds")
    preset = load_preset("quick").with_changes(epochs=context.setting("epochs"))

    def train(fold: int) -> float:
        context.progress(fold, number, "cross-validation")
        split = split_fold(entries, number, fold, "published")
        device = select_device(context.device, context.jobs)
        chain = NetworkChainTrainer(preset, split, device, [PART])
        return 100 * max(epoch.accuracy for _, epoch in chain.epochs())

    found = [context.cached(f"fold {fold}", partial(train, fold)) for fold in range(number)]
    text = ", ".join(f"{each:.1f}" for each in found)
    yield Measurement.mean(f"{number} folds: validation accuracy", found, text, "%")


class Nothing:
    """An oracle that knows no position."""

    def value_if_known(self, position: Any) -> None:
        return None


class NetworkOrderedSearch(AlphaBetaSearch):
    """A search that tries the networks' likely moves first."""

    def __init__(self, *arguments: Any, rate: Callable[[Any], Mapping[Any, float]]) -> None:
        super().__init__(*arguments)
        self._rate = rate

    def _order_moves(self, position: Any, known: TableEntry | None) -> list[Any]:
        best = None if known is None else known.move
        scores = self._rate(position)
        moves = position.legal_moves()
        return sorted(moves, key=lambda move: (move != best, -scores.get(move, -math.inf)))


def count_nodes(context: Context) -> list[list[int]]:
    """Count the positions that searches of one depth visit with either order of moves."""
    game: Any = named_game(GAME, RULES)
    entries = read_held_out_entries()
    chosen = random.Random(context.seed).sample(range(len(entries)), context.setting("searched"))
    networks = named_player("nnmm", game)
    limit = Limit(depth=context.setting("depth"))
    oracle: Any = Nothing()
    found = []
    for number, position in enumerate(entries[np.sort(chosen)].to_positions(game)):
        context.progress(number, len(chosen), "searches")
        plain = AlphaBetaSearch(game, oracle, limit)
        ordered = NetworkOrderedSearch(
            *(game, oracle, limit), rate=lambda each: networks.choose(each).scores
        )
        results = plain.run(position), ordered.run(position)
        assert None not in results
        found.append([plain.nodes, ordered.nodes])
    return found


def report_nodes(nodes: Sequence[Sequence[int]]) -> Iterator[Measurement]:
    ratios = [math.log(ordered / plain) for plain, ordered in nodes]
    mean = Measurement.mean("", ratios)
    low, high = (None if each is None else math.exp(each) for each in (mean.low, mean.high))
    name = "positions visited with the networks' order of moves, captures first = 1"
    yield Measurement(name, math.exp(mean.value), low, high, len(nodes))
    share = sum(ordered < plain for plain, ordered in nodes)
    yield Measurement.proportion("searches that visit fewer", share, len(nodes))


def measure_hidden_units(context: Context) -> Iterator[Measurement]:
    """Predict FROM by a linear learner that reads inputs, hidden units of TO's network, or both."""
    weights: Any = load_weights(find_shipped_weights()["thesis", "TFR"])
    number = context.setting("examples")
    parts = [
        read_positions(HELD_OUT)
        if where == HELD_OUT
        else split_contiguously(read_positions(WHOLE))[0]
        for where in (WHOLE, HELD_OUT)
    ]
    source = np.random.default_rng(context.seed)
    chosen = [
        part[np.sort(source.choice(len(part), min(number, len(part)), replace=False))]
        for part in parts
    ]
    inputs = [_as_tensor(weights.model.encode(each)) for each in chosen]
    hidden = [compute_hidden_units(weights, each) for each in inputs]
    targets = [
        torch.from_numpy(points_to_classes(each.points)[:, 1].astype(np.int64)) for each in chosen
    ]
    given = {
        "the inputs": inputs,
        "hidden units": hidden,
        "both": [torch.cat(pair, dim=1) for pair in zip(inputs, hidden, strict=True)],
    }
    for name, (learned, tested) in given.items():

        def compute(learned: Tensor = learned, tested: Tensor = tested) -> int:
            return fit_linear(context, learned, targets[0], tested, targets[1])

        hits = context.cached(f"hidden units {name} {number}", compute)
        yield Measurement.proportion(
            f"a linear learner of FROM with {name}", hits, len(targets[1]), "held out"
        )


def _as_tensor(rows: NDArray[Any]) -> Tensor:
    return torch.from_numpy(rows.astype(np.float32))


def compute_hidden_units(weights: Any, inputs: Tensor) -> Tensor:
    """Return what the last layer of the first network reads, (examples, units)."""
    tensors = {
        name: torch.from_numpy(each.astype(np.float32))
        for name, each in weights.members[0][0].items()
    }
    blocks = sum(name.endswith("layer1.weight") for name in tensors)

    def apply(name: str, x: Tensor) -> Tensor:
        return x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    x = apply("first", inputs)
    for number in range(blocks):
        inner = torch.relu(apply(f"blocks.{number}.layer1", torch.relu(x)))
        x = x + apply(f"blocks.{number}.layer2", inner)
    return x


def fit_linear(
    context: Context, learned: Tensor, targets: Tensor, tested: Tensor, wanted: Tensor
) -> int:
    """Fit a linear classifier by Adam and return how many test examples it gets right."""
    mean, deviation = learned.mean(dim=0), learned.std(dim=0) + 1e-3
    learned, tested = (learned - mean) / deviation, (tested - mean) / deviation
    torch.manual_seed(context.seed)
    layer = torch.nn.Linear(learned.shape[1], 25)
    adam = torch.optim.Adam(layer.parameters(), lr=0.01)
    steps = context.setting("steps")
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(adam, steps)
    for _ in range(steps):
        index = torch.randint(len(learned), (min(2048, len(learned)),))
        loss = torch.nn.functional.cross_entropy(layer(learned[index]), targets[index])
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
        schedule.step()
    return int((layer(tested).argmax(dim=1) == wanted).sum())


def draw_nodes(axes: Any, data: Sequence[Sequence[int]]) -> None:
    plain, ordered = zip(*data, strict=True)
    axes.loglog(plain, ordered, "o", markersize=3)
    ends = [min(*plain, *ordered), max(*plain, *ordered)]
    axes.plot(ends, ends, "--", linewidth=1)
    axes.set_xlabel("captures first")
    axes.set_ylabel("networks' order")
