"""Networks trained on the thesis's dataset, as training logs with one entry: their end."""

from collections.abc import Iterator
from pathlib import Path

from ludus.learn.nnmm import ChainWeights, find_shipped_weights, load_weights
from ludus.learn.scholar import OracleExampleSource
from ludus.oracles import Unsolved
from ludus.reproduce import Context

from .critical_moves import choose_set_moves, compute_regret
from .critical_positions import SETS, load_critical_set
from .players import TestedPlayer
from .solution import open_oracle
from .training_logs import Point, Training

TEACHER = "dataset"
"""As `ludus train scholar --teacher` names it: the file."""


def list_reference_networks(context: Context) -> Iterator[Training]:
    """List shipped networks that the experiment names; none without an oracle."""
    source, files = OracleExampleSource(open_oracle(context)), find_shipped_weights()
    for (size, order), file in files.items():
        name = context.published["beside"].get(size)
        if name is None:
            continue
        player = TestedPlayer(name, f"nnmm:size={size},order={order}")
        kept = {}
        for each in SETS:
            try:
                critical = load_critical_set(context, source, each)
            except Unsolved:
                return
            moves = choose_set_moves(context, player, each, critical)
            kept[each] = float((compute_regret(critical, moves) == 0).mean())
        yield _make_training(name, file, kept)


def _make_training(name: str, file: Path, kept: dict[str, float]) -> Training:
    weights = load_weights(file)
    facts = weights.trained
    parameters = sum(
        tensor.size
        for member in weights.members
        for network in member
        for tensor in network.values()
    )
    point = Point(float(facts.get("seconds", 0)), _count_examples(weights), kept)
    return Training(name, TEACHER, parameters, (point,))


def _count_examples(weights: ChainWeights) -> float | None:
    """Return the number of examples of the network trained longest, with repetition."""
    facts = weights.trained
    if "networks" not in facts or "examples" not in facts:
        return None
    return float(max(each["epochs"] for each in facts["networks"]) * facts["examples"][0])
