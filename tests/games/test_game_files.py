"""Games as other programs and sites write them: OpenSpiel, Kaggle, PlayOK, Sanmill."""

import random

import pytest

import ludus
from ludus.core.errors import BadRecord
from ludus.core.record import Record
from ludus.games.game_files import parse_games, read_games
from ludus.web.imports import read_import
from support.paths import DATA

pyspiel = pytest.importorskip("pyspiel")

KAGGLE = DATA / "kaggle"
"""Games of random players of kaggle-environments 1.33.2, without the boards of each step."""


def play_open_spiel(name, seed):
    """A random game of OpenSpiel."""
    state, source = pyspiel.load_game(name).new_initial_state(), random.Random(seed)
    while not state.is_terminal():
        state.apply_action(source.choice(state.legal_actions()))
    return state


def write_words(state):
    """Its actions as strings, one in a line."""
    after, words = state.get_game().new_initial_state(), []
    for action in state.history():
        words.append(after.action_to_string(after.current_player(), action))
        after.apply_action(action)
    return "\n".join(words)


def end(text):
    """Headers of the only game of a text, and the position at its end."""
    [record] = parse_games(text)
    game = ludus.game(record.headers["Game"], record.headers["Rules"])
    return record.headers, record.replay(game)[-1]


@pytest.mark.parametrize("name", ["nine_mens_morris", "backgammon(scoring_type=full_scoring)"])
def test_open_spiels_games_end_here_as_there(name):
    """In each way of writing them; OpenSpiel itself says who won."""
    reasons = set()
    for seed in range(8):
        state = play_open_spiel(name, seed)
        words = write_words(state)
        texts = [pyspiel.serialize_game_and_state(state.get_game(), state), words]
        texts += [str(state.history())] if name == "nine_mens_morris" else []
        played = "".join(f"action: {each}\n" for each in state.history())
        texts.append(f"game: {name}\n{played}")
        headers, position = end(texts[0])
        won, _ = state.returns()
        outcome = position.outcome()
        assert (0 if outcome is None else outcome.score(0)) == won
        assert headers["Result"] == {1: "1-0", -1: "0-1", 0: "1/2-1/2"}[(won > 0) - (won < 0)]
        reasons.add(headers["Reason"])
        # Strings of actions do not say how backgammon is scored.
        ends = [end(text)[1] for text in texts if text != words or "(" not in name]
        assert [str(each) for each in ends] == [str(position)] * len(ends)
    if name == "nine_mens_morris":
        assert reasons == {"men", "length"}, "some games are draws after 200 turns"


def test_how_backgammon_is_scored_and_set_up():
    """By default a gammon counts one point, as in a match to one point, without the cube."""
    headers, position = end(write_words(play_open_spiel("backgammon", 1)))
    assert headers["Rules"] == "standard,match=1"
    assert position.outcome().points == 1
    name = "backgammon(hyper_backgammon=true,scoring_type=full_scoring)"
    state = play_open_spiel(name, 1)
    headers, _ = end(pyspiel.serialize_game_and_state(state.get_game(), state))
    assert headers["Rules"] == "hyper"


def test_kaggles_replays():
    [ended] = read_games(KAGGLE / "ended.json")
    assert (ended.headers["White"], ended.headers["Black"]) == ("north", "south")
    assert (ended.result, ended.headers["Reason"]) == ("1-0", "men")
    [lost] = read_games(KAGGLE / "forfeited.json")
    assert (lost.result, lost.headers["Reason"]) == ("1-0", "illegal")
    assert lost.line.moves[-1].comment == "then came '3-20', which is illegal"
    [rolled] = read_games(KAGGLE / "backgammon.json")
    assert rolled.replay(ludus.game("backgammon:match=1"))[-1].outcome().winner == 0


def test_an_illegal_action_ends_the_game():
    """White fills the left side, and then takes a point where nothing stands."""
    [record] = parse_games("Point 0\nPoint 1\nPoint 9\nPoint 4\nPoint 21\nPoint 23")
    assert (record.result, record.headers["Reason"]) == ("0-1", "illegal")
    assert [node.move for node in record.line.moves] == ["a7", "d7", "a4", "d6"]
    assert "'a1xg1'" in record.line.moves[-1].comment


@pytest.mark.parametrize(
    "text",
    [
        '[Site "PlayOK"]\n[White "ann"]\n[Result "1-0"]\n\n1. 1 5 2. 10 4 3.\n22x5 5 1-0',
        '[Site "Sanmill"]\n[White "ann"]\n[Variant "Nine Men\'s Morris"]\n\n1. a7 $1 d6 2. a4 b6 '
        "3. a1 xd6 d6 1-0",
    ],
)
def test_lists_of_moves_of_sites(text):
    [record] = parse_games(text)
    assert record.headers["White"] == "ann"
    assert [node.move for node in record.line.moves] == ["a7", "d6", "a4", "b6", "a1xd6", "d6"]
    assert (record.headers["Rules"], record.result) == ("threefold", "1-0")
    # Pasted into the page in the midst of another game.
    job = {"text": text, "game": "backgammon", "rules": ""}
    assert read_import(job)["game"] == "nine_mens_morris"


def test_a_game_that_goes_on_after_three_occurrences():
    turns = ["d6-d7 f4-g4", "d7-d6 g4-f4"] * 3
    placed = ["d6 f4", "b6 f6", "a7 g7", "c5 e5", "b2 f2", "a1 g1", "c3 e3", "a4 d2", "d1 e4"]
    pairs = enumerate([*placed, *turns], 1)
    text = '[Site "PlayOK"]\n\n' + " ".join(f"{number}. {pair}" for number, pair in pairs)
    [record] = parse_games(text)
    assert record.headers["Rules"] == "standard,repetition=0"
    assert record.line.moves[-1].move == "g4-f4"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[Game]\nchess()\n[State]\n1\n2\n", "cannot be read"),
        ('{"openSpielGameName": "nine_mens_morris"}', "lacks"),
        ("Point 1\nPoint", "no action"),
        ('[Site "Sanmill"]\n[Variant "Dooz"]\n\n1. d6 *', "rules differ"),
    ],
)
def test_what_cannot_be_read_is_refused(text, message):
    with pytest.raises(BadRecord, match=message):
        parse_games(text)


def test_records_of_our_own_are_none_of_these():
    text = '[Game "noughts_and_crosses"]\n\n1. b2 a1 2. c3 *'
    assert parse_games(text) == [Record.parse(text)]
    assert "Game" not in parse_games("1. b2 a1 2. c3 *")[0].headers
