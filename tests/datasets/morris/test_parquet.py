"""Datasets as Parquet files: what is written is what is read, here and by other libraries."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from ludus.cli.main import run
from ludus.core.errors import BadDataset
from ludus.core.parquet import (
    METADATA_KEY,
    Column,
    import_pyarrow,
    make_schema,
    write_parquet,
)
from ludus.datasets import read_chunks, read_dataset, read_labelled, write_labelled
from ludus.datasets.morris.labels import (
    LABEL_BATCH,
    LabelCounts,
    LabelledBatch,
    Labels,
    cut_chunks,
    format_labels,
    label,
    label_chunks,
    read_labelled_lines,
)
from ludus.datasets.morris.parquet import COLUMNS
from ludus.games.nine_mens_morris import NineMensMorris
from ludus.games.nine_mens_morris.batch import MoveBatch
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles import oracle as find_oracle
from support.facilities import external
from support.morris import GOOD_MOVES
from support.paths import ROOT

pytest.importorskip("pyarrow")


def columns_of(batch):
    return [column.tolist() for column in batch.columns]


def fields_of(labels):
    return [getattr(labels, name).tolist() for name in Labels.__slots__]


@pytest.fixture(scope="module")
def labelled():
    """A dataset with the labels that the built-in endings give."""
    entries = read_dataset(GOOD_MOVES)
    return LabelledBatch(entries, label(entries, find_oracle(NineMensMorris())))


@pytest.fixture(scope="module")
def file(labelled, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "moves.parquet"
    halves = [
        LabelledBatch(labelled.moves[part], labelled.labels[np.arange(len(labelled.moves))[part]])
        for part in (slice(0, 200), slice(200, None))
    ]
    assert write_labelled(path, halves, {"source": "here"}) == len(labelled.moves)
    return path


def test_entries_and_labels_are_read_back_in_parts(labelled, file):
    parts = list(read_labelled(file, batch_size=150))
    assert max(len(part.moves) for part in parts) <= 150
    moves = MoveBatch.concatenate(part.moves for part in parts)
    labels = Labels.concatenate([part.labels for part in parts])
    assert columns_of(moves) == columns_of(labelled.moves)
    is_known = labelled.labels.result != 3
    assert is_known.any()
    assert not is_known.all()
    assert fields_of(labels) == fields_of(labelled.labels)
    stored = import_pyarrow().parquet.ParquetFile(file)
    about = json.loads(stored.schema_arrow.metadata[METADATA_KEY])
    assert (stored.metadata.num_rows, about["source"], about["points"][0]) == (500, "here", "a7")


def test_the_file_has_a_row_group_for_each_part_and_the_documented_columns(file):
    pa = import_pyarrow()
    stored = pa.parquet.ParquetFile(file)
    assert [stored.metadata.row_group(n).num_rows for n in range(2)] == [200, 300]
    page = (ROOT / "docs/data.md").read_text()
    assert stored.schema_arrow.names == [column.name for column in COLUMNS]
    for column in COLUMNS:
        assert f"| `{column.name}` |" in page
        assert (
            stored.schema_arrow.field(column.name).metadata[b"meaning"].decode() == column.meaning
        )


def test_commands_read_parquet_as_they_read_lines(file, capsys, tmp_path):
    found = []
    for path in (GOOD_MOVES, file):
        assert run(["dataset", "stats", str(path), "--json"]) == 0
        about = json.loads(capsys.readouterr().out)
        found.append({key: about[key] for key in ("entries", "phases", "entropy", "impossible")})
        out = tmp_path / f"{path.suffix}.txt"
        assert run(["dataset", "expand", str(path), "--out", str(out)]) == 0
        capsys.readouterr()
        found[-1]["expanded"] = out.read_text()
    assert found[0] == found[1]


def test_export_of_lines_and_of_labelled_lines_is_the_same_table(capsys, tmp_path):
    lines = tmp_path / "labelled.txt"
    assert run(["dataset", "label", str(GOOD_MOVES), "--out", str(lines)]) == 0
    tables = []
    for number, source in enumerate((GOOD_MOVES, lines)):
        out = tmp_path / f"{number}.parquet"
        assert run(["dataset", "export", str(source), "--out", str(out)]) == 0
        tables.append(import_pyarrow().parquet.read_table(out).to_pylist())
    assert tables[0] == tables[1]
    capsys.readouterr()
    known = [row for row in tables[0] if row["value"] is not None]
    assert 0 < len(known) < len(tables[0])
    for row in known:
        assert row["critical"] == (row["num_kept"] < row["num_legal"])
        assert row["move_keeps"] == (row["move"] in row["kept_moves"])
        assert (row["depth"] is None) == (row["value"] == "draw")


def test_labelled_lines_are_parsed_as_they_were_written(labelled, tmp_path):
    path = tmp_path / "labelled.txt"
    path.write_text("".join(f"{line}\n" for line in format_labels(*labelled)))
    (part,) = read_labelled_lines(path, Rules())
    assert fields_of(part.labels) == fields_of(labelled.labels)
    path.write_text(path.read_text().replace("draw", "drawn", 1))
    with pytest.raises(BadDataset, match=r"drawn.*in its labels is wrong"):
        list(read_labelled_lines(path, Rules()))


def test_chunks_come_back_in_order_with_the_labels_of_their_entries(labelled):
    """Within a chunk entries are sorted by their numbers of men, and sorted back."""
    oracle = find_oracle(NineMensMorris())
    chunks = list(cut_chunks([labelled.moves[:20], labelled.moves[20:]], 64))
    assert [len(chunk) for chunk in chunks] == [64] * 7 + [52]
    assert LABEL_BATCH > 64
    parts = list(label_chunks(chunks, lambda batches: (label(each, oracle) for each in batches)))
    moves = MoveBatch.concatenate(part.moves for part in parts)
    assert columns_of(moves) == columns_of(labelled.moves)
    assert fields_of(Labels.concatenate([part.labels for part in parts])) == fields_of(
        labelled.labels
    )


def test_rows_that_are_no_positions_are_reported(tmp_path, file):
    pa = import_pyarrow()
    table = pa.parquet.read_table(file)
    broken = table.set_column(1, "own", pa.array([1 << 30] + [0] * 499, pa.int32()))
    path = tmp_path / "broken.parquet"
    pa.parquet.write_table(broken, path)
    with pytest.raises(BadDataset, match="rows that are no positions"):
        list(read_labelled(path))
    (chunk,) = read_chunks(path)
    assert (1, "is no position") in chunk.bad_lines
    with pytest.raises(BadDataset, match="line 1: is no position"):
        read_dataset(path)


def test_other_files_are_refused_with_one_line(tmp_path, capsys):
    path = tmp_path / "x.parquet"
    path.write_text("not parquet")
    assert run(["dataset", "stats", str(path)]) == 2
    assert capsys.readouterr().err.startswith("ludus: cannot read")
    schema = make_schema([Column("a", "int8", "a number")], {})
    write_parquet(path, schema, [{"a": [1]}])
    assert run(["dataset", "stats", str(path)]) == 2
    assert "has no column 'own'" in capsys.readouterr().err
    assert run(["dataset", "export", str(GOOD_MOVES), "--out", str(tmp_path / "x.txt")]) == 2
    assert "does not end in .parquet" in capsys.readouterr().err


def test_devices_are_refused_with_one_line(tmp_path, capsys):
    out = tmp_path / "x.parquet"
    assert run(["dataset", "export", "/dev/zero", "--out", str(out)]) == 2
    assert "it is a device" in capsys.readouterr().err
    assert not out.exists()


def test_changed_bytes_are_reported(tmp_path, file):
    """Pages have checksums; a byte of a header may change nothing."""
    whole = file.read_bytes()
    path = tmp_path / "changed.parquet"
    reports = []
    for place in range(4, len(whole), len(whole) // 60):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        try:
            list(read_labelled(path))
        except BadDataset as error:
            reports.append(str(error))
    assert len(reports) > 25
    assert not any("\n" in line for line in reports)


def test_a_missing_package_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)  # as if it were not installed
    out = tmp_path / "x.parquet"
    assert run(["dataset", "export", str(GOOD_MOVES), "--out", str(out)]) == 2
    message = "ludus: a Parquet file needs pyarrow: pip install 'ludus-games[data]'\n"
    assert capsys.readouterr().err == message
    assert list(tmp_path.iterdir()) == []


def count_by(read):
    """Rows, rows by value, critical rows and their kept ones, as another library counts them."""
    if read == "pandas":
        import pandas

        def counts(path: Path):
            table = pandas.read_parquet(path)
            values = table["value"].value_counts().to_dict()
            critical = table[table["critical"].eq(True)]
            return len(table), values, len(critical), int(critical["move_keeps"].sum())

    else:
        import polars

        def counts(path: Path):
            table = polars.read_parquet(path)
            pairs = table["value"].cast(polars.String).drop_nulls().value_counts().rows()
            critical = table.filter(polars.col("critical"))
            return len(table), dict(pairs), len(critical), int(critical["move_keeps"].sum())

    return counts


def count_rows(path):
    tally = LabelCounts()
    for part in read_labelled(path):
        tally.add(part.labels)
    found = tally.as_json()
    values = {name: n for name, n in found["results"].items() if name != "unknown" and n}
    return found["entries"], values, found["critical"], found["critical_kept"]


@pytest.mark.slow
@pytest.mark.external("nnmm")
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_thesis_dataset_has_the_same_counts_in_other_libraries(library, tmp_path):
    if find_spec(library) is None:
        pytest.skip(f"left out: needs {library}: pip install {library}")
    out = tmp_path / "thesis.parquet"
    source = external("nnmm", "dataset.txt")
    assert run(["dataset", "export", str(source), "--out", str(out)]) == 0
    found = count_by(library)(out)
    assert found == count_rows(out)
    assert found[0] == 100_154
    if sum(found[1].values()) == found[0]:  # the whole game is solved
        assert found[1] == {"win": 40_129, "draw": 43_250, "loss": 16_775}
        assert found[2] == 40_974


@pytest.mark.parametrize("depth", ["9" * 20, "70000", "32768", "-2", "+ 1", "1_0 0"])
def test_a_depth_that_no_table_holds_is_refused(labelled, tmp_path, depth):
    """70000 became 4464, and 20 digits were a traceback."""
    path = tmp_path / "labelled.txt"
    fields = format_labels(*labelled)[0].split("\t")
    path.write_text("\t".join([*fields[:2], depth, *fields[3:]]) + "\n")
    with pytest.raises(BadDataset, match="in its labels is wrong"):
        list(read_labelled_lines(path, Rules()))
    path.write_text("\t".join([*fields[:2], "32767", *fields[3:]]) + "\n")
    (part,) = read_labelled_lines(path, Rules())
    assert part.labels.depth.tolist() == [32767]


def test_a_column_name_without_utf_8_is_refused(file, tmp_path):
    path = tmp_path / "odd.parquet"
    path.write_bytes(file.read_bytes().replace(b"own_hand", b"own\xff\xfe\xffnd"))
    with pytest.raises(BadDataset, match=r"^cannot read [^\n]*$"):
        list(read_labelled(path))
