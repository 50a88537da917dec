"""Rolls and moves as values, and how they are written.

They are tuples because the compiled twin builds thousands of them in a moment.
"""

from typing import Final, NamedTuple

from ludus.games.backgammon.view import BAR, OFF


class Roll(NamedTuple):
    """What the dice show.

    >>> str(Roll(3, 1))
    '31'
    """

    high: int
    """The larger die, or either one of a double."""

    low: int
    """The smaller die."""

    @property
    def is_double(self) -> bool:
        return self.high == self.low

    def __str__(self) -> str:
        return f"{self.high}{self.low}"


ROLLS: Final = tuple(Roll(high, low) for high in range(1, 7) for low in range(1, high + 1))
"""Every roll of two dice."""

OPENING_ROLLS: Final = tuple(roll for roll in ROLLS if not roll.is_double)
"""Every roll that can decide who begins."""


class Step(NamedTuple):
    """One man moved by one die, on places as the mover counts: 25 is the bar, 0 is off."""

    start: int
    end: int
    hit: bool


class Move(NamedTuple):
    """All that one side does with one roll; no steps at all is a pass.

    >>> str(Move(0, (Step(8, 5, False), Step(6, 5, False))))
    '8/5 6/5'
    """

    side: int
    """Who moves."""

    steps: tuple[Step, ...]
    """The steps, the man furthest back first: an order in which they can always be played."""

    def __str__(self) -> str:
        if not self.steps:
            return "pass"
        written: dict[str, int] = {}
        # Where two men leave one point, players name the smaller die first.
        for journey in _journeys(sorted(self.steps, reverse=True)):
            text = _written(journey)
            # The second man to arrive hits nobody; he is still counted as `8/5*(2)`.
            hitting = next((known for known in written if known == f"{text}*"), text)
            written[hitting] = written.get(hitting, 0) + 1
        return " ".join(text + (f"({n})" if n > 1 else "") for text, n in written.items())


def place_name(place: int) -> str:
    """A place as players write it."""
    return {BAR: "bar", OFF: "off"}.get(place, str(place))


def _journeys(steps: list[Step]) -> list[list[Step]]:
    """The steps strung together wherever one man can have made them."""
    journeys: list[list[Step]] = []
    for step in steps:
        for journey in journeys:
            if journey[-1].end == step.start:
                journey.append(step)
                break
        else:
            journeys.append([step])
    return journeys


def _written(journey: list[Step]) -> str:
    """`24/15`, with a stop in between only where a man was hit: `24/18*/15`."""
    last = journey[-1]
    stops = [step for step in journey if step.hit or step is last]
    ends = "".join(f"/{place_name(step.end)}{'*' * step.hit}" for step in stops)
    return place_name(journey[0].start) + ends
