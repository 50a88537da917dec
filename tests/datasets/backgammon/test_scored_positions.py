"""The expert's data base: its design, its file, and how it is made again."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.core.errors import LudusError
from ludus.datasets.backgammon.scored_positions import (
    SET_UPS,
    THEME_WEIGHTS,
    BadScoredPosition,
    choose_scored_moves,
    choose_theme,
    classify_theme,
    format_scored_positions,
    parse_scored_position,
    parse_scored_positions,
    sample_position,
    score_loss,
)
from ludus.datasets.generator import GenerationPlan
from ludus.games.backgammon.board import make_view
from ludus.learn.gammon.data import load_test_positions as shipped_test_positions
from ludus.learn.gammon.data import load_training_positions

GAME = ludus.game("backgammon")
LINE = "4HPwATDgc/ABMA 31 opening 8/5,6/5=100 24/23,13/10=-49"


def test_sizes_are_those_of_the_paper():
    assert len(load_training_positions()) == 3202
    assert len(shipped_test_positions()) == 1000


def test_nothing_of_the_test_set_is_learned():
    learned = {scored.position for scored in load_training_positions()}
    assert len(learned) == 3202
    assert not learned & {scored.position for scored in shipped_test_positions()}


def test_every_theme_has_its_share():
    counts = Counter(scored.theme for scored in load_training_positions())
    assert set(counts) == set(THEME_WEIGHTS)
    for theme, share in THEME_WEIGHTS.items():
        assert counts[theme] == pytest.approx(3202 * share / sum(THEME_WEIGHTS.values()), rel=0.4)


def test_themes_are_those_of_the_positions():
    for scored in load_training_positions()[::10]:
        assert classify_theme(make_view(scored.position.board, 0)) == scored.theme


def test_comments_are_few_and_the_best_move_is_among_them():
    moves = comments_made = 0
    for scored in load_training_positions():
        assert 1 <= len(scored.scores) <= 4
        assert list(scored.scores.values()) == sorted(scored.scores.values(), reverse=True)
        assert max(scored.scores.values()) == 100
        assert min(scored.scores.values()) >= -100
        moves += len(scored.position.legal_moves())
        comments_made += len(scored.scores)
    assert comments_made / moves < 0.2


def test_themes_come_in_turn():
    cycle = Counter(choose_theme(number) for number in range(sum(THEME_WEIGHTS.values())))
    assert cycle == Counter(THEME_WEIGHTS)


def test_drawing_is_a_function_of_number_and_seed():
    for number in (0, 3, 7):
        drawn = sample_position(number, 5)
        assert drawn == sample_position(number, 5)
        assert drawn.theme == choose_theme(number)
        assert len(drawn.position.legal_moves()) >= 3
    assert sample_position(0, 5) != sample_position(0, 6)


def test_set_ups_are_positions():
    for set_ups in SET_UPS.values():
        for men in set_ups:
            assert GAME.parse(f"{men} 0 roll").mover == -1


def test_what_the_expert_says():
    losses = {"best": 0.0, "close": 0.03, "so-so": 0.06, "bad": 0.2, "worse": 0.5}
    output = choose_scored_moves(losses, ["worse", "bad", "so-so", "best", "close"])
    assert output == {"best": 100, "close": score_loss(0.03), "worse": score_loss(0.5)}
    assert choose_scored_moves({"one": 0.0, "other": 0.03}, ["one", "other"]) == {}


def test_a_line_is_read_and_written_again():
    scored = parse_scored_position(LINE)
    assert str(scored) == LINE
    assert (scored.theme, len(scored.scores)) == ("opening", 2)
    text = format_scored_positions([scored])
    assert list(parse_scored_positions(text)) == [scored]


def test_people_may_write_more_freely():
    """An XGID with its dice, steps in any order, hits without stars."""
    same = parse_scored_position(
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 - mine 6/5,8/5=+100 13/10,24/23=-49"
    )
    assert same.scores == parse_scored_position(LINE).scores
    assert same.position == parse_scored_position(LINE).position


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("4HPwATDgc/ABMA 31 opening", "is not position, dice, theme"),
        ("4HPwATDgc/ABMA 37 opening 8/5,6/5=1", "dice"),
        ("4HPwATDgc/ABMA 31 Opening! 8/5,6/5=1", "theme"),
        ("4HPwATDgc/ABMA 31 opening 8/5,6/5", "is not move=score"),
        ("4HPwATDgc/ABMA 31 opening 8/5,6/5=101", "score 101"),
        ("4HPwATDgc/ABMA 31 opening 8/5,6/5=٣", "is not move=score"),
        ("4HPwATDgc/ABMA 31 opening 8/5,6/5=1 6/5,8/5=2", "twice"),
        ("4HPwATDgc/ABMA 31 opening 8/4,6/5=1", "not a legal move"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10 - mine 8/5=1", "no dice"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 52 mine 8/5=1", "not those"),
        ("x" * 30_000, "too long"),
        ("\0\ud800 31 a b=1", "31"),
    ],
)
def test_lines_that_make_no_sense(line, message):
    with pytest.raises(LudusError, match=message):
        parse_scored_position(line)
    with pytest.raises(BadScoredPosition, match=r"^line 2: "):
        list(parse_scored_positions(f"# a comment\n{line}\n"))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80))
def test_no_text_causes_anything_but_an_error(text):
    output = ""
    try:
        list(parse_scored_positions(f"4HPwATDgc/ABMA 31 opening 8/5,6/5={text}\n{text}"))
    except LudusError as error:
        output = str(error)
    assert "\n" not in output


@pytest.mark.needs_debian("gnubg")
def test_the_data_base_can_be_made_again():
    """The first numbers give lines of the shipped file, to the letter."""
    from ludus.protocol.gnubg_generator import GnubgGenerator

    generator = GnubgGenerator()
    plan = GenerationPlan("backgammon", generator.teacher, ("tool",), 8, seed=1)
    generator.check(plan)
    shipped = {str(scored) for scored in load_training_positions()}
    made = [line for number in range(8) for line in generator.lines(plan, number)]
    assert len(made) >= 6
    assert set(made) <= shipped


@pytest.mark.needs_debian("gnubg")
def test_a_test_set_leaves_out_what_is_known(tmp_path):
    from ludus.protocol.gnubg_generator import GnubgGenerator

    generator = GnubgGenerator()
    plan = GenerationPlan("backgammon", generator.teacher, ("tool",), 2, seed=1)
    lines = generator.lines(plan, 0)
    known = tmp_path / "known.txt"
    known.write_text("\n".join(lines))
    without = GenerationPlan(
        "backgammon", generator.teacher, ("tool",), 2, seed=1, options=f"without={known}"
    )
    assert len(lines) == 1
    assert generator.lines(without, 0) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"teacher": "tool"}, "cannot be the expert"),
        ({"teacher": "gnubg:plies=9"}, "plies=9"),
        ({"rules": "hyper"}, "standard rules"),
        ({"opponents": ("random",)}, "other opponents"),
        ({"options": "without=/nowhere/at/all"}, "cannot read"),
        ({"options": "speed=1"}, "no option"),
    ],
)
@pytest.mark.needs_debian("gnubg")
def test_plans_that_cannot_be_carried_out(change, message):
    from ludus.protocol.gnubg_generator import GnubgGenerator

    fields = {"teacher": "gnubg:plies=2", "opponents": ("tool",), **change}
    with pytest.raises(LudusError, match=message):
        GnubgGenerator().check(GenerationPlan("backgammon", states=1, **fields))
