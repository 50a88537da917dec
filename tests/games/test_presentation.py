"""A game shown to a language model is the same game in every variant."""

import itertools
import random
import re

import pytest

import ludus
from ludus.core.errors import BadMove, BadSpec
from ludus.games import GAMES
from ludus.games.hexapawn import Hexapawn
from ludus.games.presentation import PLURALS, VARIANTS, Presentation

SPECS = [f"{name}:{preset}" for name in GAMES for preset in GAMES[name].presets]


def random_positions(game, count, seed=0):
    source, position, found = random.Random(seed), game.start(), []
    while len(found) < count:
        if position.mover in (0, 1) and position.outcome() is None:
            found.append(position)
        moves = position.legal_moves()
        position = position.play(source.choice(moves)) if moves else game.start()
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_moves_are_read_as_they_are_written_in_every_variant_and_symmetry(spec):
    game = ludus.game(spec)
    shown = [Presentation.draw(game, variant, 7) for variant in VARIANTS]
    shown += [Presentation(game, number) for number in range(len(game.symmetries()))]
    for position in random_positions(game, 6):
        for each in shown:
            moves = position.legal_moves()
            assert len(set(each.list_moves(position))) == len(moves)
            for move in moves[:12]:
                assert each.parse_move(each.format_move(move), position) == move
                assert each.rename(str(move)) == each.format_move(move)


def test_the_turned_board_has_the_turned_moves():
    game = ludus.game("nine_mens_morris")
    position = game.parse("WW./..W/.../..B.../B../.../..B w 0 0")
    texts = set()
    for number, symmetry in enumerate(game.symmetries()):
        shown = Presentation(game, number)
        turned = game.transform(position, symmetry)
        assert shown.list_moves(position) == sorted(map(str, turned.legal_moves()))
        texts.add(shown.describe(position))
    assert len(texts) == 16


@pytest.mark.parametrize("spec", SPECS)
def test_a_renamed_game_has_none_of_its_own_names(spec):
    game = ludus.game(spec)
    shown = Presentation.draw(game, "renamed", 3)
    words = {*game.sides, *PLURALS, *PLURALS.values()}
    places = {name for name in game.start().drawing().places if not name.isdigit()}
    if "bar" not in places:  # points that are numbers keep their names: a player counts with them
        words |= places
    for position in random_positions(game, 3):
        text = "\n".join(
            [shown.title, shown.rules(), shown.describe(position), shown.describe_moves(position)]
        )
        assert not words & set(re.findall(r"[a-z]+\d?", text.lower()))


def test_names_depend_on_the_seed_alone():
    game = ludus.game("nine_mens_morris")
    first, again, other = (Presentation.draw(game, "renamed", seed) for seed in (1, 1, 2))
    assert first.rules() == again.rules() != other.rules()


def test_a_renamed_board_can_be_rebuilt_from_its_lines():
    """The lines tell mills and neighbours, so nothing of the board is missing."""
    game = ludus.game("nine_mens_morris:morabaraba")
    line = Presentation.draw(game, "renamed", 5).rules().splitlines()[-1]
    rows = [row.split("–") for row in re.findall(r"\w\d–\w\d–\w\d", line)]
    assert len(rows) == 20
    steps = {frozenset(pair) for row in rows for pair in itertools.pairwise(row)}
    assert len({place for row in rows for place in row}) == 24
    assert len(steps) == 40


class OwnGame(Hexapawn):
    """Pawns on a board of one's own."""

    move_entry = ""


def test_a_game_of_ones_own_has_its_docstring_as_rules_and_cannot_be_renamed():
    game = OwnGame()
    assert "- Pawns on a board of one's own." in Presentation(game, 1).rules()
    assert Presentation(game, 1).list_moves(game.start()) == ["a1-a2", "b1-b2", "c1-c2"]
    with pytest.raises(BadSpec, match="has no `move_entry`"):
        Presentation.draw(game, "renamed", 1)


@pytest.mark.parametrize(
    "answer",
    ["a1-a2", "I think.\n**a1-a2**", "<move>b1-b2</move> no: <move> a1-a2 </move> it is", "A1-A2."],
)
def test_a_move_is_found_in_an_answer(answer):
    game = ludus.game("hexapawn")
    found = Presentation(game).parse_answer(answer, game.start())
    assert str(found) == "a1-a2"


@pytest.mark.parametrize("answer", ["", "a1-b2", "<move></move>", "x" * 5000])
def test_other_answers_are_no_moves(answer):
    game = ludus.game("hexapawn")
    with pytest.raises(BadMove):
        Presentation.draw(game, "renamed", 1).parse_answer(answer, game.start())
    with pytest.raises(BadMove):
        Presentation(game).parse_answer(answer, game.start())
