"""Validation of whole arrays, against the readable rules."""

import random

import numpy as np
import pytest

from ludus.core.errors import BadSpec
from ludus.datasets import parse_lines
from ludus.datasets.morris.validation import (
    ILLEGAL_REASONS,
    UNREACHABLE_REASONS,
    check_rules,
    reachable_subspaces,
    validate_moves,
    validate_states,
)
from ludus.games.nine_mens_morris import NineMensMorris, to_thesis
from ludus.games.nine_mens_morris.batch import generate_moves
from ludus.games.nine_mens_morris.board import Move
from ludus.games.nine_mens_morris.rules import PRESETS, Rules
from ludus.oracles.morris.sectors import all_sectors, sides_to_move, subspace_of
from support.morris import DATASET_RULES, data, examples, lines, positions

WITH_RULES = pytest.mark.parametrize("rules", DATASET_RULES.values(), ids=DATASET_RULES.keys())


def _states(found):
    return parse_lines(data([to_thesis(position) for position in found])).moves


@WITH_RULES
def test_all_legal_moves_in_the_order_of_the_rules(rules):
    found = positions(12, rules, "python")
    owner, moves = generate_moves(_states(found), rules)
    wanted = [(n, move) for n, each in enumerate(found) for move in each.legal_moves()]
    assert list(zip(owner.tolist(), moves.to_moves(), strict=True)) == wanted
    assert any(move.take is not None for _, move in wanted)


def test_what_follows_a_move():
    pairs = examples(Rules(), 12)
    result = parse_lines(data(lines(pairs))).moves.play()
    wanted = parse_lines(data([to_thesis(position.play(move)) for position, move in pairs])).moves
    for ours, theirs in zip(result.columns, wanted.position_columns, strict=True):
        assert (ours == theirs).all()


def test_a_game_that_is_over_has_no_moves():
    few = "MMOOOOOOOOOOOOOOOOOOOEEE0023"
    blocked = "MEOEOOOOOEOOOOMOOOOOOEOM0034"
    walled = "MEOOOEOOOEOOOOOOOEOOOOOO0014"
    entries = parse_lines(data([few, walled])).moves
    assert len(generate_moves(entries, Rules())[1]) == 0
    assert len(generate_moves(parse_lines(data([blocked])).moves, Rules())[1]) > 0


@WITH_RULES
def test_a_move_is_fine_if_and_only_if_it_is_legal(rules):
    """Random moves, nearly all of them illegal, and the legal ones."""
    source = random.Random(7)
    texts, wanted = [], []
    for position in positions(6, rules, "python"):
        legal = set(position.legal_moves())
        placing = position.hands[position.mover] > 0
        tried = [*source.sample(sorted(legal, key=str), min(2, len(legal)))]
        for _ in range(6):
            frm, to, take = (source.randrange(24) for _ in range(3))
            near = source.choice(sorted(legal, key=str))
            take = source.choice([None, take, near.take])
            to, frm = source.choice([to, near.to]), source.choice([frm, near.frm or 0])
            tried.append(Move(None if placing else frm, to, take))
        texts += lines([(position, move) for move in tried])
        wanted += [move in legal for move in tried]
    part = parse_lines(data(texts))
    assert part.bad_lines == []
    verdicts = validate_moves(part.moves, rules)
    assert (verdicts == 0).tolist() == wanted
    assert len(np.unique(verdicts)) >= 6


START = "O" * 24 + "9900"
MILL = "MMOOEEOOOOOOOOOOOOOOOOOE7623"
ALL_IN_MILLS = "MMOEEEOOOOOOOOOOOOOOOOOO7623"
REASONS_BY_LINE = [
    (f"{START}-a7", ""),
    (START, ""),
    ("M" * 9 + "O" * 15 + "1990-a1", "more men"),
    ("MMOOOOOOOOOOOOOOOOOOOEEE0023-a7g7", "too few men"),
    ("MOOOOOOOOEOOOOOOOOOOOEEE2014", ""),
    ("MEMOOOOOOEOOOOEOOOOOOMEM0044", "cannot move"),
    (f"{MILL}-a7", "TO is not free"),
    (f"{MILL}-g7d6", ""),
    (f"{MILL}-g7", "no man is taken"),
    (f"{MILL}-d5d6", "no mill is closed"),
    (f"{MILL}-g7a1", "not a man of the enemy"),
    (f"{MILL}-g7d7", "not a man of the enemy"),
    (f"{ALL_IN_MILLS}-g7d6", ""),
    (f"{ALL_IN_MILLS[:23]}E7524-g7d6", "stands in a mill"),
    ("MMOOMOOMOEOOOOEOOOOOOEOO0043-d6g7", "no step leads"),
    ("MMOOMOOOOEOOOOEOOOOOOEOO0033-d6g7e4", "not a man of the enemy"),
    ("MMOOMOOOOEOOOOEOOOOOOEOO0033-d6g7a4", ""),
    ("MMOOMOOOOEOOOOEOOOOOOEOO0033-a4g7", "FROM is not"),
]


