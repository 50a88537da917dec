"""Small games solved in memory, against solvers of another kind written here."""

from collections import Counter
from functools import cache

import pytest

import ludus
from ludus.oracles import MemoryOracle, Unsolved, Value, WrongRules
from ludus.oracles.memory import solve_backwards
from support.games import find_reachable

WIN, DRAW, LOSS = "win", "draw", "loss"


def best(values):
    """Return the mover's value from the values of the opponent after each move."""
    scored = [(0, None) if depth is None else (-sign, depth + 1) for sign, depth in values]
    return max(scored, key=lambda each: (each[0], -each[0] * (each[1] or 0)))


LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]


@cache
def noughts(board, mark="X"):
    """Return sign and depth for the side to move, by forward search."""
    other = "O" if mark == "X" else "X"
    if any(all(board[int(cell)] == other for cell in line) for line in LINES):
        return -1, 0
    after = [
        noughts(board[:cell] + mark + board[cell + 1 :], other)
        for cell in range(9)
        if board[cell] == "."
    ]
    return best(after) if after else (0, None)


@cache
def hexapawn(rows, own="W", other="B", up=-1):
    """Return sign and depth in hexapawn: rows of letters, own pawns going up or down."""
    size = len(rows)
    if other in rows[0 if up == 1 else -1] or not any(own in row for row in rows):
        return -1, 0
    after = []
    for y, row in enumerate(rows):
        for x in (x for x in range(size) if row[x] == own):
            for step in (-1, 0, 1):
                wanted = other if step else "."
                if 0 <= x + step < size and rows[y + up][x + step] == wanted:
                    board = [list(each) for each in rows]
                    board[y][x], board[y + up][x + step] = ".", own
                    after.append(hexapawn(tuple(map("".join, board)), other, own, -up))
    return best(after) if after else (0, None)


def as_value(sign, depth):
    return Value({1: WIN, 0: DRAW, -1: LOSS}[sign], depth)


def test_every_position_of_noughts_and_crosses():
    game = ludus.game("noughts_and_crosses")
    oracle = MemoryOracle(game)
    assert oracle.value(game.start()) == Value(DRAW)
    positions = sorted(find_reachable(game.start()), key=str)
    assert len(positions) == 5478
    values = oracle.values(positions)
    expected = [as_value(*noughts(each.cells, "XO"[each.mover])) for each in positions]
    assert values == expected
    counts = Counter(value.result for value in values)
    assert counts == Counter(each.result for each in expected)
    assert counts.total() == 5478


@pytest.mark.parametrize(("size", "number"), [(3, 135), (4, 20286)])
def test_every_position_of_hexapawn(size, number):
    game = ludus.game("hexapawn", f"size={size}")
    oracle = MemoryOracle(game)
    positions = sorted(find_reachable(game.start()), key=str)
    assert len(positions) == number
    for position, value in zip(positions, oracle.values(positions), strict=True):
        rows = tuple(str(position).split()[0].split("/"))
        sides = ("B", "W", 1) if position.mover else ("W", "B", -1)
        assert value == as_value(*hexapawn(rows, *sides)), position


@pytest.mark.parametrize(
    ("spec", "is_reduced", "counts"),
    [
        ("noughts_and_crosses", True, {WIN: 7, DRAW: 5}),
        ("hexapawn", True, {WIN: 2, DRAW: 3}),
        ("hexapawn:four", False, {WIN: 10, DRAW: 4, LOSS: 2}),
    ],
)
def test_boards_after_one_move_each(spec, is_reduced, counts):
    """The figures of Muggleton and Hocquette's start boards."""
    game = ludus.game(spec)
    oracle = MemoryOracle(game)
    start = game.start()
    boards = {
        place.play(reply)
        for place in map(start.play, start.legal_moves())
        for reply in place.legal_moves()
    }
    if is_reduced:
        symmetries = game.symmetries()
        boards = {
            min((game.transform(board, symmetry) for symmetry in symmetries), key=str)
            for board in boards
        }
    assert Counter(oracle.value(board).result for board in boards) == counts


def test_moves_are_rated_for_the_side_that_makes_them():
    game = ludus.game("noughts_and_crosses")
    oracle = MemoryOracle(game)
    rated = oracle.rate_moves(game.parse("XO./.../X.O x"))
    report = [(str(each.move), each.value, each.depth) for each in rated]
    assert report[0] == ("a2", WIN, 1)
    assert report[1:] == sorted(report[1:], key=lambda each: (-(each[1] == WIN), each[2] or 0))
    over = game.parse("XXX/OO./... o")
    assert oracle.rate_moves(over) == []
    assert oracle.value(over) == Value(LOSS, 0)
    assert oracle.value(game.parse("XOX/XXO/OXO o")) == Value(DRAW)


