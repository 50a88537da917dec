"""`ludus certify scholar`: from weights to a certified player, resumed, checked and refused."""

import json

import pytest

from ludus.cli.main import run
from ludus.learn.scholar import certify
from ludus.learn.scholar.exceptions import (
    Exceptions,
    load_exceptions,
    save_exceptions,
)
from support.facilities import limit_file_size
from support.scholar import GAME, drawn_endings, random_weights

LOSS_AVERSION = 400.0

pytestmark = pytest.mark.filterwarnings("ignore:examples are endings alone")


@pytest.fixture
def endings(tmp_path):
    """A file of drawn endings, and weights to be certified."""
    positions = drawn_endings(2).to_positions(GAME)
    (tmp_path / "endings.txt").write_text("".join(f"{position}\n" for position in positions))
    random_weights("scorer").save(tmp_path / "scorer.safetensors")
    return tmp_path


def test_one_command_from_weights_to_a_certified_player(endings, capsys):
    weights, out = endings / "scorer.safetensors", endings / "scorer.exceptions"
    command = ["certify", "scholar", "--weights", str(weights), "--device", "cpu", "--json"]
    command += ["--positions", str(endings / "endings.txt")]
    assert run([*command, "--moves", "1"]) == 0
    begun = json.loads(capsys.readouterr().out)
    assert not begun["complete"]
    assert (endings / "scorer.exceptions.visit").exists()
    assert run(command) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["complete"]
    assert report["visited"] > begun["visited"]
    assert not (endings / "scorer.exceptions.visit").exists()
    stored = load_exceptions(out, random_weights("scorer").digest()).unpack()
    assert len(stored) == report["exceptions"] > 0
    assert stored.facts["digest"] == report["digest"]
    assert run(command) == 2
    assert "exists" in capsys.readouterr().err
    assert run([*command, "--check"]) == 0
    assert json.loads(capsys.readouterr().out)["missing"] == 0
    fewer = Exceptions(stored.keys[1:], stored.moves[1:], stored.weights, LOSS_AVERSION, {})
    save_exceptions(out, fewer)
    assert run([*command, "--check"]) == 1
    assert json.loads(capsys.readouterr().out)["missing"] == 1


def test_a_library_call_certifies_and_goes_on(endings):
    weights, levels = endings / "scorer.safetensors", []
    options = {"positions": endings / "endings.txt", "device": "cpu"}
    begun = certify(weights, own_moves=1, on_progress=levels.append, **options)
    assert len(levels) == 1
    assert not begun.report()["complete"]
    found = certify(weights, **options)
    assert found.report()["complete"]
    assert len(load_exceptions(found.file, random_weights("scorer").digest())) == len(
        found.exceptions
    )
    assert certify(weights, check=True, **options).missing == 0


def test_losses_alone_can_be_prevented_against_any_opponent(endings, capsys):
    command = ["certify", "scholar", "--weights", str(endings / "scorer.safetensors"), "--json"]
    command += ["--device", "cpu", "--positions", str(endings / "endings.txt"), "--moves", "1"]
    assert run([*command, "--errors", "any", "--prevent", "losses"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["opponent_errors"], found["prevented"]) == (-1, "losses")


def begin_certificate(endings):
    """Visit one move; return the command and the file of its state."""
    command = ["certify", "scholar", "--weights", str(endings / "scorer.safetensors")]
    command += ["--device", "cpu", "--positions", str(endings / "endings.txt")]
    assert run([*command, "--moves", "1"]) == 0
    return command, endings / "scorer.exceptions.visit"


def test_a_check_leaves_an_unfinished_certificate_alone(endings, capsys):
    command, state = begin_certificate(endings)
    unfinished = state.read_bytes()
    capsys.readouterr()
    assert run([*command, "--check"]) == 1
    assert "exceptions are missing in" in capsys.readouterr().out
    assert state.read_bytes() == unfinished
    assert not (endings / "scorer.exceptions.check").exists()


def test_a_full_disk_at_the_end_keeps_the_unfinished_certificate(endings, capsys):
    command, state = begin_certificate(endings)
    unfinished = state.read_bytes()
    with limit_file_size(100):
        assert run(command) == 2
    assert "cannot write" in capsys.readouterr().err.splitlines()[-1]
    assert state.read_bytes() == unfinished
    assert run(command) == 0
    assert not state.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--errors", "few"], "number or any"),
        (["--errors", "9" * 5000], "number or any"),
        (["--colour", "red"], "white or black"),
        (["--prevent", "draws"], "errors or losses"),
        (["--size", "huge"], "no scorer of size"),
        (["--device", "cpu"], "whole game"),
        (["--positions", "nowhere.txt", "--device", "cpu"], "cannot read"),
    ],
)
def test_certificates_that_cannot_be_made_are_refused_in_one_line(
    endings, capsys, arguments, words
):
    weights = [] if "--size" in arguments else ["--weights", str(endings / "scorer.safetensors")]
    out = str(endings / "x.exceptions")
    assert run(["certify", "scholar", "--out", out, *weights, *arguments]) == 2
    *notes, error = capsys.readouterr().err.strip().splitlines()
    assert words in error
    assert all("note" in line for line in notes)


def test_a_game_that_is_over_has_no_certificate(endings, capsys):
    (endings / "over.txt").write_text("ww./b../.../....../..b/.../..b w 0 0\n")
    command = ["certify", "scholar", "--weights", str(endings / "scorer.safetensors")]
    assert run([*command, "--device", "cpu", "--positions", str(endings / "over.txt")]) == 2
    assert "the game is over" in capsys.readouterr().err


def test_a_chain_has_no_certificate(tmp_path, capsys):
    random_weights("chain").save(tmp_path / "chain.safetensors")
    assert run(["certify", "scholar", "--weights", str(tmp_path / "chain.safetensors")]) == 2
    assert "only scorers" in capsys.readouterr().err


def test_certificates_are_for_one_loss_aversion(endings, capsys):
    weights, out = endings / "scorer.safetensors", endings / "scorer.exceptions"
    command = ["certify", "scholar", "--weights", str(weights), "--device", "cpu", "--json"]
    command += ["--positions", str(endings / "endings.txt")]
    assert run([*command, "--loss-aversion", "5"]) == 0
    found = json.loads(capsys.readouterr().out)
    stored = load_exceptions(out, random_weights("scorer").digest()).unpack()
    assert stored.loss_aversion == 5
    assert run([*command, "--check"]) == 0
    assert json.loads(capsys.readouterr().out)["missing"] == 0
    assert run([*command, "--check", "--loss-aversion", "400"]) == 2
    assert "loss_aversion=5" in capsys.readouterr().err
    assert run([*command, "--force"]) == 0
    assert json.loads(capsys.readouterr().out)["digest"] != found["digest"]
