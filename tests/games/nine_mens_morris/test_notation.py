"""How positions and moves of the Morris family are written, notation by notation."""

import pytest

import ludus
from ludus.core import BadMove, BadPosition
from ludus.games.nine_mens_morris import (
    PASS,
    POINTS,
    Move,
    mills,
    to_playok_move,
    to_sanmill,
    to_thesis,
    to_thesis_move,
)
from support.facilities import external
from support.morris import GOOD_MOVES

STANDARD = ludus.game("nine_mens_morris")

EMPTY = "O" * 24

# White has six men, Black five; White has just closed a4-b4-c4 and taken a man.
MIDDLE = ".W./..B/W../WWW.BB/.../.B./B.W b 3 3"


def point(name):
    return POINTS.index(name)


def refusal(text, rules=""):
    with pytest.raises(BadPosition) as error:
        ludus.game("nine_mens_morris", rules).parse(text)
    return str(error.value)


# Our own text


def test_the_start_has_a_name():
    assert str(STANDARD.parse("start")) == ".../.../.../....../.../.../... w 9 9"
    assert STANDARD.parse("start") == STANDARD.start()


def test_a_text_shows_the_board_row_by_row():
    position = STANDARD.parse(MIDDLE)
    white, black = ({POINTS[man] for man in men} for men in position.men)
    assert white == {"d7", "c5", "a4", "b4", "c4", "g1"}
    assert black == {"f6", "f4", "g4", "d2", "a1"}
    assert position.mover == 1
    assert position.hands == (3, 3)


def test_letters_may_be_small_and_spaces_many():
    assert STANDARD.parse(f"  {MIDDLE.lower()} \n".replace(" 3", "\t 3")) == STANDARD.parse(MIDDLE)


def test_repetitions_and_quiet_plies_stand_at_the_end():
    game = ludus.game("nine_mens_morris", "repetition=3,quiet_plies=50")
    text = "W.W/.../.../W..W../.B./..B/B.B b 0 0 r2 q17"
    position = game.parse(text)
    assert (position.occurrence, position.quiet) == (2, 17)
    assert str(position) == text
    assert game.parse(text.replace("r2 q17", "q17 r2")) == position


def test_quiet_plies_are_forgotten_where_the_rules_do_not_count_them():
    assert str(STANDARD.parse(f"{MIDDLE} q17")) == MIDDLE


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "its board must look like .../.../.../....../.../.../..."),
        ("WWW/... w 9 9", "its board must look like"),
        (".../.../.../...X../.../.../... w 9 9", "its board must look like"),
        (".../.../.../....../.../.../...", "lacks the mover"),
        (".../.../.../....../.../.../... w 9", "two numbers of men in hand"),
        (".../.../.../....../.../.../... x 9 9", "mover 'x'"),
        (".../.../.../....../.../.../... w nine 9", "White's hand 'nine'"),
        (".../.../.../....../.../.../... w 9 -1", "Black's hand '-1'"),
        (".../.../.../....../.../.../... w 9 ٣", "Black's hand '٣'"),
        (".../.../.../....../.../.../... w 9 9 r0", "'r0' at the end"),
        (".../.../.../....../.../.../... w 9 9 q17x", "'q17x' at the end"),
        (".../.../.../....../.../.../... w 9 9 q5 q6", "'q6' at the end of"),
        (".../.../.../....../.../.../... w 10 9", "White has 0 on the board and 10 in hand"),
        ("BBB/B../.../....../.../.../... w 9 6", "Black has 4 on the board and 6 in hand"),
        ("WW./BB./.../....../.../.../... w 0 0", "both sides have lost"),
        (".../.../.../....../.../.../... w 9 9 r3", "r3 in"),
    ],
)
def test_wrong_texts_are_explained(text, complaint):
    message = refusal(text)
    assert complaint in message
    assert "\n" not in message


def test_the_rules_say_how_many_men_there_are():
    many = "WWW/WWW/WWW/W...../.../.../... b 0 9"
    assert "the rules give 9" in refusal(many)
    assert len(ludus.game("nine_mens_morris", "lasker").parse(many).men[0]) == 10


def test_the_rules_say_how_long_a_game_may_go_on():
    position = "W.W/.../.../W..W../.B./..B/B.B w 0 0"
    assert "q501" in refusal(f"{position} q501", "vrajitoru")
    assert "r2" in refusal(f"{position} r2", "vrajitoru")
    game = ludus.game("nine_mens_morris", "vrajitoru")
    assert game.parse(f"{position} q500").outcome().reason == "quiet"


