"""`ludus engine` through its text protocol: every command and its answers."""

import json
import shlex
import subprocess

import pytest

import ludus
from ludus.core.player import Limit
from support.engine_client import PROGRAM, EngineClient, info, talk
from support.waiting import PATIENCE


@pytest.fixture(scope="module")
def morris():
    with EngineClient() as stranger:
        yield stranger


@pytest.fixture
def fresh(morris):
    """Return the program in its initial state."""
    morris.answers("stop", "wait")  # whatever a test that failed has left
    manners = "Captures value suffix", "Answer value uci"
    for setting in ("Player value negascout", "Seed value 0", *manners):
        morris.say(f"setoption name {setting}")
    assert morris.answers("ucinewgame", "position startpos") == []
    return morris


def test_it_introduces_itself(fresh):
    fresh.say("uci")
    lines = fresh.until("uciok")
    assert lines[0] == f"id name Ludus {ludus.__version__}"
    assert lines[1].startswith("id author ")
    options = lines[2:-1]
    assert all(line.startswith("option name ") for line in options)
    assert "option name MultiPV type spin default 1 min 1 max 1000" in options
    assert "option name Threads type spin default 1 min 1 max 256" in options
    assert "option name Hash type spin default 16 min 1 max 65536" in options
    assert "option name Endings type check default true" in options
    assert "option name Depth type string default <empty>" in options
    assert any(line.startswith("option name Game type combo default nine_mens") for line in options)


def test_reported_options_are_those_that_are_set(fresh):
    assert fresh.answers("setoption name multipv value 3", "setoption name LEVEL value 4") == []
    result = fresh.answers("uci")
    assert "option name MultiPV type spin default 3 min 1 max 1000" in result
    assert "option name Level type spin default 4 min 1 max 10" in result
    assert fresh.answers("setoption name Depth value 5", "setoption name Depth value <empty>") == []
    assert "option name Depth type string default <empty>" in fresh.answers("uci")


@pytest.mark.parametrize("level", [1, 3, 6])
def test_weak_levels_show_the_line_that_they_play(fresh, level):
    """They play any of several good moves; the last line says which."""
    fresh.say(f"setoption name Level value {level}")
    for moves in ("", " moves d6", " moves d6 f4", " moves d6 f4 d2 b4"):
        fresh.say(f"position startpos{moves}", "go")
        *lines, answer = fresh.until("bestmove")
        last = [line for line in lines if " multipv 1 " in line][-1]
        assert last.partition(" pv ")[2].split()[0] == answer.split()[1]


@pytest.mark.parametrize(
    "line",
    [
        "setoption",
        "setoption name",
        "setoption name MultiPV",
        "setoption name MultiPV value 0",
        "setoption name MultiPV value x",
        "setoption name Nonsense value 1",
        "setoption name Game value chess",
        "setoption name Game value hexapawn:size=99",
        "setoption name Rules value men=99",
        "setoption name Player value stockfish",
        "setoption name Player value external",
        "setoption name Player value external:no-such-program",
        "setoption name Seed value -1",
        "setoption name Seed value ٣",
        "setoption name Captures value both",
        "position",
        "position fen",
        "position startpos d6",
        "position startpos moves d6 d6",
        "position startpos moves xd6",
        "position startpos moves d6 d7 f6 g7 b6 a1",
        "position startpos moves d6 d7 f6 g7 b6 xd6",
        "position startpos moves (4,1)",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "position fen OOO*****/@@******/******** w p r 3 6 2 7 1 0 0 0 0 0 0 0 3",
        "go depth",
        "go depth 0",
        "go depth -1",
        "go nodes 1e9",
        "go movetime ²",
        "go ponder",
        "go searchmoves a1-a4",
        "go nodes 99999999999999999999999999",
        "what is this",
        "\ufffd \u2028 ☃",
    ],
)
def test_a_bad_line_gets_one_line_and_changes_nothing(fresh, line):
    before = fresh.answers("position startpos moves d6 f4", "d")
    answer = fresh.answers(line)
    assert len(answer) == 1
    assert answer[0].startswith("info string error: ")
    assert len(answer[0]) < 500
    assert fresh.answers("d") == before


