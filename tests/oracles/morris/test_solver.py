"""Solving: against published counts, a second way of solving, and the readable rules."""

import random
from dataclasses import replace

import numpy as np
import pytest

import ludus
from ludus._native.solver import Solver, Stopped
from ludus.core.errors import CannotSolve
from ludus.games.nine_mens_morris.batch import DRAW, LOSS, classify
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.games.nine_mens_morris.rules import PRESETS, Rules
from ludus.oracles.morris.database import Database
from ludus.oracles.morris.sectors import Subspace, all_sectors, moving_sectors
from ludus.oracles.morris.solver import SolveRun, make_solver
from support.games import play_randomly
from support.repetition import repeat
from support.solved_games import Lookup, contents, solve_into, solved_copy

PUBLISHED = {
    (3, 3): (140621, 28736, 269, 25, 26),
    (3, 4): (102281, 0, 658117, 33, 0),
    (4, 3): (75397, 3095, 681906, 1, 32),
    (3, 5): (6301, 9677, 2564412, 31, 2),
    (5, 3): (580660, 0, 1999730, 3, 0),
    (4, 4): (159, 29, 3225409, 9, 8),
    (3, 6): (0, 192000, 6683320, 0, 6),
    (6, 3): (2752371, 0, 4122949, 7, 0),
    (4, 5): (51, 1510, 10308935, 5, 28),
    (5, 4): (9889, 8, 10300599, 29, 4),
    (5, 5): (28819, 4289, 30881316, 57, 56),
    (4, 6): (22, 1649972, 24115798, 3, 156),
    (6, 4): (5985293, 4, 19780495, 157, 2),
}
"""Wins, losses, draws, longest win and longest loss, by an independent solver (eigenraum 2026).

Its small rows were checked against the database of Malom (Gévay and Danner, 2014).
"""


def check_against_published(max_men):
    rules = PRESETS["standard"]
    solver = Solver(rules, 2)
    found = SolveRun(rules, moving_sectors(rules, max_men), solver).run().counts
    spaces = [sides for sides in PUBLISHED if max(sides) <= max_men]
    assert len(found) >= len(spaces) > 0
    for sides in spaces:
        tally = found[Subspace(*sides, 0, 0)]
        counts = tally.win, tally.loss, tally.draw, tally.max_win, tally.max_loss
        assert counts == PUBLISHED[sides], sides


def test_counts_are_the_published_ones():
    check_against_published(max_men=repeat(4, 5))


@pytest.mark.slow
def test_counts_with_six_men_are_the_published_ones():
    check_against_published(max_men=6)


FAMILY = [
    Rules(men=4, diagonals=True, full_board="draws"),
    Rules(men=4, lose_below=1, take_from_mills="always", place_or_move=True),
    Rules(men=3, lose_below=2, flying=False, repetition=0),
    Rules(men=4),
    Rules(men=4, place_or_move=True),
    Rules(men=4, flying=False, take_from_mills="never"),
]


@pytest.mark.parametrize("rules", FAMILY[: repeat(3, len(FAMILY))], ids=str)
def test_values_follow_from_the_readable_rules(rules, tmp_path):
    """A value is what the values after each legal move make it, by the rules in Python."""
    lookup = Lookup(solved_copy(tmp_path, rules))
    for position in some_positions(rules):
        after = [lookup.value(position.play(move)) for move in position.legal_moves()]
        assert lookup.value(position) == best_of(after, position), str(position)


def best_of(after, position):
    """The value of a position from the values that its moves lead to."""
    if position.outcome() is not None:
        return DRAW if position.outcome().winner is None else 0
    if lost := [value for value in after if classify(value) == LOSS]:
        return min(lost) + 1
    return DRAW if DRAW in after else max(after) + 1


def some_positions(rules):
    """Return positions of random games without their history, and random boards."""
    game = ludus.game("nine_mens_morris", rules, engine="python")
    for seed in range(repeat(2, 12)):
        for position in play_randomly(game, seed, plies=25):
            ended = position.outcome()
            if ended is None or ended.reason != "men":
                yield replace(position, occurrence=1, history=())
    source = random.Random(1)
    for _ in range(repeat(40, 100)):
        counts = [source.randint(max(1, rules.lose_below), rules.men) for _ in range(2)]
        points = source.sample(range(24), sum(counts))
        men = frozenset(points[: counts[0]]), frozenset(points[counts[0] :])
        yield game.position(PositionFields(men, (0, 0), source.randint(0, 1), 1, 0))


