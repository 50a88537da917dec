""".mat and .sgf files: round trips of games with the cube and of matches, and broken files."""

import random
import subprocess

import pytest

import ludus
from ludus.analysis import review_records
from ludus.core.errors import BadRecord, LudusError
from ludus.core.record import Record
from ludus.games.backgammon.game_files import make_records
from ludus.games.backgammon.mat_files import format_mat, parse_mat
from ludus.games.backgammon.sgf_files import parse_sgf
from ludus.games.game_files import format_games, read_games
from ludus.protocol.gnubg import GnubgEvaluator
from ludus.protocol.processes import find_program
from support.repetition import repeat

RULES = ["standard", "cube=yes", "money", "tournament,match=3", "cube=yes,match=5"]


def play(rules, count=3):
    """Records of random games, in which each player keeps its side."""
    game = ludus.game("backgammon", rules)
    players = ludus.player("random", game), ludus.player("random", game)
    matches = [ludus.play_game(game, players, seed=seed) for seed in range(count)]
    records = [Record.from_game(match, game) for match in matches]
    count = 1 if game.rules.match else count
    names = {"White": "Alice", "Black": "Bob"}
    return [
        Record({**each.headers, **names}, each.line, each.first_ply) for each in records[:count]
    ]


def flatten(records):
    """Moves without rolls that follow from others, and the end of each game."""
    return [node.move for record in records for node in record.line.moves if node.move != "roll"]


@pytest.mark.parametrize("suffix", [".mat", ".sgf"])
@pytest.mark.parametrize("rules", RULES)
def test_games_are_the_same_there_and_back(rules, suffix, tmp_path):
    records = play(rules)
    file = tmp_path / f"games{suffix}"
    file.write_text(format_games(records, suffix))
    read = read_games(file)
    offers = {"resign", "resign_gammon", "resign_backgammon", "reject"}
    if offers & set(flatten(records)):
        assert len(flatten(read)) <= len(flatten(records))
    else:
        assert flatten(read) == flatten(records)
    # A second time nothing changes any more.
    again = tmp_path / f"again{suffix}"
    again.write_text(format_games(read, suffix))
    assert again.read_text() == file.read_text()
    assert [str(each) for each in read_games(again)] == [str(each) for each in read]
    for record in read:
        record.replay(ludus.game("backgammon", record.headers["Rules"]))


def test_a_match_is_written_game_by_game():
    text = format_games(play("cube=yes,match=5"), ".mat")
    games = parse_mat(text)
    assert text.startswith(" 5 point match\n")
    assert text.rstrip().endswith("and the match")
    assert len(games) > 1
    score = [0, 0]
    for game in games:
        assert list(game.score) == score
        score[game.winner] += game.points
    assert max(score) >= 5


EXPORT = """
import gnubg, os
for what in ("new", "save"):
    gnubg.command("set confirm %s off" % what)
gnubg.command("load match games.sgf")
gnubg.command("export match mat from_sgf.mat")
gnubg.command("import mat games.mat")
gnubg.command("save match from_mat.sgf")
"""


@pytest.mark.needs_debian("gnubg")
@pytest.mark.parametrize("rules", ["standard", "cube=yes", "cube=yes,match=5"])
def test_gnubg_reads_and_writes_the_same_games(rules, tmp_path):
    records = play(rules)
    for suffix in (".mat", ".sgf"):
        (tmp_path / f"games{suffix}").write_text(format_games(records, suffix))
    (tmp_path / "export.py").write_text(EXPORT)
    subprocess.run(
        [find_program("gnubg", "gnubg"), "-t", "-q", "-r", "-p", "export.py"],
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )
    for name in ("from_sgf.mat", "from_mat.sgf"):
        assert flatten(read_games(tmp_path / name)) == flatten(records), name


MAT = """ 0 point match

 Game 1
 Alice : 0                            Bob : 0
  1) 31: 8/5 6/5                       Doubles => 2
  2)  Takes                           42: 8/4 6/4
  3)  Doubles => 4                     Drops
      Wins 2 points
"""


def test_a_small_session_with_the_cube():
    (record,) = make_records(parse_mat(MAT))
    assert str(record).splitlines()[-1] == (
        "1. 31 8/5,6/5 2. double take 3. 42 8/4,6/4 4. double drop 1-0"
    )
    assert (record.headers["White"], record.headers["Points"]) == ("Alice", "2")
    (sgf,) = parse_sgf(format_games([record], ".sgf"))
    assert [str(turn.action) for turn in sgf.turns][-2:] == ["double", "drop"]


def test_a_resignation_in_the_turn_of_the_winner_is_in_the_headers():
    text = MAT.replace("  3)  Doubles => 4                     Drops\n", "")
    (record,) = make_records(parse_mat(text.replace("Wins 2", "Wins 4")))
    assert (record.result, record.headers["Reason"], record.headers["Points"]) == (
        "1-0",
        "resigned",
        "4",
    )


