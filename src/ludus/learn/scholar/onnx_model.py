"""The scholar's scorer and chain as ONNX models, each with all of its experts."""

from collections.abc import Callable

import numpy as np

from ludus.games.nine_mens_morris.batch import NO_POINT
from ludus.learn.common.onnx_graph import INT64, OnnxGraph, OnnxModel, TensorInfo
from ludus.learn.equivariant.group import (
    CHOICE_PERMUTATIONS,
    Permutations,
    concatenate_permutations,
)
from ludus.learn.equivariant.onnx_network import add_equivariant_network
from ludus.learn.scholar.encoding import (
    FEATURE_PERMUTATIONS,
    NUM_COUNTS,
    NUM_EXPERTS,
    NUM_FEATURES,
    expert_table,
)
from ludus.learn.scholar.inference import MOVE_PARTS, NUM_RESULTS, OUTPUT_NAMES, build_network
from ludus.learn.scholar.weights import SCORER, ScholarWeights, Tensors

NUM_CHOICES = NO_POINT + 1
"""Points, and none."""

_FEATURES = TensorInfo("features", NUM_FEATURES, "the position, see scholar/encoding.py")

BranchBuilder = Callable[[OnnxGraph, str, int], str]
"""Adds the network of an expert, by its number, for some rows."""


def build_scholar_model(weights: ScholarWeights) -> OnnxModel:
    """Build the model of a scorer or a chain."""
    return _build_scorer(weights) if weights.kind == SCORER else _build_chain(weights)


def _build_scorer(weights: ScholarWeights) -> OnnxModel:
    graph = OnnxGraph()

    def add_expert(branch: OnnxGraph, rows: str, kind: int) -> str:
        tensors, repeats = weights.expert_weights(kind), weights.repeats[kind]
        return _add_network(branch, rows, tensors, FEATURE_PERMUTATIONS, None, width, repeats)

    width = len(OUTPUT_NAMES)
    found = _route_to_experts(graph, "features", _select_experts(graph), add_expert, width)
    logits = graph.gather(found, range(NUM_RESULTS), axis=1)
    graph.add("Softmax", logits, name="probabilities", axis=1)
    plies = range(NUM_RESULTS, len(OUTPUT_NAMES))
    graph.add("Gather", found, graph.constant(plies, INT64), name="log2_plies", axis=1)
    outputs = (
        TensorInfo("probabilities", NUM_RESULTS, "of a loss, a draw and a win of the side to move"),
        TensorInfo("log2_plies", 2, "log2 of the plies to a loss and to a win"),
    )
    return graph.build(
        [_FEATURES], outputs, "Result of a position under perfect play", {"learner": weights.kind}
    )


def _build_chain(weights: ScholarWeights) -> OnnxModel:
    graph = OnnxGraph()
    experts = _select_experts(graph)
    inputs, outputs = [_FEATURES], []
    rows = "features"
    for number, part in enumerate(MOVE_PARTS):
        columns = concatenate_permutations(FEATURE_PERMUTATIONS, *[CHOICE_PERMUTATIONS] * number)

        def add_expert(
            branch: OnnxGraph,
            rows: str,
            kind: int,
            part: str = part,
            columns: Permutations = columns,
        ) -> str:
            tensors = {
                name.removeprefix(f"{part}."): values
                for name, values in weights.expert_weights(kind).items()
                if name.startswith(f"{part}.")
            }
            repeats = weights.repeats[kind]
            return _add_network(
                branch, rows, tensors, columns, CHOICE_PERMUTATIONS, NUM_CHOICES, repeats
            )

        found = _route_to_experts(graph, rows, experts, add_expert, NUM_CHOICES)
        name = f"{part}_probabilities"
        graph.add("Softmax", found, name=name, axis=1)
        meaning = f"probabilities of the points of `{part}`, the last for none"
        outputs.append(TensorInfo(name, NUM_CHOICES, meaning))
        if number + 1 < len(MOVE_PARTS):
            given = TensorInfo(f"{part}_point", 0, f"`{part}` of the move, a point or 24", INT64)
            inputs.append(given)
            rows = graph.concatenate([rows, graph.one_hot(given.name, NUM_CHOICES)])
    return graph.build(
        inputs, outputs, "Probabilities of the parts of a move", {"learner": weights.kind}
    )


def _select_experts(graph: OnnxGraph) -> str:
    """Return the number of the expert of each row, from the four counts at its end."""
    first = NUM_FEATURES - 4 * NUM_COUNTS
    index = ""
    for number in range(4):
        begin = first + number * NUM_COUNTS
        one_hot = graph.gather("features", range(begin, begin + NUM_COUNTS), axis=1)
        count = graph.add("ArgMax", one_hot, axis=1, keepdims=0)
        if index:
            scaled = graph.add("Mul", index, graph.constant(NUM_COUNTS, INT64))
            index = graph.add("Add", scaled, count)
        else:
            index = count
    table = graph.constant(expert_table().reshape(-1), INT64)
    return graph.add("Gather", table, index, axis=0)


def _route_to_experts(
    graph: OnnxGraph, rows: str, experts: str, add_expert: BranchBuilder, width: int
) -> str:
    """Return the outputs of each row's expert; experts without rows are not run."""
    places, outputs = [], []
    for kind in range(NUM_EXPERTS):
        is_here = graph.add("Equal", experts, graph.constant(kind, INT64))
        where = graph.add("Transpose", graph.add("NonZero", is_here), perm=[1, 0])
        has_rows = graph.add("Greater", graph.add("Size", where), graph.constant(0, INT64))
        then, other = graph.branch(), graph.branch()
        selected = then.add("GatherND", rows, where)
        nothing = other.add("Identity", other.constant(np.zeros((0, width))))
        outputs.append(
            graph.choose(has_rows, (then, add_expert(then, selected, kind)), (other, nothing))
        )
        places.append(where)
    shape = graph.concatenate([graph.add("Shape", experts), graph.constant([width], INT64)], 0)
    empty = graph.add("ConstantOfShape", shape)
    return graph.add(
        "ScatterND", empty, graph.concatenate(places, 0), graph.concatenate(outputs, 0)
    )


def _add_network(
    graph: OnnxGraph,
    rows: str,
    tensors: Tensors,
    inputs: Permutations,
    outputs: Permutations | None,
    width: int,
    repeats: int,
) -> str:
    network = build_network(tensors, inputs, outputs, width, repeats)
    return add_equivariant_network(graph, rows, tensors["first"], inputs, network)
