"""The Morris family's values: right, the same in every form, and refused where unknown."""

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ludus
from ludus._native.solver import Solver
from ludus.core.errors import BadPosition
from ludus.games.nine_mens_morris.batch import DRAW, LOST, NO_VALUE, PositionBatch
from ludus.games.nine_mens_morris.bitboards import count_men
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.oracles import Oracle, Unsolved, Value, WrongRules
from ludus.oracles import oracle as find_oracle
from ludus.oracles.morris.database import Database, ValueCounts
from ludus.oracles.morris.oracle import MorrisOracle
from ludus.oracles.morris.sectors import all_sectors, moving_sectors, sides_to_move
from support.morris import ENDING_RULES, derived, random_positions
from support.repetition import repeat
from support.solved_games import SolverTables


@pytest.fixture(scope="module")
def oracle():
    return find_oracle(ludus.game("nine_mens_morris"))


def solved(rules, max_men):
    solver, sectors = Solver(rules), moving_sectors(rules, max_men)
    for sector in sectors:
        solver.solve(sector)
    return solver, sectors


def written(folder, rules, max_men, has_depth):
    solver, sectors = solved(rules, max_men)
    with (
        Database.open_for_writing(folder, rules, has_depth) as database,
        ThreadPoolExecutor(1) as pool,
    ):
        for sector in sectors:
            for x_to_move in sides_to_move(rules, sector):
                tally = ValueCounts(**solver.tally(sector, x_to_move))
                database.write(sector, x_to_move, solver.values(sector, x_to_move), tally, pool)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Databases up to three men, with and without depth."""
    place, rules = tmp_path_factory.mktemp("databases"), ludus.game("nine_mens_morris").rules
    return {
        has_depth: written(place / str(has_depth), rules, 3, has_depth)
        for has_depth in (True, False)
    }


@pytest.mark.parametrize("rules", ENDING_RULES)
def test_values_follow_from_those_after_each_move_of_the_python_rules(rules):
    oracle = find_oracle(ludus.game("nine_mens_morris", rules))
    positions = random_positions(rules, repeat(8, 25), engine="python")
    for position in positions:
        assert oracle.value(position) == derived(oracle, position), position
    results = {oracle.value(position).result for position in positions}
    assert results == {"win", "draw", "loss"}


def test_known_positions(oracle):
    game = ludus.game("nine_mens_morris")
    report = {
        "W.W/W../.../...BBB/.../.../... w 0 0": Value("win", 1),
        "BWW/.../.../W...../.../.../... b 0 0": Value("loss", 0),
        "WB./.../.../B...../.../..B/..W b 0 0": Value("win", 0),
    }
    for text, value in report.items():
        assert oracle.value(game.parse(text)) == value, text


def test_every_form_says_the_same(oracle):
    positions = random_positions("standard", 20)
    one_by_one = [oracle.value(position) for position in positions]
    assert oracle.values(positions) == one_by_one
    assert [oracle.value_if_known(position) for position in positions] == one_by_one
    assert all(oracle.has_value(position) for position in positions)
    going_on = [place for place in positions if place.outcome() is None]
    bits = np.array([[place.bits[place.mover], place.bits[1 - place.mover]] for place in going_on])
    codes = oracle.lookup(PositionBatch.from_columns(bits[:, 0], bits[:, 1]))
    assert codes.dtype == np.uint8
    assert [as_value(code) for code in codes] == oracle.values(going_on)
    assert oracle.values([]) == []
    assert len(oracle.lookup(PositionBatch.empty())) == 0


def as_value(code):
    if code == DRAW:
        return Value("draw")
    return Value("win" if code % 2 else "loss", int(code))


def test_both_engines_and_all_symmetries_agree(oracle):
    game = ludus.game("nine_mens_morris")
    python = ludus.game("nine_mens_morris", engine="python")
    for position in random_positions("standard", 3):
        value = oracle.value(position)
        assert oracle.value(python.parse(str(position))) == value
        images = [game.transform(position, symmetry) for symmetry in game.symmetries()]
        assert oracle.values(images) == [value] * 16


def test_moves_are_best_first_and_keep_the_value(oracle):
    for position in random_positions("standard", 5):
        rated = oracle.rate_moves(position)
        assert sorted(map(str, position.legal_moves())) == sorted(str(each.move) for each in rated)
        values = [Value(each.value, each.depth) for each in rated]
        assert values == [
            oracle.value(position.play(each.move)).for_previous_mover() for each in rated
        ]
        order = [(("win", "draw", "loss").index(v.result), v.depth or 0) for v in values]
        assert order == sorted(order, key=lambda key: (key[0], -key[1] if key[0] == 2 else key[1]))
        if rated:
            assert values[0] == oracle.value(position)


def test_equal_moves_stay_in_legal_order(oracle):
    position = ludus.game("nine_mens_morris").parse("W.W/W../.../...BBB/.../.../... w 0 0")
    legal = position.legal_moves()
    best = [each.move for each in oracle.rate_moves(position) if each.depth == 1]
    assert len(best) == 3
    assert best == [move for move in legal if move in best]


def test_a_position_drawn_by_repetition_is_a_draw(oracle):
    game = ludus.game("nine_mens_morris")
    start = game.parse("W.W/W../.../.....B/..B/.../B.. w 0 0")
    position = start
    for text in ("b6-b4", "a1-d1", "b4-b6"):
        position = position.play(game.parse_move(text, position))
    back = game.parse_move("d1-a1", position)
    again = position.play(back)
    assert again.outcome().reason == "repetition"
    assert oracle.value(start) == Value("win", 1)
    assert oracle.value(again) == Value("draw")
    rated = {each.move: each.value for each in oracle.rate_moves(position)}
    assert rated[back] == "draw"


def test_the_rule_of_repetition_does_not_matter_and_every_other_rule_does(oracle):
    text = "W.W/W../.../...BBB/.../.../... w 0 0"
    never = ludus.game("nine_mens_morris", "repetition=0").parse(text)
    assert oracle.value(never) == Value("win", 1)
    for rules in ("flying=no", "diagonals=yes", "men=10", "lasker"):
        with pytest.raises(WrongRules, match="holds nine_mens_morris:standard, not nine_mens"):
            oracle.value(ludus.game("nine_mens_morris", rules).parse(text))
    with pytest.raises(WrongRules, match="no other game"):
        oracle.value(ludus.game("hexapawn").start())


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (
            "start",
            "9 against 9 in hand: .* `ludus solve nine_mens_morris:standard --out .+` .about 99 m",
        ),
        ("WWW/WW./.../...BBB/.../.../... b 0 0", "3 men of the mover against 5: .* --max-men 5 "),
        ("WWW/.../.../...BBB/.../.../... b 3 1", "cannot come about in play"),
    ],
)
def test_what_is_not_solved_is_reported_and_not_guessed(oracle, text, missing):
    position = ludus.game("nine_mens_morris").parse(text)
    assert not oracle.has_value(position)
    assert oracle.value_if_known(position) is None
    for ask in (oracle.value, oracle.rate_moves, lambda place: oracle.values([place])):
        with pytest.raises(Unsolved, match=missing):
            ask(position)


def test_one_unknown_position_in_a_batch_is_an_error(oracle):
    few, many = 0b111, 0b11111
    assert len(oracle.lookup(PositionBatch.from_columns([few, few], [few << 8, few << 16]))) == 2
    unknown = PositionBatch.from_columns([few, many], [few << 8, few << 8])
    with pytest.raises(Unsolved, match="5 men of the mover against 3"):
        oracle.lookup(unknown)
    assert oracle.lookup(unknown, missing="no_value").tolist() == [
        *oracle.lookup(unknown[:1]),
        NO_VALUE,
    ]


@pytest.mark.parametrize(
    ("own", "other", "own_hand", "what"),
    [
        (0b111, 0b100, 0, "both sides"),
        (0b111, 1 << 24, 0, "beyond its 24 points"),
        (0b111, 0b111 << 8, 7, "more than 9 men"),
        (0b111, 0b111 << 8, 255, "more than 9 men"),
        (0b11_1111_1111, 0b111 << 16, 0, "more than 9 men"),
    ],
)
def test_boards_that_are_none(oracle, own, other, own_hand, what):
    with pytest.raises(BadPosition, match=what):
        oracle.lookup(PositionBatch.from_columns([own], [other], own_hand))


def test_sides_with_too_few_men(oracle):
    codes = oracle.lookup(PositionBatch.from_columns([0b11, 0b111], [0b111 << 8, 0b11 << 8]))
    assert codes.tolist() == [LOST, NO_VALUE], "a game that the mover has won is not in play"


def test_counting_men():
    rng = random.Random(1)
    boards = [rng.getrandbits(24) for _ in range(1000)]
    assert count_men(np.array(boards, dtype=np.int32)).tolist() == [b.bit_count() for b in boards]


def test_a_database_answers_like_the_solver(oracle, folders):
    positions = random_positions("standard", 50, most=3)
    opened = Oracle.open(folders[True])
    assert opened.has_depth
    assert opened.coverage == "up to 3 men a side"
    assert opened.values(positions) == oracle.values(positions)
    with pytest.raises(Unsolved, match=r"3 men of the mover against 4: not solved in '.*True'"):
        opened.values(random_positions("standard", 1, most=4))


def test_a_database_without_depth(oracle, folders):
    positions = random_positions("standard", 50, most=3)
    opened = Oracle.open(str(folders[False]))
    assert not opened.has_depth
    for position, value in zip(positions, opened.values(positions), strict=True):
        assert value.result == oracle.value(position).result
        assert value.depth == (0 if position.outcome() is not None else None)
    rated = opened.rate_moves(next(place for place in positions if place.outcome() is None))
    assert [each.value for each in rated] == sorted(
        (each.value for each in rated), key=("win", "draw", "loss").index
    )


def test_a_live_solver_answers_too(oracle):
    rules = ludus.game("nine_mens_morris").rules
    solver, sectors = solved(rules, 3)
    live = MorrisOracle(SolverTables(solver, rules, sectors), "memory")
    positions = random_positions("standard", 30, most=3)
    assert live.values(positions) == oracle.values(positions)
    assert live.coverage == "up to 3 men a side"


def test_hands_are_seen_from_the_mover():
    """A whole small game, placing included, checked from its first move on."""
    game = ludus.game("nine_mens_morris", "men=3", engine="python")
    rules = game.rules
    solver, sectors = Solver(rules), all_sectors(rules)
    for sector in sectors:
        solver.solve(sector)
    oracle = MorrisOracle(SolverTables(solver, rules, sectors), "memory")
    assert oracle.coverage == "from the first move on"
    rng = random.Random(5)
    for _ in range(repeat(6, 40)):
        position = game.start()
        for _ in range(9):
            if position.outcome() is not None:
                break
            assert oracle.value(position) == derived(oracle, position), position
            position = position.play(rng.choice(position.legal_moves()))


def test_positions_made_by_hand_may_have_any_mover(oracle):
    game = ludus.game("nine_mens_morris")
    white, black = frozenset({0, 1, 8}), frozenset({4, 12, 20})
    here = game.position(PositionFields((white, black), (0, 0), 0))
    mirrored = game.position(PositionFields((black, white), (0, 0), 1))
    assert oracle.value(here) == oracle.value(mirrored)