def test_the_number_of_threads_does_not_show(tmp_path):
    rules = Rules(men=4)
    for threads in (1, 3):
        solve_into(tmp_path / str(threads), rules, threads=threads)
    two = contents(solved_copy(tmp_path / "2", rules))
    assert contents(tmp_path / "1") == two == contents(tmp_path / "3")


@pytest.mark.parametrize("has_depth", [True, False][: repeat(1, 2)])
def test_a_folder_grows_from_few_men_to_the_whole_game(tmp_path, has_depth):
    rules = Rules(men=4)
    whole = solve_into(tmp_path / "at once", rules, has_depth=has_depth)
    part = solve_into(tmp_path / "grown", rules, max_men=3, has_depth=has_depth)
    assert (part.root, part.num_resumed) == (None, 0)
    grown = solve_into(tmp_path / "grown", rules, has_depth=has_depth)
    assert grown.num_resumed == len(part.counts) == 1
    assert list(grown.counts.items()) == list(whole.counts.items())
    assert contents(tmp_path / "grown") == contents(tmp_path / "at once")
    again = solve_into(tmp_path / "grown", rules, has_depth=has_depth)
    assert again.num_resumed == len(whole.counts)
    assert (again.root, again.counts) == (whole.root, whole.counts)


@pytest.mark.parametrize("place_or_move", [False, True])
def test_any_set_of_missing_files_is_solved_again(tmp_path, place_or_move):
    rules = Rules(men=4, place_or_move=place_or_move)
    whole = contents(solved_copy(tmp_path, rules))
    source = random.Random(1)
    names = [name for name in whole if name != "ludus.json"]
    for _ in range(repeat(1, 3)):
        for name in source.sample(names, len(names) // 2):
            (tmp_path / name).unlink()
        solve_into(tmp_path, rules)
        assert contents(tmp_path) == whole


@pytest.mark.parametrize("rules", [Rules(men=4), Rules(men=3, place_or_move=True)], ids=str)
def test_without_depth_the_same_side_wins(tmp_path, rules):
    deep, flat = (
        Database.open(solved_copy(tmp_path / str(has_depth), rules, has_depth))
        for has_depth in (True, False)
    )
    assert deep.sectors == flat.sectors
    assert (deep.has_depth, flat.has_depth) == (True, False)
    for half in deep.sectors:
        assert deep.read_counts(*half).without_depth() == flat.read_counts(*half)
        values = deep.read_table(*half)
        expected = np.where(values == DRAW, DRAW, values % 2)
        assert np.array_equal(flat.read_table(*half), expected)


def test_tables_are_dropped_when_nothing_needs_them():
    rules = Rules(men=4)
    solver, sectors, kept = Solver(rules, 2), all_sectors(rules), []

    class Watched:
        """Counts the tables in memory whenever one is solved."""

        def solve(self, sector):
            solver.solve(sector)
            kept.append(sum(solver.has(other) for other in sectors))

        def __getattr__(self, name):
            return getattr(solver, name)

    SolveRun(rules, sectors, Watched()).run()
    assert len(kept) == len(sectors)
    assert max(kept) < len(sectors) * 2 / 3
    assert kept[-1] <= 4


def test_a_stop_before_the_start_counts():
    rules = Rules(men=4)
    run = SolveRun(rules, all_sectors(rules), Solver(rules))
    run.stop()
    with pytest.raises(Stopped):
        run.run()


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (PRESETS["vrajitoru"], "a blocked side passes"),
        (Rules(quiet_plies=50), "quiet plies"),
    ],
    ids=str,
)
def test_rules_that_cannot_be_solved_are_refused(rules, words):
    with pytest.raises(CannotSolve, match=words):
        make_solver(rules)


def test_a_device_that_there_is_not_is_refused():
    with pytest.raises(CannotSolve, match="no device 'abacus'"):
        make_solver(Rules(), "abacus")
