"""Players that show how they see a board: what they show is there, and is what they think."""

import pytest

from ludus.core.game import CHANCE
from ludus.core.marks import NUM_COLOURS
from ludus.core.player import HasPictures
from ludus.games import game as named_game
from ludus.games.nine_mens_morris.board import POINT_NUMBERS
from ludus.learn.patterns.network import encode_quadrant
from ludus.players import PLAYERS, player
from ludus.render.overlay import draw_annotations
from ludus.web.explanations import StoredPicture
from support.games import play_randomly

SEERS = [
    ("noughts_and_crosses", "menace"),
    ("hexapawn", "her"),
    ("noughts_and_crosses", "migo"),
    ("hexapawn", "migo"),
    ("nine_mens_morris", "negascout:level=5"),
    ("nine_mens_morris", "fuzzy"),
    ("nine_mens_morris", "adaptive"),
    ("backgammon", "gammon"),
]


def seen(game, spec, text):
    """Return a player's choice in a position, and its pictures."""
    one = player(spec, named_game(game))
    one.start_game(1)
    position = one.game.parse(text)
    return one, position, one.choose(position), list(one.pictures(position))


@pytest.mark.parametrize(("game", "spec"), SEERS)
def test_pictures_show_places_of_the_board_and_are_kept_as_they_are(game, spec):
    one = player(spec, named_game(game))
    one.start_game(3)
    assert isinstance(one, HasPictures)
    places = one.game.start().drawing().places.keys()
    shown = 0
    for position in list(play_randomly(one.game, seed=6, plies=40))[::3]:
        if position.mover == CHANCE or position.outcome() is not None:
            continue
        one.choose(position)
        for picture in one.pictures(position):
            shown += 1
            marks = picture.marks
            named = {place for note in picture.notes for place in note.places}
            named |= {place for line in picture.lines for place in line}
            assert named | set(marks.points) | set(marks.heat) <= places
            assert all(0 <= note.colour < NUM_COLOURS for note in picture.notes)
            assert all(0 <= share <= 1 for share in marks.heat.values())
            assert picture.title
            assert StoredPicture.of(picture).to_picture() == picture
            board = position.drawing(marks)
            drawn = draw_annotations(board, picture.notes, picture.lines)
            assert drawn.svg().count("<text") >= board.svg().count("<text")
    assert shown


def test_everybody_with_pictures_is_looked_at_here():
    seers = {name for name in PLAYERS if hasattr(PLAYERS[name], "pictures")}
    assert {spec.partition(":")[0] for _, spec in SEERS} <= seers


def test_a_matchbox_holds_the_beads_of_its_table():
    menace, position, _, [box] = seen("noughts_and_crosses", "menace", ".../.X./..O x")
    beads = {note.places[0]: note.beads for note in box.notes}
    assert beads == {str(move): number for move, number in menace.row_values(position).items()}
    colours = {note.places[0]: note.colour for note in box.notes}
    # The board is its own mirror image about the long diagonal.
    assert colours["b3"] == colours["a2"] != colours["a3"]


def test_a_search_numbers_the_moves_it_expects():
    text = "WWB/BW./.../W..B../..B/.W./B.. w 2 2"
    _, _, choice, [line] = seen("nine_mens_morris", "negascout:level=7", text)
    moves = choice.comment.partition(": ")[2].split()[:6]
    assert [note.text for note in line.notes] == [str(n) for n in range(1, len(moves) + 1)]
    for move, note in zip(moves, line.notes, strict=True):
        assert "-".join(note.places) == move.partition("x")[0]
        assert all(taken in line.marks.points for taken in move.split("x")[1:])
    assert choice.comment.partition(":")[0].lower() in line.text.lower()
    assert str(choice.move) == moves[0]


def test_migo_shows_the_row_it_completes_and_the_row_it_blocks():
    _, _, choice, [win] = seen("noughts_and_crosses", "migo", "XX./OO./... x")
    assert (str(choice.move), win.lines) == ("c3", (("a3", "b3", "c3"),))
    assert win.title == "Its rule for winning"
    _, _, choice, [hold, refused] = seen("noughts_and_crosses", "migo", "XX./.O./... o")
    assert (str(choice.move), hold.lines) == ("c3", (("a3", "b3", "c3"),))
    assert {note.places[0] for note in refused.notes} == {"a2", "c2", "a1", "b1", "c1"}


def test_migo_shows_both_rows_of_a_fork():
    """Whatever the other side does against it, one of two rows through the move is completed."""
    one = player("migo", named_game("noughts_and_crosses"))
    forks = 0
    for seed in range(60):
        for position in play_randomly(one.game, seed=seed, plies=7):
            if position.outcome() is not None:
                continue
            choice = one.choose(position)
            if choice.comment.startswith("State A is won at depth 2"):
                forks += 1
                [win] = one.pictures(position)
                assert len(win.lines) >= 2
                assert all(str(choice.move) in row for row in win.lines)
    assert forks


def test_a_pattern_player_shows_its_chances_and_the_patterns_it_makes():
    text = "WWB/BW./.../W..B../..B/.W./B.. w 2 2"
    fuzzy, position, choice, [chances, *others] = seen("nine_mens_morris", "fuzzy", text)
    assert sum(chances.marks.heat.values()) == pytest.approx(1, abs=0.02)
    made = [picture for picture in others if picture.title.startswith("Pattern")]
    own = position.play(choice.move).bits[position.mover]
    scores = {encode_quadrant(own, quadrant): fuzzy.policy.scores for quadrant in range(4)}
    for picture in made:
        [note] = picture.notes
        assert POINT_NUMBERS[note.places[0]] == choice.move.to
        assert int(picture.text.split()[1]) in scores
    assert made


def test_a_network_shows_its_best_moves_in_order():
    text = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31"
    _, _, choice, pictures = seen("backgammon", "gammon", text)
    ranked = sorted(choice.scores, key=lambda move: -choice.scores[move])
    assert [picture.title for picture in pictures] == [str(move) for move in ranked[:3]]
    assert pictures[0].title == str(choice.move) == "8/5 6/5"
    assert [note.places for note in pictures[0].notes] == [("8", "5"), ("6", "5")]
