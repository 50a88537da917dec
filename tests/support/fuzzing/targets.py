"""Every place where Ludus reads a text, with valid texts to start from."""

import dataclasses
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ludus
from ludus.core.match import play_game
from ludus.core.player import Limit
from ludus.core.record import Line, Node, Record
from ludus.core.spec import apply_options, parse_options, parse_spec
from ludus.games.backgammon import to_gnubg_id, to_position_id
from ludus.games.backgammon.position_ids import to_xgid
from ludus.games.nine_mens_morris import to_playok_move, to_sanmill, to_thesis, to_thesis_move
from support.fuzzing.odd_positions import odd_text
from support.fuzzing.usage import use_game, use_position, use_record
from support.games import VARIANTS, play_randomly

UNUSUAL = (
    "nine_mens_morris:men=3,flying=no,repetition=3",
    "nine_mens_morris:morabaraba,blocked=passes,place_or_move=yes,quiet_plies=30,repetition=0",
    "nine_mens_morris:men=12,lose_below=1,take_from_mills=always,full_board=draws",
    "noughts_and_crosses:size=8,line=5",
    "hexapawn:size=8",
    "backgammon:hyper,opening=any",
)
"""Rules without a name of their own."""


@dataclass(frozen=True)
class Target:
    """One parser, and what is done with what it accepts."""

    name: str
    valid: tuple[str, ...]
    """Texts that it accepts, to be spoiled."""

    feed: Callable[[str], None]
    """Parses a text and uses the result; raises a LudusError if the text is refused."""

    odd: Callable[[], str] | None = None
    """Makes texts that are well formed and strange."""

    weight: float = 1


def all_targets(source: random.Random) -> list[Target]:
    """Every parser with every game and preset."""
    specs = [f"{name}:{preset}" for name, preset in VARIANTS] + list(UNUSUAL)
    games = {spec: ludus.game(spec) for spec in specs}
    found = [target for spec, game in games.items() for target in _of_game(spec, game, source)]
    return [*found, *_of_specs(specs), *_of_records(games)]


def _of_game(spec: str, game: Any, source: random.Random) -> list[Target]:
    positions = [position for seed in range(4) for position in play_randomly(game, seed, 60)]
    positions = positions[:: max(len(positions) // 60, 1)]
    playable = [position for position in positions if position.outcome() is None]
    has_twin = game.id in ("nine_mens_morris", "backgammon")

    def feed_move(text: str) -> None:
        position = source.choice(playable)
        move = game.parse_move(text, position)
        assert move in position.legal_moves()
        position.play(move)

    return [
        Target(
            f"position of {spec}",
            tuple(text for position in positions for text in _position_texts(position, game)),
            lambda text: use_position(game, game.parse(text), source),
            lambda: odd_text(game, source),
            weight=4 if has_twin else 1,
        ),
        Target(
            f"move of {spec}",
            tuple({text for here in playable for text in _move_texts(here, game)}),
            feed_move,
            weight=2 if has_twin else 0.5,
        ),
    ]


def _position_texts(position: Any, game: Any) -> list[str]:
    """A position in every notation its game has."""
    texts = [str(position)]
    if game.id == "nine_mens_morris":
        texts.append(to_sanmill(position))
        if max(*position.hands, *map(len, position.men)) <= 9:
            texts.append(to_thesis(position))
    if game.id == "backgammon":
        texts += [to_position_id(position), to_gnubg_id(position), to_xgid(position)]
    return texts


def _move_texts(position: Any, game: Any) -> list[str]:
    """A few moves in every notation the game has."""
    moves = position.legal_moves()[:6]
    texts = [str(move) for move in moves]
    if game.id == "nine_mens_morris":
        texts += [write(move) for write in (to_playok_move, to_thesis_move) for move in moves]
    return [text for text in texts if text]


def _of_specs(specs: list[str]) -> list[Target]:
    hexapawn = ludus.game("hexapawn")
    options = tuple(
        f"{field.name}={getattr(rules, field.name)}"
        for name in ludus.GAMES
        for rules in ludus.GAMES[name].presets.values()
        for field in dataclasses.fields(rules)
    )
    players = ("random", "playouts", "playouts:games=50", "playouts:games=9,threads=2,plies=100")
    limits = ("time=1.5", "nodes=100", "depth=3,time=0.1", "time=1,nodes=10,depth=2")

    def rules_of(name: str) -> Callable[[str], None]:
        return lambda text: use_game(ludus.game(name, text))

    return [
        Target("spec of a game", tuple(specs), lambda text: use_game(ludus.game(text)), weight=3),
        *(Target(f"rules of {name}", options, rules_of(name)) for name in ludus.GAMES),
        Target(
            "engine", ("native", "python"), lambda text: use_game(ludus.game("hexapawn", "", text))
        ),
        Target("spec of a player", players, lambda text: _use_player(text, hexapawn), weight=2),
        Target("limit", limits, _use_limit),
    ]


def _use_player(text: str, game: Any) -> None:
    player = ludus.player(text, game)
    player.start_game(1)
    assert player.spec == text


def _use_limit(text: str) -> None:
    parse_spec(f"limit:{text}")
    apply_options(Limit(), parse_options(text)[1], "limit")


def _of_records(games: dict[str, Any]) -> list[Target]:
    named = {game.id: game for game in reversed(games.values())}
    records = [_record(game, seed) for game in games.values() for seed in range(2)]
    texts = tuple(str(record) for record in records)

    def feed_many(text: str) -> None:
        for record in Record.parse_many(text):
            use_record(record, named)

    return [
        Target("record", texts, lambda text: use_record(Record.parse(text), named), weight=4),
        Target("records", tuple(a + b for a, b in itertools.pairwise(texts)), feed_many),
    ]


def _record(game: Any, seed: int) -> Record:
    """A short random game with a comment and a variation."""
    player = ludus.player("random", game)
    match = play_game(game, (player, player), seed=seed, max_plies=6)
    record = Record.from_game(match, game)
    first, *rest = record.line.moves
    result = Node(first.move, 'a "remark" {in \\braces}', (Line((Node(first.move),)),))
    return Record(record.headers, Line((result, *rest), "before the game"), record.first_ply)
