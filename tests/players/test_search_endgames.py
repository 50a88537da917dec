"""Endings: the search agrees with the oracle, with its tables and without them."""

import random

import numpy as np
import pytest

from ludus._native.search import DECIDED, WIN, Endgames, Search
from ludus.games.nine_mens_morris.board import Move
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.oracles.interface import Value
from ludus.oracles.selection import oracle as find_oracle
from ludus.players.negascout import load_endgames
from support.plain_negamax import morris, run


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path_factory.getbasetemp() / "endings"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "data"))
    monkeypatch.delenv("LUDUS_ORACLE", raising=False)


def few_men(game, number, seed, counts):
    """Unfinished positions with these numbers of men on random points."""
    rng = random.Random(seed)
    while number:
        white, black = counts if rng.random() < 0.5 else counts[::-1]
        points = rng.sample(range(24), white + black)
        men = frozenset(points[:white]), frozenset(points[white:])
        position = game.position(PositionFields(men, (0, 0), rng.randint(0, 1)))
        if position.outcome() is None:
            number -= 1
            yield position


def exact(value):
    """A value of the oracle as a score."""
    if value.result == "draw":
        return 0
    return WIN - value.depth if value.result == "win" else value.depth - WIN


@pytest.mark.parametrize("rules", ["standard", "flying=no"])
@pytest.mark.parametrize("counts", [(3, 3), (4, 3), (4, 4)])
def test_looked_up_values_are_exact(rules, counts):
    """Of every move, at any depth: the share of value that is kept is all of it."""
    game = morris(rules)
    oracle, search, known = find_oracle(game), Search(game.rules), load_endgames(game.rules)
    results = set()
    for position in few_men(game, 60, 1, counts):
        moves = position.legal_moves()
        for depth in (1, 3):
            lines = run(search, position, depth=depth, lines=len(moves), endgames=known)["lines"]
            report = {Move(*line[0]): score for score, line in lines}
            for rated in oracle.rate_moves(position):
                assert report[rated.move] == exact(Value(rated.value, rated.depth)), (
                    str(position),
                    str(rated.move),
                    depth,
                )
        results.add(oracle.value(position).result)
    assert len(results) > 1 or counts == (4, 4)


@pytest.mark.parametrize("counts", [(3, 3), (4, 3)])
def test_wins_and_losses_are_found_without_tables(counts):
    """Full width, so the distance is the shortest one; ends within five plies."""
    game = morris()
    oracle, search = find_oracle(game), Search(game.rules)
    won = lost = 0
    wanted = 3 if counts == (3, 3) else 0  # four men are hardly ever lost so soon, nor three
    for position in few_men(game, 4000, 2, counts):
        value = oracle.value(position)
        if value.depth is None or not 1 <= value.depth <= 5:
            continue
        score = run(search, position, depth=value.depth, reduces=False)["lines"][0][0]
        assert score == exact(value), str(position)
        won += value.result == "win"
        lost += value.result == "loss"
        if won >= 15 and lost >= wanted:
            break
    assert won >= 15
    assert lost >= wanted


def test_an_ending_is_seen_from_afar():
    """Five men against three: taking one leads into a table, which tells more than its depth."""
    game = morris("flying=no")
    search, known = Search(game.rules), load_endgames(game.rules)
    far = 0
    for position in few_men(game, 60, 3, (5, 3)):
        score = run(search, position, depth=6, endgames=known)["lines"][0][0]
        far += abs(score) >= DECIDED and WIN - abs(score) > 10
    assert far > 0


def test_rules_without_solved_endings_have_none():
    assert load_endgames(morris("vrajitoru").rules) is None


def test_tables_of_a_wrong_size_are_refused():
    known = Endgames(4)
    with pytest.raises(ValueError, match="slots"):
        known.add(3, 3, True, np.zeros(5, dtype=np.uint8))
    with pytest.raises(ValueError, match="sector"):
        known.add(3, 4, True, np.zeros(5, dtype=np.uint8))
    with pytest.raises(ValueError, match="12 men"):
        Endgames(13)
