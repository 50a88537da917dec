"""States out of bytes, however they are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.protocol.thesis_socket import MAX_PENDING_BYTES, IncompleteState, StateReader

START = b"OOOOOOOOOOOOOOOOOOOOOOOO9900"
OTHER = b"MMEOOOOOOOOOOOOOOOOOOOOO7721"


def read(dialect, chunks):
    """All states that chunks of bytes hold, the rest at the end included."""
    found, texts = StateReader(dialect), []
    for chunk in chunks:
        found.feed(chunk)
        while (text := found.next()) is not None:
            texts.append(text)
    if (rest := found.end()) is not None:
        texts.append(rest)
    assert found.end() is None
    assert not found.has_partial_state
    return texts


@pytest.mark.parametrize(
    ("dialect", "data"),
    [
        ("lines", START + b"\n" + OTHER + b"\r\n\n\n" + START),
        ("2018", b"\0\x1c" + START + b"\0\x1c" + OTHER + b"\0\x1c" + START),
        ("2018", START + b"\r\n" + OTHER + b"\n" + START),
        ("2018", START + OTHER + START),
    ],
)
@given(cuts=st.lists(st.integers(0, 90), max_size=6))
def test_it_does_not_matter_how_bytes_are_cut(dialect, data, cuts):
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    chunks = [data[a:b] for a, b in pairwise(places)]
    assert read(dialect, chunks) == [START.decode(), OTHER.decode(), START.decode()]


@pytest.mark.parametrize("dialect", ["lines", "2018"])
@given(chunks=st.lists(st.binary(max_size=60), max_size=12))
def test_any_bytes_end_in_texts_or_in_a_refusal(dialect, chunks):
    try:
        texts = read(dialect, chunks)
    except IncompleteState:
        assert sum(map(len, chunks)) > MAX_PENDING_BYTES
    else:
        assert all("\n" not in text for text in texts)


def test_an_early_line_end_does_not_cost_the_next_state():
    assert read("2018", [b"MEO\n" + START]) == ["MEO", START.decode()]


@pytest.mark.parametrize(("dialect", "byte"), [("lines", b"M"), ("lines", b"\0"), ("2018", b"\0")])
def test_nobody_waits_for_ever(dialect, byte):
    found = StateReader(dialect)
    found.feed(byte * MAX_PENDING_BYTES)
    assert found.next() is None
    found.feed(byte)
    with pytest.raises(IncompleteState):
        found.next()


def test_bytes_behind_a_whole_line_do_not_make_it_too_long():
    found = StateReader("lines")
    found.feed(START + b"\n" + b"x" * MAX_PENDING_BYTES)
    assert found.next() == START.decode()
    assert found.next() is None
