"""The parts of a game and their order."""

import random

import pytest

import ludus
from ludus._native.solver import Solver
from ludus.games.nine_mens_morris.rules import PRESETS, Rules
from ludus.oracles.morris.sectors import (
    Subspace,
    TableReferences,
    all_sectors,
    estimate_peak_bytes,
    moving_sectors,
    next_sectors,
    num_slots,
    orient,
    sides_to_move,
    start_sector,
    subspace_of,
)
from support.games import play_randomly
from support.repetition import repeat

SOLVABLE = [PRESETS[name] for name in ("standard", "lasker", "morabaraba")]
SMALL = [
    Rules(men=men, place_or_move=place_or_move, lose_below=lose_below)
    for men, lose_below in ((3, 1), (3, 2), (3, 3), (4, 1), (4, 3))
    for place_or_move in (False, True)
]


@pytest.mark.parametrize("rules", SOLVABLE + SMALL, ids=str)
def test_what_a_sector_needs_comes_before_it(rules):
    seen = set()
    for sector in all_sectors(rules):
        assert next_sectors(rules, sector) <= seen
        seen.add(sector)
    assert start_sector(rules) in seen
    assert set(moving_sectors(rules, rules.men)) <= seen


@pytest.mark.parametrize("preset", ["standard", "lasker", "morabaraba"])
def test_every_position_of_a_game_has_its_place(preset):
    game = ludus.game("nine_mens_morris", preset)
    known = {
        subspace_of(sector, side)
        for sector in all_sectors(game.rules)
        for side in sides_to_move(game.rules, sector)
    }
    for seed in range(100):
        for position in play_randomly(game, seed):
            if (outcome := position.outcome()) and outcome.reason == "men":
                break
            men, hands = [bits.bit_count() for bits in position.bits], position.hands
            own, other = position.mover, 1 - position.mover
            sides = Subspace(men[own], men[other], hands[own], hands[other])
            assert subspace_of(*orient(*sides)) == sides
            assert sides in known


@pytest.mark.parametrize("rules", SMALL[: repeat(7, 10)], ids=str)
def test_the_solver_makes_the_same_halves(rules):
    solver = Solver(rules, 2)
    for sector in all_sectors(rules):
        solver.solve(sector)
        sides = [side for side in (True, False) if solver.values(sector, side) is not None]
        assert sides_to_move(rules, sector) == sides


@pytest.mark.parametrize("rules", SOLVABLE, ids=str)
def test_the_lengths_of_tables_are_the_solver_s(rules):
    solver = Solver(rules)
    for sector in random.Random(1).sample(all_sectors(rules), 40):
        rows, cols = solver.shape(sector)
        assert num_slots(sector) == rows * cols


def test_the_whole_game_fits_a_machine_with_24_gigabytes():
    rules = PRESETS["standard"]
    sectors = all_sectors(rules)
    largest = max(map(num_slots, sectors))
    assert 4 * largest < estimate_peak_bytes(rules, sectors) < 12e9
    everything = sum(num_slots(sector) * len(sides_to_move(rules, sector)) for sector in sectors)
    assert everything > 24e9


@pytest.mark.parametrize("rules", SOLVABLE, ids=str)
def test_no_table_is_dropped_too_soon_or_kept_for_ever(rules):
    sectors = all_sectors(rules)
    needs, alive = TableReferences(rules, sectors), set()
    for sector in sectors:
        assert next_sectors(rules, sector) <= alive
        alive.add(sector)
        needs.release(sector, alive.remove)
    assert alive == set()
