"""Networks of players and of weight files as ONNX models; docs/data.md lists what they read."""

import json
import logging
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.core.errors import BadSpec, LudusError, quote
from ludus.core.extras import require_package
from ludus.core.files import quote_path
from ludus.core.player import Player
from ludus.core.spec import parse_spec
from ludus.games import game as named_game
from ludus.learn.weights import BadWeights

if TYPE_CHECKING:
    from torch import nn

METADATA_KEY = "ludus"

FLOAT, INT64 = "float32", "int64"

SUFFIXES = (".safetensors", ".npz")
"""Names of weight files."""


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """An input or output of a model; its first dimension is the number of rows."""

    name: str
    width: int
    """Number of columns; 0 for a vector with one number a row."""

    meaning: str
    kind: str = FLOAT


class ExportableNetwork(NamedTuple):
    """A network in torch, and what an ONNX model says about it."""

    module: "nn.Module"
    """Maps the inputs to the outputs, in their order."""

    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    description: str
    metadata: Mapping[str, Any]


class OnnxModel(NamedTuple):
    """An exported network."""

    data: bytes
    """The content of the file."""

    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]


def build_onnx_model(what: str, game: str = "") -> OnnxModel:
    """Build the model of a player's networks, by its spec, or of a weight file.

    `game` is needed for `deepq` alone, which plays several games.
    """
    from ludus.players import find_player_class

    for package in ("onnx", "onnxscript", "torch"):
        require_package(package, "an ONNX model")
    if what.endswith(SUFFIXES):
        return export_network(_load_file(Path(what), game))
    kind, _ = find_player_class(parse_spec(what))
    for name, load in _PLAYER_NETWORKS.items():
        if name == kind.__name__:
            return export_network(load(_make_player(what, kind, game)))
    known = ", ".join(("nnmm", "hybrid", "scholar", "gammon", "deepq"))
    raise BadSpec(f"{quote(what)} has no networks; players with networks are {known}")


def export_network(network: ExportableNetwork) -> OnnxModel:
    """Export a network by torch's exporter; the same weights give the same model."""
    import onnx
    import torch
    from onnxscript import ir

    module = network.module.requires_grad_(False).eval()
    examples = tuple(
        torch.zeros((2, each.width) if each.width else 2, dtype=getattr(torch, each.kind))
        for each in network.inputs
    )
    module(*examples)  # fills caches of constants, which must not be computed symbolically
    rows = torch.export.Dim("rows")
    with warnings.catch_warnings():
        # They warn of their own changes to come, and of what they can do without.
        warnings.simplefilter("ignore")
        for logger in ("torch.onnx", "onnxscript"):
            logging.getLogger(logger).setLevel(logging.ERROR)
        program = torch.onnx.export(
            module,
            examples,
            dynamo=True,
            verbose=False,
            input_names=[each.name for each in network.inputs],
            output_names=[each.name for each in network.outputs],
            dynamic_shapes=[{0: rows}] * len(examples),
        )
    assert program is not None
    model = program.model
    # Nodes carry the stack of the Python code, with the folders of this machine.
    ir.passes.common.ClearMetadataAndDocStringPass()(model)
    model.producer_name, model.producer_version = "ludus", None
    model.graph.name, model.doc_string = "ludus", network.description
    described = (*network.inputs, *network.outputs)
    for value, info in zip((*model.graph.inputs, *model.graph.outputs), described, strict=True):
        value.doc_string = info.meaning
    tensors = {each.name: each.meaning for each in described}
    model.metadata_props[METADATA_KEY] = json.dumps({**network.metadata, "tensors": tensors})
    proto = ir.to_proto(model)
    onnx.checker.check_model(proto)
    return OnnxModel(proto.SerializeToString(), network.inputs, network.outputs)


def _make_player(spec: str, kind: type[Player], game: str) -> Player:
    from ludus.players import player

    games = sorted(kind.games or ())
    if not game and len(games) != 1:
        raise BadSpec(f"{quote(spec)} plays {' and '.join(games)}; name one with --game")
    return player(spec, named_game(game or games[0]))


def _load_nnmm(player: Any) -> ExportableNetwork:
    from ludus.learn.nnmm.chain import find_shipped_weights

    settings = player.settings
    shipped = find_shipped_weights().get((settings.size, str(player.chain.order)))
    return _load_file(Path(settings.weights) if settings.weights else shipped)


def _load_scholar(player: Any) -> ExportableNetwork:
    from ludus.learn.scholar.inference import find_shipped_weights

    settings = player.settings
    shipped = find_shipped_weights().get((settings.kind, settings.size))
    return _load_file(Path(settings.weights) if settings.weights else shipped)


def _load_gammon(player: Any) -> ExportableNetwork:
    from ludus.learn.gammon.onnx_model import describe_chances, describe_move_network

    describe: Callable[[Any], ExportableNetwork]
    describe = describe_chances if player.settings.is_strong else describe_move_network
    return describe(player.network)


def _load_deepq(player: Any) -> ExportableNetwork:
    from ludus.learn.dqn.network import describe_network

    return describe_network(player.weights, player.game)


_PLAYER_NETWORKS: dict[str, Callable[[Any], ExportableNetwork]] = {
    "NnmmPlayer": _load_nnmm,
    "HybridPlayer": _load_nnmm,
    "ScholarPlayer": _load_scholar,
    "GammonPlayer": _load_gammon,
    "DqnPlayer": _load_deepq,
}
"""Networks by the player's class, which is imported only if it is asked for."""


def _load_file(path: Path | None, game: str = "") -> ExportableNetwork:
    """Load the networks of a weight file, whose content says which learner wrote it."""
    assert path is not None, "the player has loaded it"
    if not path.is_file():
        raise BadWeights(f"there is no file {quote_path(path)}")
    if path.suffix == ".npz":
        if game:
            from ludus.learn.dqn.network import describe_network
            from ludus.learn.dqn.weights import load_weights as load_q_weights

            chosen = named_game(game)
            return describe_network(load_q_weights(path, chosen), chosen)
        from ludus.learn.gammon.network import GammonNetwork
        from ludus.learn.gammon.onnx_model import describe_move_network

        return describe_move_network(GammonNetwork.load(path))
    kind = _read_kind(path)
    if kind.startswith("nnmm"):
        from ludus.learn.nnmm.onnx_model import describe_committee
        from ludus.learn.nnmm.weights import load_committee

        return describe_committee(load_committee(path))
    if kind.startswith("scholar"):
        from ludus.learn.scholar.onnx_model import describe_scholar
        from ludus.learn.scholar.weights import load_weights

        return describe_scholar(load_weights(path))
    from ludus.learn.gammon.network import ChancesNetwork
    from ludus.learn.gammon.onnx_model import describe_chances

    return describe_chances(ChancesNetwork.load(path))


def _read_kind(path: Path) -> str:
    """Return the kind of networks in a safetensors file, empty if it names none."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="numpy") as file:
            described = json.loads((file.metadata() or {}).get("ludus", "{}"))
    except (SafetensorError, OSError, ValueError) as error:
        raise LudusError(
            f"{quote_path(path)} holds no networks: {quote(str(error), 100)}"
        ) from error
    return str(described.get("kind", "")) if isinstance(described, dict) else ""
