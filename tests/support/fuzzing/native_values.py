"""Every compiled function called with hostile values; what is accepted is used."""

import random
from types import SimpleNamespace
from typing import Any

from ludus._native import backgammon, morris
from ludus.games.backgammon import native as native_backgammon
from ludus.games.nine_mens_morris import PRESETS
from ludus.games.nine_mens_morris import native as native_morris
from support.fuzzing.hostile_values import ODD_VALUES, Caller, Values

assert morris.Position is native_morris.Position
assert backgammon is native_backgammon.compiled


def morris_values(source: random.Random, calls: int) -> dict[str, int]:
    """Positions from random fields, and every method of those that are accepted."""
    values, caller = Values(source), Caller()
    presets = list(PRESETS.values())
    odd_rules = [*(_odd_rules(values) for _ in range(60)), *ODD_VALUES]
    for _ in range(calls):
        men = values.several(2, 0, 2**24 - 1) if source.random() < 0.2 else _few_bits(source)
        position = caller.call(
            "Position",
            morris.Position,
            source.choice(source.choice((presets, presets, odd_rules))),
            men,
            values.several(2, 0, 4),
            values.number(0, 1),
            values.number(1, 2),
            values.number(0, 9),
            source.choice(((), values.several(5, 0, 2**57))),
        )
        if position is not None:
            use_morris_position(position, caller, values)
        bits, yes = values.number(0, 2**24), source.choice((True, False, 2))
        caller.call("transformed", morris.transformed, bits, values.number(0, 15))
        caller.call("in_mills", morris.in_mills, bits, yes)
    return caller.results


def _few_bits(source: random.Random) -> tuple[int, int]:
    """Two sets of points that have none in common."""
    points = source.sample(range(24), source.randrange(17))
    half = source.randrange(len(points) + 1)
    white, black = (sum(1 << point for point in men) for men in (points[:half], points[half:]))
    return white, black


def _odd_rules(values: Values) -> Any:
    """Something with the fields of Rules, none of them checked."""
    words = ("loses", "passes", "when_all", "never", "always", "draws", "blocked", "", "\ud800", 3)
    pick = values.random.choice
    return OddRules(
        men=values.number(0, 12),
        diagonals=pick((True, False)),
        flying=pick((True, False, None)),
        blocked=pick(words),
        lose_below=values.number(0, 3),
        take_from_mills=pick(words),
        repetition=values.number(0, 4),
        quiet_plies=values.number(0, 9),
        place_or_move=pick((True, False)),
        full_board=pick(words),
    )


class OddRules(SimpleNamespace):
    """Can be the key of a dictionary, which is where compiled code keeps rules."""

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def use_morris_position(position: Any, caller: Caller, values: Values) -> None:
    """Every method, each with values that may be hostile."""
    pick = values.random.choice
    canonical = position.canonical()
    assert canonical.canonical() == canonical
    assert hash(canonical.canonical()) == hash(canonical)
    assert len(position.men[0] | position.men[1]) == sum(map(len, position.men))
    moves = position.legal_moves()
    assert (position.outcome() is None) == bool(moves)
    for move in (*moves[:2], values.several(3, 0, 24), pick(ODD_VALUES), (None, None, None)):
        after = caller.call("play", position.play, move)
        assert (after is not None) == (move in moves)
    # A depth in between could take for ever.
    depth = pick((-5, 0, 1, 2, 101, 10**6, 2**31 - 1, 2**31, 2**70, "3"))
    caller.call("perft", position.perft, depth)
    caller.call(
        "playouts",
        position.playouts,
        pick((0, 1, 2, 5, -1, 2**64, "9", None)),
        values.number(0, 9),
        values.number(1, 3),
        pick((0, 1, 60, -1, -(2**31), 2**31, 2**70)),
    )


def backgammon_values(source: random.Random, calls: int) -> dict[str, int]:
    """Every function of the module with random boards, dice and steps."""
    values, caller = Values(source), Caller()
    for _ in range(calls):
        board = _odd_board(values)
        usual = source.randint(3, 6), source.randint(1, 3)
        dice = source.choice((usual, (4, 4), values.several(2, 1, 6)))
        moves = caller.call("legal_moves", backgammon.legal_moves, *board, dice)
        for move in (moves or ())[:2]:
            assert backgammon.after(*board, dice, move.steps) is not None
        steps = [values.several(3, 0, 25) for _ in range(source.randrange(6))]
        steps = source.choice((steps, source.choice(ODD_VALUES)))
        caller.call("after", backgammon.after, *board, dice, steps)
        dice = source.choice((dice, None))
        depth = source.choice((-1, 0, 1, 2, 101, 10**6, 2**31 - 1, 2**31, "1", None))
        caller.call("perft", backgammon.perft, *board, dice, source.choice((True, False, 2)), depth)
        games = source.choice((0, 0, 0, 1, -1, 2**64, None))
        seed = values.number(0, 2**64 - 1)
        caller.call("playouts", backgammon.playouts, *board, dice, False, games, seed)
        pair = (source.choice((*ODD_VALUES, str, dict)), source.choice(ODD_VALUES))
        caller.call("use_types", backgammon.use_types, *pair)
    return caller.results


def _odd_board(values: Values) -> tuple[Any, Any, Any, Any]:
    """Mostly a playable board, with one field of four spoilt now and then."""
    pick = values.random.choice
    points = [0] * 24
    for _ in range(values.random.randrange(16)):
        points[values.random.randrange(12)] += 1
        points[values.random.randrange(12, 24)] -= 1
    values.random.shuffle(points)
    board: list[Any] = [tuple(points), pick(((0, 0), (1, 0), (2, 3))), (0, 0), pick((0, 1))]
    if values.random.random() < 0.3:
        spoilt = values.random.randrange(4)
        counts = values.several(24, -128, 127), values.several(24, -3, 3)
        few = values.several(2, 0, 15)
        board[spoilt] = (pick(counts), few, few, 7)[spoilt]
    return tuple(board)
