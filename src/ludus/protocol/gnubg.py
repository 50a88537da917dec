"""GNU Backgammon as a player."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus.core.errors import BadMove, BadSpec
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.games.backgammon.gnubg import position_id
from ludus.games.backgammon.position import Position
from ludus.players.tool.written import moves_of
from ludus.protocol.gnubg_process import EVERY_MOVE, NAME, Question, Ranked, shared_gnubg
from ludus.protocol.programs import ProgramFailed, find_program

LONGEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Options:
    """How GNU Backgammon plays here."""

    plies: int = 0
    """How far it looks ahead, as it counts itself: 0 is its network alone (others call it 1)."""

    seconds: float = LONGEST_SECONDS
    """The longest it may take for one move before it is given up."""

    def __post_init__(self) -> None:
        if not 0 <= self.plies <= 2:
            raise BadSpec(f"gnubg plies={self.plies} must be 0, 1 or 2")
        if not 0 < self.seconds <= 3600:
            raise BadSpec(f"gnubg seconds={self.seconds} must be above 0 and at most 3600")


class GnubgPlayer(Player):
    """Plays what GNU Backgammon ranks first, without the cube."""

    title: ClassVar[str] = "GNU Backgammon (Debian package gnubg), cubeless"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str]] = frozenset({"backgammon"})

    settings: Options

    def __init__(self, game: Any, settings: Options, spec: str) -> None:
        super().__init__(game, settings, spec)
        check_men(game)
        find_program(NAME, NAME)

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self.choose_many([position], limit)[0]

    def choose_many(self, positions: Sequence[Any], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        seconds = min(self.settings.seconds, limit.time or self.settings.seconds)
        ranked = rank(positions, self.settings.plies, seconds)
        return [_choice(each, self.settings.plies) for each in ranked]


def check_men(game: Any) -> None:
    """Other programs know the game with 15 men alone."""
    if game.rules.men != 15:
        raise BadSpec("other programs play backgammon with 15 men a side only")


def rank(
    positions: Sequence[Position],
    plies: int,
    seconds: float = LONGEST_SECONDS,
    within: float = EVERY_MOVE,
) -> list[dict[Any, Ranked]]:
    """For every position with dice its legal moves, best first, as GNU Backgammon judges them.

    A move that its network alone puts further than `within` behind is looked at no deeper. Where
    there is no choice, nothing is judged.
    """
    legal = [position.legal_moves() for position in positions]
    open_ones = [n for n, moves in enumerate(legal) if len(moves) > 1]
    questions = [
        Question(position_id(positions[n]), positions[n].dice or (0, 0)) for n in open_ones
    ]
    answers = (
        iter(shared_gnubg().rank(questions, plies, seconds, within)) if questions else iter(())
    )
    found: list[dict[Any, Ranked]] = []
    for moves, position in zip(legal, positions, strict=True):
        if len(moves) == 1:
            found.append({moves[0]: Ranked("", *[0.0] * 6)})
            continue
        ranking = next(answers)
        try:
            named = moves_of([ranked.move for ranked in ranking], position)
        except BadMove as error:
            raise ProgramFailed(f"gnubg answers nonsense: {error}") from error
        if set(named) != set(moves):
            raise ProgramFailed(f"gnubg knows {len(named)} moves of {len(moves)} in {position}")
        found.append(dict(zip(named, ranking, strict=True)))
    return found


def _choice(ranked: dict[Any, Ranked], plies: int) -> Choice:
    move, best = next(iter(ranked.items()))
    if len(ranked) == 1:
        return Choice(move, "has no choice")
    comment = (
        f"equity {best.equity:+.3f} (cubeless, {plies}-ply), wins {best.win:.1%}, "
        f"gammons {best.win_gammon:.1%}"
    )
    return Choice(move, comment, {move: each.equity for move, each in ranked.items()})
