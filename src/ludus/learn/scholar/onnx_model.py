"""The scholar's scorer and chain as ONNX models, each with all of its experts."""

from collections.abc import Callable

import numpy as np

from ludus.games.nine_mens_morris.batch import NO_POINT
from ludus.learn.common.onnx_graph import (
    DOUBLE,
    FLOAT,
    INT64,
    OnnxGraph,
    OnnxModel,
    TensorInfo,
)
from ludus.learn.equivariant.onnx_network import add_equivariant_network
from ludus.learn.scholar.encoding import (
    FEATURE_PERMUTATIONS,
    NUM_COUNTS,
    NUM_EXPERTS,
    NUM_FEATURES,
    expert_table,
)
from ludus.learn.scholar.inference import (
    CHAIN_INPUT_PERMUTATIONS,
    MOVE_PARTS,
    NUM_RESULTS,
    OUTPUT_NAMES,
    build_chain_network,
    build_scorer_network,
    select_part_weights,
    select_precision,
)
from ludus.learn.scholar.weights import SCORER, ScholarWeights

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
        first, network = weights.expert_weights(kind)["first"], build_scorer_network(weights, kind)
        return add_equivariant_network(branch, rows, first, FEATURE_PERMUTATIONS, network)

    width = len(OUTPUT_NAMES)
    found = _route_to_experts(
        graph, "features", _select_experts(graph), add_expert, NUM_RESULTS, width
    )
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

        def add_expert(branch: OnnxGraph, rows: str, kind: int, number: int = number) -> str:
            first = select_part_weights(weights.expert_weights(kind), number)["first"]
            network = build_chain_network(weights, kind, number)
            return add_equivariant_network(
                branch, rows, first, CHAIN_INPUT_PERMUTATIONS[number], network
            )

        found = _route_to_experts(graph, rows, experts, add_expert, NUM_CHOICES, NUM_CHOICES)
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
    graph: OnnxGraph,
    rows: str,
    experts: str,
    add_expert: BranchBuilder,
    num_logits: int,
    width: int,
) -> str:
    """Return the outputs of each row's expert; experts without rows are not run.

    The first `num_logits` outputs are logits, up to a constant in each row.
    """
    places, outputs = [], []
    for kind in range(NUM_EXPERTS):
        is_here = graph.add("Equal", experts, graph.constant(kind, INT64))
        where = graph.add("Transpose", graph.add("NonZero", is_here), perm=[1, 0])
        has_rows = graph.add("Greater", graph.add("Size", where), graph.constant(0, INT64))
        is_double = select_precision(kind) is np.float64
        then, other = graph.branch(DOUBLE if is_double else FLOAT), graph.branch()
        selected = then.add("GatherND", rows, where)
        if is_double:
            exact = add_expert(then, then.cast(selected, DOUBLE), kind)
            found = _round_outputs(then, exact, num_logits, width)
        else:
            found = add_expert(then, selected, kind)
        nothing = other.add("Identity", other.constant(np.zeros((0, width))))
        outputs.append(graph.choose(has_rows, (then, found), (other, nothing)))
        places.append(where)
    shape = graph.concatenate([graph.add("Shape", experts), graph.constant([width], INT64)], 0)
    empty = graph.add("ConstantOfShape", shape)
    return graph.add(
        "ScatterND", empty, graph.concatenate(places, 0), graph.concatenate(outputs, 0)
    )


def _round_outputs(graph: OnnxGraph, outputs: str, num_logits: int, width: int) -> str:
    """Round outputs to single precision, logits relative to the largest of their row.

    Large logits would lose the differences between them.
    """
    logits = graph.gather(outputs, range(num_logits), axis=1)
    largest = graph.add("ReduceMax", logits, axes=[1], keepdims=1)
    parts = [graph.add("Sub", logits, largest)]
    if width > num_logits:
        parts.append(graph.gather(outputs, range(num_logits, width), axis=1))
    return graph.cast(graph.concatenate(parts), FLOAT)
