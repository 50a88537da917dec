"""The fuzzy policy of a network: parameters, presets, and the weights of moves.

`native/core/patterns` is the compiled twin of `compute_move_weights`.

It follows section 5 of Vrajitoru 2015. What the paper leaves open is a parameter, so that readings
can be compared (`vrajitoru-readings`):

- A step is a man placed, or moved from one point to another; its score begins at 1. The pattern of
  each quadrant with the step's target changes. If the network knows that change as a move, the
  score is raised to that of the new pattern. With `leaves` the quadrant that a man leaves counts,
  too.
- The paper sets `moveThr` to 5 without defining it. As a minimum count it is `seen`; as the
  counterpart of rateThr for own moves, a new pattern counts only if its score is more than
  `move_threshold` times the old one's.
- Where a man comes into a quadrant from another one, over a corner (or flying), the change is
  looked up as that of a man from outside if `corners` is set: this is the paper's *corner move*.
- Defence: a step of the other side, were it to move, threatens its target if the network knows the
  change (`threatSeen`) and the new pattern's score is more than `rate_threshold` times the old
  one's. An own step to that target blocks it and scores at least as much as the threatened pattern.
- A closed mill takes a man. The paper does not define which: `random` takes any, `share` each with
  a probability in proportion to the loss in score of the other side's patterns, and `best` the one
  with the greatest loss.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from ludus.core.errors import BadSpec, quote
from ludus.core.spec import apply_options, check_ranges, parse_spec
from ludus.games.nine_mens_morris.position import MorrisPosition, list_steps
from ludus.learn.patterns.network import (
    NUM_PATTERNS,
    QUADRANTS_OF_POINT,
    PatternNetwork,
    ScoreWeights,
    encode_quadrant,
)

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.board import Move

CaptureRule = Literal["random", "share", "best"]
Edges = frozenset[tuple[int, int]]
Step = tuple[int | None, int]
"""From a point, or None for the hand, to a point."""


@dataclass(frozen=True)
class FuzzyPolicy:
    """Pattern scores and known moves of a network, with the parameters of the policy."""

    scores: tuple[float, ...]
    """Score of each pattern, after the power."""

    edges: Edges
    """The known own moves, as pairs of patterns."""

    threat_edges: Edges | None
    """The known moves of the other side; None: all."""

    rate_threshold: float = 2.0
    """Minimum ratio of new to old score for a move of the other side to be a threat."""

    move_threshold: float = 0.0
    """Minimum ratio of new to old score for an own move to be raised."""

    scores_corner_moves: bool = True
    """Whether a man that comes from another quadrant is scored."""

    scores_left_quadrants: bool = False
    """Whether the pattern of a quadrant that a man leaves is scored."""

    blocks_threats: bool = True
    capture_rule: CaptureRule = "random"


MAX_SCORE = 1e250
"""Upper bound that keeps sums and products of scores finite."""


@dataclass(frozen=True, slots=True)
class FuzzySettings:
    """All parameters of the policy.

    Weights are those of the last tables of Vrajitoru 2015; moveThr and captures are read by us.
    """

    k: float = 4.0
    mutual: float = 0.2
    wL: float = 10.0  # noqa: N815 - as the paper writes it
    wT: float = 1 / 3  # noqa: N815
    wF: float = 3.0  # noqa: N815
    wM: float = 1.0  # noqa: N815
    rateThr: float = 2.0  # noqa: N815
    moveThr: float = 5.0  # noqa: N815
    passes: int = 2
    seen: int = 1
    threatSeen: int = 1  # noqa: N815
    corners: bool = True
    leaves: bool = False
    defence: bool = True
    take: CaptureRule = "best"
    network: str = "seed"

    @property
    def weights(self) -> ScoreWeights:
        return ScoreWeights(self.wL, self.wT, self.wF, self.wM)


PRESETS: Mapping[str, FuzzySettings] = MappingProxyType(
    {
        "seed": FuzzySettings(),
        # Of 288 readings the one under which the published counts of Tables 2 to 5 are most
        # probable (vrajitoru-readings).
        "paper": FuzzySettings(
            moveThr=0.0, seen=5, threatSeen=0, corners=False, leaves=True, take="random"
        ),
        # The best of a search over 800 settings against focused; vrajitoru-tuned measures it.
        "tuned": FuzzySettings(
            k=6.16,
            mutual=0.0414,
            wL=26.7,
            wT=0.0494,
            wF=11.6,
            wM=1.43,
            rateThr=10.7,
            moveThr=8.96,
            passes=2,
            network="long",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class FuzzyOptions:
    """Parameters by name; the preset supplies those not given."""

    preset: Literal["seed", "paper", "tuned"] = "seed"
    """The paper's weights: `paper` in the reading that explains its tables best, `seed` in our own,
    stronger one. `tuned`: the strongest that a search has found.
    """

    k: float | None = None
    """Exponent of the score: how strongly a good move is preferred to a poor one."""

    mutual: float | None = None
    """mutualWeight: proportion of the neighbours' mean score that a pattern receives; below 1."""

    wL: float | None = None  # noqa: N815
    """Weight of a closed mill."""

    wT: float | None = None  # noqa: N815
    """Weight of a man."""

    wF: float | None = None  # noqa: N815
    """Weight of the frequency."""

    wM: float | None = None  # noqa: N815
    """Weight of the mutual score."""

    rateThr: float | None = None  # noqa: N815
    """A threat is blocked if it raises a pattern's score by more than this factor."""

    moveThr: float | None = None  # noqa: N815
    """An own move is preferred if it raises a pattern's score by more than this factor."""

    passes: int | None = None
    """Number of passes that recompute the mutual scores; 0 keeps those of the training."""

    seen: int | None = None
    """Minimum count of an own move in training for it to be known."""

    threatSeen: int | None = None  # noqa: N815
    """Minimum count of a move of the other side for it to be a threat; 0: any."""

    corners: bool | None = None
    """Whether moves into another quadrant are scored there."""

    leaves: bool | None = None
    """Whether the quadrant that a man leaves is scored."""

    defence: bool | None = None
    """Whether threats are blocked."""

    take: Literal["preset", "random", "share", "best"] = "preset"
    """The man that is taken: any, in proportion to its score, or the one with the highest score."""

    network: str | None = None
    """`seed`, `long`, `empty`, or a file that `ludus train patterns` has written."""

    learn: bool = False
    """Whether the network is trained on the games that are played."""

    save: str = ""
    """File in which a learning network is saved after each game."""

    def __post_init__(self) -> None:
        ranges = {
            **dict.fromkeys(("wL", "wT", "wF", "wM"), (0, 1000)),
            **dict.fromkeys(("rateThr", "moveThr"), (0, 1_000_000)),
            **dict.fromkeys(("seen", "threatSeen"), (0, 1_000_000_000)),
        }
        check_ranges(self, "fuzzy", k=(0, 20), mutual=(0, 0.999), passes=(0, 100), **ranges)
        if self.save and not self.learn:
            raise BadSpec("fuzzy save needs learn=yes: without it nothing changes")

    def to_settings(self) -> FuzzySettings:
        """Return the preset with the given options applied."""
        values = {field.name: getattr(self, field.name) for field in fields(FuzzySettings)}
        given = {name: value for name, value in values.items() if value not in (None, "preset")}
        return replace(PRESETS[self.preset], **given)


