"""Tables in files: what is written is read again, and nothing else is."""

import json

import pytest

from ludus.core.errors import LudusError
from ludus.games import game
from ludus.learn import learner, train_learner
from ludus.learn.tabular.player import TABLES_FOLDER
from ludus.learn.tabular.table import BadTable, RowIndex, SavedTable, load_table
from ludus.players import player as named_player

HEXAPAWN = game("hexapawn")


@pytest.fixture
def file(tmp_path):
    agent = learner("her", HEXAPAWN)
    train_learner(agent, 50)
    path = tmp_path / "her.json"
    agent.export({"games": 50}).save(path)
    return path


def test_what_is_written_is_read_again(file):
    saved = load_table(file, HEXAPAWN, "her")
    assert saved.training_run == {"games": 50}
    assert len(saved.table) > 5
    again = learner("her", HEXAPAWN)
    again.init_from(file)
    assert again.table == saved.table
    assert saved.format() == file.read_text()


@pytest.mark.parametrize("table", sorted(TABLES_FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_the_tables_that_come_with_the_program(table):
    system, _, name = table.stem.partition("-")
    assert len(load_table(table, game(name), system).table) > 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "format"),
        ({"version": 2}, "version '2'"),
        ({"system": "menace"}, "system is 'menace'"),
        ({"game": "noughts_and_crosses"}, "game"),
        ({"rules": {"size": 4}}, "rules"),
        ({"table": []}, "no table"),
        ({"table": {"nonsense": {}}}, "positions is invalid"),
        ({"table": {"BBB/.../WWW w": {}}}, "malformed"),
        ({"table": {"bbb/.../www w": {"a1-a2": 1}}}, "malformed"),
        ({"table": {"BBB/.../WWW w": {"a1-a3": 1}}}, "'a1-a3' is not legal"),
        ({"table": {"BBB/.../WWW w": {"a1-a2": "many"}}}, "'many'"),
        ({"table": {"BBB/.../WWW w": {"a1-a2": True}}}, "not a number"),
        ({"table": {"BBB/.../WWW w": {"a1-a2": float("nan")}}}, "not a number"),
    ],
)
def test_foreign_tables_are_refused(file, change, message):
    text = json.dumps({**json.loads(file.read_text()), **change})
    with pytest.raises(BadTable, match=message):
        SavedTable.parse(text, HEXAPAWN, "her")


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00" * 100, b"\xff\xfe", b"[1, 2]", b"[" * 100_000, b'{"format": "ludus table"'],
    ids=["empty", "zeros", "no UTF-8", "a list", "deep", "cut off"],
)
def test_hostile_files_are_refused_with_their_name(tmp_path, content):
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(BadTable, match=r"odd\.json"):
        load_table(path, HEXAPAWN, "her")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(LudusError, match="cannot read"):
        load_table(tmp_path / "none.json", HEXAPAWN, "her")


@pytest.mark.parametrize(("symmetry", "moves"), [("both", 3), ("moves", 3), ("none", 9)])
def test_what_mirror_images_share(symmetry, moves):
    played = game("noughts_and_crosses")
    rows = RowIndex(played, symmetry)
    _key, names = rows.locate(played.start())
    assert len(set(names.values())) == moves
    corners = {
        rows.locate(played.parse(text))[0]
        for text in ("X../.../... o", "..X/.../... o", ".../.../X.. o")
    }
    assert len(corners) == (1 if symmetry == "both" else 3)


def test_a_player_reads_a_table_as_it_was_learned(tmp_path):
    played = game("noughts_and_crosses")
    training = train_learner(learner("menace:symmetry=moves", played), 20)
    file = tmp_path / "boxes.json"
    training.export().save(file)
    player = named_player(f"menace:table={file}", played)
    board = played.parse(next(iter(player.table)))
    assert set(player.row_values(board)) == set(board.legal_moves())
