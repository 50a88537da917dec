"""core.files: atomic writing, bounded reading, checks before long work."""

import os
from pathlib import Path

import pytest

from ludus.core.errors import CannotWrite, LudusError
from ludus.core.files import (
    atomic_file,
    check_output,
    check_writable,
    describe_os_error,
    make_folder,
    parse_json_object,
    read_bytes,
    read_text,
    write_bytes,
    write_text,
)


class BadThing(LudusError):
    """The caller's own error."""


@pytest.mark.parametrize("sync", [False, True])
def test_a_file_has_its_name_only_when_it_is_complete(tmp_path, sync):
    path = tmp_path / "a.txt"
    with atomic_file(path, sync=sync) as file:
        file.write("żółw")
        assert not path.exists()
    assert path.read_text(encoding="utf-8") == "żółw"
    write_bytes(path, b"two", sync=sync)
    assert read_bytes(path) == b"two"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_an_error_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(ZeroDivisionError), atomic_file(path) as file:
        file.write(str(1 / 0))
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_what_a_killed_process_left_is_replaced(tmp_path):
    path = tmp_path / "a.txt"
    (tmp_path / f".a.txt.{os.uname().nodename}.{os.getpid()}.partial").write_text("half")
    write_text(path, "whole")
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("write", [check_writable, lambda path: write_bytes(path, b"x")])
@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "no/such/file", "/", "\0"])
def test_unwritable_places_are_found_at_once(tmp_path, write, kind):
    target, link = tmp_path / "mine", tmp_path / "link"
    target.write_text("mine")
    link.symlink_to(target)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CannotWrite, match=r"^cannot write .*: ") as caught:
        write(tmp_path / kind)
    assert "\n" not in str(caught.value)
    assert target.read_text() == "mine"
    assert link.is_symlink()


def test_a_path_is_found_unwritable_before_the_work(tmp_path):
    with pytest.raises(CannotWrite), atomic_file(tmp_path / "no/such/x"):
        pytest.fail("the work began")


def test_a_writable_place_stays_as_it_is(tmp_path):
    check_writable(tmp_path / "new")
    assert os.listdir(tmp_path) == []


def test_outputs_are_new_files_unless_forced(tmp_path):
    new, old, link = (tmp_path / name for name in ("new", "old", "link"))
    old.write_text("precious")
    check_output(new, old, None)
    with pytest.raises(CannotWrite, match="exists; name another file, or overwrite it with --fo"):
        check_output(old)
    check_output(old, force=True)
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(CannotWrite, match="not a regular file"):
        check_output(link, force=True)


def test_outputs_are_never_inputs(tmp_path):
    data = tmp_path / "data"
    data.write_text("precious")
    (tmp_path / "twin").hardlink_to(data)
    for name in ("data", "../" + tmp_path.name + "/data", "twin"):
        with pytest.raises(CannotWrite, match="is read by this command"):
            check_output(tmp_path / name, tmp_path / "other", data, force=True)
    assert sorted(os.listdir(tmp_path)) == ["data", "twin"]


def test_reading_is_bounded_and_raises_the_error_of_the_caller(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\r\ntwo\n")
    assert read_text(path) == "one\ntwo\n"
    assert read_bytes(path, 9) == b"one\r\ntwo\n"
    with pytest.raises(BadThing, match=r"a\.txt' is longer than 8 bytes"):
        read_bytes(path, 8, BadThing)
    with pytest.raises(BadThing, match=r"a\.txt' has more than 7 characters"):
        read_text(path, 7, BadThing)
    path.write_bytes(b"\xff")
    with pytest.raises(BadThing, match=r"a\.txt' is not valid UTF-8 text"):
        read_text(path, error=BadThing)
    for read in (read_text, read_bytes):
        with pytest.raises(BadThing, match=r"cannot read .*: No such file or directory"):
            read(tmp_path / "none", error=BadThing)
        with pytest.raises(BadThing, match="cannot read"):
            read(tmp_path / "\0", error=BadThing)


@pytest.mark.parametrize("data", [b"", b"\xff", b"[1]", b"[" * 100_000, b"1", b'{"a": 1', "x"])
def test_only_json_objects_are_json_objects(data):
    assert parse_json_object(data) is None


def test_a_folder_is_made_with_its_parents(tmp_path):
    assert make_folder(tmp_path / "a/b").is_dir()
    write_text(tmp_path / "file", "")
    with pytest.raises(LudusError, match="cannot make"):
        make_folder(tmp_path / "file/b")


def test_an_error_of_the_system_is_reported_without_the_file():
    assert describe_os_error(OSError("odd")) == "odd"
    assert describe_os_error(ValueError("embedded null byte")) == "embedded null byte"


@pytest.mark.parametrize("read", [read_bytes, read_text])
def test_devices_without_end_are_not_read(read):
    with pytest.raises(LudusError, match="cannot read '/dev/zero': it is a device"):
        read(Path("/dev/zero"))
    assert not read(Path("/dev/null"))
