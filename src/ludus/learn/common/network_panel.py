"""What a notebook shows of a network: a picture of its layers and its facts."""

from collections.abc import Mapping, Sequence

from ludus.core.html import format_facts, format_panel
from ludus.render.diagram import draw_layers


def format_network(
    title: str, layers: Sequence[tuple[str, int]], facts: Mapping[str, object]
) -> str:
    """Return the layers, as (name, number of units), as a picture beside the facts."""
    return format_panel(title, draw_layers(title, layers).svg(), format_facts(facts))


def name_layers(sizes: Sequence[int]) -> list[tuple[str, int]]:
    """Return the layers of a fully connected network with names.

    >>> name_layers((257, 64, 5))
    [('inputs', 257), ('hidden 1', 64), ('outputs', 5)]
    """
    hidden = [(f"hidden {number}", size) for number, size in enumerate(sizes[1:-1], 1)]
    return [("inputs", sizes[0]), *hidden, ("outputs", sizes[-1])]