def parse_options(text: str) -> FuzzyOptions:
    """Parse options in the format of a `fuzzy:` spec."""
    parsed = parse_spec(f"fuzzy:{text}")
    if parsed.flags:
        raise BadSpec(f"{quote(parsed.flags[0])} in {quote(text)} is not key=value")
    return apply_options(FuzzyOptions(), parsed.options, "fuzzy")


def propagate_scores(network: PatternNetwork, settings: FuzzySettings) -> PatternNetwork:
    """Return the network with its mutual scores recomputed in `passes` passes; unchanged for 0."""
    if not settings.passes:
        return network
    used = network.copy()
    used.mutual_scores = [0.0] * NUM_PATTERNS
    for _ in range(settings.passes):
        used.propagate(settings.weights, settings.mutual)
    return used


def build_policy(network: PatternNetwork, settings: FuzzySettings) -> FuzzyPolicy:
    """Build the policy of a network with these settings; the network itself is not changed."""
    used = propagate_scores(network, settings)
    return FuzzyPolicy(
        _raise_to_power(used.compute_sums(settings.weights), settings.k),
        frozenset(network.iterate_edges(settings.seen)),
        frozenset(network.iterate_edges(settings.threatSeen)) if settings.threatSeen else None,
        settings.rateThr,
        settings.moveThr,
        settings.corners,
        settings.leaves,
        settings.defence,
        settings.take,
    )


