"""Judged games: exact regret of games from elsewhere, by OpenSpiel, Kaggle and sites."""

import json
import xml.etree.ElementTree as ElementTree
from functools import cache

import pytest

import ludus
from ludus.core.errors import BadRecord
from support.paths import DATA

GAMES = DATA / "open_spiel_games.txt"
"""Games of OpenSpiel with few men at the end, between players that close mills or guess."""

UTILITIES = {"win": 1, "draw": 0, "loss": -1}


@pytest.fixture(scope="module")
def judgement():
    return ludus.judge(GAMES)


def test_regret_is_the_value_lost_between_the_solved_part_and_the_result(judgement):
    """By the results that OpenSpiel gives, no move is needed to know the difference of sums."""
    oracle = ludus.oracle("nine_mens_morris")
    checked = 0
    for game in judgement.games:
        known = [each for each in game.moves if each.regret is not None]
        if not known or [each.ply for each in known] != list(
            range(known[0].ply, len(game.record.line.moves))
        ):
            continue  # the end is not within the solved part
        first = known[0].position
        value = UTILITIES[oracle.value(first).result] * (-1 if first.mover else 1)
        lost = [sum(each.regret for each in known if each.position.mover == s) for s in (0, 1)]
        result = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}[game.record.result]
        assert value - lost[0] + lost[1] == result
        checked += 1
    assert checked >= 3
    total = judgement.players["white"].total
    assert 0 < total.critical_kept < total.critical
    assert total.num_unevaluated < total.moves


@cache
def limited_value(position, plies):
    """The value for the mover if the game is a draw after this many plies, by trying all moves."""
    outcome = position.outcome()
    if outcome is not None:
        return outcome.score(position.mover)
    if plies == 0:
        return 0
    return max(-limited_value(position.play(move), plies - 1) for move in position.legal_moves())


def test_a_limit_of_plies_makes_late_wins_draws():
    """In all positions of hexapawn, against all lines of play."""
    game = ludus.game("hexapawn")
    oracle, found, waiting = ludus.oracle(game), set(), [game.start()]
    while waiting:
        position = waiting.pop()
        if position in found or position.outcome() is not None:
            continue
        found.add(position)
        waiting += [position.play(move) for move in position.legal_moves()]
    changed = 0
    for position in found:
        for plies in range(1, 8):
            verdict = oracle.verdict(position).limit(plies)
            values = {
                move: -limited_value(position.play(move), plies - 1)
                for move in position.legal_moves()
            }
            assert verdict.value.utility == max(values.values())
            for move, value in values.items():
                assert verdict.cost(move) == max(values.values()) - value
            changed += verdict.value.result != oracle.value(position).result
    assert changed > 10


def test_a_win_that_comes_after_the_last_turn_is_a_draw():
    """Black's pawn can be taken and the game is lost in two plies, if there are two left."""
    moves = ludus.Record.parse("1. a1-a2 c3-c2 *").line
    regrets = {}
    for plies in ("3", "2"):
        record = ludus.Record({"Game": "hexapawn", "MaxPlies": plies}, moves)
        regrets[plies] = [each.regret for each in ludus.judge(record).games[0].moves]
    assert regrets == {"3": [0, 1], "2": [0, 0]}


def test_illegal_moves_and_faults_are_counted():
    found = ludus.judge([DATA / "kaggle" / "forfeited.json", DATA / "kaggle" / "ended.json"])
    assert list(found.players) == ["north", "quitter", "south"]
    assert dict(found.players["quitter"].faults) == {"illegal": 1}
    text = ludus.judge(ludus.Record.parse("1. d6 d6 *"), game="nine_mens_morris")
    assert dict(text.players["black"].faults) == {"illegal": 1}
    assert text.games[0].record.result == "1-0"


def test_backgammon_is_compared_by_estimates():
    found = ludus.judge(
        DATA / "kaggle" / "backgammon.json", evaluator="gammon:net=selfplay", plies=0
    )
    assert set(found.players["north"].phases) <= {"contact", "race", "bearing off"}
    total = found.players["north"].total
    assert total.num_unevaluated == 0 < total.num_estimated
    assert total.regret > 0
    assert any("one point" in note for note in found.notes)


def test_the_command_writes_json_a_table_and_a_picture(tmp_path, capsys):
    from ludus.cli.main import run

    parquet = pytest.importorskip("pyarrow.parquet")
    out, plot = tmp_path / "moves.parquet", tmp_path / "judged.svg"
    assert run(["judge", str(GAMES), "--out", str(out), "--plot", str(plot), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["game"], shown["games"]) == ("nine_mens_morris", 8)
    table = parquet.read_table(out).to_pydict()
    assert len(table["move"]) == shown["moves"]
    for name, player in shown["players"].items():
        regret = [
            value
            for value, who in zip(table["regret"], table["player"], strict=True)
            if who == name and value is not None
        ]
        assert sum(regret) / player["games"] == pytest.approx(player["mean_regret"])
    first = shown["by_game"][0]["first_errors"]["white"]
    row = table["ply"].index(first["ply"])
    assert table["position"][row] == first["position"]
    assert table["best"][row] == first["best"]
    drawn = ElementTree.fromstring(plot.read_text())
    bars = [each for each in drawn.iter() if each.get("class", "").startswith("bar")]
    kept = [each for each in shown["players"].values() for each in each["by_phase"].values()]
    assert len(bars) == sum(each["critical"] > 0 for each in kept)


@pytest.mark.parametrize(
    ("text", "game", "message"),
    [
        ("1. a1-a2 *", "", "does not say of which game"),
        ('[Game "hexapawn"]\n\n1. a1-a2 *', "backgammon", "is hexapawn, not backgammon"),
        ('[Game "hexapawn"]\n[Result "1-0"]\n\n1. a1-a2 b3xa2 2. c1-c2 a2xb1 1-0', "", "header"),
    ],
)
def test_what_cannot_be_compared_is_refused(tmp_path, text, game, message):
    file = tmp_path / "games.txt"
    file.write_text(text)
    with pytest.raises(BadRecord, match=message):
        ludus.judge(file, game=game)
