"""What players of backgammon exchange: .mat files, and games judged by GNU Backgammon."""

import json
import subprocess

import pytest

import ludus
from ludus.analysis import review_records
from ludus.core.errors import BadRecord
from ludus.core.match import play_game
from ludus.core.record import Record
from ludus.players import player
from ludus.protocol.gnubg import GnubgEvaluator
from ludus.protocol.mat_files import format_mat
from ludus.protocol.processes import find_program

GAME = ludus.game("backgammon")


def games(count, first="tool", second="random"):
    """Records of games in which the players take turns to begin."""
    players = player(first, GAME), player(second, GAME)
    return [
        Record.from_game(play_game(GAME, players[:: -1 if n % 2 else 1], seed=n), GAME)
        for n in range(count)
    ]


def test_a_mat_file_to_be_read():
    records = games(2)
    lines = format_mat(records).splitlines()
    assert lines[0] == " 0 point match"
    assert lines[2] == " Game 1"
    assert lines[3].split() == ["tool", ":", "0", "random", ":", "0"]
    assert lines[4].startswith("  1) ")
    second = lines.index(" Game 2")
    # Random begins the second game, and his is the right column.
    assert lines[second + 2][5:20].strip() == ""
    assert sum(line.strip().startswith("Wins") for line in lines) == 2


IMPORT = """
import gnubg, json, os
gnubg.command("set confirm new off")
gnubg.command("import mat " + os.environ["MAT"])
games = [[(each["dice"], each["move"]) for each in game["game"] if each["action"] == "move"]
         for game in gnubg.match()["games"]]
with open(os.environ["FOUND"], "w") as file:
    json.dump(games, file)
"""


@pytest.mark.needs_debian("gnubg")
def test_gnubg_reads_the_games_as_they_were(tmp_path):
    records = games(3)
    (tmp_path / "games.mat").write_text(format_mat(records))
    (tmp_path / "import.py").write_text(IMPORT)
    subprocess.run(
        [find_program("gnubg", "gnubg"), "-t", "-q", "-r", "-p", str(tmp_path / "import.py")],
        env={
            "MAT": str(tmp_path / "games.mat"),
            "FOUND": str(tmp_path / "found"),
            "HOME": str(tmp_path),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )
    found = json.loads((tmp_path / "found").read_text())
    assert len(found) == 3
    for record, read in zip(records, found, strict=True):
        ours = [
            (position.dice, sorted((step.start, step.end) for step in move.steps))
            for position, move in _turns(record)
            if move.steps
        ]
        theirs = [(tuple(dice), sorted(map(tuple, move or ()))) for dice, move in read if move]
        assert [sorted(dice) for dice, _ in theirs] == [sorted(dice) for dice, _ in ours]
        assert [move for _, move in theirs] == [move for _, move in ours]


def _turns(record):
    positions = record.replay(GAME)
    for before, node in zip(positions, record.line.moves, strict=False):
        if before.dice is not None:
            yield before, GAME.parse_move(node.move, before)


def test_games_that_cannot_be_written():
    whole = games(1)[0]
    cut = Record({**whole.headers, "Result": "*"}, type(whole.line)(whole.line.moves[:6]))
    with pytest.raises(BadRecord, match="not played to its end"):
        format_mat([cut])
    with pytest.raises(BadRecord, match="other players"):
        format_mat([whole, *games(1, second="tool")])


@pytest.mark.needs_debian("gnubg")
def test_a_strong_side_gives_away_less_than_chance():
    record = games(1, "gnubg", "random")[0]
    review = review_records([record], GnubgEvaluator(0), has_luck=False)
    assert len(review.decisions) > 20
    assert review.summarize(0).error_per_decision == 0  # evaluated by itself
    assert review.summarize(1).error_per_decision > 0.1
    worst = max((each for _, each in review.decisions), key=lambda each: each.cost)
    assert worst.mark == "??"
    assert worst.best != worst.move
    assert 0 <= worst.after.chances.win <= 1
