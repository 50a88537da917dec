"""Which oracle answers for a game."""

import pytest

import ludus
from ludus.core.errors import BadDatabase, CannotSolve, LudusWarning
from ludus.oracles import MemoryOracle, Unsolved, WrongRules
from ludus.oracles import oracle as find_oracle
from ludus.oracles.morris.database import Database


def begun(folder, rules="standard", has_depth=True):
    """A database with nothing in it yet."""
    with Database.open_for_writing(folder, ludus.game("nine_mens_morris", rules).rules, has_depth):
        return folder


def place(rules="standard", **options):
    return find_oracle(ludus.game("nine_mens_morris", rules), **options).source


def test_small_games_are_solved_in_memory_and_shared():
    oracle = find_oracle(ludus.game("hexapawn"))
    assert isinstance(oracle, MemoryOracle)
    assert find_oracle(ludus.game("hexapawn")) is oracle
    assert find_oracle(ludus.game("hexapawn:four")) is not oracle
    assert oracle.value(ludus.game("hexapawn").start()).result == "draw"


def test_without_a_database_there_are_the_built_in_endings():
    assert place() == "the built-in endings"
    assert place("lasker") == "the built-in endings"


def test_a_folder_that_is_given_is_used(tmp_path):
    assert str(begun(tmp_path / "one")) in place(folder=tmp_path / "one")
    assert place("repetition=3", folder=tmp_path / "one") == place(folder=tmp_path / "one")
    with pytest.raises(WrongRules, match=r"holds .*:standard, not .*lasker"):
        place("lasker", folder=tmp_path / "one")
    with pytest.raises(BadDatabase, match="no database"):
        place(folder=tmp_path)
    with pytest.raises(BadDatabase, match="hexapawn is solved in memory"):
        find_oracle(ludus.game("hexapawn"), tmp_path / "one")


def test_the_environment_names_a_database_or_a_folder_of_them(tmp_path, monkeypatch):
    one, two = begun(tmp_path / "all" / "one"), begun(tmp_path / "all" / "two", "lasker")
    for folder in (one, tmp_path / "all"):
        monkeypatch.setenv("LUDUS_ORACLE", str(folder))
        assert str(one) in place()
    assert str(two) in place("lasker")
    assert place("morabaraba") == "the built-in endings"
    for nowhere in (tmp_path / "none", tmp_path, one / "ludus.json"):
        monkeypatch.setenv("LUDUS_ORACLE", str(nowhere))
        with pytest.raises(BadDatabase, match="LUDUS_ORACLE"):
            place()


def test_the_users_data_folder_is_looked_into(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert place() == "the built-in endings"
    folder = begun(tmp_path / "ludus" / "oracle" / "standard")
    assert str(folder) in place()
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert place() == "the built-in endings"


def test_the_largest_database_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_ORACLE", str(tmp_path))
    begun(tmp_path / "a")
    large = begun(tmp_path / "b")
    (large / "3_3_0_0.values").touch()
    begun(tmp_path / "c")
    assert str(large) in place()


@pytest.mark.parametrize("content", ["{}", "", "{", '{"game": "nine_mens_morris"}', "[" * 9000])
def test_a_damaged_database_disables_only_itself(tmp_path, monkeypatch, content):
    monkeypatch.setenv("LUDUS_ORACLE", str(tmp_path))
    damaged = begun(tmp_path / "a")
    (damaged / "ludus.json").write_text(content)
    with pytest.warns(LudusWarning, match=r"ludus\.json' .*; this database is not used"):
        assert place() == "the built-in endings"
    good = begun(tmp_path / "b")
    with pytest.warns(LudusWarning, match="not used"):
        assert str(good) in place()
    with pytest.warns(LudusWarning, match="not used"):
        find_oracle(ludus.game("backgammon"))


def test_a_damaged_database_that_is_named_is_an_error(tmp_path, monkeypatch):
    damaged = begun(tmp_path / "a")
    (damaged / "ludus.json").write_text("{}")
    with pytest.raises(BadDatabase, match="damaged"):
        place(folder=damaged)
    monkeypatch.setenv("LUDUS_ORACLE", str(damaged))
    with pytest.raises(BadDatabase, match="damaged"):
        place()


def test_who_needs_depth_gets_it(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_ORACLE", str(tmp_path))
    folder = begun(tmp_path / "a", has_depth=False)
    assert str(folder) in place()
    assert place(needs_depth=True) == "the built-in endings"
    with pytest.raises(Unsolved, match="not how soon"):
        place(folder=folder, needs_depth=True)


def test_what_cannot_be_solved():
    with pytest.raises(CannotSolve, match="vrajitoru cannot be solved: a blocked side passes"):
        place("vrajitoru")
    with pytest.raises(CannotSolve, match="quiet"):
        place("quiet_plies=100")
