"""The networks as a player: the play mode of the thesis, section 5.5."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus.core.limit import Limit
from ludus.core.marks import Marks
from ludus.core.pictures import Picture
from ludus.core.player import Choice, Player
from ludus.learn.nnmm import shipped
from ludus.learn.nnmm.chain import BREADTH, Rule, check_breadth
from ludus.learn.nnmm.deciding import Decider, Decision
from ludus.learn.nnmm.images import check_symmetries
from ludus.learn.nnmm.parts import PARTS
from ludus.learn.nnmm.positions import check_rules, point_name

MEANINGS = ("where a man goes", "which man moves", "which man is taken")
"""What the parts mean, as in PARTS."""

NONE = ("nowhere", "the hand", "nobody")
"""What it means that there is no such part."""


@dataclass(frozen=True, slots=True)
class Options:
    """Which networks play, and how they are asked."""

    weights: str = ""
    """A file that `ludus train nnmm` or `ludus nnmm` wrote; else shipped networks play."""

    size: str = shipped.BEST
    """Which of the shipped networks."""

    order: str = ""
    """The order in which the parts of a move are chosen, such as TFR: TO, FROM, REMOVE."""

    check: bool = True
    """Whether the rules of the game are held up to every part; without, moves may be illegal."""

    rule: Rule = "parts"
    """parts: the best of each part in turn. joint: the move that is most likely as a whole."""

    breadth: int = BREADTH
    """How many moves `joint` follows, and how many are scored for people."""

    symmetries: int = 1
    """Through how many of the 16 symmetries a position is shown; what is said is averaged."""

    def __post_init__(self) -> None:
        check_breadth(self.breadth)
        check_symmetries(self.symmetries)


class NnmmPlayer(Player):
    """Three networks choose where a man goes, whence it comes and whom it takes."""

    title: ClassVar[str] = "networks that have learned good moves choose TO, FROM and REMOVE"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    settings: Options

    def __init__(self, game: Any, settings: Options, spec: str) -> None:
        super().__init__(game, settings, spec)
        check_rules(game.rules)
        self.chain = shipped.chain(settings.weights, settings.size, settings.order)
        self._decider = Decider(
            self.chain, settings.check, settings.rule, settings.breadth, settings.symmetries
        )
        self.decisions = 0
        """Moves chosen since this player was made."""

        self.interventions = 0
        """In how many of them the legality check had to step in."""

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self._choice(self._decider.one(position))

    def choose_many(self, positions: Sequence[Any], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        return [self._choice(decision) for decision in self._decider.many(positions)]

    def pictures(self, position: Any) -> list[Picture]:
        """What the networks say about each part, in the order in which they choose."""
        decision = self._decider.one(position)
        return [_picture(decision, part) for part in self.chain.order.parts]

    def _choice(self, decision: Decision) -> Choice:
        self.decisions += 1
        self.interventions += bool(decision.changed)
        return Choice(decision.move, decision.told(), decision.scores)


def _picture(decision: Decision, part: int) -> Picture:
    """How likely each point is as a part of the move, given the parts chosen before it."""
    none, *shares = decision.probabilities[part].tolist()
    heat = {point_name(number): share for number, share in enumerate(shares, start=1)}
    chosen = decision.classes[part]
    chooses = point_name(int(chosen)) if chosen else NONE[part]
    changed = ", as the legality check demands" if part in decision.changed else ""
    text = f"It chooses {chooses}{changed}."
    if part:  # a man goes somewhere in every move
        text += f" For {NONE[part]}: {none:.0%}."
    return Picture(f"{PARTS[part]}: {MEANINGS[part]}", Marks(heat=heat), text)
