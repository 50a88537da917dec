"""Good moves of Nine Men's Morris, gathered as in section 5.3.1 of Galassi's thesis.

The teacher plays every opponent with both colours: first from the start of the game, then from
starts in which one side has an advantage, then, for most of the dataset, from random starts. Both
matches of a pair begin at the same start. What is kept are the states in which the teacher was to
move, as it saw them, with its move; of symmetric states the first.
"""

import random
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from ludus.core.errors import BadSpec, LudusError
from ludus.core.limit import Limit
from ludus.core.match import play_match
from ludus.core.player import Choice, Player
from ludus.core.spec import parse_options, with_options
from ludus.datasets.generators import Generator
from ludus.datasets.morris.judging import check_rules
from ludus.datasets.morris.starts import random_start, start_with_advantage
from ludus.datasets.plan import Plan
from ludus.games import game as named_game
from ludus.games.nine_mens_morris.game import NineMensMorris
from ludus.games.nine_mens_morris.notation import to_thesis, to_thesis_move
from ludus.players import player as named_player

GAME = "nine_mens_morris"


@dataclass(frozen=True, slots=True)
class Options:
    """Where matches begin, and when they are given up. A round is every opponent, twice."""

    full: int = 1
    """Rounds from the start of the game; they come first."""

    advantage: int = 3
    """Rounds from starts with an advantage; they come next. All others begin at random."""

    plies: int = 200
    """A match that is longer ends here."""

    def __post_init__(self) -> None:
        for name, low in (("full", 0), ("advantage", 0), ("plies", 1)):
            if not low <= getattr(self, name) <= 1_000_000:
                value = getattr(self, name)
                raise BadSpec(f"generator option {name}={value} must be from {low} to 1000000")


class Noting(Player):
    """The teacher at work: it thinks within its own limit, and what it decides is written down."""

    title: ClassVar[str] = "is watched by its pupils"

    def __init__(self, teacher: Player, limit: Limit) -> None:
        super().__init__(teacher.game, teacher.settings, teacher.spec)
        self._teacher = teacher
        self._limit = limit
        self.lines: list[str] = []

    def begin(self, seed: int) -> None:
        self._teacher.begin(seed)

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        choice = self._teacher.choose(position, self._limit)
        self.lines.append(f"{to_thesis(position)}-{to_thesis_move(choice.move)}")
        return choice


class Match(NamedTuple):
    """Which match has a number."""

    opponent: str
    teacher_side: int
    start: Any


class MorrisGenerator(Generator):
    """States and the teacher's moves, in the line format of the thesis."""

    title: ClassVar[str] = "good moves of Nine Men's Morris, lines of Galassi's thesis"
    teacher: ClassVar[str] = "negascout:nodes=20000"
    opponents: ClassVar[tuple[str, ...]] = (
        "random",
        "newbie",
        "basic",
        "focused",
        *(f"negascout:level={level}" for level in range(1, 10)),
    )
    options: ClassVar[Options] = Options()

    def __init__(self) -> None:
        self._standard = NineMensMorris()

    def check(self, plan: Plan) -> None:
        game = _game(plan)
        check_rules(game.rules)
        self._options(plan)
        for spec in (plan.teacher, *plan.opponents):
            named_player(spec, game)

    def lines(self, plan: Plan, number: int) -> list[str]:
        opponent, side, start = self.match(plan, number)
        game = _game(plan)
        teacher = Noting(named_player(plan.teacher, game), plan.limit)
        other = named_player(opponent, game)
        # Against itself both sides are worth learning from.
        second = Noting(other, plan.limit) if opponent == plan.teacher else other
        players = (teacher, second) if side == 0 else (second, teacher)
        played = play_match(
            game,
            players,
            seed=plan.seed_of("match", number),
            start=start,
            max_plies=self._options(plan).plies,
        )
        if played.outcome.reason == "illegal":
            loser = played.players[1 - (played.outcome.winner or 0)]
            raise LudusError(f"{loser} made an illegal move, {played.moves[-1].move}")
        noted = [each.lines for each in players if isinstance(each, Noting)]
        return [line for lines in noted for line in lines]

    def key(self, line: str) -> Hashable:
        seen = self._standard.parse(line).canonical()
        return seen.bits, seen.hands

    def match(self, plan: Plan, number: int) -> Match:
        """Who plays whom, and from where."""
        pair, side = divmod(number, 2)
        opponent = plan.opponents[pair % len(plan.opponents)]
        played = pair // len(plan.opponents)
        options = self._options(plan)
        source = random.Random(plan.seed_of("start", pair))
        game = _game(plan)
        if played < options.full:
            start = game.start()
        elif played < options.full + options.advantage:
            start = start_with_advantage(game, source)
        else:
            start = random_start(game, source)
        return Match(opponent, side, start)

    def _options(self, plan: Plan) -> Options:
        words, options = parse_options(plan.options)
        if words:
            raise BadSpec(f"generator option {words[0]} is not key=value")
        return with_options(self.options, options, "generator")


@lru_cache(maxsize=4)
def _game(plan: Plan) -> NineMensMorris:
    found = named_game(plan.game, plan.rules)
    assert isinstance(found, NineMensMorris)
    return found