def test_moves_of_a_lost_game_resist_longest_first():
    game = ludus.game("hexapawn:four")
    oracle = MemoryOracle(game)
    lost = [
        place
        for place in sorted(find_reachable(game.start()), key=str)
        if oracle.value(place).result == LOSS and len(place.legal_moves()) > 2
    ]
    depths = [[each.depth for each in oracle.rate_moves(place)] for place in lost]
    assert all(each == sorted(each, reverse=True) for each in depths)
    assert any(len(set(each)) > 1 for each in depths)
    for place, each in zip(lost, depths, strict=True):
        assert oracle.value(place).depth == each[0]


def test_going_round_in_circles_is_a_draw():
    """0 and 1 lead to each other, 2 ends lost; 3 can go round or win, 4 can only help 3."""
    known = [None, None, Value(LOSS, 0), None, None]
    solved = solve_backwards([[1], [0], [], [0, 2], [3]], known)
    assert solved == [Value(DRAW), Value(DRAW), Value(LOSS, 0), Value(WIN, 1), Value(LOSS, 2)]


def test_the_winner_hurries_and_the_loser_resists():
    known = [Value(LOSS, 0), Value(LOSS, 4), None, None, None, None]
    solved = solve_backwards([[], [], [0, 1], [1], [2, 3], [2, 2]], known)
    assert solved[2:] == [Value(WIN, 1), Value(WIN, 5), Value(LOSS, 6), Value(LOSS, 2)]


def test_long_games_need_no_deep_stack():
    length = 30_000
    solved = solve_backwards(
        [*([number + 1] for number in range(length)), []], [*[None] * length, Value(LOSS, 0)]
    )
    assert solved[0] == Value(LOSS, length)


def test_what_is_too_large_is_refused_and_its_ending_is_not():
    game = ludus.game("hexapawn:five")
    oracle = MemoryOracle(game, max_positions=2000)
    for _ in range(2):
        assert not oracle.has_value(game.start())
        with pytest.raises(Unsolved, match="more than 2,000 positions of hexapawn can follow BBBB"):
            oracle.value(game.start())
    ending = game.parse("B..../...../.W.B./...../....W w")
    assert oracle.value_if_known(ending) is None
    assert oracle.has_value(ending)
    assert oracle.value_if_known(ending) == oracle.value(ending)


def test_the_limit_is_the_number_of_positions():
    game = ludus.game("hexapawn")
    assert MemoryOracle(game, max_positions=135).has_value(game.start())
    assert not MemoryOracle(game, max_positions=134).has_value(game.start())


def test_positions_of_other_rules_or_with_dice_are_refused():
    small, large = ludus.game("hexapawn"), ludus.game("hexapawn:four")
    with pytest.raises(WrongRules, match="hexapawn"):
        MemoryOracle(small).value(large.start())
    with pytest.raises(WrongRules):
        MemoryOracle(small).value(ludus.game("noughts_and_crosses").start())
    backgammon = ludus.game("backgammon")
    with pytest.raises(Unsolved, match="dice"):
        MemoryOracle(backgammon).value(backgammon.start())


def test_a_verdict_has_the_cost_of_each_move_and_comes_back_from_json():
    game = ludus.game("noughts_and_crosses")
    verdict = MemoryOracle(game).verdict(game.parse("XX./OO./... x"))
    assert str(verdict.value) == "win in 1 ply"
    assert {str(each.move): each.cost for each in verdict.moves} == {
        "c3": 0,
        "c2": 1,
        "a1": 2,
        "b1": 2,
        "c1": 2,
    }
    assert verdict.best == (game.parse_move("c3", game.parse("XX./OO./... x")),)
    assert verdict.is_critical


def test_where_all_moves_have_the_same_value_nothing_is_critical():
    game = ludus.game("noughts_and_crosses")
    start = MemoryOracle(game).verdict(game.start())
    assert (start.value.result, start.is_critical, len(start.best)) == ("draw", False, 9)


def test_memory_is_bounded(monkeypatch):
    """Values are forgotten beyond a limit, and computed again when they are needed."""
    monkeypatch.setattr("ludus.oracles.memory.MAX_CACHED_POSITIONS", 50)
    monkeypatch.setattr("ludus.oracles.memory.MAX_TOO_LARGE", 3)
    game = ludus.game("hexapawn")
    oracle, reference = MemoryOracle(game), MemoryOracle(game)
    positions = [game.start()]
    for position in positions:
        positions += [position.play(move) for move in position.legal_moves()]
        if len(positions) > 200:
            break
    assert oracle.values(positions) == [reference.value(position) for position in positions]
    sizes = set()
    for position in reversed(positions):
        oracle._values.pop(position, None)
        oracle.value(position)
        sizes.add(len(oracle._values))
    largest = max(len(MemoryOracle(game)._explore(position)[0]) for position in positions[:1])
    assert max(sizes) <= 51 + largest
    small = MemoryOracle(game, max_positions=2)
    for position in positions[:20]:
        small.has_value(position)
    assert len(small._too_large) <= 3
