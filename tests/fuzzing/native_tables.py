"""Compiled solvers, sampling and networks called with hostile values; what is accepted is used."""

import math
import random
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np

from fuzzing.hostile import NUMBERS, ODD_VALUES, Caller, Values
from ludus._native import chances, equities, gammon, sampling, solver
from ludus.games.nine_mens_morris import PRESETS, Rules

SMALL_SECTORS = [(x, y, a, b) for x in range(5) for y in range(5) for a in (0, 1) for b in (0, 1)]
HUGE = (2**31 - 1, 2**31 - 10, -(2**31), 2**30, 13, 100)


def solver_values(source: random.Random, calls: int) -> dict[str, int]:
    """Every method of a solver with sectors and tables that exist or do not."""
    values, caller = Values(source), Caller()
    solvers = [solver.Solver(Rules(), 2), solver.Solver(Rules(men=4, lose_below=1), 1)]
    for _ in range(calls):
        if source.random() < 0.02:
            _make_solver(source, caller)
        chosen = source.choice(solvers)
        sector = _sector(source)
        name = source.choice(("solve", "verify", "tally", "values", "load", "has", "drop", "shape"))
        if name in ("tally", "values"):
            caller.call(name, getattr(chosen, name), sector, source.random() < 0.5)
        elif name == "load":
            caller.call(name, chosen.load, sector, _table(source), _table(source))
        else:
            caller.call(name, _refuse_missing(getattr(chosen, name)), sector)
        boards = np.array([values.number(0, 2**24 - 1)] * 2, dtype=object)
        caller.call("slots", chosen.slots, sector, _array(boards), _array(boards[::-1]))
        caller.call("boards", chosen.boards, sector, _array(boards, np.uint64))
        _ask_equities(source, caller)
    return caller.results


def _refuse_missing(method: Any) -> Any:
    """The method, which refuses a sector that others are missing for like any other value."""

    def call(sector: Any) -> Any:
        try:
            return method(sector)
        except solver.MissingSector as error:
            raise ValueError from error

    return call


def _make_solver(source: random.Random, caller: Caller) -> None:
    fields = {name: getattr(Rules(), name) for name in Rules.__dataclass_fields__}
    fields[source.choice(list(fields))] = source.choice((*HUGE, *ODD_VALUES, 0, 255))
    caller.call("Solver", solver.Solver, SimpleNamespace(**fields), source.choice((1, 2, -5)))


def _sector(source: random.Random) -> Any:
    if source.random() < 0.7:
        return source.choice(SMALL_SECTORS)
    if source.random() < 0.7:
        return tuple(source.choice((*HUGE, 0, 1, 3, 9)) for _ in range(4))
    return source.choice(ODD_VALUES)


def _table(source: random.Random) -> Any:
    size = source.choice((0, 1, 158 * 1330, 210_140, 5))
    return source.choice((None, np.zeros(size, np.uint8), np.full(size, 255, np.uint8), "x"))


def _array(values: Any, dtype: Any = np.uint32) -> Any:
    """Return the values as an array if they fit, else as they are."""
    try:
        return np.array([int(value) for value in values], dtype)
    except (OverflowError, TypeError, ValueError):
        return values


def _ask_equities(source: random.Random, caller: Caller) -> None:
    men, points = (source.choice((*HUGE, 0, 1, 2, 3, 25, 26)) for _ in range(2))
    sides = source.choice((np.zeros((2, 26), np.int8), np.full((1, 26), -1, np.int8), np.zeros(3)))
    ranks = np.array([source.choice((0, 1, 5, 2**32 - 1))], np.uint32)
    caller.call("rank", equities.rank, sides, men, points)
    caller.call("unrank", equities.unrank, ranks, men, points)
    if source.random() < 0.02:
        width = source.choice((-1, 0, 2, 300))
        caller.call("one_sided", equities.one_sided, min(men, 3), min(points, 3), width, 1)
        caller.call("two_sided", equities.two_sided, min(men, 3), min(points, 4), True, 2)


