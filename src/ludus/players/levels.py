"""How strong a searching player is: ten levels, from a beginner to all it can.

A weak player looks ahead less far, overlooks moves, and does not mind which of several moves it
plays if they look about as good. What it overlooks it does not see at all, be it a mill it could
close or a reply that would take a man; but of what it sees, it never gives a man away for nothing.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """What a level takes away; the highest takes nothing."""

    depth: int | None = None
    """Plies it may look ahead."""

    nodes: int | None = None
    """Positions it may visit."""

    oversight: float = 0.0
    """The probability with which it does not see a move of its own, or a reply to it."""

    margin: int = 0
    """Moves that look worse than the best by at most this, in hundredths of a man, will do."""

    plans_ahead: bool = True
    """Whether, while men are placed, it sees how much their freedom will be worth later."""

    knows_endings: bool = True
    """Whether it has learned the solved endings by heart."""


def _short_sighted(depth: int, oversight: float, margin: int) -> Level:
    return Level(depth, None, oversight, margin, plans_ahead=False, knows_endings=False)


LEVELS = (
    _short_sighted(depth=1, oversight=0.5, margin=40),
    _short_sighted(depth=1, oversight=0.4, margin=30),
    _short_sighted(depth=1, oversight=0.25, margin=20),
    _short_sighted(depth=2, oversight=0.1, margin=15),
    _short_sighted(depth=3, oversight=0.08, margin=10),
    _short_sighted(depth=4, oversight=0.04, margin=6),
    _short_sighted(depth=5, oversight=0.02, margin=4),
    Level(nodes=6_000, knows_endings=False),
    Level(nodes=30_000),
    Level(),
)
"""Level 1 first."""
