"""Generate good moves of Nine Men's Morris as in section 5.3.1 of Galassi 2016.

The teacher plays every opponent with both colours: first from the start of the game, then from
starts in which one side has an advantage, then, for most of the dataset, from random starts. Both
matches of a pair begin at the same start. The states in which the teacher was to move are recorded
with its move; of symmetric states only the first.
"""

import random
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

from ludus.core.errors import BadSpec, LudusError
from ludus.core.match import play_game
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import apply_options, check_ranges, parse_options
from ludus.datasets.generator import DatasetGenerator, GenerationPlan
from ludus.datasets.morris.validation import check_rules, reachable_subspaces, validate_states
from ludus.games import game as named_game
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.game import NineMensMorris
from ludus.games.nine_mens_morris.notation import PositionFields, to_thesis, to_thesis_move
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.players import player as named_player

MAX_TRIES = 10_000
MAX_PLIES = 120
"""Number of plies after which a game without an advantage is abandoned."""

MAX_ADVANTAGE = 3
"""Maximum number of men by which a side is ahead."""

PLACING_PROPORTION = 0.2
"""Proportion of random starts with men in hand; later positions mostly have none."""


def sample_advantage_start(game: NineMensMorris, source: random.Random) -> MorrisPosition:
    """Sample a position with a side one to three men ahead from self-play of `newbie`."""
    for _ in range(MAX_TRIES):
        wanted = source.randint(1, MAX_ADVANTAGE)
        position = game.start()
        assert game.is_native(position), "only native positions have heuristic moves"
        for _ in range(MAX_PLIES):
            position = position.play(source.choice(position.heuristic_moves("newbie")))
            if position.outcome() is not None:
                break
            if abs(_count_men(position, 0) - _count_men(position, 1)) >= wanted:
                # Parse the text to drop the history of the game.
                return game.parse(str(position))
    raise LudusError(f"no game of {game.id} with these rules brings an advantage")


def sample_random_start(game: NineMensMorris, source: random.Random) -> MorrisPosition:
    """Sample a realistic position with men on random points.

    The numbers of men occur in games and simple impossibilities are excluded; the position may
    still be unreachable.
    """
    counts = sorted(reachable_subspaces(game.rules))
    placing = [count for count in counts if count.mover_hand > 0]
    moving = [count for count in counts if count.mover_hand == 0]
    for _ in range(MAX_TRIES):
        count = source.choice(placing if source.random() < PLACING_PROPORTION else moving)
        mover = source.randrange(2)
        points = source.sample(range(len(POINTS)), count.mover + count.other)
        own, other = frozenset(points[: count.mover]), frozenset(points[count.mover :])
        men, hands = (own, other), (count.mover_hand, count.other_hand)
        if mover == 1:
            men, hands = men[::-1], hands[::-1]
        position = game.position(PositionFields(men, hands, mover))
        states = PositionBatch.from_positions([position])
        if position.outcome() is None and not validate_states(states, game.rules).any():
            return position
    raise LudusError(f"no random position of {game.id} with these rules can be played")


def _count_men(position: MorrisPosition, side: int) -> int:
    return len(position.men[side]) + int(position.hands[side])


GAME = "nine_mens_morris"


@dataclass(frozen=True, slots=True)
class MorrisGeneratorOptions:
    """Where matches begin and when they are adjudicated. A round is every opponent, twice."""

    full: int = 1
    """Rounds from the start of the game; they come first."""

    advantage: int = 3
    """Rounds from starts with an advantage; they come next. All later rounds begin at random."""

    plies: int = 200
    """Maximum length of a match in plies."""

    def __post_init__(self) -> None:
        most = 1_000_000
        ranges = {"full": (0, most), "advantage": (0, most), "plies": (1, most)}
        check_ranges(self, "generator option", **ranges)


class RecordingPlayer(Player):
    """A teacher with its own limit whose positions and moves are recorded as lines."""

    title: ClassVar[str] = "records the moves of a teacher"

    def __init__(self, teacher: Player, limit: Limit) -> None:
        super().__init__(teacher.game, teacher.settings, teacher.spec)
        self._teacher = teacher
        self._limit = limit
        self.lines: list[str] = []

    def start_game(self, seed: int) -> None:
        self._teacher.start_game(seed)

    def choose(self, position: MorrisPosition, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        choice = self._teacher.choose(position, self._limit)
        self.lines.append(f"{to_thesis(position)}-{to_thesis_move(choice.move)}")
        return choice


class PlannedMatch(NamedTuple):
    """The opponent, the teacher's side and the start of a match."""

    opponent: str
    teacher_side: int
    start: MorrisPosition


class MorrisGenerator(DatasetGenerator):
    """States and the teacher's moves, in the line format of Galassi 2018."""

    title: ClassVar[str] = "good moves of Nine Men's Morris, lines of Galassi's thesis"
    teacher: ClassVar[str] = "negascout:nodes=20000"
    opponents: ClassVar[tuple[str, ...]] = (
        "random",
        "newbie",
        "basic",
        "focused",
        *(f"negascout:level={level}" for level in range(1, 10)),
    )
    options: ClassVar[MorrisGeneratorOptions] = MorrisGeneratorOptions()

    def __init__(self) -> None:
        self._standard = NineMensMorris()

    def check(self, plan: GenerationPlan) -> None:
        game = _make_game(plan)
        check_rules(game.rules)
        self._options(plan)
        for spec in (plan.teacher, *plan.opponents):
            named_player(spec, game)

    def lines(self, plan: GenerationPlan, number: int) -> list[str]:
        opponent, side, start = self.match(plan, number)
        game = _make_game(plan)
        teacher = RecordingPlayer(named_player(plan.teacher, game), plan.limit)
        other = named_player(opponent, game)
        # In self-play both sides are recorded.
        second = RecordingPlayer(other, plan.limit) if opponent == plan.teacher else other
        players = (teacher, second) if side == 0 else (second, teacher)
        played = play_game(
            game,
            players,
            seed=plan.seed_of("match", number),
            start=start,
            max_plies=self._options(plan).plies,
        )
        if played.outcome.reason == "illegal":
            loser = played.players[1 - (played.outcome.winner or 0)]
            raise LudusError(f"{loser} made an illegal move, {played.moves[-1].move}")
        recorded = [each.lines for each in players if isinstance(each, RecordingPlayer)]
        return [line for lines in recorded for line in lines]

    def key(self, line: str) -> Hashable:
        position = self._standard.canonical(self._standard.parse(line))
        return position.bits, position.hands

    def match(self, plan: GenerationPlan, number: int) -> PlannedMatch:
        """Return the opponent, the teacher's side and the start of match `number`."""
        pair, side = divmod(number, 2)
        opponent = plan.opponents[pair % len(plan.opponents)]
        played = pair // len(plan.opponents)
        options = self._options(plan)
        source = random.Random(plan.seed_of("start", pair))
        game = _make_game(plan)
        if played < options.full:
            start = game.start()
        elif played < options.full + options.advantage:
            start = sample_advantage_start(game, source)
        else:
            start = sample_random_start(game, source)
        return PlannedMatch(opponent, side, start)

    def _options(self, plan: GenerationPlan) -> MorrisGeneratorOptions:
        flags, options = parse_options(plan.options)
        if flags:
            raise BadSpec(f"generator option {flags[0]} is not key=value")
        return apply_options(self.options, options, "generator")


@lru_cache(maxsize=4)
def _make_game(plan: GenerationPlan) -> NineMensMorris:
    found = named_game(plan.game, plan.rules)
    assert isinstance(found, NineMensMorris)
    return found