def _raise_to_power(sums: list[float], k: float) -> tuple[float, ...]:
    """Raise the sums to the power k; raise BadSpec if the scores are too large."""
    try:
        scores = tuple(number**k for number in sums)
    except OverflowError:
        scores = (float("inf"),) * NUM_PATTERNS
    if not max(scores) <= MAX_SCORE:
        raise BadSpec(f"fuzzy: with these weights and k={k:g} scores grow beyond all bounds")
    return scores


def compute_move_weights(position: MorrisPosition, policy: FuzzyPolicy) -> list[float]:
    """Return the weight of each legal move; probabilities are proportional to weights."""
    moves: list[Move] = position.legal_moves()
    side = position.mover
    own, other = position.bits[side], position.bits[1 - side]
    threats = find_threats(position, policy) if policy.blocks_threats else {}
    removable = sorted({move.take for move in moves if move.take is not None})
    probabilities = _compute_capture_probabilities(other, removable, policy)
    weights = []
    for move in moves:
        if move.to is None:
            weights.append(1.0)
            continue
        step = move.frm, move.to
        found = _iterate_scores(own, step, policy, policy.edges, policy.move_threshold)
        score = max([1.0, threats.get(move.to, 0.0), *found])
        weights.append(score if move.take is None else score * probabilities[move.take])
    return weights


def _iterate_scores(
    men: int, step: Step, policy: FuzzyPolicy, edges: Edges | None, threshold: float
) -> Iterator[float]:
    """Yield the scores of the known patterns that a step of a side with these men creates.

    Only scores of more than `threshold` times the old one count.
    """
    frm, to = step
    moved = men | 1 << to
    if frm is not None:
        moved &= ~(1 << frm)
    left = () if frm is None else QUADRANTS_OF_POINT[frm]
    entered = QUADRANTS_OF_POINT[to]
    scored = [each for each in entered if frm is None or each in left or policy.scores_corner_moves]
    if policy.scores_left_quadrants:
        scored += [each for each in left if each not in entered]
    for quadrant in scored:
        old, new = encode_quadrant(men, quadrant), encode_quadrant(moved, quadrant)
        is_known = edges is None or (old, new) in edges
        if is_known and policy.scores[new] > threshold * policy.scores[old]:
            yield policy.scores[new]


def find_threats(position: MorrisPosition, policy: FuzzyPolicy) -> Mapping[int, float]:
    """Return the points the other side threatens, with the best score it could reach there."""
    other = 1 - position.mover
    found: dict[int, float] = {}
    for step in list_steps(position, other):
        men, edges, threshold = position.bits[other], policy.threat_edges, policy.rate_threshold
        for score in _iterate_scores(men, step, policy, edges, threshold):
            found[step[1]] = max(found.get(step[1], 0.0), score)
    return found


def _compute_capture_probabilities(
    men: int, removable: list[int], policy: FuzzyPolicy
) -> dict[int, float]:
    """Return the probability of each removable man to be taken."""
    if policy.capture_rule == "random":
        return {man: 1 / len(removable) for man in removable}
    losses = {man: max(0.0, _compute_capture_loss(men, man, policy)) for man in removable}
    if policy.capture_rule == "best":
        highest = max(losses.values(), default=0.0)
        losses = {man: float(loss == highest) for man, loss in losses.items()}
    total = 0.0
    for loss in losses.values():  # in this order, so that the compiled twin computes the same sum
        total += loss
    return {man: loss / total if total > 0 else 1 / len(removable) for man, loss in losses.items()}


def _compute_capture_loss(men: int, man: int, policy: FuzzyPolicy) -> float:
    """Return the score that a side's patterns lose with one of its men."""
    without = men & ~(1 << man)
    lost = 0.0
    for quadrant in QUADRANTS_OF_POINT[man]:
        lost += (
            policy.scores[encode_quadrant(men, quadrant)]
            - policy.scores[encode_quadrant(without, quadrant)]
        )
    return lost
