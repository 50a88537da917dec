"""Game records: what is written can be read back, and what is read is checked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.core import BadRecord
from ludus.core.errors import MAX_TEXT
from ludus.core.movetext import MAX_DEPTH
from ludus.core.record import Line, Node, Record
from support.repetition import repeat

# Reading and writing


def test_a_record_is_written_as_people_expect():
    record = Record(
        {"Game": "nine_mens_morris", "White": 'the "best"', "Result": "1-0"},
        Line(
            (
                Node("d6", "the centre"),
                Node("f4", variations=(Line((Node("b4"), Node("d2")), "or"),)),
                Node("d2"),
                Node("b4"),
            ),
            "hello",
        ),
    )
    assert str(record) == (
        '[Game "nine_mens_morris"]\n'
        '[White "the \\"best\\""]\n'
        '[Result "1-0"]\n'
        "\n"
        "{hello} 1. d6 {the centre} 1... f4 ({or} 1... b4 2. d2) 2. d2 b4 1-0"
    )
    assert Record.parse(str(record)) == record


def test_dice_are_not_move_numbers():
    record = Record.parse("1. 31 8/5,6/5 2. 42 24/20,13/11*(2) 3. 66 *")
    moves = [node.move for node in record.line.moves]
    assert moves == ["31", "8/5 6/5", "42", "24/20 13/11*(2)", "66"]
    assert str(record) == "1. 31 8/5,6/5 2. 42 24/20,13/11*(2) 3. 66 *"


@pytest.mark.parametrize(
    ("loose", "normal"),
    [
        ("1.a1 b2 2.c3", "1. a1 b2 2. c3 *"),
        ("a1 b2 c3 *", "1. a1 b2 2. c3 *"),
        ("1. a1 1... b2 *", "1. a1 b2 *"),
        ("1... b2 2. c3 *", "1... b2 2. c3 *"),
        ("12. a1 b2 *", "12. a1 b2 *"),
        ("1. a1 {x}{y}\n{}\t{z} b2 *", "1. a1 {x y z} 1... b2 *"),
        ("1. a1(1. c3)b2(1... d4(1... e5)) *", "1. a1 (1. c3) 1... b2 (1... d4 (1... e5)) *"),
        ("1. a1 (1. c3) {late} b2 *", "1. a1 {late} (1. c3) 1... b2 *"),
        ("1. a1 1/2-1/2", '[Result "1/2-1/2"]\n\n1. a1 1/2-1/2'),
        ('[Result "0-1"] 1. a1', '[Result "0-1"]\n\n1. a1 0-1'),
        ('[A"1"][ B "2" ]', '[A "1"]\n[B "2"]\n\n*'),
        (r"{a\b \{c\} \\}", r"{a\\b \{c\} \\} *"),
        ("{half {open}", r"{half \{open} *"),
        ("*", "*"),
    ],
)
def test_other_layouts_come_out_in_the_normal_one(loose, normal):
    assert str(Record.parse(loose)) == normal
    assert str(Record.parse(normal)) == normal


def test_long_lines_are_broken_between_moves():
    record = Record(line=Line(tuple(Node("a1-a2") for _ in range(60))))
    lines = str(record).splitlines()
    assert len(lines) > 4
    assert max(map(len, lines)) <= 80
    assert Record.parse(str(record)) == record


def test_several_games_in_one_text():
    text = '[A "1"]\n\n1. x y *\n\n[A "2"]\n\n1. z\n\n[A "3"] 1-0 1. w 0-1'
    records = Record.parse_many(text)
    assert [record.headers for record in records] == [
        {"A": "1"},
        {"A": "2"},
        {"A": "3", "Result": "1-0"},
        {"Result": "0-1"},
    ]
    assert [len(record.line.moves) for record in records] == [2, 1, 0, 1]
    assert Record.parse_many("\n\n".join(map(str, records))) == records
    assert Record.parse_many(" \n") == []
    with pytest.raises(BadRecord, match="holds 4 games"):
        Record.parse(text)


def test_a_text_of_many_games_may_be_longer_than_one_game():
    game = str(Record(line=Line(tuple(Node(f"m{i}") for i in range(1000)))))
    many = "\n\n".join([game] * (MAX_TEXT // len(game) + 2))
    assert len(many) > MAX_TEXT
    assert len(Record.parse_many(many)) == many.count("*")
    with pytest.raises(BadRecord, match="at most 100000"):
        Record.parse(many)
    with pytest.raises(BadRecord, match="at most 100000"):
        Record.parse_many("* {" + "x" * MAX_TEXT + "}")


# Round trips of anything that can be said

MARKS = st.sampled_from(["a1", "d6-d5xa1", "31", "8/5 6/5", "8/5(2)", "bar/20*", "0-0"])
ODD_MOVES = st.text(st.characters(exclude_characters='(){}[]",'), min_size=1, max_size=5)
TEXTS = st.text(max_size=8) | st.text('\\{}"() \n*1.', max_size=8)


def _is_writable(move):
    try:
        Node(move)
    except BadRecord:
        return False
    return True


MOVES = MARKS | ODD_MOVES.filter(_is_writable)


def _lines(variations, min_size):
    nodes = st.builds(Node, MOVES, TEXTS, variations)
    return st.builds(Line, st.lists(nodes, min_size=min_size, max_size=4).map(tuple), TEXTS)


VARIATIONS = st.recursive(
    st.just(()),
    lambda inner: st.lists(_lines(inner, 1), max_size=2).map(tuple),
    max_leaves=12,
)
HEADERS = st.dictionaries(
    st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,5}", fullmatch=True).filter(lambda n: n != "Result"),
    TEXTS,
    max_size=3,
)


@st.composite
def records(draw):
    headers = draw(HEADERS)
    if draw(st.booleans()):
        headers["Result"] = draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"]))
    line = draw(_lines(VARIATIONS, 0))
    return Record(headers, line, draw(st.integers(0, 50)) if line.moves else 0)


@settings(max_examples=repeat(100, 300))
@given(records())
def test_records_round_trip(record):
    text = str(record)
    again = Record.parse(text)
    assert again == record
    assert list(again.headers) == list(record.headers)
    assert str(again) == text


@given(st.lists(records(), max_size=4))
def test_files_round_trip(games):
    assert Record.parse_many("\n\n".join(map(str, games))) == games


@given(st.text() | st.text('[]{}()*."\\ \n1a-0/2', max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        games = Record.parse_many(text)
    except BadRecord:
        return
    assert Record.parse_many("\n\n".join(map(str, games))) == games


# What is refused


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "'' holds no games"),
        ("\n1. a1 {never closed", "line 2: the comment '{never closed' has no closing brace"),
        ("[Game hexapawn]", "line 1: '[Game hexapawn]' is not a header"),
        ('[Game "x', "is not a header"),
        ('[Gäme "x"]', "is not a header"),
        ('[A "1"] [A "2"]', "header A is given twice"),
        ("1. a1 }", "'}' does not belong here"),
        ('1. a1 "', "does not belong here"),
        ("(1. a1)", "before the move it could replace"),
        ("1. a1 ((1. b2))", "before the move it could replace"),
        ("1. a1 ()", "a variation has no moves"),
        ("1. a1 ({only words})", "a variation has no moves"),
        ("1. a1 (1. b2", "no closing parenthesis"),
        ("1. a1 )", "no opening one"),
        ("1. a1 (1. b2 1-0)", "the result 1-0 stands in a variation"),
        ('1. a1 (1. b2 [A "1"]', "no closing parenthesis"),
        ('[Result "1-0"] 1. a1 0-1', "the result 0-1 is not that of the header"),
        ('[Result "2-0"] 1. a1', "result '2-0' is none of"),
        ("1. a1 b2 3. c3", "3. stands where 2. should"),
        ("1. a1 2. b2", "2. stands where 1... should"),
        ("1. a1 (2. b2)", "2. stands where 1. should"),
        ("1. 2. a1", "2. stands where 1. should"),
        ("0. a1", "'0.' is not a move number"),
        ("9999999. a1", "is not a move number"),
        ("999999. a1", "cannot begin at ply 1999996"),
        ("5. *", "a record of 0 moves cannot begin"),
    ],
)
def test_bad_records_say_what_is_wrong(text, complaint):
    with pytest.raises(BadRecord) as caught:
        Record.parse(text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "a(" * 50_000,
        "a(" * 40 + ")" * 41,
        "{" * 90_000,
        "[A" * 40_000,
        '[A "' + "\\" * 90_001,
        "{" + "\\" * 90_001,
        "9" * 90_000 + ".",
        "²(." * 100,
        "٣) a1",
        "x" * (MAX_TEXT + 1),
        "\N{LINE SEPARATOR}{",
    ],
    ids=range(12),
)
def test_hostile_texts_are_refused(text):
    with pytest.raises(BadRecord) as caught:
        Record.parse(text)
    assert len(str(caught.value)) < 250
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["\0", "\ud800", "a1 {}" * 10_000, "a (b)" + " (b)" * 11_000])
def test_strange_texts_that_are_records_all_the_same(text):
    record = Record.parse(text)
    assert Record.parse_many(str(record)) == [record]


def nested(depth):
    line = Line((Node("a1"),))
    for _ in range(depth):
        line = Line((Node("a1", variations=(line,)),))
    return line


def test_the_depth_of_variations_is_limited():
    deepest = Record(line=nested(MAX_DEPTH))
    assert Record.parse(str(deepest)) == deepest
    with pytest.raises(BadRecord, match="more than 50 deep"):
        Record(line=nested(MAX_DEPTH + 1))
    with pytest.raises(BadRecord, match="more than 50 deep"):
        Record(line=nested(5000))
    text = str(deepest).replace("(1. a1)", "(1. a1 (1. a1))")
    with pytest.raises(BadRecord, match=r"line \d+: variations lie more than 50 deep"):
        Record.parse(text)


@pytest.mark.parametrize(
    "move",
    ["", "a,b", "a\tb", "{a", "a}", "(a", "a)", "[a", '"', "1-0", "*", "1.", "3...a", "1/2-1/2"],
)
def test_moves_that_cannot_be_written(move):
    with pytest.raises(BadRecord, match="cannot be written"):
        Node(move)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Record({"two words": "x"}),
        lambda: Record({"": "x"}),
        lambda: Record({"Result": "won"}),
        lambda: Record(first_ply=1),
        lambda: Record(line=Line((Node("a"),)), first_ply=-1),
        lambda: Node("a", variations=(Line(),)),
    ],
)
def test_records_that_cannot_be_written(make):
    with pytest.raises(BadRecord):
        make()


# Replaying

CROSSES_WIN = """
[Game "noughts_and_crosses"]
[Reason "line"]
1. b2 a3 (1... a2 2. b3 (2. b1 b3)) 2. b3 a2 3. b1 1-0
"""


def test_replay_gives_the_positions():
    game = ludus.game("noughts_and_crosses")
    positions = Record.parse(CROSSES_WIN).replay(game)
    assert [str(position) for position in positions] == [
        ".../.../... x",
        ".../.X./... o",
        "O../.X./... x",
        "OX./.X./... o",
        "OX./OX./... x",
        "OX./OX./.X. o",
    ]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("3. b1", "3. b2", "move 3.: 'b2' is not a legal move"),
        ("a2 3.", "a3 3.", "move 2...: 'a3'"),
        ("2. b1 b3", "2. b1 b2", "move 2... of a variation: 'b2'"),
        ("1... a2", "1... b2", "move 1... of a variation: 'b2'"),
        ("3. b1", "3. b1 c1", "move 3...: 'c1' is not a legal move of noughts_and_crosses here; "),
        ("1-0", "0-1", "header Result says '0-1', but the moves lead to 1-0"),
        ("line", "full", "header Reason says 'full', but the moves lead to line"),
        ("[Reason", '[Points "2"][Reason', "header Points says '2', but the moves lead to 1"),
        ("noughts_and_crosses", "hexapawn", "a record of 'hexapawn', not of noughts_and_crosses"),
        ("[Reason", '[Start "X../... x"][Reason', "header Start: 'X../... x' has 2 rows"),
        ("[Reason", '[Start "XO./.../... x"][Reason', "move 1...: 'a3'"),
    ],
)
def test_replay_names_the_move_and_what_is_wrong(old, new, complaint):
    record = Record.parse(CROSSES_WIN.replace(old, new))
    with pytest.raises(BadRecord) as caught:
        record.replay(ludus.game("noughts_and_crosses"))
    assert complaint in str(caught.value)


def test_a_game_may_stop_early_and_need_not_say_how_it_ended():
    game = ludus.game("noughts_and_crosses")
    assert len(Record.parse("1. b2 a3 0-1").replay(game)) == 3, "resigned"
    assert len(Record.parse("1. b2 a3 2. b3 a2 3. b1").replay(game)) == 6
