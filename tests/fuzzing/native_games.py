"""Compiled games, searches and environments, called with hostile values and by many threads."""

import gc
import random
import threading
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

import ludus
from fuzzing.hostile import ODD_VALUES, Caller, Values
from ludus._native import backgammon, environments, morris, patterns, search
from ludus.games.backgammon import native as native_backgammon
from ludus.games.nine_mens_morris import PRESETS
from ludus.games.nine_mens_morris import native as native_morris
from ludus.games.nine_mens_morris.board import POINTS
from ludus.oracles.morris.sectors import num_slots

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


MOST_NODES = 300
"""Enough to get through every part of a search, few enough for thousands of searches."""

ENDGAME_MEN = 3


def search_values(source: random.Random, calls: int) -> dict[str, int]:
    """Searches by rules of all kinds, for positions and limits of all kinds."""
    values, caller = Values(source), Caller()
    searches = _searches(values, caller)
    tables = _endgames(values, caller)
    for _ in range(calls):
        found = source.choice(searches)
        men = values.several(2, 0, 2**24 - 1) if source.random() < 0.1 else _some_men(source)
        hands = values.several(2, 0, 2)
        _run_search(
            found, caller, values, men, hands, source.choice((None, None, *tables, *tables, "x"))
        )
        side = values.number(0, 1)
        caller.call("evaluate", found.evaluate, men, hands, side)
        caller.call("features", found.features, men, hands, side)
        caller.call("canonical", search.canonical, values.number(0, 2**24), values.number(0, 2**24))
        found.stop()
    return caller.results


def _some_men(source: random.Random) -> tuple[int, int]:
    """Return random sets of men, about equally many of each side."""
    points = source.sample(range(len(POINTS)), source.randint(6, 14))
    half = len(points) // 2
    white, black = (sum(1 << point for point in men) for men in (points[:half], points[half:]))
    return white, black


def _searches(values: Values, caller: Caller) -> list[Any]:
    """Searches under rules that may be hostile, with tables of sizes that may be."""
    pick = values.random.choice
    found = [search.Search(rules, 1) for rules in PRESETS.values()] * 8
    for _ in range(800):
        rules = pick((*PRESETS.values(), _odd_rules(values), pick(ODD_VALUES)))
        megabytes = pick(
            (0, 1, 1, 1, 1, 2, -1, 2**20 + 1, 2**44, 2**63, 2**64, 2**70, "1", None, 1.5)
        )
        made = caller.call("Search", search.Search, rules, megabytes)
        if made is not None:
            found = [*found, made][:60]
    return found


def _endgames(values: Values, caller: Caller) -> list[Any]:
    """Endings with random values; tables of the wrong size are refused."""
    source = values.random
    tables = [
        search.Endgames(men) for men in (2, ENDGAME_MEN, ENDGAME_MEN)
    ]  # making one takes its time
    slots = num_slots((ENDGAME_MEN, ENDGAME_MEN, 0, 0))
    right = [np.frombuffer(source.randbytes(slots), np.uint8) for _ in range(2)]
    wrong = [right[0][1:], np.append(right[0], right[0]), right[0][::-1], right[0].astype(np.int64)]
    for _ in range(400):
        data = source.choice((*right, *right, *wrong, source.choice(ODD_VALUES)))
        x, y = source.choice(
            (
                (ENDGAME_MEN, ENDGAME_MEN),
                (ENDGAME_MEN, ENDGAME_MEN),
                (values.number(0, ENDGAME_MEN), values.number(0, ENDGAME_MEN)),
            )
        )
        caller.call("add", source.choice(tables).add, x, y, source.choice((True, False)), data)
        caller.call("Endgames", search.Endgames, source.choice((-1, 13, 2**31, 2**70, "3", None)))
    return tables


def _run_search(
    found: Any, caller: Caller, values: Values, men: Any, hands: Any, endgames: Any
) -> None:
    pick, number = values.random.choice, values.number
    reports: list[Any] = []
    nodes = pick((1, 50, MOST_NODES, MOST_NODES, 0, None, -1, 2**64, "9"))
    options = {
        # Without a limit of nodes a deep search would take for ever.
        "depth": pick((1, 2, 0, -1))
        if nodes is None
        else pick((1, 3, 99, 100, 101, 2**31 - 1, 2**31)),
        "nodes": nodes,
        "seconds": pick((None, None, None, 0.01, 0, -1.0, 1e300, float("nan"), float("inf"), "1")),
        "lines": pick((1, 1, 2, 5, 0, -1, 2**31 - 1, 2**40)),
        "threads": pick((1, 1, 1, 2, 3, 0, -1, 2**31)),
        "oversight": pick((0.0, 0.0, 0.5, 1.0, 2.0, -1.0, float("nan"), float("inf"))),
        "seed": pick((0, number(0, 2**64 - 1))),
        "endgames": endgames,
        "extends": pick((True, False)),
        "reduces": pick((True, False)),
        "uses_table": pick((True, True, False, "x")),
        "only": pick(((), (), (), _search_moves(values), pick(ODD_VALUES))),
        "report": pick((None, None, reports.append, lambda _: True, _refuse, *ODD_VALUES[:3])),
    }
    # Most of them are left as usual, so that many searches are run.
    for name in values.random.sample(sorted(options), len(options) - values.random.randrange(4)):
        del options[name]
    options.setdefault("nodes", MOST_NODES)
    if options["nodes"] is None:
        options["depth"] = 2
    history = pick(((), (), values.several(5, 0, 2**57)))
    call = partial(found.run, **options)
    result = caller.call("run", call, men, hands, number(0, 1), number(1, 2), number(0, 9), history)
    for each in (*reports, *([] if result is None else [result])):
        assert each["lines"], "there is always a move"
        for _, line in each["lines"]:
            assert all(part is None or 0 <= part < len(POINTS) for move in line for part in move)


