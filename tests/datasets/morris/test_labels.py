"""Labels are the oracle's values of each position and of each of its moves."""

import random

import numpy as np
import pytest

from ludus.datasets import augment, parse_lines
from ludus.datasets.morris.labels import (
    RESULT_NAMES,
    LabelCounts,
    format_labels,
    group_by_men,
    label,
)
from ludus.datasets.morris.statistics import compute_statistics
from ludus.games.nine_mens_morris import POINTS, NineMensMorris, to_thesis_move
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles import oracle as find_oracle
from ludus.oracles.interface import Oracle
from support.morris import data, examples, lines
from support.repetition import repeat
from support.solved_games import solve_into

RULES = Rules(men=4)


@pytest.fixture(scope="module", params=[True, False], ids=["depths", "results"])
def oracle(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("four men")
    solve_into(folder, RULES, has_depth=request.param)
    return Oracle.open(folder)


@pytest.fixture(scope="module")
def pairs():
    return examples(RULES, repeat(20, 60))


def test_every_field_is_what_the_oracle_says(oracle, pairs):
    entries = parse_lines(data(lines(pairs))).moves
    found = format_labels(entries, label(entries, oracle))
    assert len(found) == len(pairs)
    game = NineMensMorris(RULES)
    for line, labelled in zip(lines(pairs), found, strict=True):
        entry, result, depth, num_legal, kept = labelled.split("\t")
        position = game.parse(line)
        value, rated = oracle.value(position), oracle.rate_moves(position)
        assert (entry, result) == (line, value.result)
        assert depth == ("-" if value.depth is None else str(value.depth))
        assert int(num_legal) == len(rated)
        keeping = {each.move for each in rated if each.value == value.result}
        in_order = [to_thesis_move(m) for m in position.legal_moves() if m in keeping]
        assert kept.split(" ") == in_order


def test_the_tally_counts_what_the_lines_say(oracle, pairs):
    entries = parse_lines(data(lines(pairs))).moves
    tally = LabelCounts()
    for numbers in group_by_men(entries, 100):
        tally.add(label(entries[numbers], oracle))
    fields = [line.split("\t") for line in format_labels(entries, label(entries, oracle))]
    critical = [each for each in fields if len(each[4].split(" ")) < int(each[3])]
    kept = [each for each in critical if each[0].partition("-")[2] in each[4].split(" ")]
    assert tally.entries == len(pairs)
    assert tally.as_json()["results"] == {
        name: sum(each[1] == name for each in fields) for name in RESULT_NAMES
    }
    assert (tally.critical, tally.critical_kept) == (len(critical), len(kept))
    assert 0 < len(kept) < len(critical) < len(pairs)
    # These are positions of real games.
    assert tally.critical_reached == tally.critical
    shares = [len(each[4].split(" ")) / int(each[3]) for each in critical]
    assert tally.random_kept == pytest.approx(sum(shares))


def test_states_that_are_no_positions_are_unknown_and_not_an_error():
    """Lines that are well formed but have any number of men: none of this must fail."""
    source = random.Random(4)
    texts = []
    for _ in range(2000):
        own, other = source.randrange(10), source.randrange(10)
        letters = source.sample("M" * own + "E" * other + "O" * (24 - own - other), 24)
        hands = f"{source.randrange(10)}{source.randrange(10)}"
        places = source.sample(POINTS, 3)
        move = "".join(places[: 1 + source.randrange(2) + (hands[0] == "0")])
        texts.append(f"{''.join(letters)}{hands}{own}{other}-{move}")
    part = parse_lines(data(texts))
    assert part.bad_lines == []
    oracle = find_oracle(NineMensMorris())
    labels = label(part.moves, oracle)
    too_many = part.moves.totals[0] > 9
    too_many |= part.moves.totals[1] > 9
    assert (labels.result[too_many] == RESULT_NAMES.index("unknown")).all()
    assert len(format_labels(part.moves, labels)) == len(texts)
    found = compute_statistics([part], Rules())
    assert found.entries == len(texts)
    assert len(found.illegal["a side has more men than the rules give it"]) == too_many.sum()
    assert len(augment(part.moves, "published")) >= len(texts)


def test_batches_hold_every_entry_once(pairs):
    entries = parse_lines(data(lines(pairs))).moves
    numbers = np.concatenate(list(group_by_men(entries, 64)))
    assert sorted(numbers.tolist()) == list(range(len(entries)))


def test_what_is_not_solved_is_unknown():
    """The built-in endings have no men in hand; a game that is over needs no table."""
    texts = [
        "O" * 24 + "9900-d6",
        "MMOOMOOOOEOOOOEOOOOOOEOO0033-d6g7a4",
        "MMOOOOOOOOOOOOOOOOOOOEEE0023-a7g7",
        "MMMOOOOOOOOOOOOOOOOOOEEO0032",
    ]
    entries = parse_lines(data(texts)).moves
    found = format_labels(entries, label(entries, find_oracle(NineMensMorris())))
    assert [line.split("\t")[1:4] for line in found] == [
        ["unknown", "-", "24"],
        # 3 men, 18 free points; two of these steps close a mill and may take any of 3 men.
        ["win", "1", str(3 * 18 + 2 * 2)],
        ["loss", "0", "0"],
        ["win", "0", "0"],
    ]
    tally = LabelCounts()
    tally.add(label(entries, find_oracle(NineMensMorris())))
    assert (tally.critical, tally.critical_kept) == (1, 1)
