"""Networks that the thesis's teacher has taught, as trainings with a single moment: their end."""

from collections.abc import Iterator
from pathlib import Path

from ludus.learn.nnmm.chain import find_shipped_weights
from ludus.learn.nnmm.weights import ChainWeights, load_weights
from ludus.learn.scholar.example_sources import OracleExampleSource
from ludus.oracle import Unsolved
from ludus.reproduce import Context

from .answers import answered, lost
from .exam import SETS, exam
from .players import Examined
from .solved import solved
from .trainings import Point, Training

TEACHER = "dataset"
"""As `ludus train scholar --teacher` names it: the file."""


def beside(context: Context) -> Iterator[Training]:
    """Those that the experiment names and that come with the program; none without an oracle."""
    source, files = OracleExampleSource(solved(context)), find_shipped_weights()
    for (size, order), file in files.items():
        name = context.published["beside"].get(size)
        if name is None:
            continue
        player = Examined(name, f"nnmm:size={size},order={order}")
        kept = {}
        for each in SETS:
            try:
                asked = exam(context, source, each)
            except Unsolved:
                return
            kept[each] = float((lost(asked, answered(context, player, each, asked)) == 0).mean())
        yield _training(name, file, kept)


def _training(name: str, file: Path, kept: dict[str, float]) -> Training:
    weights = load_weights(file)
    facts = weights.trained
    parameters = sum(
        tensor.size
        for member in weights.members
        for network in member
        for tensor in network.values()
    )
    point = Point(float(facts.get("seconds", 0)), _examples(weights), kept)
    return Training(name, TEACHER, parameters, (point,))


def _examples(weights: ChainWeights) -> float | None:
    """What the longest trained of the networks has seen, with repetition."""
    facts = weights.trained
    if "networks" not in facts or "examples" not in facts:
        return None
    return float(max(each["epochs"] for each in facts["networks"]) * facts["examples"][0])
