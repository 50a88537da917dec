"""Tournaments as tables and as records."""

import json
import sqlite3
from collections import Counter
from contextlib import closing

import pytest

from ludus.arena import ResultStore, Tournament
from ludus.arena.game_export import COLUMNS
from ludus.arena.jobs import GameConditions, JobKey
from ludus.arena.report import tournament
from ludus.cli.main import run
from ludus.core.record import Record
from ludus.games import game
from support.paths import ROOT


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    path = tmp_path_factory.mktemp("league") / "league.sqlite"
    plan = Tournament(GameConditions("hexapawn"), ("random", "perfect"), 6, seed=3, name="League")
    with ResultStore(path) as store:
        tournament(plan, store=store, jobs=1)
    return path


def export(capsys, *words):
    assert run(["export", *map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_records_can_be_replayed(results, tmp_path, capsys):
    out = tmp_path / "games.txt"
    assert export(capsys, results, "--out", out)["games"] == 6
    records = Record.parse_many(out.read_text())
    assert [record.headers["Round"] for record in records] == [str(n) for n in range(1, 7)]
    assert {record.headers["Event"] for record in records} == {"League"}
    for record in records:
        assert record.replay(game("hexapawn"))[-1].outcome() is not None


def test_a_table_holds_what_the_store_holds(results, tmp_path, capsys):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "games.parquet"
    assert export(capsys, "tournament", results.with_suffix(".toml"), "--out", out)["games"] == 6
    rows = parquet.read_table(out).to_pylist()
    page = (ROOT / "docs/data.md").read_text()
    assert list(rows[0]) == [column.name for column in COLUMNS]
    assert all(f"| `{column.name}` |" in page for column in COLUMNS)
    with ResultStore(results, is_read_only=True) as store:
        ((identity, settings),) = store.tournaments()
        stored = list(store.results(identity))
    assert settings["name"] == "League"
    names = ("first", "second")
    for row, result in zip(rows, stored, strict=True):
        key = JobKey(row["tournament"], row["first"], row["second"], row["number"])
        assert key == result.key
        winner = None if result.winner is None else names[result.winner]
        assert (row["winner"], row["reason"], row["plies"]) == (winner, result.reason, result.plies)
        assert row["record"] == result.record
        assert len(row["moves"]) == result.plies
        assert {row["side_0"], row["side_1"]} == {"random", "perfect"}
        if row["winner"]:
            sides = {"1-0": row["side_0"], "0-1": row["side_1"]}
            assert row[row["winner"]] == sides[Record.parse(row["record"]).result]
    assert Counter(row["side_0"] for row in rows) == {"random": 3, "perfect": 3}


def test_a_file_of_records_becomes_a_table(results, tmp_path, capsys):
    parquet = pytest.importorskip("pyarrow.parquet")
    text, out = tmp_path / "games.txt", tmp_path / "games.parquet"
    export(capsys, results, "--out", text)
    export(capsys, text, "--out", out)
    rows = parquet.read_table(out).to_pylist()
    assert [len(row["moves"]) for row in rows] == [row["plies"] for row in rows]
    assert {row["game"] for row in rows} == {"hexapawn"}
    assert {row["tournament"] for row in rows} == {None}


def test_what_is_no_result_file_is_one_line(tmp_path, capsys):
    contents = (
        ("a.txt", b"[Game"),
        ("b.sqlite", b"SQLite format 3\0" + bytes(100)),
        ("empty.sqlite", b""),
        ("words.txt", b"some words that are no game"),
    )
    for name, content in contents:
        (tmp_path / name).write_bytes(content)
        out = tmp_path / "out.txt"
        assert run(["export", str(tmp_path / name), "--out", str(out)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
        assert not out.exists()
    assert run(["export", str(tmp_path / "none.toml"), "--out", str(tmp_path / "x.txt")]) == 2
    message = capsys.readouterr().err
    assert "cannot read" in message
    assert "[Errno" not in message


def test_what_sqlite_keeps_beside_the_results_is_not_overwritten(results, tmp_path, capsys):
    for end in ("", "-wal", "-shm"):
        file = tmp_path / f"{results.stem}.sqlite{end}"
        file.write_bytes(results.read_bytes() if not end else b"")
    command = ["export", str(tmp_path / f"{results.stem}.sqlite"), "--force", "--out"]
    for end in ("-wal", "-shm"):
        assert run([*command, str(tmp_path / f"{results.stem}.sqlite{end}")]) == 2
        assert "is read by this command" in capsys.readouterr().err


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE game SET record = x'ff00'",
        "UPDATE game SET number = 'x' || number",
        "UPDATE game SET number = 9223372036854775807 WHERE number = 0",
        "UPDATE game SET plies = 'many'",
        "UPDATE game SET seconds = 9e999",
        "UPDATE game SET first = x'00'",
        "UPDATE tournament SET settings = '[1]'",
        "UPDATE tournament SET settings = x'7b7d'",
        "ALTER TABLE game RENAME COLUMN record TO text",
        "ALTER TABLE game RENAME TO old; CREATE VIEW game AS SELECT * FROM old",
        "CREATE TRIGGER lose AFTER INSERT ON game BEGIN DELETE FROM game; END",
        "PRAGMA user_version = 7",
    ],
)
def test_results_of_wrong_types_and_tables_are_one_line(results, tmp_path, capsys, statement):
    file, out = tmp_path / "results.sqlite", tmp_path / "out.txt"
    with closing(sqlite3.connect(results)) as source, closing(sqlite3.connect(file)) as connection:
        source.backup(connection)
        connection.executescript(f"PRAGMA legacy_alter_table = ON; {statement}")
    before = file.read_bytes()
    assert run(["export", str(file), "--out", str(out)]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert message.startswith("ludus: ")
    assert file.read_bytes() == before
    assert not out.exists()
