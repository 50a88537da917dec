"""Learners side by side: stored figures, and their choices in the positions that are offered."""

import json

import pytest

from ludus.games import game as named_game
from ludus.players import player
from ludus.web.learners import list_learners, load_learners
from ludus.web.opponents import load_personas
from support.paths import ROOT

GAMES = tuple(load_learners())
EXPERIMENTS = ROOT / "experiments"
POINTS_PER_MILLE = 1000


@pytest.mark.parametrize("name", GAMES)
def test_learners_and_positions_exist(name):
    game = named_game(name)
    view = list_learners(game)
    for each in view.learners:
        assert player(each.player, game).title
        assert each.result
    for each in view.positions:
        position = game.parse(each.position)
        assert position.outcome() is None
        assert position.mover in (0, 1)


def test_the_proof_about_the_scholar_is_mentioned():
    learners = {each.player: each.how for each in list_learners(named_game(GAMES[0])).learners}
    assert "cannot lose" in learners["scholar"]
    assert "cannot lose" not in learners["scholar:kind=chain"]


def test_figures_are_those_of_the_stored_results():
    learners = [each for game in GAMES for each in load_learners()[game].learners]
    for each in (learner for learner in learners if learner.kept is not None):
        file, _, row = each.row.partition(": ")
        paper, _, result = file.partition("/")
        stored = json.loads((EXPERIMENTS / paper / "results" / f"{result}.json").read_text())
        found = next(found for found in stored["rows"] if found["name"] == row)
        assert (round(found["ours"], 1), found["count"]) == (each.kept, each.critical)
    errors = json.loads((EXPERIMENTS / "backgammon/results/errors.json").read_text())
    evaluated = errors["bgsage, 2 plies ahead"]
    for each in (learner for learner in learners if learner.lost is not None):
        assert evaluated["positions"] == each.evaluated
        mean = evaluated["players"][each.row]["sum"] / evaluated["positions"]
        assert round(POINTS_PER_MILLE * mean, 1) == each.lost


def test_a_learner_chooses_and_its_move_is_evaluated(client):
    query = {"game": "noughts_and_crosses", "position": "X../.XO/..O x"}
    good = client.get("/api/learners/choice", params={**query, "player": "menace"}).json()
    found = good["evaluation"]
    assert (good["move"], found["mark"], found["certainty"]) == ("c3", "", "exact")
    assert good["pictures"][0]["title"] == "Plays c3"
    assert len(good["pictures"]) > 1
    bad = client.get("/api/learners/choice", params={**query, "player": "qlearning"}).json()
    assert (bad["evaluation"]["mark"], bad["evaluation"]["cost"]) == ("??", 2)
    for wrong in ({"player": "negascout"}, {"player": "menace", "position": "XXX/OO./... o"}):
        assert client.get("/api/learners/choice", params={**query, **wrong}).status_code == 422


def test_personas_have_names_of_their_own():
    names = [persona.name for persona in load_personas()]
    assert len(set(names)) == len(names)