def _search_moves(values: Values) -> Any:
    """Moves that may be legal somewhere."""
    point = partial(values.number, 0, 24)
    pick = values.random.choice
    return [
        (pick((None, point())), point(), pick((None, point())))
        for _ in range(values.random.randrange(4))
    ]


def _refuse(_: object) -> None:
    raise ValueError("not now")


def patterns_values(source: random.Random, calls: int) -> dict[str, int]:
    """Players from random scores and edges, and every method of those that are accepted."""
    values, caller = Values(source), Caller()
    rules = list(PRESETS.values())
    numbers = (0.0, 1.0, 1e299, 1e301, -1.0, float("nan"), float("inf"))
    for _ in range(calls):
        scores = [source.random() * 100] * source.choice((512, 512, 512, 511, 0))
        scores[:1] = [source.choice(numbers)] if source.random() < 0.3 else scores[:1]
        edges = [(source.randrange(512), source.randrange(512)) for _ in range(20)]
        edges += [values.several(2, 0, 511)] if source.random() < 0.3 else []
        fuzzy = caller.call(
            "Fuzzy",
            patterns.Fuzzy,
            source.choice((*rules, source.choice(ODD_VALUES))),
            scores,
            edges,
            source.choice((2.0, *numbers)) if source.random() < 0.3 else 2.0,
            source.choice((5.0, *numbers)) if source.random() < 0.3 else 5.0,
            source.choice((True, False)),
            source.choice((True, False)),
            source.choice(("random", "share", "best", "best", "", "\ud800")),
        )
        board = values.several(2, 0, 2**24 - 1), values.several(2, 0, 9), values.number(0, 1)
        if source.random() < 0.8:
            points = source.sample(range(24), 12)
            men = (sum(1 << point for point in points[:6]), sum(1 << point for point in points[6:]))
            board = men, source.choice(((0, 0), (3, 3))), source.randrange(2)
        if fuzzy is not None:
            caller.call("weights", fuzzy.weights, *board)
            sides = [source.choice((fuzzy, "newbie", "basic:opening=any", "focused", "", None))]
            sides += [source.choice((fuzzy, fuzzy, "focused", "newby"))]
            games, threads = source.choice((0, 1, 1, 2, 2, -1, 2**64)), values.number(1, 3)
            plies = source.choice((0, 1, 9, 60, -1, 2**31))
            fields = source.choice(rules), *board
            caller.call("games", patterns.games, *fields, *sides, games, 1, threads, plies)
        caller.call("pattern", patterns.pattern, values.number(0, 2**24), values.number(0, 3))
    return caller.results


START_MEN = {24: 2, 13: 5, 8: 3, 6: 5}


def environments_values(source: random.Random, calls: int) -> dict[str, int]:
    """Games at once with starts, arrays and actions of which some cannot be."""
    values, caller = Values(source), Caller()
    starts = [ludus.game("nine_mens_morris", rules).start() for rules in ("", "lasker", "men=3")]
    men = tuple(START_MEN.get(place, 0) for place in range(26))
    for _ in range(calls):
        is_morris = source.random() < 0.5
        kind: Any = environments.MorrisVector if is_morris else environments.BackgammonVector
        num_actions, size = (625, 53) if is_morris else (151, 212)
        start: Any = source.choice(starts) if is_morris else (men, "any")
        if source.random() < 0.1:
            start = source.choice((*ODD_VALUES, (men, "x"), (values.several(26, 0, 3), "first")))
        num_envs, threads = source.randint(1, 3), source.choice((1, 1, 1, 2))
        autoreset = source.choice(("same_step", "next_step", "next_step", "never"))
        settings = (num_envs, values.number(threads, threads), autoreset, values.number(1, 50))
        envs = caller.call("Vector", kind, start, *settings)
        if envs is None:
            continue
        arrays = _make_arrays(source, num_envs, num_actions, size)
        caller.call("use_arrays", envs.use_arrays, *arrays)
        caller.call("reset", envs.reset, values.number(0, 2**64 - 1))
        for _ in range(20):
            actions = np.zeros(num_envs + (source.random() < 0.02), np.int64)
            caller.call("sample", envs.sample, actions)
            if source.random() < 0.1:
                actions[0] = source.choice((-1, 0, num_actions - 1, num_actions, 2**62))
            caller.call("step", envs.step, actions)
    return caller.results


def _make_arrays(source: random.Random, num_envs: int, num_actions: int, size: int) -> list[Any]:
    arrays: list[Any] = [
        np.empty((num_envs, size), np.float32),
        np.empty((num_envs, num_actions), np.int8),
        np.empty((num_envs, 2), np.float32),
        np.empty(num_envs, np.bool_),
        np.empty(num_envs, np.bool_),
        np.empty(num_envs, np.int8),
        np.empty((num_envs, size), np.float32),
    ]
    if source.random() < 0.2:
        wrong = (np.empty(0, np.float32), np.empty((num_envs, size)), np.empty((9, 9), np.int8))
        arrays[source.randrange(len(arrays))] = source.choice((*ODD_VALUES, *wrong))
    return arrays


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
