"""Patterns, the network they make, and the scores of the paper's section 4."""

import random

import pytest

import ludus
from ludus.games.nine_mens_morris.board import POINT_NUMBERS, SYMMETRIES
from ludus.learn.patterns.network import (
    MILL_PATTERNS,
    QUADRANTS,
    QUADRANTS_OF_POINT,
    PatternNetwork,
    ScoreWeights,
    count_mills,
    decode_points,
    describe_move,
    encode_quadrant,
    encode_quadrants,
    find_changes,
    format_bits,
    learn_match,
)
from support.morris import morris


def bits(*names):
    return sum(1 << POINT_NUMBERS[name] for name in names)


def test_figure_2_of_the_paper():
    """A closed mill and two men below it: 000 111 101 = 61."""
    men = bits("b6", "d6", "f6", "c5", "e5")
    assert encode_quadrant(men, 0) == 0b000111101 == 61
    assert format_bits(61) == "000 111 101"
    assert count_mills(61) == 1
    assert {"b6", "d6", "f6", "c5", "e5"} == {
        name for name, number in POINT_NUMBERS.items() if number in decode_points(61)
    }


def test_quadrants_turn_onto_one_another():
    """A quarter turn of the board takes each quadrant's pattern to the next quadrant."""
    quarter = SYMMETRIES[1]
    assert quarter[POINT_NUMBERS["a7"]] == POINT_NUMBERS["g7"]
    rng = random.Random(2)
    for _ in range(500):
        men = rng.getrandbits(24)
        turned = sum(1 << quarter[point] for point in range(24) if men >> point & 1)
        before, after = encode_quadrants(men), encode_quadrants(turned)
        assert after == (before[3], *before[:3])


def test_corners_belong_to_two_quadrants_and_the_rest_to_one():
    for point, homes in enumerate(QUADRANTS_OF_POINT):
        assert len(homes) == (2 if point % 2 == 0 else 1)
    assert sum(map(len, QUADRANTS)) == 36
    assert set().union(*QUADRANTS) == set(range(24))


def test_a_pattern_holds_at_most_four_mills():
    assert len(MILL_PATTERNS) == 4
    assert max(map(count_mills, range(512))) == count_mills(511) == 4
    # One row full, the others not, and not both with their middle; or no row but the line across.
    assert sum(count_mills(number) == 1 for number in range(512)) == 3 * (7 * 7 - 3 * 3) + 3**3


def test_a_man_that_changes_quadrant_is_a_change_in_each():
    """a7 to a4: the top quadrant loses a man, in the left one it moves."""
    moves = set(find_changes(bits("a7"), bits("a4")))
    assert moves == {(0b100000000, 0), (0b001000000, 0b010000000)}
    assert describe_move(0b100000000, 0) == "a7 leaves"
    assert describe_move(0b001000000, 0b010000000) == "g7-d7"
    assert describe_move(0, 0b010000000) == "d7"


def played(*texts):
    position = morris().start()
    yield position
    for text in texts:
        position = position.play(morris().parse_move(text, position))
        yield position


def test_a_short_game_is_learned_by_hand():
    """White places d7 and a7, Black d1 between them."""
    network = PatternNetwork()
    learn_match(network, played("d7", "d1", "a7"))
    assert network.games == 1
    d7, a7_d7, top_left = 0b010000000, 0b110000000, 0b001000000
    # d7 and d1 are the same pattern of different quadrants; a7 changes two.
    assert network.edges == {0: {d7: 2, top_left: 1}, d7: {a7_d7: 1}}
    assert network.frequency[0] == 8
    assert network.frequency[d7] == 2
    assert network.frequency[a7_d7] == network.frequency[top_left] == 1


def test_a_capture_is_seen_but_is_no_move():
    network = PatternNetwork()
    texts = ("a7", "a1", "d7", "d1", "g7xd1")
    learn_match(network, played(*texts))
    corner, with_side = 0b001000000, 0b011000000
    # The bottom quadrant is seen from below: its outer row is g1 d1 a1.
    assert with_side in network.edges[corner]
    assert corner not in network.edges.get(with_side, {})
    assert network.frequency[corner] > network.edges[0][corner]


def test_the_sums_are_those_of_the_paper():
    network = PatternNetwork()
    network.frequency[61], network.frequency[0] = 50, 200
    network.mutual_scores[61] = 7.0
    expected = 10 * 1 + 5 / 3 + 3 * 0.25 + 1 * 7.0
    assert network.compute_sums(ScoreWeights())[61] == pytest.approx(expected)
    assert network.compute_sums(ScoreWeights(2, 1, 0, 0.5))[61] == pytest.approx(2 + 5 + 3.5)


def test_lent_scores_are_a_part_of_the_neighbours_mean():
    """From 0 to 1 three times, to 2 once: mutualWeight times the mean of their sums."""
    network = PatternNetwork(edges={0: {1: 3, 2: 1}, 1: {3: 1}})
    weights = ScoreWeights(mill=0, token=1, freq=0, mutual=1)
    network.propagate(weights, 0.2)
    assert network.mutual_scores[0] == pytest.approx(0.2 * 1.0)
    assert network.mutual_scores[1] == pytest.approx(0.2 * 2.0)
    network.propagate(weights, 0.2)
    assert network.mutual_scores[0] == pytest.approx(0.2 * (0.75 * (1 + 0.4) + 0.25 * 1.0))
    assert network.mutual_scores[3] == 0


def test_lent_scores_settle_down():
    """mutualWeight is less than 1, so what comes from far away fades."""
    network = ludus.player("fuzzy", morris()).network
    for _ in range(40):
        before = list(network.mutual_scores)
        network.propagate()
    assert network.mutual_scores == pytest.approx(before, abs=1e-9)


def test_learning_twice_doubles_what_was_seen():
    game = morris()
    players = ludus.player("newbie", game), ludus.player("basic", game)
    positions = [game.start()]
    ludus.play_game(game, players, seed=3, on_move=lambda after, move: positions.append(after))
    once, twice = PatternNetwork(), PatternNetwork()
    learn_match(once, positions)
    for _ in range(2):
        learn_match(twice, positions)
    assert twice.frequency == [2 * count for count in once.frequency]
    assert twice.edges == {
        old: {new: 2 * count for new, count in moves.items()} for old, moves in once.edges.items()
    }
    assert sum(map(sum, (moves.values() for moves in once.edges.values()))) >= len(positions) - 1
