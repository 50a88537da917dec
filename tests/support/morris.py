"""Positions of the Morris family of all kinds, and lines of datasets."""

import random
from itertools import islice
from typing import Any

import ludus
from ludus.games.nine_mens_morris import NineMensMorris, to_thesis, to_thesis_move
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles import Value
from ludus.oracles.interface import ORDER
from support.games import play_randomly
from support.paths import DATA

GOOD_MOVES = DATA / "morris_good_moves.txt"
"""500 positions with the moves of a teacher, made by `ludus dataset generate` (the file beside it
says how), in the notation of the thesis."""


def positions(games: int, rules: Rules = Rules(), engine: str = "native") -> list[Any]:  # noqa: B008
    """Positions of random games that are not over, the same every time."""
    game = NineMensMorris(rules, engine)
    return [
        position
        for seed in range(games)
        for position in play_randomly(game, seed)
        if position.outcome() is None
    ]


UNUSUAL = (
    "men=5,flying=no,repetition=3",
    "lasker,diagonals=yes,take_from_mills=always",
    "morabaraba,blocked=passes,quiet_plies=30",
)


def morris(rules="vrajitoru", engine="native"):
    return ludus.game("nine_mens_morris", rules, engine)


def random_boards(game, seed):
    """Yield random boards without end, some of them of finished games."""
    rng = random.Random(seed)
    while True:
        points = rng.sample(range(24), 24)
        counts = [rng.randint(0, game.rules.men) for _ in range(2)]
        hands = tuple(rng.choice([0, game.rules.men - count]) for count in counts)
        men = frozenset(points[: counts[0]]), frozenset(points[counts[0] : sum(counts)])
        yield game.position(PositionFields(men, hands, rng.randint(0, 1)))


def odd_positions(game, number, seed):
    """Yield this number of random boards that are not over."""
    ongoing = (board for board in random_boards(game, seed) if board.outcome() is None)
    return islice(ongoing, number)


ENDING_RULES = ["standard", "flying=no", "diagonals=yes", "lose_below=2,take_from_mills=always"]


def random_position(game, rng, white, black, mover):
    points = rng.sample(range(24), white + black)
    men = frozenset(points[:white]), frozenset(points[white:])
    return game.position(PositionFields(men, (0, 0), mover))


def random_positions(rules, count, seed=1, most=4, engine="native"):
    """Positions with empty hands, as many for each pair of numbers of men."""
    game, rng = ludus.game("nine_mens_morris", rules, engine), random.Random(seed)
    sizes = range(game.rules.lose_below, most + 1)
    return [
        random_position(game, rng, white, black, mover)
        for white in sizes
        for black in sizes
        for mover in (0, 1)
        for _ in range(count)
    ]


def derived(oracle, position):
    """The value of a position from those that its moves lead to, by the position's own rules."""
    outcome = position.outcome()
    if outcome is not None:
        return (
            Value("draw")
            if outcome.winner is None
            else Value("win" if outcome.winner == position.mover else "loss", 0)
        )
    offers = [oracle.value(position.play(move)) for move in position.legal_moves()]
    for result in ORDER:
        depths = [offer.depth for offer in offers if offer.result == opposite(result)]
        if depths and result == "draw":
            return Value("draw")
        if depths:
            return Value(result, 1 + (min if result == "win" else max)(depths))
    raise AssertionError("no move and no outcome")


def opposite(result):
    return {"win": "loss", "loss": "win"}.get(result, "draw")


DATASET_RULES = {
    "standard": Rules(),
    "walking": Rules(flying=False),
    "safe mills": Rules(take_from_mills="never"),
    "bold": Rules(take_from_mills="always", diagonals=True),
    "few men": Rules(men=5),
}
"""Rules that differ where a dataset can see it."""


def examples(rules: Rules, games: int) -> list[tuple[Any, Any]]:
    """Positions with a legal move."""
    source = random.Random(games)
    return [(each, source.choice(each.legal_moves())) for each in positions(games, rules, "python")]


def lines(pairs: list[tuple[Any, Any]]) -> list[str]:
    """Positions and moves as dataset lines, written by the rules' own notation."""
    return [f"{to_thesis(position)}-{to_thesis_move(move)}" for position, move in pairs]


def data(text_lines: list[str], end: str = "\n") -> bytes:
    return "".join(f"{line}{end}" for line in text_lines).encode()
