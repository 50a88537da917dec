"""Symmetries keep the rules: the image of a game is a game."""

import random

import pytest

import ludus

SPECS = {
    "noughts_and_crosses": 8,
    "noughts_and_crosses:size=5,line=4": 8,
    "hexapawn": 2,
    "hexapawn:four": 2,
    "hexapawn:size=6": 2,
}


@pytest.mark.parametrize(("spec", "count"), SPECS.items())
def test_they_are_a_group_with_the_identity_first(spec, count):
    symmetries = ludus.game(spec).symmetries()
    assert symmetries[0] == tuple(range(len(symmetries[0])))
    assert len(set(symmetries)) == count
    for first in symmetries:
        assert sorted(first) == list(symmetries[0])
        for second in symmetries:
            assert tuple(second[square] for square in first) in symmetries


@pytest.mark.parametrize("spec", SPECS)
def test_moves_and_outcomes_are_kept(spec):
    game = ludus.game(spec)
    random_moves = random.Random(1)
    for _ in range(30):
        position = game.start()
        while position.outcome() is None:
            move = random_moves.choice(position.legal_moves())
            after = position.play(move)
            for symmetry in game.symmetries():
                seen = game.transform(position, symmetry)
                moved = {game.transform_move(m, symmetry) for m in position.legal_moves()}
                assert moved == set(seen.legal_moves())
                seen_after = seen.play(game.transform_move(move, symmetry))
                assert seen_after == game.transform(after, symmetry)
                assert seen_after.outcome() == after.outcome()
            position = after


def test_the_turns_are_what_they_are_called():
    game = ludus.game("noughts_and_crosses")
    position = game.parse("XO./.../... x")
    boards = [str(game.transform(position, symmetry)) for symmetry in game.symmetries()]
    assert boards[:4] == ["XO./.../... x", "..X/..O/... x", ".../.../.OX x", ".../O../X.. x"]
    assert boards[4] == ".OX/.../... x"
    mirrored = ludus.game("hexapawn").symmetries()[1]
    pawns = ludus.game("hexapawn").parse("B.B/WB./..W w")
    assert str(ludus.game("hexapawn").transform(pawns, mirrored)) == "B.B/.BW/W.. w"
