"""Chains of small random networks, made where they are needed: what they choose means nothing."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.encoding import INPUT_MODELS, InputColumns
from ludus.learn.nnmm.network import build_network
from ludus.learn.nnmm.parts import PartOrder
from ludus.learn.nnmm.weights import ChainWeights, save_weights

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
