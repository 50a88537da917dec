"""Situations that compiled code must survive: threads, finalizers, modules not yet prepared."""

import gc
import threading

import ludus
from ludus._native import backgammon, morris
from ludus.games.nine_mens_morris.rules import Rules


def many_threads(games: int) -> dict[str, int]:
    """More threads than any machine has, for games that are cut short before their first move."""
    position = ludus.game("nine_mens_morris").start()
    results = {}
    for threads in (1, 2, 1000, 2**31 - 1):
        played = position.playouts(games, threads=threads, max_plies=0)
        results[f"{threads} threads"] = played["games"]
    return results


def shared_history(calls: int) -> dict[str, int]:
    """Threads that count and play on from positions with a common past."""
    game = ludus.game("nine_mens_morris", "repetition=100")
    position = game.parse("W.W/.../.../W..W../.B./..B/B.B w 0 0")
    for text in ("g7-d7", "f2-f4", "d7-g7", "f4-f2") * 3:
        position = position.play(game.parse_move(text, position))
    expected = position.perft(3)
    counting = threading.Thread(target=lambda: [position.perft(3) for _ in range(calls)])
    counting.start()
    played = 0
    while counting.is_alive():
        for move in position.legal_moves():
            played += position.play(move).mover
    assert position.perft(3) == expected
    return {"played": played}


def moves_while_collecting(calls: int) -> dict[str, int]:
    """Finalizers that list the moves of another position while moves are being made."""
    game = ludus.game("backgammon")
    few = game.parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 65")
    many = game.parse("24:1,22:1,20:1,18:1,16:1,14:1,12:1,10:1,8:7 6:15 0 11")
    expected, num_calls = (len(few.legal_moves()), len(many.legal_moves())), 0

    class Asking:
        def __init__(self) -> None:
            self.own = self  # only the collector gets hold of it

        def __del__(self) -> None:
            nonlocal num_calls
            num_calls += len(many.legal_moves()) == expected[1]

    gc.set_threshold(1)
    for _ in range(calls // 10):
        Asking()
        assert len(few.legal_moves()) == expected[0]
        Asking()
        assert [move.side for move in many.legal_moves()] == [0] * expected[1]
    return {"asked": num_calls}


def unprepared() -> dict[str, int]:
    """Modules without the Python types that they need."""
    refused = 0
    start = (2, *(0,) * 22, -2)
    for call in (
        lambda: morris.Position(Rules(), (0, 0), (9, 9), 0),
        lambda: backgammon.legal_moves(start, (0, 0), (0, 0), 0, (3, 1)),
    ):
        try:
            call()
        except RuntimeError:
            refused += 1
    for thing in (morris.Position.__new__(morris.Position), object()):
        try:
            morris.Position.legal_moves(thing)
        except TypeError:
            refused += 1
    return {"refused": refused}