@pytest.mark.parametrize(("line", "reason"), REASONS_BY_LINE)
def test_reasons(line, reason):
    part = parse_lines(line.encode())
    assert part.bad_lines == []
    found = ILLEGAL_REASONS[validate_moves(part.moves, Rules())[0]]
    assert reason in found
    assert bool(reason) == bool(found)


@WITH_RULES
def test_nothing_that_a_game_leads_to_is_called_impossible(rules):
    """Random games, and games between beginners that close every mill they can."""
    found = positions(40, rules, "python")
    game = NineMensMorris(rules)
    source = random.Random(3)
    for _ in range(100):
        position = game.start()
        for _ in range(60):
            position = position.play(source.choice(position.heuristic_moves("newbie")))
            if position.outcome() is not None:
                break
            found.append(position)
    assert not validate_states(_states(found), rules).any()


IMPOSSIBLE_STATES = [
    # White has placed five men and Black two; they take turns.
    ("MMEOOOOOOOMOOOOEOOMOOOMO4752", "numbers of men"),
    # Men can only be taken by a side that has three.
    ("MOOOOOOOOOOOOOOOOOOOOOEO7711", "numbers of men"),
    ("MMMOOOOOOOOOOOOOOOOOOEEO6732", "numbers of men"),
    ("MMMOOOOOOEOEOOOEOOOOOOOO6633", "has taken nothing"),
    ("MMOOOOMOOMOOEOOEOOOEOOOO5443", "closed mills"),
]


@pytest.mark.parametrize(("line", "reason"), IMPOSSIBLE_STATES)
def test_states_that_no_game_leads_to(line, reason):
    part = parse_lines(line.encode())
    assert part.bad_lines == []
    assert reason in UNREACHABLE_REASONS[validate_states(part.moves, Rules())[0]]


@pytest.mark.parametrize("men", [3, 4])
def test_the_numbers_of_men_that_games_lead_to(men):
    """With few men, beginners' games come through all of them."""
    rules = Rules(men=men)
    game, source, seen = NineMensMorris(rules), random.Random(1), set()
    for _ in range(1000):
        position = game.start()
        while position.outcome() is None and sum(position.hands) > 0:
            own, other = position.mover, 1 - position.mover
            counts = [len(position.men[side]) for side in (own, other)]
            seen.add((*counts, position.hands[own], position.hands[other]))
            moves = position.heuristic_moves("newbie") if source.random() < 0.9 else []
            position = position.play(source.choice(moves or position.legal_moves()))
    assert seen == {count for count in reachable_subspaces(rules) if count.mover_hand > 0}


def test_the_oracle_solves_more_than_games_lead_to():
    """It takes both sides for the one that began; so has it 294 subspaces with men in hand."""
    rules = Rules()
    solved = {
        subspace_of(sector, x_to_move)
        for sector in all_sectors(rules)
        for x_to_move in sides_to_move(rules, sector)
    }
    assert reachable_subspaces(rules) < solved
    extra = solved - reachable_subspaces(rules)
    assert (3, 2, 1, 1) in extra
    assert (len(extra), len([each for each in solved if each.mover_hand])) == (25, 294)


@pytest.mark.parametrize("preset", ["lasker", "morabaraba", "vrajitoru"])
def test_rules_that_the_lines_cannot_tell(preset):
    with pytest.raises(BadSpec, match="datasets"):
        check_rules(PRESETS[preset])
