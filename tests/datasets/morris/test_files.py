"""Lines of datasets as arrays: round trips, and errors with line number and reason."""

import random

import numpy as np
import pytest

from ludus.core.errors import BadDataset, BadPosition
from ludus.datasets import MoveBatch, format_lines, parse_lines, read_chunks, read_dataset
from ludus.games import game
from ludus.games.nine_mens_morris.batch import NO_POINT
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.rules import Rules
from support.morris import data, examples, lines

STATE = "EMOOMMOOEEOOMOOOOEEOMEOO1156"
PLACED = f"{STATE}-d5b2"
MOVED = "OMOMOOOMMOMOEOOEEMMOOMEO0084-b6d6d3"


@pytest.fixture(scope="module")
def pairs():
    return examples(Rules(), 30)


def test_arrays_say_what_the_rules_say(pairs):
    entries = parse_lines(data(lines(pairs))).moves
    assert len(entries) == len(pairs) > 1000
    for number, (position, move) in enumerate(pairs):
        own, other = position.mover, 1 - position.mover
        assert entries.own[number] == position.bits[own]
        assert entries.other[number] == position.bits[other]
        assert entries.own_hand[number] == position.hands[own]
        assert entries.other_hand[number] == position.hands[other]
        parts = (entries.frm[number], entries.to[number], entries.take[number])
        assert parts == tuple(NO_POINT if part is None else part for part in move)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_written_as_it_was_read(pairs, end):
    text = data(lines(pairs), end)
    part = parse_lines(text)
    assert part.bad_lines == []
    assert format_lines(part.moves, end.encode()) == text


def test_states_without_moves(pairs):
    text = data([line[:28] for line in lines(pairs)])
    part = parse_lines(text)
    assert part.bad_lines == []
    assert not part.moves.has_move.any()
    assert format_lines(part.moves) == text


def test_moves_are_points_of_the_board():
    entries = parse_lines(data([PLACED, MOVED, STATE])).moves
    names = [[[*POINTS, None][point] for point in row] for row in entries.points.tolist()]
    assert names == [["d5", None, "b2"], ["d6", "b6", "d3"], [None, None, None]]
    assert entries.phases.tolist() == [1, 2, 1]


BAD = [
    ("", "is empty"),
    ("x", "24 letters"),
    ("\0" * 28, "24 letters"),
    (STATE.lower(), "24 letters"),
    (STATE[:-1], "four digits"),
    (f"{STATE[:24]}11५6", "four digits"),
    (f"{STATE[:24]}1166", "shows 5 M but counts 6"),
    (f"{STATE[:24]}1157", "shows 6 E but counts 7"),
    (f"{STATE}-", "hyphen and one to three points"),
    (f"{STATE}-d4", "hyphen and one to three points"),
    (f"{STATE}_d5", "hyphen and one to three points"),
    (f"{STATE}-D5", "hyphen and one to three points"),
    (f"{PLACED} ", "hyphen and one to three points"),
    (f"{STATE}-d5\r\r", "hyphen and one to three points"),
    (f"{STATE}-d5b2c4", "placed from the hand"),
    (f"{MOVED[:28]}-b6", "has one point"),
    ("O" * 100_000, "four digits"),
    ("é" * 14, "24 letters"),
]


@pytest.mark.parametrize(("line", "reason"), BAD, ids=lambda text: repr(text)[:30])
def test_a_bad_line_is_reported_and_the_others_are_read(line, reason):
    text = f"{PLACED}\n{line}\n{MOVED}\n".encode()
    part = parse_lines(text, first=10)
    assert part.numbers.tolist() == [10, 12]
    (bad,) = part.bad_lines
    assert bad.number == 11
    assert reason in bad.reason
    assert bad.reason.isprintable()
    assert len(bad.reason) < 200


def test_no_line_is_lost_and_none_is_invented():
    """Lines with something changed are bad, or they are what the game's own reader reads."""
    source = random.Random(1)
    good = lines(examples(Rules(), 4))
    changed = []
    for _ in range(3000):
        letters = list(source.choice(good))
        place = source.randrange(len(letters))
        letters[place : place + source.randrange(3)] = source.choice("OME0123456789-abcdefgx ")
        changed.append("".join(letters))
    part = parse_lines(data(changed))
    numbers = [*part.numbers.tolist(), *(bad.number for bad in part.bad_lines)]
    assert sorted(numbers) == list(range(1, len(changed) + 1))
    assert format_lines(part.moves) == data([changed[number - 1] for number in part.numbers])
    assert len(part.moves) > 50
    reader = game("nine_mens_morris:men=12")
    for number, reason in part.bad_lines:
        line = changed[number - 1]
        # The reader of positions allows blanks around them, and does not count a move's points.
        if line == line.strip() and "but a man" not in reason:
            with pytest.raises(BadPosition):
                reader.parse(line)


@pytest.mark.parametrize("block", [1, 7, 34, 35, 36, 1000, 1 << 20])
def test_a_file_is_the_same_however_it_is_cut(tmp_path, pairs, block):
    text = data(lines(pairs[:300]), "\r\n") + b"bad\r\n\n" + PLACED.encode()
    path = tmp_path / "dataset.txt"
    path.write_bytes(text)
    parts = list(read_chunks(path, block))
    whole = parse_lines(text)
    assert [bad for part in parts for bad in part.bad_lines] == whole.bad_lines
    assert [bad.number for bad in whole.bad_lines] == [301, 302]
    assert np.concatenate([part.numbers for part in parts]).tolist() == whole.numbers.tolist()
    joined = MoveBatch.concatenate(part.moves for part in parts)
    assert format_lines(joined) == format_lines(whole.moves)


def test_an_endless_line_does_not_fill_the_memory(tmp_path):
    path = tmp_path / "dataset.txt"
    path.write_bytes(b"O" * 5_000_000 + b"\n" + PLACED.encode())
    parts = list(read_chunks(path, 1000))
    assert [bad.number for part in parts for bad in part.bad_lines] == [1]
    assert [number for part in parts for number in part.numbers.tolist()] == [2]


def test_a_strict_reader_names_the_bad_lines(tmp_path):
    path = tmp_path / "dataset.txt"
    path.write_text("\n".join([PLACED, "x", *["y"] * 9, MOVED]))
    with pytest.raises(
        BadDataset, match=r"line 2: 'x' .*; bad lines too: 3, 4, 5, 6, 7 and 4 more"
    ):
        read_dataset(path)
    with pytest.raises(BadDataset, match="cannot read"):
        read_dataset(tmp_path)
    path.write_text("")
    assert len(read_dataset(path)) == 0


def test_entries_are_summarized(pairs):
    assert repr(parse_lines(b"").moves) == "<MoveBatch of 0 entries>"
    assert repr(parse_lines(data(lines(pairs[:1]))).moves) == "<MoveBatch of 1 entry>"


def test_files_may_be_named_by_texts(tmp_path, pairs):
    file = tmp_path / "moves.txt"
    file.write_bytes(data(lines(pairs[:1])))
    assert len(read_dataset(str(file))) == len(read_dataset(file)) == 1
