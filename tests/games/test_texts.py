"""Texts of positions and moves: round trips, and one-line errors for anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.core import BadMove, BadPosition

GAMES = [
    ludus.game(spec)
    for spec in (
        "noughts_and_crosses",
        "noughts_and_crosses:size=8,line=5",
        "hexapawn",
        "hexapawn:five",
    )
]

HOSTILE = [
    "",
    "\0",
    "\ud800",
    "x" * 1_000_000,
    "/" * 1000,
    " " * 999,
    "²²²/٣٣٣/... x",
    "ﬀﬀﬀ/.../... x",
    "ßßß/.../... w",
    ".../.../... ẞ",
    "İİİ/.../... w",
    "BBB/.../WWW \N{LATIN SMALL LETTER W WITH CIRCUMFLEX}",
    "\u2028.../.../...\u2029x x",
    "BBB/.../WWW w w",
    "-1",
]


@given(st.sampled_from(GAMES), st.data())
def test_positions_and_moves_of_random_games_round_trip(game, data):
    position = game.start()
    while True:
        text = str(position)
        assert game.parse(text) == position
        assert hash(game.parse(text)) == hash(position)
        assert game.parse(f"  {text.upper()}\n") == position
        assert game.parse(text.lower()) == position
        moves = position.legal_moves()
        assert bool(moves) == (position.outcome() is None)
        if not moves:
            break
        assert [game.parse_move(str(move), position) for move in moves] == moves
        position = position.play(data.draw(st.sampled_from(moves)))


@given(st.sampled_from(GAMES), st.text())
def test_any_text_is_a_position_or_refused(game, text):
    try:
        position = game.parse(text)
    except BadPosition:
        return
    assert game.parse(str(position)) == position


@given(st.sampled_from(GAMES), st.text(alphabet="XOWB.xowb/ ", max_size=20))
def test_nearly_right_texts_are_positions_or_refused(game, text):
    try:
        position = game.parse(text)
    except BadPosition:
        return
    assert str(position).lower().split() == text.lower().split()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.id}-{game.rules.size}")
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts(game, text):
    with pytest.raises(BadPosition) as caught:
        game.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200
    with pytest.raises(BadMove):
        game.parse_move(text, game.start())
