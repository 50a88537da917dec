"""`ludus show|train|tune patterns`."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

MORRIS = "nine_mens_morris:vrajitoru"
SMALL = ("--own", "2", "--mixed", "1", "--strong", "1", "--teacher", "negascout:level=1")


def test_show_draws_the_best_patterns(ludus, tmp_path):
    shown = ludus("show", "patterns", "--best", "3")
    assert shown.status == 0
    assert "430 games, 467 patterns, 3068 moves" in shown.out
    assert "●─────●─────●" in shown.out
    picture = tmp_path / "best.svg"
    result = json.loads(ludus("show", "patterns", "--json", "--svg", str(picture)).out)
    assert (result["games"], result["patterns"], result["edges"]) == (430, 467, 3068)
    assert len(result["shown"]) == 10
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_show_tells_a_pattern_and_its_neighbours(ludus):
    shown = ludus("show", "patterns", "long", "--pattern", "61", "--neighbours", "3")
    assert "pattern 61 = 000 111 101" in shown.out
    assert "d6-d5" in shown.out, "the man between the two mills"
    result = json.loads(
        ludus("show", "patterns", "long", "--pattern", "61", "--settings", "k=1", "--json").out
    )
    (vertex,) = result["shown"]
    parts = 10 * vertex["mill"] + vertex["token"] / 3 + 3 * vertex["freq"] + vertex["mutual"]
    assert vertex["score"] == pytest.approx(parts)
    assert vertex["onwards"][0]["count"] >= vertex["onwards"][-1]["count"]


def test_train_writes_a_network_that_plays(ludus, tmp_path):
    out, again = tmp_path / "a.patterns", tmp_path / "b.patterns"
    report = json.loads(ludus("train", "patterns", "--out", str(out), *SMALL, "--json").out)
    assert report["games"] == 10
    assert report["bytes"] == out.stat().st_size
    assert "10 games learned" in ludus("train", "patterns", "--out", str(again), *SMALL).out
    assert again.read_bytes() == out.read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.patterns", "b.patterns"]
    played = json.loads(
        ludus("match", MORRIS, f"fuzzy:network={out}", "newbie", "--games", "50", "--json").out
    )
    assert sum(played["wins"]) + played["draws"] == 50


def test_train_learns_records_onto_a_network(ludus, tmp_path):
    games, out = tmp_path / "games.txt", tmp_path / "me.patterns"
    rules = ("--rules", "vrajitoru")
    names = ("nine_mens_morris", "focused", "newbie")
    ludus("match", *names, "--games", "4", *rules, "--record", str(games))
    none = ("--own", "0", "--mixed", "0", "--strong", "0")
    report = json.loads(
        ludus(
            "train", "patterns", "--out", str(out), *none,
            "--records", str(games), "--base", "seed", "--json",
        ).out
    )  # fmt: skip
    assert report["games"] == 434
    assert report["patterns"] >= 467


def test_match_counts_by_player(ludus):
    one = json.loads(ludus("match", MORRIS, "fuzzy", "newbie", "--games", "999", "--json").out)
    assert sum(one["wins"]) + one["draws"] == sum(one["reasons"].values()) == 999
    assert one["wins"][0] > 700
    two = json.loads(ludus("match", MORRIS, "newbie", "fuzzy", "--games", "999", "--json").out)
    assert two["wins"][1] > 700
    text = ludus("match", MORRIS, "fuzzy", "newbie", "--games", "999").out
    assert "more than chance" in text


@pytest.mark.parametrize("seed", [-1, 2**63, 10**30])
def test_any_seed_will_do(ludus, seed):
    command = ("match", MORRIS, "fuzzy", "newbie", "--games", "20", "--seed", str(seed))
    assert ludus(*command).out.splitlines()[0] == ludus(*command).out.splitlines()[0]


def test_tune_prints_a_spec_that_can_be_used(ludus, tmp_path):
    pytest.importorskip("optuna")
    arguments = ("--trials", "2", "--games", "40", "--study", str(tmp_path / "s.sqlite"))
    found = ludus("tune", "patterns", *arguments)
    assert found.status == 0
    spec = found.out.splitlines()[0]
    assert ludus("match", MORRIS, spec, "newbie", "--games", "10").status == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("show", "no/such/file"), "cannot read"),
        (("show", "pyproject.toml"), "is not a network of patterns"),
        (("show", "\0"), "cannot read"),
        (("show", "/dev/null"), "is empty"),
        (("show", "empty"), "has learned nothing yet"),
        (("show", "--pattern", "512"), "511"),
        (("show", "--settings", "k=x"), "must be a number"),
        (("show", "--settings", "tuned"), "is not key=value"),
        (("show", "--svg", "no/such/folder/a.svg"), "cannot write"),
        (("train", "--out", "no/such/folder/a", *SMALL), "cannot write"),
        (("train", "--out", "x.patterns", "--own", "-1"), "own=-1 must be"),
        (("train", "--out", "x.patterns", "--teacher", "nobody"), "no player 'nobody'"),
        (("train", "--out", "x.patterns", "--records", "no/such/file"), "cannot read"),
        (("train", "--out", "x.patterns", "--records", "pyproject.toml"), "pyproject.toml"),
        (("train", "--out", "x.patterns", "--base", "README.md"), "is not a network"),
        (("tune", "--study", "no/such/folder/s"), "cannot keep a search"),
        (("tune", "--study", "README.md"), "cannot keep a search"),
        (("tune", "--opponent", "nobody"), "no heuristic 'nobody'"),
    ],
)
def test_what_cannot_be_done_is_one_line(ludus, arguments, complaint):
    result = ludus(arguments[0], "patterns", *arguments[1:])
    assert result.status == 2
    assert complaint in result.err
    assert len(result.err.splitlines()) == 1
    assert result.out == ""


@pytest.mark.parametrize(
    ("players", "complaint"),
    [
        (("fuzzy:network=/dev/null", "newbie"), "is empty"),
        (("fuzzy", "nobody"), "no player 'nobody'"),
        (("fuzzy:k=-1", "newbie"), "k=-1 must be"),
        (("fuzzy", "newbie:among=x"), "must be one of"),
    ],
)
def test_players_that_cannot_be_are_one_line(ludus, players, complaint):
    result = ludus("match", MORRIS, *players)
    assert (result.status, result.out, len(result.err.splitlines())) == (2, "", 1)
    assert complaint in result.err


def test_a_player_that_is_not_compiled_meets_fuzzy_all_the_same(ludus):
    found = json.loads(ludus("match", MORRIS, "fuzzy", "random", "--games", "10", "--json").out)
    assert found["wins"][0] > found["wins"][1]


def test_a_damaged_network_is_one_line_everywhere(ludus, tmp_path):
    from ludus.learn.patterns.network_file import load_network, serialize_network

    path = tmp_path / "cut.patterns"
    path.write_bytes(serialize_network(load_network("seed"))[:-100])
    for arguments in (
        ("show", "patterns", str(path)),
        ("match", "nine_mens_morris", f"fuzzy:network={path}", "newbie"),
        ("match", MORRIS, f"fuzzy:network={path}", "newbie"),
    ):
        result = ludus(*arguments)
        assert (result.status, result.out) == (2, "")
        assert "is damaged: its checksum is wrong" in result.err
        assert len(result.err.splitlines()) == 1
