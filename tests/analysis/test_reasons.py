"""Why a move is a mistake: each sentence says what the board or the refutation shows."""

import itertools
import re
from dataclasses import replace

import pytest
from experiments.reviews.claims import Judge, Untrue, check_sentence
from experiments.reviews.reasons import SOURCES, measure, sample_mistakes

import ludus
from ludus.analysis import Analyst, judge_move
from ludus.games.backgammon.board import make_view
from ludus.games.backgammon.drawbacks import count_shots
from ludus.oracles.selection import oracle as find_oracle


def explain(analyst, position, move):
    position = analyst.game.parse(position)
    played = analyst.game.parse_move(move, position)
    (analysis,) = analyst.evaluate([position], [played])
    reviewed = judge_move(analyst.game, position, analysis, played)
    assert reviewed is not None
    return reviewed.reason


@pytest.mark.parametrize(
    ("game", "position", "move", "reason"),
    [
        (
            "noughts_and_crosses",
            "O.O/..X/X.. x",
            "b1",
            "b1 loses a drawn game: it allows b3, which wins at once. Only b3 draws.",
        ),
        (
            "noughts_and_crosses",
            "OOX/XXO/... x",
            "c1",
            "c1 gives away the win: a1 wins at once.",
        ),
        (
            "hexapawn:four",
            "BBBB/..../.W../W.WW b",
            "a4-a3",
            "a4-a3 turns a win into a loss: it allows b2xa3, which takes the pawn on a3. "
            "Only b4-b3 wins in 6 moves.",
        ),
        (
            "nine_mens_morris",
            "B.B/.B./.../.W..W./WW./.../... b 0 0",
            "a7-c5",
            "a7-c5 gives away the win: d6-d7xc3 closes the mill a7–d7–g7 and takes the man on c3. "
            "Only d6-d7xc3 wins in 11 moves.",
        ),
        (
            "nine_mens_morris",
            "B.W/.../.../.B..W./.../..B/.W. b 0 0",
            "b4-g4",
            "b4-g4 turns a win into a loss: a7-b2 threatens two mills at once. "
            "a7-b2 wins in 2 moves.",
        ),
    ],
)
def test_reasons_are_facts_of_the_board(game, position, move, reason):
    assert explain(Analyst(ludus.game(game)), position, move) == reason


def test_shots_are_counted_as_in_books():
    """Direct and combined shots at one checker by the distance to it (Magriel 1976, chapter 8)."""
    game = ludus.game("backgammon")
    rolls = {1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3}
    found = {}
    for distance in rolls:
        # Black's last checker is on White's 2 point, and nothing stands between.
        position = game.parse(f"{2 + distance}:1,1:14 23:1,1:14 1 roll")
        found[distance] = count_shots(make_view(position.board, 0), "native").rolls
    assert found == rolls


def test_a_shot_is_named_with_its_rolls_and_its_checkers():
    """An opening that slots and splits is open to every roll, while 13/7 8/7 makes a point."""
    analyst = Analyst(ludus.game("backgammon"))
    position = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 1 61"
    reason = explain(analyst, position, "24/18 8/7")
    assert re.fullmatch(
        r"24/18 8/7 gives away 0\.\d+ points: it leaves 3 checkers open to 36 of 36 rolls "
        r"\(100%\), 13/7 8/7 to none\.",
        reason,
    )


@pytest.mark.parametrize(
    "name",
    [
        "noughts and crosses",
        "hexapawn 3x3",
        pytest.param("morris, endings", marks=pytest.mark.slow),
    ],
)
def test_the_checks_find_false_sentences(name):
    """A sentence of one mistake is not true of another one."""
    source = SOURCES[name]
    game = ludus.game(source.game, source.rules)
    analyst = Analyst(game)
    judge = Judge(game, find_oracle(game), analyst)
    found = sample_mistakes(game, analyst, source, 12, seed=2)
    for made in found:
        check_sentence(judge, made)
    swapped = 0
    for made, other in itertools.pairwise(found):
        # The move and the change of value are its own, the reason is another's.
        change, _, _ = made.reason.partition(": ")
        _, colon, why = other.reason.partition(": ")
        if why and why not in made.reason:
            swapped += 1
            with pytest.raises((Untrue, ludus.BadMove, AssertionError)):
                check_sentence(judge, replace(made, reason=f"{change}{colon}{why}"))
    assert swapped > 5


@pytest.mark.slow
def test_nearly_all_sentences_of_a_new_sample_give_a_reason_and_all_are_true():
    report = measure(scale=0.2, seed=7)
    assert report["untrue"] == []
    assert report["share_with_a_reason"] > 0.8
