"""How a game ended, in words: every reason of every game has its text."""

import pytest

import ludus
from ludus.core.game import Outcome

SENTENCES = {
    ("nine_mens_morris", Outcome(0, "men")): "White won: black had too few men left.",
    ("nine_mens_morris", Outcome(1, "blocked")): "Black won: white could not move.",
    ("nine_mens_morris", Outcome(None, "blocked")): "A draw: neither side could move.",
    ("nine_mens_morris", Outcome(None, "full")): "A draw: the board was full.",
    ("nine_mens_morris", Outcome(None, "repetition")): "A draw: the position was repeated.",
    (
        "nine_mens_morris",
        Outcome(None, "quiet"),
    ): "A draw: nothing was placed or taken for too long.",
    ("backgammon", Outcome(0, "single")): "White won: white bore off every checker.",
    (
        "backgammon",
        Outcome(0, "gammon", 2),
    ): "White won a gammon (2 points): white bore off every checker before black bore off any.",
    (
        "backgammon",
        Outcome(1, "backgammon", 3),
    ): (
        "Black won a backgammon (3 points): black bore off every checker before white had left the "
        "start."
    ),
    ("noughts_and_crosses", Outcome(1, "line")): "Noughts won: noughts completed a line.",
    ("noughts_and_crosses", Outcome(None, "full")): "A draw: the board was full.",
    ("hexapawn", Outcome(0, "crossed")): "White won: white crossed the board.",
    ("hexapawn", Outcome(0, "men")): "White won: black had no pawn left.",
    ("hexapawn", Outcome(None, "blocked")): "A draw: there was no move left.",
    ("hexapawn", Outcome(1, "illegal")): "Black won: white made an illegal move.",
    ("hexapawn", Outcome(None, "length")): "A draw: the game was too long.",
    ("hexapawn", Outcome(0, "crash")): "White won: crash.",
}


@pytest.mark.parametrize(("name", "outcome"), SENTENCES, ids=str)
def test_an_outcome_is_described_in_a_sentence(name, outcome):
    assert ludus.game(name).describe_outcome(outcome) == SENTENCES[name, outcome]


@pytest.mark.parametrize(
    ("people", "won", "lost"),
    [
        ((0,), "You won: black could not move.", "You lost: you could not move."),
        ((1,), "You lost: you could not move.", "You won: white could not move."),
        ((0, 1), "White won: black could not move.", "Black won: white could not move."),
    ],
)
def test_a_person_playing_alone_is_addressed_as_you(people, won, lost):
    game = ludus.game("nine_mens_morris")
    assert game.describe_outcome(Outcome(0, "blocked"), people) == won
    assert game.describe_outcome(Outcome(1, "blocked"), people) == lost


def test_a_lost_backgammon_has_its_name():
    outcome = Outcome(1, "backgammon", 3)
    text = ludus.game("backgammon").describe_outcome(outcome, (0,))
    assert text.startswith("You lost a backgammon (3 points): black bore off every checker")


def test_the_short_form_names_the_result_and_the_reason():
    assert str(Outcome(1, "line")) == "side 1 wins (line)"
    assert Outcome(1, "line").format(("crosses", "noughts")) == "noughts wins (line)"
    assert Outcome(None, "full").format(("crosses", "noughts")) == "draw (full)"
