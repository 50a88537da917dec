"""Files of games with other tables, types and values than the server writes.

Each gives its games or one line; a file that is refused stays as it is, and a damaged game does not
keep others from being played.
"""

import random
import sqlite3
from contextlib import closing

import pytest

from ludus.core.errors import LudusError
from ludus.web.store import APPLICATION_ID, MAX_STORED_NODES, VERSION, BadGameFile, GameStore
from support.repetition import repeat
from support.stored_games import FIRST_MOVE, games_in, order, play, run_apart, shown, stored

SCHEMAS = {
    "a table is missing": "DROP TABLE node",
    "a column is missing": "ALTER TABLE node DROP COLUMN thought",
    "a column is renamed": "ALTER TABLE game RENAME COLUMN state TO status",
    "a table is renamed": "ALTER TABLE game RENAME TO games",
    "a column is added": "ALTER TABLE game ADD COLUMN more TEXT",
    "other types": "ALTER TABLE game RENAME TO old; CREATE TABLE game AS SELECT * FROM old",
    "a view in place of a table": "ALTER TABLE node RENAME TO real;"
    "CREATE VIEW node AS SELECT * FROM real",
    "a view without end": "ALTER TABLE node RENAME TO real; CREATE VIEW node AS WITH RECURSIVE"
    " n(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n)"
    " SELECT 'a-game-of-number-0' AS game, number, 0 AS parent, '' AS move, '' AS made_by,"
    " '' AS comment, 'null' AS thought FROM n",
    "a trigger that deletes": "CREATE TRIGGER lose AFTER UPDATE ON game BEGIN"
    " DELETE FROM node; END",
    "a trigger with a long message": "CREATE TRIGGER talk BEFORE INSERT ON game BEGIN"
    f" SELECT RAISE(ABORT, 'two\nlines {'x' * 5000}'); END",
    "an older version": "PRAGMA user_version = 0",
    "a newer version": f"PRAGMA user_version = {VERSION + 1}",
    "a file of another program": f"PRAGMA application_id = {APPLICATION_ID + 1}",
}

TABLES = {
    "game": ("id", "used", "name", "rules", "start", "seed", "state"),
    "node": ("number", "parent", "move", "made_by", "comment", "thought"),
}

VALUES = (
    *("NULL", "''", "'x'", "'null'", "'[]'", "'{}'", "'NaN'", "x''", "x'ff00'", "zeroblob(5000)"),
    *("0", "-1", "2.5", "9e999", "-9e999", "9223372036854775807", "-9223372036854775808"),
    *("CAST(x'ff' AS TEXT)", "char(0)", "char(10, 27)", "printf('%.*c', 100000, '[')"),
    *("'9' || hex(zeroblob(5000))", "'1e999'", "'os:system'", "'../../x'", "char(55296)"),
)


def write_games(path):
    """Write a file with two games of one move each."""

    async def work():
        async with games_in(path) as games:
            for number in range(2):
                await games.store.save(stored(number, at=1), [FIRST_MOVE])

    run_apart(work())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a file of games."""
    path = tmp_path_factory.mktemp("whole") / "games.sqlite"
    write_games(path)
    return path.read_bytes()


def change(path, statements):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)


@pytest.mark.parametrize("statements", SCHEMAS.values(), ids=SCHEMAS)
def test_other_tables_are_refused_and_the_file_is_kept(whole, tmp_path, statements):
    path = tmp_path / "games.sqlite"
    path.write_bytes(whole)
    change(path, f"PRAGMA legacy_alter_table = ON; PRAGMA journal_mode = DELETE; {statements}")
    before = path.read_bytes()
    with pytest.raises(BadGameFile) as caught:
        GameStore(path, 10)
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 500
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def put(path, table, column, value):
    """Put a value into a column of the first game, past the constraint that it is not null."""
    key = "id" if table == "game" else "game"
    where = f"{key} = 'a-game-of-number-0'"
    replace_in_schema(path, " NOT NULL", " /* NULL */")
    change(path, f"UPDATE OR IGNORE {table} SET {column} = {value} WHERE {where}")
    replace_in_schema(path, " /* NULL */", " NOT NULL")


def replace_in_schema(path, old, new):
    swap = f"UPDATE sqlite_master SET sql = replace(sql, '{old}', '{new}')"
    change(path, f"PRAGMA writable_schema = ON; {swap}")


def test_other_values_give_a_game_or_one_line(whole, tmp_path):
    path = tmp_path / "games.sqlite"
    cases = [
        (table, column, value)
        for table, columns in TABLES.items()
        for column in columns
        for value in VALUES
    ]
    chosen = random.Random(3).sample(cases, repeat(24, len(cases)))

    async def look():
        async with games_in(path) as games:
            try:
                shown(await games.find(stored(0).id))
                found = ""
            except LudusError as error:
                found = str(error)
            session = await games.find(stored(1).id)  # the other game can be played
            await play(session, "a3xb2")
            await games.create(order())
        return found

    refused = 0
    for table, column, value in chosen:
        path.write_bytes(whole)
        put(path, table, column, value)
        message = run_apart(look())
        assert not message or message.isprintable(), (table, column, value)
        assert len(message) < 500
        refused += bool(message)
        with closing(sqlite3.connect(path)) as connection:  # nothing is lost
            assert connection.execute("SELECT count(*) FROM game").fetchone() == (3,)
            assert connection.execute("SELECT count(*) FROM node").fetchone() == (3,)
    assert refused > len(chosen) / 2


def test_a_game_of_very_many_moves_is_refused(whole, tmp_path):
    path = tmp_path / "games.sqlite"
    path.write_bytes(whole)
    change(
        path,
        "WITH RECURSIVE n(number) AS"
        f" (SELECT 2 UNION ALL SELECT number + 1 FROM n LIMIT {MAX_STORED_NODES})"
        " INSERT INTO node SELECT 'a-game-of-number-0', number, 0, 'b1-b2', 'person', '', 'null'"
        " FROM n",
    )

    async def work():
        async with games_in(path) as games:
            with pytest.raises(BadGameFile, match=f"more than {MAX_STORED_NODES} moves"):
                await games.find(stored(0).id)

    run_apart(work())