def test_one_side_may_have_lost():
    assert STANDARD.parse("WWW/BB./.../....../.../.../... b 0 0").outcome().winner == 0


# The thesis's letters


def test_thesis_letters_know_the_mover_only():
    """M is the mover of either colour; the parsed position has White to move."""
    letters = "OEOOOMEOOEEEOMMOOOOMOMOE3356"
    assert to_thesis(STANDARD.parse(MIDDLE)) == letters
    again = STANDARD.parse(letters)
    assert again.mover == 0
    assert again.men == STANDARD.parse(MIDDLE).men[::-1]
    assert to_thesis(again) == letters


def test_thesis_lines_of_the_dataset():
    position = STANDARD.parse("OMOMOOOMMOMOEOOEEMMOOMEO0084-b6d6d3")
    assert str(position) == ".W./W../.WW/.W.B../BBW/W../WB. w 0 0"
    move = STANDARD.parse_move("b6d6d3", position)
    assert str(move) == "b6-d6xd3"
    assert to_thesis_move(move) == "b6d6d3"


def test_thesis_start():
    assert STANDARD.parse(f"{EMPTY}9900") == STANDARD.start()
    assert to_thesis(STANDARD.start()) == f"{EMPTY}9900"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"MM{EMPTY[2:]}7930", "shows 2 M but counts 3"),
        (f"EE{EMPTY[2:]}9701", "shows 2 E but counts 1"),
        (f"MM{EMPTY[2:]}8920", "White has 2 on the board and 8 in hand"),
        (f"{EMPTY}0000", "both sides have lost"),
        (EMPTY, "is not a position"),
        (f"{EMPTY}990", "is not a position"),
        (f"{EMPTY}99００", "is not a position"),
        (f"{EMPTY}9900-", "is not a position"),
        (f"{EMPTY}9900-a9", "is not a position"),
        (f"{EMPTY}9900-a7d7g7g4", "is not a position"),
    ],
)
def test_wrong_thesis_letters_are_explained(text, complaint):
    assert complaint in refusal(text)


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ("lasker", "start"),
        ("lasker", "WWW/WWW/WWW/W...../.../.../BBB b 0 0"),
    ],
)
def test_ten_men_have_no_thesis_letters(rules, text):
    with pytest.raises(BadPosition, match="one digit for 10 men"):
        to_thesis(ludus.game("nine_mens_morris", rules).parse(text))


# Sanmill's FEN

FEN_START = "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1"


def test_sanmill_start():
    assert STANDARD.parse(FEN_START) == STANDARD.start()
    assert STANDARD.parse(f"{FEN_START} ids:nodes") == STANDARD.start()
    assert to_sanmill(STANDARD.start()) == FEN_START


def test_sanmill_writes_rings_from_the_inside_each_from_its_top():
    fen = "******OO/*@@*@*O*/O*@O*@O* b p p 6 3 5 3 0 0 -1 -1 -1 -1 0 0 1"
    assert to_sanmill(STANDARD.parse(MIDDLE)) == fen
    assert STANDARD.parse(fen) == STANDARD.parse(MIDDLE)


def test_sanmill_tells_placing_from_moving():
    position = STANDARD.parse("W.W/.../.../W..W../.B./..B/B.B w 0 0")
    fen = "**O*@***/***@****/*O*@*@OO w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1"
    assert to_sanmill(position) == fen
    assert STANDARD.parse(fen) == position


def test_sanmill_counts_quiet_plies():
    game = ludus.game("nine_mens_morris", "vrajitoru")
    position = game.parse("W.W/.../.../W..W../.B./..B/B.B w 0 0 q42")
    assert to_sanmill(position).split()[-2] == "42"
    assert game.parse(to_sanmill(position)) == position


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("********/********/****** w p p 0 9 0 9 0 0", "is not three rings of eight"),
        ("********/********/********/******** w p p 0 9 0 9 0 0", "is not three rings"),
        ("********/********/******** w p p 0 9", "has 6 fields"),
        ("********/********/******** x p p 0 9 0 9 0 0", "mover 'x'"),
        ("********/********/******** w p p 0 9 zero 9 0 0", "the count 'zero'"),
        ("********/********/*******O w p r 1 8 0 9 1 0", "a man is still to be taken"),
        ("********/********/*******O w p p 1 8 0 9 1 0", "a man is still to be taken"),
        ("********/********/*******O b p p 1 8 0 9 0 1", "a man is still to be taken"),
        ("********/********/*******O w p p 2 7 0 9 0 0", "shows 1 O but counts 2"),
        ("********/********/*******@ w p p 0 9 2 7 0 0", "shows 1 @ but counts 2"),
        ("********/********/*******O w p p 1 9 0 9 0 0", "White has 1 on the board and 9"),
        ("********/********/******** w m s 0 0 0 0 0 0", "both sides have lost"),
        (f"{FEN_START[:-4]} ten 1", "the rule-50 counter 'ten'"),
    ],
)
def test_wrong_fens_are_explained(text, complaint):
    assert complaint in refusal(text)


