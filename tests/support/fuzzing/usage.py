"""What is done with whatever a parser accepts: a text that got through must also be playable."""

import pickle
import random
from functools import cache
from typing import Any

import ludus
from ludus.core.record import Record


def use_position(game: Any, position: Any, source: random.Random) -> None:
    """Play on from a position and call all its methods."""
    check_text(game, position)
    for _ in range(source.randrange(6)):
        moves = position.legal_moves()
        assert (position.outcome() is None) == bool(moves)
        if not moves:
            break
        position = position.play(source.choice(moves))
    check_text(game, position)
    assert game.perft(position, 1) == len(position.legal_moves())
    if source.random() < 0.1:
        assert game.perft(position, 2) == perft_by_moves(game, position)
        assert position.text()
        assert position.svg()
        assert pickle.loads(pickle.dumps(position)) == position
    if game.id in ("nine_mens_morris", "backgammon"):
        use_native(game, position, source)


def check_text(game: Any, position: Any) -> None:
    """Writing and reading must be inverses."""
    text = str(position)
    again = game.parse(text)
    assert (again, str(again), hash(again)) == (position, text, hash(position)), text


def perft_by_moves(game: Any, position: Any) -> int:
    return sum(game.perft(position.play(move), 1) for move in position.legal_moves())


def use_native(game: Any, position: Any, source: random.Random) -> None:
    """What only the compiled twins can do, and now and then a look at what Python says."""
    seed = source.getrandbits(64)
    if game.id == "nine_mens_morris":
        canonical = game.canonical(position)
        assert game.canonical(canonical) == canonical
        played = position.playouts(3, seed=seed, threads=1, max_plies=source.choice((0, 1, 80)))
        assert played["games"] == sum(played["wins"]) + played["draws"] == 3
        is_time = source.random() < 0.2
    else:
        from ludus.games.backgammon import native

        if source.random() < 0.2:
            assert sum(map(sum, native.playouts(position, 1, seed))) == 1
        is_time = source.random() < 0.04
    if is_time:
        twin = python_twin(game).parse(str(position))
        assert twin.legal_moves() == position.legal_moves()
        assert twin.outcome() == position.outcome()


@cache
def python_twin(game: Any) -> Any:
    return ludus.game(game.id, game.rules, "python")


def use_game(game: Any) -> None:
    """Use a game with rules that are no preset."""
    start = game.start()
    for move in start.legal_moves()[:2]:
        check_text(game, start.play(move))


def use_record(record: Record, games: dict[str, Any]) -> None:
    """Write a record, parse it again, and replay it if it names its game."""
    assert Record.parse(str(record)) == record
    game = games.get(record.headers.get("Game", ""))
    if game is not None:
        record.replay(game)
