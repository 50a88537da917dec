"""The backgammon networks as ONNX models."""

from ludus.learn.common.onnx_graph import OnnxGraph, OnnxModel, TensorInfo
from ludus.learn.gammon.network import ChancesNetwork, GammonNetwork


def build_move_model(network: GammonNetwork) -> OnnxModel:
    """Build the model of a network of 1988, which scores moves."""
    graph = OnnxGraph()
    units = "units"
    for weights, biases in network.layers:
        units = graph.add("Sigmoid", graph.linear(units, weights, biases))
    scaled = graph.add("Mul", units, graph.constant(200))
    graph.add("Sub", scaled, graph.constant(100), name="score")
    encoding = network.encoding
    inputs = [TensorInfo("units", encoding.num_units, f"a move in the encoding {encoding.name}")]
    outputs = [TensorInfo("score", 1, "from -100, worst, to 100, best")]
    about = {"learner": "gammon", "encoding": encoding.name, "layers": network.name}
    return graph.build(inputs, outputs, "Score of a backgammon move", about)


def build_chances_model(network: ChancesNetwork) -> OnnxModel:
    """Build the model of a strong network, which evaluates boards after moves."""
    graph = OnnxGraph()
    units = "board"
    for number, (weights, biases) in enumerate(network.layers):
        if number:
            units = graph.add("Relu", units)
        units = graph.linear(units, weights, biases)
    graph.add("Sigmoid", units, name="chances")
    width = len(network.layers[0][0])
    inputs = [TensorInfo("board", width, "a board after a move, see gammon/afterstate_inputs.py")]
    meaning = (
        "chances of the side that has moved: to win, win a gammon, win a backgammon, "
        "lose a gammon, lose a backgammon; each includes those after it of the same side"
    )
    outputs = [TensorInfo("chances", 5, meaning)]
    about = {"learner": "gammon", "layers": network.name}
    return graph.build(inputs, outputs, "Chances of a backgammon board after a move", about)