def test_a_search_is_reported_depth_by_depth_and_is_the_players(fresh):
    fresh.say("position startpos moves d6 f4 d2 b4", "go nodes 30000")
    lines = fresh.until("bestmove ")
    result = list(info(lines))
    assert [int(each["depth"]) for each in result[:4]] == [1, 2, 3, 4]
    nodes = [int(each["nodes"]) for each in result]
    assert nodes == sorted(nodes)
    assert nodes[-1] == 30000
    assert all(int(each["seldepth"]) >= int(each["depth"]) for each in result)
    assert {"score", "nps", "time", "multipv"} - {"score"} <= result[-1].keys()
    game = ludus.game("nine_mens_morris")
    position = game.start()
    for move in ("d6", "f4", "d2", "b4"):
        position = position.play(game.parse_move(move, position))
    player = ludus.player("negascout", game)
    player.start_game(0)
    choice = player.choose(position, Limit(nodes=30000))
    assert lines[-1] == f"bestmove {choice.move}"
    assert result[-1]["cp"] == str(round(100 * choice.scores[choice.move]))
    assert lines[-2] == f"info string {choice.comment}"


def test_every_line_that_is_reported_can_be_played(fresh):
    fresh.say("setoption name MultiPV value 4", "position startpos moves d6 f4 d2 b4")
    fresh.say("go depth 7")
    result = list(info(fresh.until("bestmove ")))
    last = [each for each in result if each["depth"] == "7"]
    assert [each["multipv"] for each in last] == ["1", "2", "3", "4"]
    assert len({each["pv"].split()[0] for each in last}) == 4
    scores = [int(each["cp"]) for each in last]
    assert scores == sorted(scores, reverse=True)
    for each in result:
        assert fresh.answers(f"position startpos moves d6 f4 d2 b4 {each['pv']}") == []


def test_a_win_is_reported_in_moves(fresh):
    """White has three men in a corner and closes the mill that leaves Black with two."""
    assert fresh.bestmove("position fen W.W/.../.../W...../..B/B../B.. w 0 0", "go depth 3")
    fresh.say("go depth 3")
    result = list(info(fresh.until("bestmove ")))
    assert result[0]["mate"] == "1"
    assert result[0]["pv"].startswith("a4-d7x")


def test_only_stop_ends_an_infinite_search(fresh):
    """Even where there is nothing to search: a mill that wins at once."""
    fresh.say("position fen W.W/.../.../W...../..B/B../B.. w 0 0", "go infinite")
    assert fresh.until("info string wins in 1 move")[0].startswith("info depth 1 ")
    assert fresh.answers() == [], "it is ready while it thinks, and says no move"
    assert "still thinking" in fresh.answers("position startpos")[-1]
    assert "still thinking" in fresh.answers("go")[-1]
    assert "only stop" in fresh.answers("wait")[-1]
    fresh.say("stop")
    assert fresh.until("bestmove ")[-1].startswith("bestmove a4-d7x")


def test_stop_ends_a_long_search(fresh):
    for limit in ("infinite", "depth 90", "movetime 100000000", "nodes 999999999999"):
        fresh.say("position startpos", f"go {limit}")
        assert fresh.line().startswith("info depth 1 ")
        assert fresh.bestmove("stop")


def test_stop_at_once_and_a_position_right_behind_it(fresh):
    """The stop may come before the search has begun, and the position before it has ended."""
    for number in range(40):
        fresh.say("position startpos", "go infinite", "stop", "position startpos moves d6")
        assert fresh.until("bestmove ")[-1] != "bestmove (none)", number
    assert fresh.answers("stop", "wait", "stop") == []


