"""The scholar as a player, in either of its two ways."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ludus.core.errors import BadSpec
from ludus.core.limit import Limit
from ludus.core.pictures import Picture
from ludus.core.player import Choice, Player
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.scholar import shipped
from ludus.learn.scholar.by_chain import ByChain, Rule
from ludus.learn.scholar.by_scorer import ByScorer
from ludus.learn.scholar.scorer import Scorer
from ludus.learn.scholar.worth import CARE, MAX_CARE

MEN = 9

Way = Literal["scorer", "chain"]


@dataclass(frozen=True, slots=True)
class Options:
    """Which networks play, and how."""

    size: str = shipped.FULL
    """full, or small for slow machines."""

    way: Way = "scorer"
    """scorer: judge the position after each move. chain: choose TO, FROM and REMOVE in turn."""

    weights: str = ""
    """A file that `ludus train scholar` wrote, instead of the shipped networks."""

    care: float = CARE
    """Of a scorer: how many times likelier than it says a loss is taken to be; 1 or more."""

    check: bool = True
    """Whether the rules are held up to every part that a chain chooses."""

    rule: Rule = "parts"
    """Of a chain: the best of each part in turn, or `joint`, the move that is likeliest."""

    def __post_init__(self) -> None:
        if not 1 <= self.care <= MAX_CARE:
            raise BadSpec(f"care={self.care:g} must be from 1 to {MAX_CARE:g}")
        if self.way == "chain" and self.care != CARE:
            raise BadSpec("a chain chooses without judging results; care is for way=scorer")
        if self.way == "scorer" and not (self.check and self.rule == "parts"):
            raise BadSpec(
                "a scorer judges legal moves as a whole; check and rule are for way=chain"
            )
        if self.rule == "joint" and not self.check:
            raise BadSpec("rule=joint compares legal moves, so there is nothing to check")


class ScholarPlayer(Player):
    """Taught by perfect play, and without a search."""

    title: ClassVar[str] = "networks taught by perfect play judge every move without a search"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    settings: Options

    def __init__(self, game: Any, settings: Options, spec: str) -> None:
        super().__init__(game, settings, spec)
        check_rules(game.rules)
        found = shipped.networks(settings.way, settings.size, settings.weights)
        self._way = (
            ByScorer(found, settings.care)
            if isinstance(found, Scorer)
            else ByChain(found, settings.check, settings.rule)
        )
        # Networks that are none show at once, and the first move takes no longer than others.
        self._way.choices([game.start()])

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self._way.choices([position])[0]

    def choose_many(self, positions: Sequence[Any], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        return self._way.choices(positions)

    def pictures(self, position: Any) -> list[Picture]:
        """What the networks think of the points, one picture for each part of a move."""
        return self._way.pictures(position)


def check_rules(rules: Rules) -> None:
    """Refuse games of which the scholar has learned nothing."""
    if rules.men != MEN or rules.diagonals or rules.place_or_move:
        raise BadSpec(
            f"the scholar has learned {MEN} men a side on the board without diagonals, all placed "
            "before any is moved"
        )