@pytest.mark.parametrize(
    ("wrong", "right", "complaint"),
    [
        ("0 point match", "", "line 1: '' is not|is not “N point match”"),
        (" Game 1\n", "", "comes before “Game 1”"),
        ("Alice : 0 ", "Alice ", "is not “name : points"),
        ("31: 8/5", "71: 8/5", "entry for each side"),
        ("31: 8/5 6/5", "31: 8/4 6/5", "game 1, line 5: '8/4 6/5' is not a legal move"),
        ("42: 8/4", "22: 8/4", "not a legal move"),
        ("Doubles => 2", "Doubles => 3", "cube goes to 2, not to '3'"),
        (" Takes", " Drops", "game 1, line 6"),
        ("Wins 2", "Wins 5", "5 by the file, and white 2 by the moves"),
        ("  3)  Doubles", "  3) Hello Doubles", "entry for each side"),
        ("      Wins 2 points\n", "Good bye\n", "is not a line of moves"),
        ("0 point match", "99 point match", "99 points is too long"),
    ],
)
def test_a_broken_mat_file_is_reported_in_one_line(wrong, right, complaint, tmp_path):
    assert wrong in MAT
    file = tmp_path / "broken.mat"
    file.write_text(MAT.replace(wrong, right, 1) or "x")
    with pytest.raises(BadRecord, match=complaint) as refused:
        make_records(parse_mat(file.read_text()))
    assert "\n" not in str(refused.value)


SGF = "(;FF[4]GM[6]PW[Alice]PB[Bob]RE[W+1]\n;W[31hefe]\n;B[double]C[a \\] bracket]\n;W[drop])"


@pytest.mark.parametrize(
    ("wrong", "right", "complaint"),
    [
        ("GM[6]", "GM[1]", "not a game of backgammon"),
        ("31hefe", "31he", "is not a legal move"),
        ("31hefe", "31hef", "is not a move as in"),
        ("31hefe", "hello", "is not a move as in"),
        ("W[drop])", "W[drop]", "ends in the middle"),
        ("(;FF", "((;FF", "ends in the middle"),
        ("RE[W+1]", "RE[Draw]", "is not as in B"),
        ("RE[W+1]", "RE[W+1]MI[length:x]", "'x' is not a number"),
        ("double]C", "double] what C", "is not SGF"),
        ("(;FF", ");FF", "without its"),
    ],
)
def test_a_broken_sgf_file_is_reported_in_one_line(wrong, right, complaint):
    assert wrong in SGF
    with pytest.raises(BadRecord, match=complaint) as refused:
        make_records(parse_sgf(SGF.replace(wrong, right, 1)))
    assert "\n" not in str(refused.value)


def test_variations_of_sgf_are_left_out_and_comments_kept():
    varied = SGF.replace("\n;B[double]C[a \\] bracket]", "(;B[double]C[a \\] bracket]").replace(
        "W[drop])", "W[drop])(;B[42];W[66](;B[11])))"
    )
    (record,) = make_records(parse_sgf(varied.replace("RE[W+1]", "RE[B+1]")))
    assert [node.move for node in record.line.moves] == ["31", "8/5 6/5", "double", "drop"]
    assert record.line.moves[2].comment == "a ] bracket"


@pytest.mark.parametrize("suffix", [".mat", ".sgf"])
def test_damaged_files_are_read_or_refused_in_one_line(suffix, tmp_path):
    played = play("money", 2)
    text, rng, file = format_games(played, suffix), random.Random(1), tmp_path / f"games{suffix}"
    complaints = []
    for _ in range(repeat(40, 1000)):
        at = rng.randrange(len(text))
        damage = rng.choice(["", "\n", "7", ")", "[", "Doubles => 3", "Takes", "\x00"])
        file.write_text(text[:at] + damage + text[at + rng.randrange(12) :])
        try:
            read_games(file)
        except LudusError as error:
            complaints.append(str(error))
    assert len(complaints) > 10
    assert all("\n" not in each and len(each) < 500 for each in complaints)


def take_turns(count, first="tool", second="random"):
    """Records of games in which the players take turns to begin."""
    game = ludus.game("backgammon")
    players = ludus.player(first, game), ludus.player(second, game)
    return [
        Record.from_game(ludus.play_game(game, players[:: -1 if n % 2 else 1], seed=n), game)
        for n in range(count)
    ]


def test_a_mat_file_to_be_read():
    records = take_turns(2)
    lines = format_mat(records).splitlines()
    assert lines[0] == " 0 point match"
    assert lines[2] == " Game 1"
    assert lines[3].split() == ["tool", ":", "0", "random", ":", "0"]
    assert lines[4].startswith("  1) ")
    second = lines.index(" Game 2")
    # Random begins the second game, and his is the right column.
    assert lines[second + 2][5:20].strip() == ""
    assert sum(line.strip().startswith("Wins") for line in lines) == 2


def test_games_that_cannot_be_written():
    whole = take_turns(1)[0]
    cut = Record({**whole.headers, "Result": "*"}, type(whole.line)(whole.line.moves[:6]))
    with pytest.raises(BadRecord, match="not played to its end"):
        format_mat([cut])
    with pytest.raises(BadRecord, match="other players"):
        format_mat([whole, *take_turns(1, second="tool")])


@pytest.mark.needs_debian("gnubg")
def test_a_strong_side_gives_away_less_than_chance():
    record = take_turns(1, "gnubg", "random")[0]
    review = review_records([record], GnubgEvaluator(0), has_luck=False)
    assert len(review.decisions) > 20
    assert review.summarize(0).error_per_decision == 0  # evaluated by itself
    assert review.summarize(1).error_per_decision > 0.1
    worst = max((each for _, each in review.decisions), key=lambda each: each.cost)
    assert worst.mark == "??"
    assert worst.best != worst.move
    assert 0 <= worst.after.chances.win <= 1
