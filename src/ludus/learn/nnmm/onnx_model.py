"""A chain of nnmm networks as one ONNX model."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ludus.core.errors import LudusError
from ludus.learn.common.onnx_graph import INT64, OnnxGraph, OnnxModel, TensorInfo
from ludus.learn.equivariant.group import CLASS_PERMUTATIONS
from ludus.learn.equivariant.inference import NumpyEquivariantNetwork, list_parameter_shapes
from ludus.learn.equivariant.onnx_network import add_equivariant_network
from ludus.learn.nnmm.chain import Committee
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.encoding import InputColumns, InputModel
from ludus.learn.nnmm.inference import BatchNorm, Linear, TensorReader
from ludus.learn.nnmm.parts import NUM_CLASSES, PARTS, ChainStep
from ludus.learn.nnmm.weights import ChainWeights, Tensors


def build_chain_model(committee: Committee) -> OnnxModel:
    """Build the model of a chain: probabilities of each part, given the parts before it.

    Inputs are the encoded position and the classes of the parts that come before others; outputs
    are the probabilities of the 25 classes of each part.
    """
    models = {each.model.name: each.model for each in committee.sets}
    if len(models) > 1 or any(each.symmetries > 1 for each in committee.voting):
        raise LudusError("a committee of several inputs or symmetries cannot be one ONNX model")
    (model,) = models.values()
    graph = OnnxGraph()
    parts = committee.order.parts
    inputs = [TensorInfo("position", model.width, f"the position in the input model {model.name}")]
    inputs += [
        TensorInfo(f"{PARTS[part]}_class", 0, f"{PARTS[part]} as a class, 0 to 24", INT64)
        for part in parts[:-1]
    ]
    outputs = []
    for number, part in enumerate(parts):
        rows = _append_choices(graph, model, [PARTS[each] for each in parts[:number]])
        terms = []
        for weights, voting in zip(committee.sets, committee.voting, strict=True):
            steps = [
                (index, step) for index, step in enumerate(weights.order.steps) if step.part == part
            ]
            for member in weights.members:
                found = _add_classifier(graph, rows, weights, member, steps)
                share = graph.constant(voting.share / len(weights.members))
                terms.append(graph.add("Mul", found, share))
        name = f"{PARTS[part]}_probabilities"
        graph.add("Sum", *terms, name=name)
        before = " and ".join(PARTS[each] for each in parts[:number])
        given = f", given {before}" if before else ""
        meaning = f"probabilities of the classes of {PARTS[part]}{given}"
        outputs.append(TensorInfo(name, NUM_CLASSES, meaning))
    about = {"learner": "nnmm", "order": str(committee.order), "inputs": model.name}
    return graph.build(inputs, outputs, "Networks that choose TO, FROM and REMOVE", about)


def _append_choices(graph: OnnxGraph, model: InputModel, names: Sequence[str]) -> str:
    """Return the rows of a network: the position, and the choices before as one-hot codes."""
    columns = ["position"]
    for name in names:
        given = f"{name}_class"
        if model.is_binary:
            columns.append(graph.one_hot(given, NUM_CLASSES))
        else:
            numbers = graph.add("Cast", given, to=1)
            columns.append(graph.add("Unsqueeze", numbers, graph.constant([1], INT64)))
    return graph.concatenate(columns)


def _add_classifier(
    graph: OnnxGraph,
    rows: str,
    weights: ChainWeights,
    member: Sequence[Tensors],
    steps: Sequence[tuple[int, ChainStep]],
) -> str:
    """Add the network of a part, and its presence network if it has one, for one member."""
    columns = weights.model.columns(len(steps[0][1].parts_before))
    logits = [
        _add_network(graph, rows, weights.designs[index], member[index], columns)
        for index, _ in steps
    ]
    if len(logits) == 1:
        return graph.add("Softmax", logits[0], axis=1)
    presence, points = logits
    is_there = graph.add("Softmax", presence, axis=1)
    chosen = graph.add("Softmax", graph.gather(points, range(1, NUM_CLASSES), axis=1), axis=1)
    product = graph.add("Mul", chosen, graph.gather(is_there, [1], axis=1))
    return graph.concatenate([graph.gather(is_there, [0], axis=1), product])


def _add_network(
    graph: OnnxGraph, x: str, fields: Mapping[str, Any], tensors: Tensors, columns: InputColumns
) -> str:
    """Add one network and return its logits; inference.py has the same networks in numpy."""
    design = NetworkConfig.from_dict(fields)
    reader = TensorReader(tensors)
    builders = {
        "residual": _add_residual,
        "dense": _add_dense,
        "feedforward": _add_feedforward,
        "symmetric": _add_symmetric,
    }
    return builders[design.architecture](graph, x, design, reader, columns)


def _add_residual(
    graph: OnnxGraph, x: str, design: NetworkConfig, reader: TensorReader, columns: InputColumns
) -> str:
    width = design.first
    x = _add_linear(graph, x, reader.layer("first", columns.width, width))
    for number, units in enumerate(design.widths):
        name = f"blocks.{number}"
        before = reader.norm(f"{name}.norm1", width, design)
        layer = reader.layer(f"{name}.layer1", width, units)
        enter = layer.fold_norm(reader.norm(f"{name}.norm2", units, design))
        inner = _add_linear(graph, _normalise_and_relu(graph, x, before), enter)
        leave = reader.layer(f"{name}.layer2", units, width)
        x = graph.add("Add", x, _add_linear(graph, graph.add("Relu", inner), leave))
    return _add_linear(graph, x, reader.layer("last", width, design.outputs))


def _add_dense(
    graph: OnnxGraph, x: str, design: NetworkConfig, reader: TensorReader, columns: InputColumns
) -> str:
    width = design.first
    given = _add_linear(graph, x, reader.layer("first", columns.width, width))
    for number, units in enumerate(design.widths):
        norm = reader.norm(f"layers.{number}.norm", width, design)
        layer = reader.layer(f"layers.{number}.layer", width, units)
        more = _add_linear(graph, _normalise_and_relu(graph, given, norm), layer)
        given = graph.concatenate([given, more])
        width += units
    return _add_linear(graph, given, reader.layer("last", width, design.outputs))


def _add_feedforward(
    graph: OnnxGraph, x: str, design: NetworkConfig, reader: TensorReader, columns: InputColumns
) -> str:
    width = columns.width
    for number, units in enumerate(design.widths):
        layer = reader.layer(f"layers.{number}.layer", width, units)
        layer = layer.fold_norm(reader.norm(f"layers.{number}.norm", units, design))
        x = graph.add("Relu", _add_linear(graph, x, layer))
        width = units
    return _add_linear(graph, x, reader.layer("last", width, design.outputs))


def _add_symmetric(
    graph: OnnxGraph, x: str, design: NetworkConfig, reader: TensorReader, columns: InputColumns
) -> str:
    permutations = CLASS_PERMUTATIONS if design.outputs == NUM_CLASSES else None
    shapes = list_parameter_shapes(
        columns.width, design.outputs, design.first, design.blocks, permutations is None
    )
    tensors = {name: reader.tensor(name, (1, *shape))[0] for name, shape in shapes.items()}
    inputs = columns.symmetric_permutations()
    network = NumpyEquivariantNetwork(tensors, inputs, permutations)
    return add_equivariant_network(graph, x, np.asarray(tensors["first"]), inputs, network)


def _add_linear(graph: OnnxGraph, x: str, layer: Linear) -> str:
    return graph.linear(x, layer.weight, layer.bias)


def _normalise_and_relu(graph: OnnxGraph, x: str, norm: BatchNorm | None) -> str:
    if norm is not None:
        x = graph.add("Mul", x, graph.constant(norm.scale))
        x = graph.add("Add", x, graph.constant(norm.shift))
    return graph.add("Relu", x)