def solvers_in_threads(rounds: int) -> dict[str, int]:
    """Solve, verify, drop and look at the same tables from several threads."""
    shared, sector = solver.Solver(Rules(), 2), (3, 3, 0, 0)
    shared.solve(sector)
    counts = {"solved": 0, "verified": 0, "read": 0}

    def work(name: str, step: Any) -> None:
        for _ in range(rounds):
            try:
                step()
                counts[name] += 1
            except (ValueError, solver.MissingSector):
                pass  # it was dropped

    def read() -> None:
        table = shared.values(sector, True)
        shared.drop(sector)
        assert table is not None
        assert int(table.max()) == solver.DRAW

    steps = (
        ("solved", lambda: shared.solve(sector)),
        ("solved", lambda: shared.solve(sector)),
        ("verified", lambda: shared.verify(sector)),
        ("read", read),
    )
    threads = [threading.Thread(target=work, args=step) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts


def sampling_values(source: random.Random, calls: int) -> dict[str, int]:
    """Every function with columns of right and wrong lengths, kinds and contents."""
    values, caller = Values(source), Caller()
    tables = [sampling.Tables(rules) for rules in PRESETS.values()]
    for _ in range(calls):
        rules: Any = source.choice(list(PRESETS.values()))
        if source.random() < 0.05:
            rules = source.choice(ODD_VALUES)
        size, length = source.randrange(4), source.randrange(1, 9)
        positions = _positions(source, size)
        max_moves, seed = values.number(length, length), values.number(0, 2**64 - 1)
        rows = _ints(source, size), _blank(source, size * length), _ints(source, size * length)
        count, child, move = rows
        caller.call("expand", sampling.expand, rules, positions, max_moves, seed, *rows)
        men = _ints(source, 8) if source.random() < 0.5 else np.array([3, 4, 0, 1] * 2, "i4")
        cumulative = np.array([source.getrandbits(32), 2**32 - 1], np.uint32)
        cumulative = cumulative[: source.choice((2, 2, 2, 1, 0))]
        caller.call("draw", sampling.draw, rules, men, cumulative, seed, _blank(source, size))
        caller.call(
            "advance",
            sampling.advance,
            rules,
            count,
            child,
            move,
            _bytes(source, size),
            _bytes(source, size * length),
            source.choice((None, _ints(source, size))),
            _ints(source, size),
            values.number(0, 2**32),
            values.number(1, 2**31 - 1),
            _positions(source, 2),
            seed,
            _blank(source, size),
            _ints(source, size),
        )
        table = source.choice(tables)
        half = values.several(4, 0, 1)
        caller.call("add", table.add, half, np.zeros(source.choice((1, 4, 23, 24, 92, 96)), "u1"))
        caller.call("label", table.label, positions, _bytes(source, size))
    return caller.results


def _length(source: random.Random, size: int) -> int:
    return size if source.random() < 0.99 else source.choice((0, 1, 5, size + 1))


def _ints(source: random.Random, size: int) -> Any:
    if source.random() < 0.01:
        return source.choice((*ODD_VALUES, np.zeros(size), np.zeros((size, 2), np.int32)))
    low, high = source.choice(((0, 9), (0, 9), (-(2**31), 2**31)))
    return np.array([source.randrange(low, high) for _ in range(_length(source, size))], np.int32)


def _bytes(source: random.Random, size: int) -> Any:
    if source.random() < 0.01:
        return source.choice((*ODD_VALUES, np.zeros(size)))
    return np.frombuffer(bytearray(source.randbytes(_length(source, size))), np.uint8)


def _blank(source: random.Random, size: int) -> Any:
    """Columns to be written to, whatever stands in them."""
    kinds = (_ints, _ints, _bytes, _bytes)
    return tuple(kind(source, size) for kind in kinds[: 4 if source.random() < 0.99 else 3])


def _positions(source: random.Random, size: int) -> Any:
    """Mostly positions, sometimes with a board, a hand or a length that cannot be."""
    own, other = np.zeros(size, np.int32), np.zeros(size, np.int32)
    for i in range(size):
        points = source.sample(range(24), source.randrange(13))
        half = len(points) // 2
        own[i] = sum(1 << point for point in points[:half])
        other[i] = sum(1 << point for point in points[half:])
        if source.random() < 0.02:
            own[i] = source.choice([number for number in NUMBERS if abs(number) < 2**31])
    hands = [np.array([source.randrange(4) for _ in range(size)], np.uint8) for _ in range(2)]
    if size and source.random() < 0.02:
        hands[0][0] = source.choice((13, 100, 255))
    return _blank(source, size) if source.random() < 0.02 else (own, other, *hands)


MAX_POSITIONS = 300
"""Larger tables would take most of the time; their sizes are refused or taken all the same."""

ODD_FLOATS = (math.nan, math.inf, -math.inf, 3e38, -3e38, 0.0)


def equities_values(source: random.Random, calls: int) -> dict[str, int]:
    """Every function and class with men, points and tables that may not be."""
    values, caller = Values(source), Caller()
    for _ in range(calls):
        men, points, threads = *_size(values), values.number(1, 3)
        caller.call("rank", equities.rank, _sides(source), men, points)
        caller.call("unrank", equities.unrank, _ranks(source), men, points)
        width = values.number(2, 12)
        caller.call("one_sided", equities.one_sided, men, points, width, threads)
        solved = caller.call("two_sided", equities.two_sided, men, points, False, threads)
        if source.random() < 0.5:
            solved = _floats(source, solved.shape if solved is not None else (4, 4))
        caller.call(
            "verify_two_sided", equities.verify_two_sided, solved, men, points, False, threads
        )
        _play_hypergammon(source, values, caller)
    return caller.results


def _play_hypergammon(source: random.Random, values: Values, caller: Caller) -> None:
    """One man a side, in any order of calls, with any tables loaded."""
    men = values.number(1, 1)
    men = 1 if men in (2, 3) else men  # these take minutes
    game = caller.call("Hypergammon", equities.Hypergammon, men, values.number(1, 2))
    if game is None:
        return
    size = game.size
    for _ in range(4):
        tables = (
            _floats(source, (size, size)),
            _floats(source, source.choice(((0,), (5, size, size)))),
        )
        caller.call("load", game.load, *tables)
        caller.call("chances", game.chances)
        caller.call("sweep_chances", game.sweep_chances)
        caller.call("find_errors", game.find_errors)
        use = source.choice((game.sweep, game.choose, game.equities))
        use()


def _size(values: Values) -> tuple[Any, Any]:
    """Men and points, mostly of small tables."""
    men, points = values.number(1, 3), values.number(1, 5)
    is_size = all(isinstance(each, int) and 1 <= each <= 25 for each in (men, points))
    return (2, 3) if is_size and math.comb(men + points, men) > MAX_POSITIONS else (men, points)


def _sides(source: random.Random) -> Any:
    """Rows of counts by place: few men, any numbers, or another shape."""
    if source.random() < 0.03:
        return source.choice(ODD_VALUES)
    rows, columns = source.randrange(4), 26 if source.random() < 0.97 else source.randrange(30)
    sides = np.zeros((rows, columns), np.int8 if source.random() < 0.98 else np.int16)
    for row in sides:
        for _ in range(source.randrange(3)):
            row[source.randrange(min(6, columns)) if columns else ...] += 1
        if columns and source.random() < 0.1:
            row[source.randrange(columns)] = source.choice((-128, -1, 1, 16, 127))
    return sides


def _ranks(source: random.Random) -> Any:
    if source.random() < 0.03:
        return source.choice(ODD_VALUES)
    most = source.choice((2, 2, 5, 2**32))
    return np.array([source.randrange(most) for _ in range(source.randrange(4))], np.uint32)


def _floats(source: random.Random, shape: tuple[int, ...]) -> Any:
    """A table of this shape or nearly so; some of its values are no equities."""
    if source.random() < 0.03:
        return source.choice(ODD_VALUES)
    if source.random() < 0.05:
        shape = (*shape[:-1], shape[-1] + 1)
    kind = np.float32 if source.random() < 0.98 else np.float64
    table = np.array([source.uniform(-3, 3) for _ in range(math.prod(shape))], kind)
    for _ in range(source.randrange(3) if table.size else 0):
        table[source.randrange(table.size)] = source.choice(ODD_FLOATS)
    if source.random() < 0.05:
        table[:] = math.nan
    return table.reshape(shape)


NUM_CHANCES = 5
"""Outputs of a network of chances."""


def chances_values(source: random.Random, calls: int) -> dict[str, int]:
    """Networks of chances, and every call of those that are accepted."""
    values, caller = Values(source), Caller()
    networks = [_usual_network(source) for _ in range(3)]
    for _ in range(calls):
        made = caller.call("ChancesNetwork", chances.ChancesNetwork, _layers(source))
        networks = [made, *networks][:4] if made is not None else networks
        network, boards = source.choice(networks), _boards(source)
        rolls, threads = _rolls(source, boards), values.number(1, 3)
        # A depth of 2 takes seconds under the sanitizer, unless there is no board.
        depth = source.choice((0, 0, 0, 0, 1)) if source.random() < 0.9 else values.number(0, 1)
        depth = 0 if depth == 2 and len(boards) else depth
        boards = boards[:1] if depth == 1 and isinstance(boards, np.ndarray) else boards
        rolls = rolls[:1] if depth == 1 and isinstance(rolls, np.ndarray) else rolls
        most, margin = values.number(1, 3), source.choice((0.1, 0.0, *ODD_FLOATS, "x"))
        caller.call("expand", chances.expand, boards, source.choice((rolls, None)), threads)
        caller.call("encode", chances.encode, boards, threads)
        caller.call("evaluate", network.evaluate, boards, 0 if depth == 1 else depth, threads)
        caller.call("rank", network.rank, boards, rolls, depth, most, margin, threads)
        caller.call("choose", network.choose, boards, rolls, depth, most, margin, threads)
    return caller.results


def gammon_values(source: random.Random, calls: int) -> dict[str, int]:
    """Tesauro's networks: plays, encodings, training and whole games."""
    values, caller = Values(source), Caller()
    networks = [gammon.Network(0, 0, [_layer(source, _num_units(0, 0), 1, fits=True)])]
    for _ in range(calls):
        boards = _boards(source)
        rolls, change, extra = _rolls(source, boards), values.number(0, 2), values.number(0, 2)
        one = boards[:1] if isinstance(boards, np.ndarray) else boards
        caller.call("plays", gammon.plays, one, values.number(3, 6), values.number(1, 3))
        caller.call("tool_terms", gammon.tool_terms, boards)
        caller.call("tool_scores", gammon.tool_scores, boards)
        inputs = caller.call("inputs", gammon.inputs, boards, rolls, change, extra)
        layers = _any_layers(source, change, extra)
        made = caller.call("Network", gammon.Network, change, extra, layers)
        networks = [made, *networks][:4] if made is not None else networks
        network = source.choice(networks)
        if inputs is not None:
            _use_patterns(source, values, caller, network, inputs)
        players = [source.choice((network, "tool", "random")) for _ in range(2)]
        if source.random() < 0.2:
            players[source.randrange(2)] = source.choice(ODD_VALUES)
        games = source.choice((0, 0, 0, 0, 0, 0, 1, 1, 100_000_001, -1, 2**64, None))
        caller.call("contest", gammon.contest, *players, one, games, 1, values.number(1, 2))
        stray = source.choice((0.0, 0.5, 1.0, 1.0, 0.2, 1.5, float("nan"), None))
        opens = source.choice((True, False))
        caller.call("met_in_games", gammon.met_in_games, *players, boards, opens, games, stray, 1)
        network.layers()
    return caller.results


def _num_units(change: int, extra: int) -> int:
    """The number of inputs of an encoding: the one that a network accepts."""
    for size in range(1, 2000):
        try:
            gammon.Network(change, extra, [(np.zeros((size, 1), "f4"), np.zeros(1, "f4"))])
        except ValueError:
            continue
        return size
    raise AssertionError("every encoding has fewer units")


_sizes: dict[tuple[int, int], int] = {}


def _any_layers(source: random.Random, change: Any, extra: Any) -> Any:
    """Layers from an encoding to one unit, or nearly so."""
    if not _sizes:
        _sizes.update({(c, e): _num_units(c, e) for c in range(3) for e in range(3)})
    sizes = list(_sizes.values())
    is_encoding = all(type(each) is int and 0 <= each <= 2 for each in (change, extra))
    own = _sizes[change, extra] if is_encoding else sizes[0]
    size = own if source.random() < 0.8 else source.choice(sizes)
    hidden = source.choice((0, 1, 4, 9))
    layers = [_layer(source, size, hidden), _layer(source, hidden, 1)]
    return source.choice((layers, layers, layers[:1], [], [_layer(source, size, 1)], None))


def _use_patterns(
    source: random.Random, values: Values, caller: Caller, network: Any, inputs: Any
) -> None:
    """Scores and training with patterns of the right network, of another one, or broken ones."""
    _, _, starts, index, value = inputs
    starts, index, value = starts.copy(), index.copy(), value.copy()
    chance = source.random()
    if chance < 0.1 and len(starts):
        starts[source.randrange(len(starts))] = source.choice((-1, 2**62, -(2**62), 0, 10**9))
    elif chance < 0.2 and len(index):
        index[source.randrange(len(index))] = 65535
    elif chance < 0.3 and len(value):
        value[source.randrange(len(value))] = source.choice(ODD_FLOATS)
    elif chance < 0.4:
        index = index[1:]
    size = max(len(starts) - 1, 0)
    rows = np.array([source.randrange(size) for _ in range(min(size, 3))], np.int64)
    if len(rows) and source.random() < 0.1:
        rows[0] = source.choice((-1, size, 2**62))
    targets = np.array([source.choice((0.5, *ODD_FLOATS)) for _ in rows], np.float32)
    targets = targets[1:] if source.random() < 0.05 else targets
    rate = source.choice((0.1, *ODD_FLOATS, None))
    groups = np.array(source.choice(([0, len(rows)], [0], [], [0, 2, 1], [0, 1, len(rows)])))
    groups = groups.astype(np.int64)
    patterns = (starts, index, value)
    caller.call("scores", network.scores, *patterns)
    caller.call("learn", network.learn, *patterns, rows, targets, rate)
    caller.call("compare", network.compare, *patterns, rows, targets, groups, 2.0, rate)


def _usual_network(source: random.Random) -> Any:
    size = chances.NUM_INPUTS
    layers = [_layer(source, size, 4, fits=True), _layer(source, 4, NUM_CHANCES, fits=True)]
    return chances.ChancesNetwork(layers)


def _layers(source: random.Random) -> Any:
    """Layers of a network of chances, or nearly so."""
    if source.random() < 0.03:
        return source.choice(ODD_VALUES)
    hidden = source.choice((0, 1, 4, 9))
    top = source.choice((NUM_CHANCES,) * 6 + (0, 1, 6))
    size = source.choice((chances.NUM_INPUTS,) * 6 + (0, chances.NUM_INPUTS - 1))
    layers = [_layer(source, size, hidden), _layer(source, hidden, top)]
    return layers if source.random() < 0.9 else layers[: source.randrange(2)]


def _layer(source: random.Random, below: int, above: int, fits: bool = False) -> tuple[Any, Any]:
    """Weights and biases; now and then with values that are no numbers, or that do not fit."""
    draw = np.random.default_rng(source.getrandbits(32))
    weights = draw.normal(0, 1, (below, above)).astype(np.float32)
    if weights.size and source.random() < 0.1:
        weights.flat[source.randrange(weights.size)] = source.choice(ODD_FLOATS)
    biases = np.zeros(above + (not fits and source.random() < 0.03), np.float32)
    return weights, biases


def _boards(source: random.Random) -> Any:
    """Rows of 52 counts: mostly men that a game may have, some of finished games."""
    if source.random() < 0.03:
        return np.zeros(source.choice(((2, 51), (0, 52), (52,), (0, 0))), np.int8)
    rows = np.zeros((source.randrange(4), 52), np.int8)
    for row in rows:
        for side in (0, 26):
            for _ in range(source.choice((0, 1, 2, 15))):
                place = source.choice((0, 25, *range(1, 25)))
                taken = 0 < place < 25 and row[26 - side + place]
                row[side + place] += not taken
        if source.random() < 0.05:
            row[source.randrange(52)] = source.choice((-128, -1, 16, 127))
    return rows


def _rolls(source: random.Random, boards: Any) -> Any:
    """A roll for each board; now and then one too many, or one that no dice show."""
    count = len(boards) + (source.random() < 0.03)
    rolls = [(source.randint(3, 6), source.randint(1, 3)) for _ in range(count)]
    if rolls and source.random() < 0.1:
        rolls[0] = source.choice(((0, 0), (7, 1), (1, 2), (-128, 127)))
    return np.array(rolls, np.int8).reshape(count, 2)