def test_go_without_a_limit_is_the_players_own(fresh):
    fresh.say("setoption name Nodes value 5000", "go")
    assert [each["nodes"] for each in info(fresh.until("bestmove "))][-1] == "5000"


def test_searchmoves(fresh):
    assert fresh.bestmove("position startpos", "go nodes 3000 searchmoves a1") == "a1"
    assert fresh.bestmove("go nodes 3000 searchmoves g1 a7") in ("g1", "a7")
    fresh.say("setoption name Player value playouts:games=50")
    assert fresh.bestmove("go searchmoves g1 a7") in ("g1", "a7")
    fresh.say("setoption name Player value random")
    assert fresh.bestmove("go searchmoves g1 a7") in ("g1", "a7")


def test_captures_as_moves_of_their_own(fresh):
    """As Sanmill asks: first for the mill, then for the man. The second answer was planned."""
    before = "position startpos moves d6 d7 f6 g7"
    fresh.say("setoption name Captures value token", before, "go nodes 2000")
    lines = fresh.until("bestmove ")
    assert lines[-1] == "bestmove b6"
    first, taken = list(info(lines))[-1]["pv"].split()[:2]
    assert (first, taken) in (("b6", "xd7"), ("b6", "xg7"))
    fresh.say(f"{before} b6", "go nodes 2000")
    assert fresh.until("bestmove ") == ["info string as planned", f"bestmove {taken}"]
    assert fresh.answers(f"{before} {first} {taken} a1 {first}") != [], "b6 is not free"
    assert fresh.bestmove("ucinewgame", f"{before} b6", "go nodes 2000") in ("xd7", "xg7")


@pytest.mark.parametrize("player", ["negascout", "playouts:games=40", "newbie", "random"])
def test_every_player_takes_a_man_when_the_mill_is_closed_for_it(fresh, player):
    fresh.say(f"setoption name Player value {player}")
    assert fresh.bestmove("position startpos moves d6 d7 f6 g7 b6", "go nodes 40") in ("xd7", "xg7")


def test_the_answer_as_sanmill_gives_it(fresh):
    fresh.say("setoption name Captures value token", "setoption name Answer value sanmill")
    for moves, sign in (("d6 d7 f6 g7", 1), ("d7 d6 g1 f6 a4", -1)):
        fresh.say(f"position startpos moves {moves}", "go nodes 2000")
        *lines, answer = fresh.until("info score ")
        points = int(list(info(lines))[-1]["cp"])
        assert points > 0, "as the side sees it that is to move and closes a mill"
        assert answer == f"info score {round(sign * 5 * (points / 100))} bestmove b6"
    fresh.say("position fen W.W/.../.../W...../..B/B../B.. w 0 0", "go depth 3")
    assert fresh.until("info score ")[-1] == "info score 80 bestmove a4-d7"


def test_clocks(fresh):
    clock = "wtime 3000 btime 60000 winc 10 binc 10"
    assert fresh.bestmove("position startpos", f"go {clock}")
    assert fresh.bestmove("position startpos moves d6", "go wtime 3000 btime 100 movestogo 2")
    assert fresh.bestmove("go wtime -50 btime -50 winc 0 binc 0")


def test_the_same_seed_gives_the_same_moves(fresh):
    def moves():
        fresh.say("setoption name Player value playouts:games=40")
        return [fresh.bestmove("go nodes 40") for _ in range(6)]

    first = moves()
    assert moves() == first
    fresh.say("setoption name Seed value 123456789012345678")
    assert moves() != first


def test_a_game_that_is_over_has_no_move(fresh):
    fresh.say("position fen WWW/.../.../....../.../B../B.. b 0 0", "go depth 3")
    assert fresh.line() == "info string the game is over: men"
    assert fresh.line() == "bestmove (none)"