# Moves


@pytest.mark.parametrize(
    ("move", "human", "thesis", "playok"),
    [
        (Move(None, point("a7"), None), "a7", "a7", "1"),
        (Move(None, point("g1"), point("d1")), "g1xd1", "g1d1", "24x23"),
        (Move(point("d6"), point("d5"), None), "d6-d5", "d6d5", "5-8"),
        (Move(point("d6"), point("d5"), point("c3")), "d6-d5xc3", "d6d5c3", "5-8x16"),
        (PASS, "pass", "", "pass"),
    ],
)
def test_moves_are_written(move, human, thesis, playok):
    assert (str(move), to_thesis_move(move), to_playok_move(move)) == (human, thesis, playok)


CAPTURE = STANDARD.parse("WW./..W/BB./.B...B/.../.../... w 0 0")


@pytest.mark.parametrize(
    "text", ["f6-g7xc5", "f6g7xc5", "f6g7c5", " F6-G7 x C5 ", "6-3x7", "6-3 X 7"]
)
def test_a_capture_can_be_written_in_many_ways(text):
    assert str(STANDARD.parse_move(text, CAPTURE)) == "f6-g7xc5"


@pytest.mark.parametrize("text", ["d6", "5", " D6 ", "d6\n"])
def test_a_placing_can_be_written_in_many_ways(text):
    assert STANDARD.parse_move(text, STANDARD.start()) == Move(None, point("d6"), None)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not a move"),
        ("h8", "is not a move"),
        ("d4", "is not a move"),
        ("0", "is not a move"),
        ("25", "is not a move"),
        ("1-2-3", "is not a move"),
        ("58", "is not a move"),
        ("a7-1", "is not a move"),
        ("٣", "is not a move"),
        ("a7-d7", "is not legal in .../.../.../....../.../.../... w 9 9; legal are a7, d7, g7, …"),
        ("pass", "is not legal"),
        ("a7" * 600, "at most 1000"),
    ],
)
def test_wrong_moves_are_explained(text, complaint):
    with pytest.raises(BadMove) as error:
        STANDARD.parse_move(text, STANDARD.start())
    assert complaint in str(error.value)


def test_no_move_is_legal_when_the_game_is_over():
    over = STANDARD.parse("WWW/BB./.../....../.../.../... b 0 0")
    with pytest.raises(BadMove, match="the game is over"):
        STANDARD.parse_move("b6-b4", over)


# The thesis's dataset


def check_lines(lines):
    """Each state and move is read, legal, and written back letter for letter.

    Returns the number of states in which the game is over, and of men taken out of mills. Where the
    mover has two men in all, it has lost under the standard rules; there the move is checked as if
    the game went on.
    """
    going_on = ludus.game("nine_mens_morris", "lose_below=1")
    over = out_of_mills = 0
    for line in lines:
        state, _, text = line.partition("-")
        position = STANDARD.parse(line)
        if position.outcome() is not None:
            over += 1
            assert len(position.men[0]) + position.hands[0] == 2
            position = going_on.parse(line)
        move = STANDARD.parse_move(text, position)
        assert (to_thesis(position), to_thesis_move(move)) == (state, text)
        out_of_mills += move.take is not None and is_in_mill(move.take, position.men[1])
    return over, out_of_mills


def test_every_line_of_a_generated_dataset():
    lines = GOOD_MOVES.read_text().splitlines()
    assert len(lines) == 500
    assert check_lines(lines)[0] == 0


@pytest.mark.external("nnmm")
def test_every_line_of_the_dataset():
    """In seven states of the thesis's dataset of good moves the mover has two men in all."""
    lines = external("nnmm", "dataset.txt").read_text().splitlines()
    assert len(lines) == 100_154
    assert check_lines(lines) == (7, 211)


def is_in_mill(man, men):
    return any(man in mill and men.issuperset(mill) for mill in mills(False))
