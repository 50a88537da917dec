"""Programs written and read: as files, in English, as pictures."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ludus.core.errors import LudusError
from ludus.learn.migo.explain import draw_call_diagram, explain_predicate, explain_program
from ludus.learn.migo.program import (
    BadProgram,
    Clause,
    Program,
    SavedProgram,
    load_program,
    parse_program,
)
from support.migo_learners import train_program

GAMES = ["noughts_and_crosses", "hexapawn", "hexapawn:size=4"]


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("mode", ["faithful", "improved"])
def test_programs_survive_writing_and_reading(tmp_path, spec, mode):
    saved = SavedProgram(train_program(spec, mode), spec)
    assert parse_program(str(saved)) == saved
    file = tmp_path / "program.pl"
    file.write_text(str(saved))
    assert load_program(file) == saved


@pytest.mark.parametrize("name", ["", "my games/nim.py", "n\nim.py", "ü.py", "x" * 300])
def test_names_that_a_line_cannot_hold_are_left_out(name):
    program = train_program("hexapawn", "improved")
    assert parse_program(str(SavedProgram(program, name))) == SavedProgram(program)


BAD = [
    "",
    "win_1(A,B) :- move(A,B), won(B).",
    "% ludus migo 2\n",
    "% ludus migo ١\n",
    "% ludus migo 1 \ud800\n",
    "% ludus migo 1\nwin_1(A,B) :- move(A,B), won(C).",
    "% ludus migo 1\nwin_1(A,B) :- move(A,B), lost(B).",
    "% ludus migo 1\nwin_1(A,B) :- win_1(A,B), won(B).",
    "% ludus migo 1\nwin_2(A,B) :- move(A,B), not(win_1(B,_)).",
    "% ludus migo 1\n:- shell('true').",
    "% ludus migo 1\n\0",
    "% ludus migo 1\n" + "x" * 1_000_000,
]


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_program_is_refused_in_one_line(text):
    with pytest.raises(LudusError) as error:
        parse_program(text)
    assert "\n" not in str(error.value)


@given(some.text() | some.text().map("% ludus migo 1\n".__add__))
def test_any_text_is_a_program_or_refused(text):
    try:
        saved = parse_program(text)
    except BadProgram:
        return
    assert parse_program(str(saved)) == saved


@pytest.mark.parametrize("data", [b"\xff\xfe", b"% ludus migo 1\n\xc3", bytes(300)])
def test_files_that_are_no_programs(tmp_path, data):
    file = tmp_path / "a.pl"
    file.write_bytes(data)
    with pytest.raises(BadProgram):
        load_program(file)
    with pytest.raises(BadProgram):
        load_program(tmp_path / "nowhere")
    with pytest.raises(BadProgram):
        load_program(tmp_path)


def test_the_english_of_the_paper():
    program = train_program("noughts_and_crosses", "faithful")
    assert explain_program(program)[:4] == [
        "State A is won at depth 1 if there exists a move from A to B such that B is won.",
        "State A is won at depth 2 if there exists a move of the current player from A to B such "
        "that B is not immediately won for the opponent and such that the opponent cannot make a "
        "move from B to C to prevent the current player from immediately winning.",
        "State A is won at depth 3 if there exists a move of the current player from A to B such "
        "that B is not won for the opponent in 1 or 2 moves and such that the opponent cannot make "
        "a move from B to C to prevent the current player from winning in 1 or 2 moves.",
        "State A is drawn at depth 1 if there exists a move of the current player from A to B such "
        "that B is not immediately won for the opponent.",
    ]


def test_english_tells_the_conditions_on_a_reply_and_gives_alternatives():
    program = Program(
        (
            Clause("win_1", "move", "postcond", "won"),
            Clause("win_2", "move", "forcing", "move"),
            Clause("draw_1", "move", "postcond", "drawn"),
            Clause("draw_1", "move", "negation", "win_1"),
        )
    )
    assert "the opponent has to move from B but cannot move" in explain_predicate(program, "win_2")
    assert ", or if there exists" in explain_predicate(program, "draw_1")


@pytest.mark.parametrize("spec", GAMES)
def test_the_diagram_shows_every_predicate_and_every_call(spec):
    program = train_program(spec, "improved")
    root = ElementTree.fromstring(draw_call_diagram(program))
    space = "{http://www.w3.org/2000/svg}"
    names = {text.text for text in root.iter(f"{space}text")}
    called = {name for clause in program.clauses for name in (clause.first, clause.second)}
    assert names == {*program, *called}
    calls = {(c.head, c.first) for c in program.clauses} | {
        (c.head, c.second) for c in program.clauses
    }
    lines = list(root.iter(f"{space}path"))
    assert len(lines) >= len(calls)
    boxes = [tuple(float(r.get(k)) for k in ("x", "y")) for r in root.iter(f"{space}rect")]
    assert len(set(boxes)) == len(names)
