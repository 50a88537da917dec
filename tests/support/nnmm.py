"""Small networks of the thesis, with random weights or trained on small generated datasets."""

import importlib
import json
import random
import re
import shutil
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus.cli.main import run
from ludus.datasets.morris.files import parse_lines
from ludus.games.nine_mens_morris import NineMensMorris, to_thesis
from ludus.games.nine_mens_morris.batch import MoveBatch
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.data import EncodedEntries, Examples
from ludus.learn.nnmm.encoding import INPUT_MODELS, InputColumns
from ludus.learn.nnmm.network import build_network
from ludus.learn.nnmm.parts import ChainStep, PartOrder
from ludus.learn.nnmm.weights import ChainWeights, save_weights
from ludus.reproduce import find_experiment
from support.games import play_randomly
from support.morris import lines, positions
from support.paths import EXPERIMENTS

SMALL = NetworkConfig(
    architecture="residual", first=24, units=16, blocks=2, batch_normalisation=True
)


def torch_network(design: NetworkConfig, columns: InputColumns, seed: int) -> torch.nn.Module:
    """Return an untrained network with non-trivial normalisation statistics, in evaluation mode."""
    source = torch.Generator().manual_seed(seed)
    network = build_network(design, columns, source)
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, torch.nn.BatchNorm1d):
                module.weight.uniform_(0.5, 1.5, generator=source)
                module.bias.normal_(0, 0.3, generator=source)
                module.running_mean.normal_(0, 0.3, generator=source)
                module.running_var.uniform_(0.5, 2, generator=source)
        if design.architecture == "symmetric":  # which begins with an answer of zeros
            for parameter in network.parameters():
                parameter.normal_(0, 0.3, generator=source)
    return network.eval()


def tensors_of(network: torch.nn.Module) -> dict[str, Any]:
    """Return the weights in the format of a weights file."""
    state = network.state_dict()
    return {name: state[name].numpy() for name in state if "num_batches" not in name}


def random_chain(
    order: str = "TFR",
    inputs: str = "raw",
    members: int = 1,
    design: NetworkConfig = SMALL,
    seed: int = 0,
) -> ChainWeights:
    """The weights of a chain."""
    steps, model = PartOrder.parse(order).steps, INPUT_MODELS[inputs]
    designs = [
        NetworkConfig.parse({**design.model_dump(mode="json"), "outputs": step.outputs})
        for step in steps
    ]
    networks = [
        tuple(
            tensors_of(
                torch_network(
                    designs[number],
                    model.columns(len(step.parts_before)),
                    seed + 100 * member + number,
                )
            )
            for number, step in enumerate(steps)
        )
        for member in range(members)
    ]
    facts = {"note": "random"}
    return ChainWeights(
        PartOrder.parse(order),
        model,
        tuple(each.model_dump(mode="json") for each in designs),
        tuple(networks),
        facts,
    )


def saved_chain(folder: Path, name: str = "chain.safetensors", **options: Any) -> Path:
    """The file of a random chain."""
    path = folder / name
    save_weights(path, random_chain(**options))
    return path


def is_close(first: Any, second: Any, tolerance: float = 1e-5) -> bool:
    return bool(np.allclose(first, second, atol=tolerance, rtol=0))


CPU = torch.device("cpu")

# Networks this small gain nothing from threads, and on a busy machine threads wait for each other.
torch.set_num_threads(1)


@cache
def text() -> str:
    """The lines, each state once."""
    pairs = {to_thesis(each): (each, each.legal_moves()[0]) for each in positions(12)}
    return "".join(f"{line}\n" for line in lines([*pairs.values()]))


def teacher_moves() -> MoveBatch:
    """Return the dataset as entries."""
    return parse_lines(text().encode()).moves


def write_teacher_moves(folder: Path) -> Path:
    """Write the dataset to a file."""
    file = folder / "moves.txt"
    file.write_text(text())
    return file


def step_named(name: str, order: str = "TFR") -> ChainStep:
    return next(step for step in PartOrder.parse(order).steps if step.name == name)


def examples(entries: MoveBatch, part: str = "TO", device: torch.device = CPU) -> Examples:
    """Return the training examples of the network for a part."""
    return EncodedEntries.encode(entries, INPUT_MODELS["rawest"]).build_examples(
        step_named(part), False, device
    )


SIZES = {
    "positions": 300,
    "costly": 60,
    "entries": 60,
    "epochs": 2,
    "batch": 50,
    "openings": 1,
    "teacher": '"negascout:depth=2"',
}
"""Settings of experiments that end within seconds."""

TRAINING_MARGIN = 2.776445 * (0.497598 / 8) ** 0.5
"""Half the interval of a single training: Student's quantile for four pairs, and their deviation of
0.198, 0.428, 0.517 and 0.089 points."""


def write_data(folder: Path) -> Path:
    """Positions of random games, each with some legal move; and networks that know nothing."""
    game, source = NineMensMorris(), random.Random(1)
    found = [
        position
        for seed in range(20)
        for position in play_randomly(game, seed, 60)
        if position.outcome() is None
    ]
    found_lines = lines([(each, source.choice(each.legal_moves())) for each in found])
    (folder / "npz").mkdir(parents=True)
    (folder / "dataset.txt").write_text("\r\n".join(found_lines) + "\r\n")
    (folder / "states.txt").write_text("\n".join(map(to_thesis, found[::3])) + "\n")
    for number, part in enumerate(("TO", "FROM", "REMOVE")):
        write_authors_network(folder / "npz" / f"TEST-rawest-TFR_{part}.npz", 90 + 25 * number)
    return folder


def write_authors_network(file: Path, inputs: int) -> None:
    """Random weights of the shapes that the author's files have."""
    rng = np.random.default_rng(inputs)
    widths = (inputs, 12, 16, 12, 25)
    arrays = []
    for before, after in pairwise(widths):
        arrays += [rng.normal(0, before**-0.5, (before, after)), rng.normal(0, 0.1, after)]
    np.savez(file, *arrays)


def train(data: Path, file: Path, order: str = "TFR") -> Path:
    """Train small networks, in a few seconds."""
    options = ["--preset", "quick", "--order", order, "--threads", "1"]
    command = ["train", "nnmm", "--data", str(data / "dataset.txt"), *options, "--json"]
    assert run([*command, "--epochs", "1", "--out", str(file)]) == 0
    return file


def load_module(name: str) -> Any:
    """Return a module of the experiments."""
    package = find_experiment("galassi-whole", EXPERIMENTS).module().__package__
    return importlib.import_module(f"{package}.{name}")


def write_experiments(folder: Path) -> Path:
    """The experiments with small sizes, short series, a short ladder, and no shipped networks."""
    shutil.copytree(EXPERIMENTS / "galassi", folder / "galassi")
    for file in (folder / "galassi").glob("*.toml"):
        text = f"shipped = false\n{file.read_text()}"
        for name, value in SIZES.items():
            text = re.sub(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
        text = re.sub(r"^presets = \[([^,\]]*).*$", r"presets = [\1]", text, flags=re.MULTILINE)
        text = re.sub(r'^"(?!random|newbie).*" = "[a-z:=0-9,]+"\n', "", text, flags=re.MULTILINE)
        file.write_text(text)
    return folder


def read_stored_rows(name: str) -> dict[str, dict[str, Any]]:
    """The rows of the stored results of galassi-NAME, by name."""
    rows = json.loads(find_experiment(f"galassi-{name}", EXPERIMENTS).results.read_text())["rows"]
    return {row["name"]: row for row in rows}
