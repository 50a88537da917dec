"""Compiled networks of backgammon called with hostile boards, rolls, layers and patterns."""

import random
from typing import Any

import numpy as np

from ludus._native import chances, gammon
from support.fuzzing.hostile_values import ODD_VALUES, Caller, Values

NUM_CHANCES = 5
"""Outputs of a network of chances."""

ODD_FLOATS = (float("nan"), float("inf"), float("-inf"), 3e38, -3e38, 0.0)


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
    networks = [gammon.Network(0, 0, [_layer(source, _num_units(0, 0), 1)])]
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
    return chances.ChancesNetwork([_layer(source, size, 4), _layer(source, 4, NUM_CHANCES)])


def _layers(source: random.Random) -> Any:
    """Layers of a network of chances, or nearly so."""
    if source.random() < 0.03:
        return source.choice(ODD_VALUES)
    hidden = source.choice((0, 1, 4, 9))
    top = source.choice((NUM_CHANCES,) * 6 + (0, 1, 6))
    size = source.choice((chances.NUM_INPUTS,) * 6 + (0, chances.NUM_INPUTS - 1))
    layers = [_layer(source, size, hidden), _layer(source, hidden, top)]
    return layers if source.random() < 0.9 else layers[: source.randrange(2)]


def _layer(source: random.Random, below: int, above: int) -> tuple[Any, Any]:
    """Weights and biases; now and then with values that are no numbers, or that do not fit."""
    draw = np.random.default_rng(source.getrandbits(32))
    weights = draw.normal(0, 1, (below, above)).astype(np.float32)
    if weights.size and source.random() < 0.1:
        weights.flat[source.randrange(weights.size)] = source.choice(ODD_FLOATS)
    biases = np.zeros(above if source.random() < 0.97 else above + 1, np.float32)
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
