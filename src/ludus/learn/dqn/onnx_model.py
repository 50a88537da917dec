"""The deep Q-network as an ONNX model."""

from ludus.core.game import AnyGame
from ludus.learn.common.onnx_graph import OnnxGraph, OnnxModel, TensorInfo
from ludus.learn.dqn.inference import NetworkWeights, list_actions


def build_q_model(weights: NetworkWeights, game: AnyGame) -> OnnxModel:
    """Build the model of a Q-network: the values of all moves of a game."""
    graph = OnnxGraph()
    hidden = graph.add("Relu", graph.linear("squares", weights["w1"], weights["b1"]))
    hidden = graph.add("Relu", graph.linear(hidden, weights["w2"], weights["b2"]))
    graph.linear(hidden, weights["w3"], weights["b3"], name="q_values")
    actions = list_actions(game)
    meaning = "1 for a man of the mover, 0 for one of the other side, -1 for none"
    inputs = [TensorInfo("squares", len(weights["w1"]), meaning)]
    outputs = [TensorInfo("q_values", len(actions), "the value of each move, legal or not")]
    about = {"learner": "dqn", "game": game.id, "moves": list(actions)}
    return graph.build(inputs, outputs, "Values of the moves of a position", about)
