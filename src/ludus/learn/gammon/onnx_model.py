"""The backgammon networks as torch modules for export."""

import torch
from torch import nn

from ludus.learn.gammon.model import ChancesModel
from ludus.learn.gammon.network import NUM_CHANCES, ChancesNetwork, GammonNetwork
from ludus.learn.onnx_export import ExportableNetwork, TensorInfo


class MoveModel(nn.Module):
    """The network of 1988: layers of logistic units, and a score from -100 to 100."""

    def __init__(self, network: GammonNetwork) -> None:
        super().__init__()
        for number, (weights, biases) in enumerate(network.layers):
            self.register_buffer(f"weights{number}", torch.from_numpy(weights))
            self.register_buffer(f"biases{number}", torch.from_numpy(biases))

    def forward(self, units: torch.Tensor) -> torch.Tensor:
        tensors = list(self.buffers())
        for weights, biases in zip(tensors[::2], tensors[1::2], strict=True):
            units = torch.sigmoid(units @ weights + biases)
        return 200 * units - 100


def describe_move_network(network: GammonNetwork) -> ExportableNetwork:
    """Return the network of 1988, which scores moves."""
    encoding = network.encoding
    return ExportableNetwork(
        MoveModel(network),
        (TensorInfo("units", encoding.num_units, f"a move in the encoding {encoding.name}"),),
        (TensorInfo("score", 1, "from -100, worst, to 100, best"),),
        "Score of a backgammon move",
        {"learner": "gammon", "encoding": encoding.name, "layers": network.name},
    )


def describe_chances(network: ChancesNetwork) -> ExportableNetwork:
    """Return a strong network, which evaluates boards after moves."""
    meaning = (
        "chances of the side that has moved: to win, win a gammon, win a backgammon, "
        "lose a gammon, lose a backgammon; each includes those after it of the same side"
    )
    about = "a board after a move, see gammon/afterstate_inputs.py"
    return ExportableNetwork(
        nn.Sequential(ChancesModel.from_layers(network.layers), nn.Sigmoid()),
        (TensorInfo("board", network.sizes[0], about),),
        (TensorInfo("chances", NUM_CHANCES, meaning),),
        "Chances of a backgammon board after a move",
        {"learner": "gammon", "layers": network.name},
    )
