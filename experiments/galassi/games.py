"""Games of one player against another with both colours, cached with all their facts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ludus import LudusError, Record
from ludus.arena import GameConditions, GameResult, Job, JobKey, StartPositions, derive_seed
from ludus.games import game as named_game
from ludus.reproduce import Context

GAME: Final = "nine_mens_morris"
RULES = "standard"
COLOURS = ("White", "Black")
SEEDS = 2
"""Games from the start with each colour."""

REASONS = {"men": "removing", "blocked": "suffocating"}
"""How a game was won, in the thesis's words."""


@dataclass(frozen=True)
class Contestant:
    """A player, and a key that differs from players with the same spec on another machine."""

    name: str
    spec: str
    key: str = ""
    portable_spec: str = ""
    """The spec with something else in place of paths, if it has some; seeds depend on it."""


@dataclass(frozen=True)
class Game:
    """One game as the first of both players saw it, as JSON holds it."""

    colour: str
    """Which side it had; White is the side that begins the game."""

    opening: int
    """0 from the start of the game, else the number of the opening."""

    result: str
    """WIN, DRAW or LOSS."""

    reason: str
    record: str

    @property
    def text(self) -> str:
        """The result as Table 6.11 writes it."""
        if self.result == "DRAW":
            return "DRAW" if self.reason == "repetition" else f"DRAW ({self.reason})"
        return f"{self.result} ({REASONS.get(self.reason, self.reason)})"

    @property
    def moves(self) -> tuple[str, ...]:
        return tuple(node.move for node in Record.parse(self.record).line.moves)

    @property
    def side(self) -> int:
        return COLOURS.index(self.colour)


def play_pairing(context: Context, one: Contestant, other: Contestant) -> list[Game]:
    """Play all games of a pairing with both colours, some from the start, some from openings."""
    identity = f"{one.name} {one.key or one.spec} – {other.name} {other.key or other.spec}"

    def compute() -> list[Mapping[str, Any]]:
        jobs = {job.key: job for job in schedule_games(context, one, other)}
        found = {}
        for number, result in enumerate(context.pool.run(jobs.values())):
            context.progress(number, len(jobs), f"{one.name} – {other.name}")
            if result.reason in ("crash", "illegal"):
                raise LudusError(f"{one.name} – {other.name}: {result.reason}, {result.message}")
            found[result.key.number] = _result_as_json(result, jobs[result.key])
        return [found[number] for number in sorted(found)]

    return [Game(**fields) for fields in context.cached(f"games {identity}", compute)]


def schedule_games(context: Context, one: Contestant, other: Contestant) -> Iterator[Job]:
    """List games from the start, two with each colour to detect randomness; then openings."""
    game = named_game(GAME, RULES)
    starts = StartPositions(random_plies=context.setting("plies"))
    tournament = f"galassi {context.seed}"
    conditions = GameConditions(GAME, RULES)
    for number in range(2 * (SEEDS + context.setting("openings"))):
        opening = get_opening_number(number)
        start = starts.get_position(game, context.seed, opening) if opening else ""
        key = JobKey(tournament, one.spec, other.spec, number)
        names = one.portable_spec or one.spec, other.portable_spec or other.spec
        # The seed does not depend on paths of this machine, so that weights may be moved.
        seed = derive_seed(tournament, *names, number)
        # An even number gives White to the first player, for either side to move after the opening.
        yield Job(key, conditions, number % 2 == 1, start, seed)


def get_opening_number(number: int) -> int:
    """Return 0 for games from the start, then the numbers of openings, each for two games."""
    return max(0, number // 2 - SEEDS + 1)


def _result_as_json(result: GameResult, job: Job) -> dict[str, Any]:
    outcome = "DRAW" if result.winner is None else ("WIN", "LOSS")[result.winner]
    return {
        "colour": COLOURS[job.is_swapped],
        "opening": get_opening_number(result.key.number),
        "result": outcome,
        "reason": result.reason,
        "record": result.record,
    }


def is_deterministic(games: list[Game]) -> bool:
    """Whether both seeds gave the same games from the start."""
    for colour in COLOURS:
        first = [game.moves for game in games if game.opening == 0 and game.colour == colour]
        if len(set(first)) > 1:
            return False
    return True