def test_the_board_is_drawn(fresh):
    lines = fresh.answers("position startpos moves d6 f4", "d")
    assert lines[0].startswith("7  ·────")
    assert "position .../.W./.../....B./.../.../... w 8 8" in lines
    assert "fen ********/O*@*****/******** w p p 1 8 1 8 0 0 -1 -1 -1 -1 0 0 1" in lines
    assert len(fresh.answers("help")) > 8


def test_all_games_in_one_conversation():
    with EngineClient("hexapawn:size=4") as stranger:
        assert stranger.bestmove("go") in ("a1-a2", "b1-b2", "c1-c2", "d1-d2")
        assert stranger.answers("setoption name Rules value size=3") == []
        assert "position BBB/.../WWW w" in stranger.answers("d")
        assert stranger.answers("setoption name Game value noughts_and_crosses") == []
        assert stranger.bestmove("position startpos moves b2 a1", "go")
        assert stranger.answers("setoption name Game value backgammon") == []
        assert stranger.bestmove("go") == "(none)", "the dice are to be rolled"
        assert stranger.bestmove("position startpos moves 31 8/5,6/5 64", "go nodes 50")
        text = "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31"
        move = stranger.bestmove(f"position fen {text}", "go nodes 50")
        assert stranger.answers(f"position fen {text} moves {move} 66") == []
        assert stranger.answers("setoption name Game value nine_mens_morris:lasker") == []
        assert stranger.bestmove("go nodes 500")


@pytest.mark.parametrize("end", ["quit\n", "", "go infinite\n", "go infinite\nquit\nd\n", "quit"])
def test_it_ends_with_quit_and_with_its_input(end):
    status, lines, complaints = talk(f"isready\n{end}")
    assert (status, complaints) == (0, "")
    assert lines[0] == "readyok"
    assert [line for line in lines if line.startswith("bestmove")] == lines[-1:] * ("go" in end)


def test_it_ends_while_a_player_cannot_be_stopped():
    """Random games by the million in compiled code: nobody waits for them."""
    with EngineClient("backgammon", "--player", "playouts:games=100000000") as stranger:
        stranger.say("position startpos moves 31", "go", "isready")
        assert stranger.line() == "readyok"
        stranger.say("quit")
        assert stranger.end() == (0, "", "")


@pytest.mark.parametrize("command", ["isready", "go infinite"])
def test_ctrl_c_ends_it_quietly(command):
    with EngineClient() as stranger:
        stranger.say(command)
        stranger.line()
        stranger.interrupt()
        status, _, complaints = stranger.end()
        assert (status, complaints) == (130, "")


def test_it_ends_when_nobody_listens():
    with EngineClient() as stranger:
        stranger.process.stdout.close()
        stranger.say("uci", "isready")
        assert stranger.process.wait(PATIENCE) == 0
        assert stranger.process.stderr.read() == b""


@pytest.mark.parametrize(("redirection", "status"), [("<&-", 2), (">&-", 2), ("0> /dev/null", 0)])
def test_no_input_or_no_output(redirection, status):
    command = f"exec {shlex.join(PROGRAM)} {redirection}"
    done = subprocess.run(
        ["sh", "-c", command], input=b"", capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == status
    assert done.stderr.count(b"\n") == (status == 2)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["chess"], marks=pytest.mark.slow),
        ["hexapawn", "--player", "negascout"],
        pytest.param(["--player", "external"], marks=pytest.mark.slow),
    ],
)
def test_bad_arguments_are_one_line(arguments):
    status, lines, complaints = talk("uci\n", *arguments)
    assert (status, lines, complaints.count("\n")) == (2, [], 1)


def test_json_tells_what_can_be_set():
    status, lines, _ = talk("", "hexapawn", "--json")
    result = json.loads(lines[0])
    assert (status, result["game"], result["player"]) == (0, "hexapawn", "perfect:fallback=search")
    assert {"name": "Seed", "default": "0"} in result["options"]
